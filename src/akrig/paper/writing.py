"""What all reports write alike: words, tables as CSV and Markdown, figures as PDF and PNG, and the page with them."""

import csv
import io
import math
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

from akrig.files import written_beside
from akrig.plots import page
from akrig.plots.formatting import MISSING, counted, duration
from akrig.plots.save import compact, save_figure
from akrig.runs.run import versions
from akrig.study.computer import processor
from akrig.study.definition import Study
from akrig.study.results import Results
from akrig.study.store import StudyFolder
from akrig.words import are

_MOST_NAMED = 40  # missing runs
T = TypeVar("T")
Place = tuple[int, int]


@dataclass(frozen=True)
class ReportTable:
    """Cells as they are shown. A place is (row, column).

    Args:
        names: so many of the first columns say what a row is; a name that is empty is the one above.
        best: places in bold.
        notes: on the page, a few words beneath the cell at a place.
        marked: places whose note is marked.
        is_text: whether cells are words rather than numbers.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1
    best: frozenset[Place] = frozenset()
    notes: Mapping[Place, str] = field(default_factory=dict)
    marked: frozenset[Place] = frozenset()
    is_text: bool = False

    @classmethod
    def of(cls, items: Iterable[T], columns: Mapping[str, Callable[[T], str]], **more: Any) -> "ReportTable":
        """A row per item; under each heading, what is to be shown of it."""
        return cls(list(columns), [[shown(item) for shown in columns.values()] for item in items], **more)


class GroupedRows:
    """Rows by groups, filled column by column; the best of each group are in bold."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = []
        self._best: set[Place] = set()
        self._first = 0

    def begin(self, group: str, members: Iterable[str]) -> None:
        """A group, whose name stands before its first member."""
        self._first = len(self._rows)
        self._rows += [[group if k == 0 else "", member] for k, member in enumerate(members)]

    def add(self, cells: Iterable[str], best: Iterable[int] = ()) -> None:
        """The next column of the group."""
        for row, cell in zip(self._rows[self._first :], cells, strict=True):
            row.append(cell)
        self._best |= {self.place(member) for member in best}

    def place(self, member: int) -> Place:
        """Of a member of the group, in its latest column."""
        row = self._first + member
        return row, len(self._rows[row]) - 1

    def table(self, columns: Sequence[str], **more: Any) -> ReportTable:
        return ReportTable(columns, self._rows, names=2, best=frozenset(self._best), **more)


def write_csv(folder: Path, name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Into folder/tables, with six digits; nothing where there is no number."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_plain(value) for value in row] for row in rows)
    _write_text(folder / "tables" / f"{name}.csv", buffer.getvalue())


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}" if math.isfinite(value) else ""
    return "" if value is None else str(value)


def write_markdown(folder: Path, name: str, parts: Sequence[str | ReportTable]) -> None:
    """Paragraphs (or headings) and tables, into folder/tables."""
    texts = [part if isinstance(part, str) else _markdown_table(part) for part in parts]
    _write_text(folder / "tables" / f"{name}.md", "\n\n".join(texts) + "\n")


def _markdown_table(table: ReportTable) -> str:
    lines = [[_cell(name) for name in table.columns]]
    lines.append(["---"] * table.names + ["---" if table.is_text else "---:"] * (len(table.columns) - table.names))
    for i, row in enumerate(table.rows):
        lines.append([f"**{_cell(text)}**" if (i, j) in table.best else _cell(text) for j, text in enumerate(row)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def add_figure(folder: Path, name: str, figure: Any, *, alt: str, caption: str, is_compact: bool = True) -> str:
    """Into folder/figures as PDF and PNG; returns it for the page. The figure is closed.

    Args:
        is_compact: on the page in 256 colours, most of them those of the maps.
    """
    path = folder / "figures" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    for ending in (".pdf", ".png"):
        save_figure(figure, path.with_name(name + ending))
    image = path.with_name(f"{name}.png").read_bytes()
    return page.figure(compact(image) if is_compact else image, alt=alt, caption=caption, dpi=figure.dpi)


def head(study: Study, results: Results, folder: Path) -> list[str]:
    """Of every page: what was computed, when, on what, with which versions, and what is missing."""
    lacking, calls = missing(study, results), StudyFolder(folder).calls()
    total = len(results) + len(lacking)
    latest = calls[-1] if calls else {}
    noted = latest.get("versions")  # where they were not noted, those that write this
    computed_by = noted if isinstance(noted, dict) else {"python": platform.python_version(), **versions()}
    facts = [
        f"{date.today():%d %B %Y}".lstrip("0"),
        f"{len(results)} of {counted(total, 'run')}",
        f"seeds {seeds_text(study.seeds)}",
        *_computing(calls),
        str(latest.get("cpu") or processor()),
        *(f"{name} {version}" for name, version in computed_by.items()),
    ]
    parts = [page.header(eyebrow=f"akrig study {study.name}", title=study.title, facts=facts)]
    parts.append(page.paragraph(study.about) if study.about else "")
    if lacking:
        gone = f"{len(lacking)} of {counted(total, 'run')} {are(len(lacking))} missing"
        parts.append(page.notice(f"{gone}; everything below leaves {'it' if len(lacking) == 1 else 'them'} out."))
        more = [f"and {len(lacking) - _MOST_NAMED} more"] if len(lacking) > _MOST_NAMED else []
        parts.append(page.details("Missing runs", [page.code("\n".join([*lacking[:_MOST_NAMED], *more]))]))
    return parts


def missing(study: Study, results: Results) -> list[str]:
    """Titles of the runs that the study asks for and that have no result yet."""
    present = {frozenset(result.labels.items()) for result in results}
    return [spec.title for spec in study.specifications() if frozenset(spec.labels.items()) not in present]


def seeds_text(seeds: Sequence[int]) -> str:
    """`0 to 9`, or one by one where some are left out."""
    if len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def _computing(calls: Sequence[Mapping[str, Any]]) -> list[str]:
    """Wall-clock time of all calls that computed something, and how many workers they had."""
    busy = [call for call in calls if call.get("computed")]
    if not busy:
        return []
    workers = max(int(call.get("workers") or 1) for call in busy)
    calls_made = "" if len(busy) == 1 else f" in {len(busy)} calls"
    seconds = duration(sum(float(call.get("seconds", 0)) for call in busy))
    return [f"{seconds}{calls_made} with {counted(workers, 'worker')}"]


def write_page(study: Study, results: Results, folder: Path, parts: Iterable[str]) -> str:
    """What was computed, then the parts; returns where it is, for the terminal."""
    path = folder / "report.html"
    _write_text(path, page.document(study.title, [*head(study, results, folder), *parts, page.footer()]))
    return f"Report: {path}"


def _write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_beside(path) as beside:
        beside.write_text(text, encoding="utf-8")


def signed(value: float, *, digits: int = 2, plus: bool = False) -> str:
    """With a real minus sign; nothing is minus zero."""
    if not math.isfinite(value):
        return MISSING
    rounded = round(value, digits) + 0.0
    return f"{rounded:{'+' if plus else ''}.{digits}f}".replace("-", "\u2212")
