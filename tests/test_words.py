"""Counts, times, and English that a native reader would write."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from akrig.words import are, clock, plural, span

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "src" / "akrig" / "live" / "page" / "words.js"
SECONDS = [0, 0.99, 59.999, 60, 605, 3599, 3600, 3661, 86399, 86400, 90061.5, 718129.6, 1e8, -3]
NOUNS = "epochs|readings|legs|runs|soundings|waypoints|fields|missions|workers|warnings|seeds"
WRONG = (
    r"\bfor who\b",
    r"this is without",
    rf"(?<![\d.,\u202f{{])1 ({NOUNS})\b",
    rf"\{{len\([a-z_.]+\)\}} ({NOUNS})\b",
    r"from \{low\} to \{high\}",
)


@pytest.mark.parametrize(("count", "words"), [(0, "0 legs"), (1, "1 leg"), (2, "2 legs")])
def test_one_is_singular(count, words):
    assert plural(count, "leg") == words


def test_a_count_can_be_written_otherwise_and_a_noun_be_irregular():
    assert plural(12000, "reading", shown="12 000") == "12 000 readings"
    assert plural(3, "more fix", many="more fixes") == "3 more fixes"
    assert (are(1), are(0), are(2)) == ("is", "are", "are")


def test_a_span_of_one_number_is_that_number():
    assert span("8", "8", units=" %") == "8 %"
    assert span("3", "8", units=" %") == "3 to 8 %"


def shown_texts():
    for folder, endings in (("src/akrig", (".py", ".js", ".html")), ("docs", (".md",)), ("studies", (".toml",))):
        yield from (path for path in (ROOT / folder).rglob("*") if path.suffix in endings)
    yield ROOT / "README.md"


def test_phrases_that_no_native_speaker_would_write_do_not_come_back():
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in shown_texts()
        for match in re.finditer("|".join(WRONG), path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0:00"), (725, "12:05"), (3723, "1:02:03"), (86399.9, "23:59:59"), (718129, "8 d 07:28:49"), (-1, "0:00")],
)
def test_times_are_said_as_on_a_clock_and_long_ones_in_days(seconds, said):
    assert clock(seconds) == said


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node on this machine")
def test_the_page_says_the_same(tmp_path):
    (tmp_path / "words.mjs").write_text(PAGE.read_text())
    script = f"import('./words.mjs').then(w => console.log(JSON.stringify({SECONDS}.map(w.clock))))"
    done = subprocess.run(["node", "-e", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [said.replace("\u00a0", " ") for said in json.loads(done.stdout)] == [clock(seconds) for seconds in SECONDS]
