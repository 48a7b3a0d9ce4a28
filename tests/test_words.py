"""Counts, and English that a native reader would write."""

import re
from pathlib import Path

import pytest

from akrig.words import are, plural, span

ROOT = Path(__file__).parents[1]
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
