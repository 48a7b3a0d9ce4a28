"""A page runs no code that the folder names: it asks the model where it can, and does without where it cannot."""

import shutil
import time
import tomllib

import pytest
import tomli_w

from akrig.journal.folder import RunFolder
from akrig.live import model_worker
from akrig.live.run_info import read_run_info
from tests.live.test_app import ask, listening

EVIL = 'open("ran", "w").close()\nfrom akrig.strategies import Uniform as S\n'


@pytest.fixture
def strangers(run, tmp_path, monkeypatch):
    """A run that was killed before its end, whose settings name `evil`, which lies beside it."""
    path = tmp_path / "run"
    shutil.copytree(run, path)
    (path / "map.nc").unlink()
    lines = (path / "journal.jsonl").read_text().splitlines(keepends=True)
    (path / "journal.jsonl").write_text("".join(line for line in lines if '"event":"end"' not in line))
    (tmp_path / "evil.py").write_text(EVIL)
    monkeypatch.chdir(tmp_path)

    def name(*parts: str) -> RunFolder:
        content = tomllib.loads((path / "config.toml").read_text())
        for part in parts:
            content[part]["name"] = "evil:S"
        (path / "config.toml").write_text(tomli_w.dumps(content))
        return RunFolder.open(path)

    return name


def test_the_model_is_asked_though_other_parts_are_somebodys_own(strangers, serve, tmp_path):
    page = serve(strangers("field", "strategy", "pilot", "sensor", "vehicle").path)
    with listening(page) as client:  # somebody must look before the model is asked
        client.recv(30)
        until = time.monotonic() + 150
        while ask(page, "/map/model")[0] == 404 and time.monotonic() < until:
            time.sleep(0.3)
    assert ask(page, "/map/model")[0] == 200
    assert not (tmp_path / "ran").exists()


def test_a_kernel_and_a_field_of_somebodys_own_are_not_asked(strangers, tmp_path):
    folder = strangers("kernel", "field")
    about = read_run_info(folder)
    _, saved = folder.list_checkpoints()[0]
    with pytest.raises(model_worker.NotViewable, match="kernel"):
        model_worker.predict_map(folder.config, saved, about.workspace, (5, 5))
    with pytest.raises(model_worker.NotViewable, match="field"):
        model_worker.true_map(folder.config, about.workspace, (5, 5))
    assert not (tmp_path / "ran").exists()
