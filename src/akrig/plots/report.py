"""Figures of one mission as files, and one or several missions as a page to send to a colleague."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from types import MappingProxyType

from akrig.files import written_beside
from akrig.journal.record import Record
from akrig.metric_parts import MetricPart
from akrig.plots import page, summary
from akrig.plots.figures import FIGURES, MOST_SHOWN, RunFigure, one_field
from akrig.plots.formatting import (
    MISSING,
    amount,
    area,
    best_places,
    counted,
    duration,
    field_range,
    final_score,
    length,
    number,
    numbers,
    percent,
    shared_units,
    used_distance,
    used_time,
)
from akrig.plots.report_sections import happenings, how_to_repeat, standard
from akrig.plots.style import labels

_NONE: Mapping[str, Path] = MappingProxyType({})
_DIMENSIONS = {3: "three", 4: "four"}
_DIFFERENT = "These missions mapped different fields: compare their scores with care, those in units least of all."
_TRUST, _OWN, _SCORES = "Can the uncertainty be trusted?", "Your own figures", "Scores at the end"


def save_figures(record: Record, folder: Path, *, own: Sequence[RunFigure] = ()) -> dict[str, Path]:
    """All that the record has matter for; names and where they are.

    Args:
        own: figures of the user's own, beside akrig's.
    """
    folder.mkdir(parents=True, exist_ok=True)
    saved = {}
    for figure in _drawable([record], own):
        if figure.file is not None:
            saved[figure.name] = folder / figure.file
            figure.save([record], saved[figure.name])
    return saved


def figure_files(record: Record, folder: Path, *, own: Sequence[RunFigure] = ()) -> list[Path]:
    """What `save_figures` would write."""
    return [folder / figure.file for figure in _drawable([record], own) if figure.file is not None]


def _drawable(records: Sequence[Record], own: Sequence[RunFigure]) -> list[RunFigure]:
    return [figure for figure in (*FIGURES, *own) if figure.is_of(records)]


def write_report(
    records: Sequence[Record], path: Path, *, drawn: Mapping[str, Path] = _NONE, own: Sequence[RunFigure] = ()
) -> None:
    """One page that needs nothing else: no script, no request, all images inside. Written beside and renamed.

    Args:
        drawn: what `save_figures` has just drawn of the only record, to be taken where the page shows the same.
        own: figures of the user's own, beside akrig's.
    """
    if not records:
        raise ValueError("A report needs at least one record; got none.")
    body = _one(records[0], drawn, own) if len(records) == 1 else _several(records, own)
    text = page.document(summary.headline(records), body)
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_beside(path) as beside:
        beside.write_text(text, encoding="utf-8")


def _one(record: Record, drawn: Mapping[str, Path], own: Sequence[RunFigure]) -> list[str]:
    warning = summary.warning(record)
    pictures = _pictures([record], _drawable([record], own), drawn=drawn)
    return [
        _header([record], [record.title, area(record), record.path.name]),
        page.notice(warning) if warning else "",
        page.section("The map", [*pictures.get("map", []), _undrawn([record])]),
        page.paragraph(summary.summary(record), kind="lead"),
        page.tiles(_tiles(record)) if len(record.samples) else "",
        page.section("Beside the truth", pictures.get("truth", [])),
        page.section("By the hydrographers' standard", standard(record)),
        page.section("On the water", happenings(record)),
        page.section("Where it was going", pictures.get("route", [])),
        page.section("How it grew", pictures.get("growth", [])),
        page.section("What the kernel has learnt", pictures.get("kernel", [])),
        page.section(_TRUST, pictures.get("trust", [])),
        page.section(_OWN, pictures.get("own", [])),
        page.section(_SCORES, [_scores([record])]),
        page.section("To repeat it", how_to_repeat(record)),
        page.footer(),
    ]


def _several(records: Sequence[Record], own: Sequence[RunFigure]) -> list[str]:
    warnings = zip(labels(records), map(summary.warning, records), strict=True)
    pictures = _pictures(records, _drawable(records, own))
    shown = records[:MOST_SHOWN]
    left_out = len(records) - len(shown)
    return [
        _header(records, [counted(len(records), "mission")]),
        *(page.notice(f"{label}: {warning}") for label, warning in warnings if warning),
        page.paragraph(summary.comparison(records) if one_field(records) else _DIFFERENT, kind="lead"),
        page.section("The maps side by side", [*pictures.get("map", []), _undrawn(records)]),
        page.section(_SCORES, [_scores(records)]),
        page.section("How they grew", pictures.get("growth", [])),
        page.section(_TRUST, pictures.get("trust", [])),
        *(part for record in shown for part in _mission(record, own, share=len(shown))),
        page.paragraph(f"Figures of {counted(left_out, 'more mission')} are left out.") if left_out else "",
        page.footer(),
    ]


def _mission(record: Record, own: Sequence[RunFigure], *, share: int) -> list[str]:
    """One of several, with the figures that are of one mission alone."""
    alone = [replace(figure, section="") for figure in _drawable([record], own) if figure.of == "one"]
    pictures = _pictures([record], sorted(alone, key=lambda figure: figure.place != "row"), share=share)
    return [
        page.part_heading(record.title),
        page.paragraph(summary.summary(record)),
        page.tiles(_tiles(record)) if len(record.samples) else "",
        *pictures.get("", []),
        page.section("To repeat it", how_to_repeat(record)),
    ]


def _header(records: Sequence[Record], facts: list[str]) -> str:
    return page.header(eyebrow="akrig mission report", title=summary.headline(records), facts=facts)


def _pictures(
    records: Sequence[Record], figures: Sequence[RunFigure], *, drawn: Mapping[str, Path] = _NONE, share: int = 1
) -> dict[str, list[str]]:
    """By section; neighbours that stand in a row are one piece."""
    found: dict[str, list[str]] = {}
    on_page = [figure for figure in figures if figure.place != "folder"]
    for (section, is_row), group in groupby(on_page, key=lambda figure: (figure.section, figure.place == "row")):
        shown = [_picture(figure, records, drawn.get(figure.name), share) for figure in group]
        found.setdefault(section, []).extend([page.gallery(shown)] if is_row else shown)
    return found


def _picture(figure: RunFigure, records: Sequence[Record], drawn: Path | None, share: int) -> str:
    titles = ", ".join(record.title for record in records)
    return page.figure(
        figure.image(records, drawn=drawn, share=share),
        alt=f"{figure.label or figure.name.capitalize()}: {titles}",
        caption=figure.caption(records),
        dpi=figure.page_dpi,
        kind=figure.kind,
        narrow=figure.narrow_image(records),
    )


def _undrawn(records: Sequence[Record]) -> str:
    dims = sorted({record.workspace.dim for record in records if record.workspace.dim > 2})
    if not dims:
        return ""
    numbers_of = " or ".join(_DIMENSIONS.get(dim, str(dim)) for dim in dims)
    return page.paragraph(
        f"Maps of {numbers_of} dimensions are not drawn; their values are in map.nc, in the run folder."
    )


def _tiles(record: Record) -> list[tuple[str, str, str]]:
    rmse, covered, follows, doubt = (
        final_score(record, name) for name in ("rmse", "coverage95", "correlation", "uncertainty")
    )
    reach, distance = field_range(record), used_distance(record)
    seconds = sum(float(column.sum()) for name, column in record.timings.items() if name != "epoch")
    items = [("Readings", f"{len(record.samples)}", f"in {counted(len(record.epochs), 'epoch')}")]
    if distance > 0:
        items.append(("Distance", length(distance), f"{duration(used_time(record))} under way"))
    if rmse is not None:
        note = f"{percent(rmse / reach)} of the field's range" if reach else "typical error"
        items.append(("RMSE", amount(rmse, record.units), note))
    if covered is not None:
        items.append(("95 % intervals", percent(covered), "of the truth lies inside"))
    if follows is not None:
        items.append(("Correlation", number(follows, digits=2), "of error with uncertainty"))
    elif doubt is not None:
        items.append(("Uncertainty", amount(doubt, record.units), "standard deviation, on average"))
    if seconds > 0:
        items.append(("Computing", duration(seconds), "all epochs together"))
    return items


def _scores(records: Sequence[Record]) -> str:
    scored = {metric.name: metric for record in records for metric in record.metrics}
    rows = [row for metric in scored.values() if (row := _score_row(metric, records)) is not None]
    return page.metrics_table(labels(records), rows) if rows else ""


def _score_row(metric: MetricPart, records: Sequence[Record]) -> tuple[str, str, list[str], set[int]] | None:
    values = [final_score(record, metric.name) for record in records]
    if all(value is None for value in values):
        return None
    name = metric.with_units(shared_units(records))
    shown = numbers(values)
    if metric.is_share:
        shown = [MISSING if value is None else percent(value) for value in values]
    best = best_places(values, metric.goal) if one_field(records) else set()
    return name, metric.sentence, shown, best
