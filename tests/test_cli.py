"""The command line as a person meets it: in a process of its own, in a folder of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

AKRIG = [sys.executable, "-m", "akrig"]


def akrig(*arguments: str, cwd: Path) -> subprocess.CompletedProcess:
    return subprocess.run([*AKRIG, *arguments], cwd=cwd, capture_output=True, text=True, timeout=300)


def test_help_and_version_are_light(tmp_path):
    heavy = "torch gpytorch numba scipy matplotlib numpy rich"
    code = (
        "import sys; from click.testing import CliRunner; from akrig.cli import main\n"
        "result = CliRunner().invoke(main, ['--help'])\n"
        "assert result.exit_code == 0 and 'demo' in result.output, result.output\n"
        f"print([name for name in '{heavy}'.split() if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert result.stdout.strip() == "[]", result.stdout + result.stderr
    assert "0." in akrig("--version", cwd=tmp_path).stdout


def test_demo_draws_the_figure_and_names_it(tmp_path):
    result = akrig("demo", "--out", "pictures", "--steps", "20", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    figure = tmp_path / "pictures" / "step.png"
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert "pictures/step.png" in result.stdout
    assert [path.name for path in figure.parent.iterdir()] == ["step.png"]
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["demos"], "No such command 'demos'"),
        (["demo", "--steps", "0"], "--steps"),
        (["demo", "--seed", "-1"], "--seed"),
        (["demo", "--out", "a_file/inside"], "a_file"),
        (["demo", "--out", "a_file"], "a_file"),
    ],
)
def test_bad_input_is_one_clear_sentence(arguments, said, tmp_path):
    (tmp_path / "a_file").write_text("in the way")
    result = akrig(*arguments, cwd=tmp_path)
    assert result.returncode != 0
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert (tmp_path / "a_file").read_text() == "in the way"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_writable_is_one_clear_sentence(tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    result = akrig("demo", "--out", "closed", cwd=tmp_path)
    assert result.returncode != 0
    assert "not writable" in result.stderr
