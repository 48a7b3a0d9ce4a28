"""A run folder holds what it holds: links that lead out of it are not followed, by readers or by writers."""

import pytest

from akrig.errors import RunFolderError
from akrig.files import write_text
from akrig.journal.folder import RunFolder

FILES = (
    "config.toml",
    "journal.jsonl",
    "scores.csv",
    "timings.csv",
    "map.nc",
    "report.html",
    "telemetry.jsonl",
    ".lock",
)
FOLDERS = ("checkpoint", "snapshots", "figures", "orders", "results")


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    return RunFolder.create(tmp_path / "run", "seed = 0\n")


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_leads_out_of_the_folder_is_told(name, folder, tmp_path):
    (tmp_path / "private").write_text("seed = 1\n")
    (folder.path / name).unlink(missing_ok=True)
    (folder.path / name).symlink_to(tmp_path / "private")
    with pytest.raises(RunFolderError, match=f"{name} is a link that leads out of the run folder"):
        RunFolder.open(folder.path)


@pytest.mark.parametrize("name", FILES[1:])
def test_a_link_to_what_is_not_there_is_told_before_it_is_made(name, folder, tmp_path):
    (folder.path / name).symlink_to(tmp_path / "new")
    with pytest.raises(RunFolderError, match="leads out"):
        RunFolder.open(folder.path)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_in_it_that_leads_out_is_told(name, folder, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (folder.path / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunFolderError, match=f"{name} is a link that leads out"):
        RunFolder.open(folder.path)


def test_a_loop_is_told(folder):
    (folder.path / "journal.jsonl").symlink_to(folder.path / "journal.jsonl")
    with pytest.raises(RunFolderError, match=r"journal\.jsonl is a link that leads"):
        RunFolder.open(folder.path)


def test_links_inside_the_folder_and_to_the_folder_are_followed(folder, tmp_path):
    (folder.path / "kept").mkdir()
    (folder.path / "snapshots").symlink_to(folder.path / "kept")
    (tmp_path / "latest").symlink_to(folder.path)
    assert RunFolder.open(tmp_path / "latest").list_snapshots() == []


def test_what_is_not_akrigs_may_lead_anywhere(folder, tmp_path):
    (folder.path / "photos").symlink_to(tmp_path)
    RunFolder.open(folder.path)


def test_snapshots_and_checkpoints_that_lead_out_are_left_out(folder, tmp_path):
    for below, suffix in ((folder.snapshots, "npz"), (folder.checkpoints, "pt")):
        below.mkdir()
        (below / f"000001.{suffix}").write_text("ours")
        (tmp_path / f"private.{suffix}").write_text("private")
        (below / f"000002.{suffix}").symlink_to(tmp_path / f"private.{suffix}")
    assert [number for number, _ in folder.list_snapshots()] == [1]
    assert [number for number, _ in folder.list_checkpoints()] == [1]


def test_writing_never_goes_through_a_link(folder, tmp_path):
    private = tmp_path / "private"
    private.write_text("private")
    (folder.path / ".next.json.part").symlink_to(private)
    (folder.path / "next.json").symlink_to(private)
    write_text(folder.path / "next.json", "new")
    assert private.read_text() == "private"
    assert (folder.path / "next.json").read_text() == "new"
    assert not (folder.path / "next.json").is_symlink()
