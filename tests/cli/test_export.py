"""`akrig export`: which files, where, and what it refuses."""

import sqlite3

import pytest
import rasterio
from click.testing import CliRunner

from akrig.cli import main
from akrig.format_parts import EXPORTS
from tests.live.ponds import listing, pond_survey

WHO = ("contributor.name=Club", "contributor.email=chart@lake.org", "contributor.license=CC0 1.0")


@pytest.fixture(scope="module")
def pond(tmp_path_factory):
    return pond_survey(tmp_path_factory.mktemp("export"), ended=True)


def export(*words):
    return CliRunner().invoke(main, ["export", *map(str, words)], catch_exceptions=False)


def test_every_format_can_be_had_at_once(pond, tmp_path):
    before = listing(pond)
    changes = [word for change in WHO for word in ("--set", change)]
    result = export(pond, "--as", ",".join(EXPORTS), "--set", "cell=2.0", *changes, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    files = {part.file for part in EXPORTS.values()}
    assert {path.name for path in (tmp_path / "out").iterdir()} == files
    assert files <= set(result.stdout.replace("/", "\n").split())
    assert listing(pond) == before
    with rasterio.open(tmp_path / "out" / "map.tif") as tif, rasterio.open(tmp_path / "out" / "map.bag") as bag:
        assert tif.res == bag.res == (2.0, 2.0)
        assert tif.bounds == bag.bounds
        depth, elevation = tif.read(1, masked=True), bag.read(1, masked=True)
        assert (depth + elevation).max() == pytest.approx(0, abs=1e-5)
    with sqlite3.connect(tmp_path / "out" / "survey.gpkg") as content:
        assert content.execute("select count(*) from soundings").fetchone() == (84,)
    content.close()


def test_without_a_word_what_a_survey_ends_with_is_made_again(pond):
    result = export(pond)
    assert result.exit_code == 0, result.output
    usual = {part.file for part in EXPORTS.values() if part.is_usual}
    assert {path.name for path in (pond / "results").iterdir()} == usual
    assert export(pond).exit_code == 0  # its own folder: over its own


def test_files_of_others_stay(pond, tmp_path):
    (tmp_path / "map.bag").write_text("somebody's")
    result = export(pond, "--as", "bag", "--out", tmp_path)
    assert result.exit_code == 1
    assert "was not made by akrig" in result.output
    assert (tmp_path / "map.bag").read_text() == "somebody's"
    assert export(pond, "--as", "bag", "--out", tmp_path, "--force").exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--as", "kmx"], "'kmx' is no format; .*kmz"),
        (["--as", "csb"], "contributor.name .*give them with --set"),
        (["--as", "bag", "--set", "cell=0"], "cell"),
        (["--as", "bag", "--set", "sell=1"], "sell"),
    ],
)
def test_what_cannot_be_is_one_sentence(pond, tmp_path, words, said):
    import re

    result = export(pond, *words, "--out", tmp_path / "out")
    assert result.exit_code != 0
    assert re.search(said, result.output, re.DOTALL), result.output
    assert not list(tmp_path.glob("out/*"))
