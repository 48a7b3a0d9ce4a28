"""Figures of one mission as files, and one or several missions as a page to send to a colleague."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from matplotlib.figure import Figure

from akrig import __version__
from akrig.files import written_beside
from akrig.journal.record import Record
from akrig.metric_parts import MetricPart
from akrig.plots import page, summary
from akrig.plots.animation import animation_bytes, has_animation, save_animation
from akrig.plots.attention import attention_figure, has_attention
from akrig.plots.calibration import calibration_figure, has_calibration
from akrig.plots.captions import CAPTIONS
from akrig.plots.curves import curves_figure, has_curves
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
    used_distance,
    used_time,
)
from akrig.plots.maps import comparison_figure, maps_figure, panel_figure, panel_names
from akrig.plots.panel import final_surface
from akrig.plots.profile import has_profile, profile_attention_figure, profiles_figure
from akrig.plots.repeat import how_to_repeat
from akrig.plots.save import png_bytes, save_figure
from akrig.plots.style import labels
from akrig.plots.survey import happenings

_DPI = 150
_PANELS = {"mean": "Prediction", "std": "Uncertainty", "truth": "Truth", "error": "Error"}
_MAX_BESIDE = 3  # maps side by side on a phone
_MAX_SHOWN = 6  # records with figures of their own: a page must fit into a mail
_ANIMATION_BYTES = 2_000_000  # of all animations together


def save_figures(record: Record, folder: Path) -> dict[str, Path]:
    """All that the record has matter for; names and where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    saved = {}
    for name, draw in _drawings([record]).items():
        saved[name] = folder / f"{name}.png"
        save_figure(draw(), saved[name], dpi=_DPI)
    if has_animation(record):
        saved["mission"] = folder / "mission.gif"
        save_animation(record, saved["mission"])
    return saved


def figure_files(record: Record, folder: Path) -> list[Path]:
    """What `save_figures` would write."""
    names = [f"{name}.png" for name in _drawings([record])] + (["mission.gif"] if has_animation(record) else [])
    return [folder / name for name in names]


def _drawings(records: Sequence[Record]) -> dict[str, Callable[[], Figure]]:
    """What can be drawn of these records, in the order of reading."""
    drawings = _pictures(records)
    first, alone = records[0], len(records) == 1
    if has_curves(records):
        drawings["curves"] = lambda: curves_figure(records)
    if alone and drawings.keys() & {"maps", "profile"} and has_attention(first):
        draw = profile_attention_figure if has_profile(first) else attention_figure
        drawings["attention"] = lambda: draw(first)
    if any(map(has_calibration, records)):
        drawings["calibration"] = lambda: calibration_figure(records)
    return drawings


def _pictures(records: Sequence[Record]) -> dict[str, Callable[[], Figure]]:
    """Maps of fields of two dimensions, lines of those of one, and nothing of those of more."""
    lines = [record for record in records if has_profile(record)][:_MAX_SHOWN]
    maps = _with_maps(records)
    if len(records) == 1:
        one: dict[str, Callable[[], Figure]] = {"profile": lambda: profiles_figure(lines)} if lines else {}
        return one | ({"maps": lambda: maps_figure(maps[0])} if maps else {})
    if not _one_field(records):
        return {}
    if len(lines) > 1:
        return {"profiles": lambda: profiles_figure(lines)}
    return {"comparison": lambda: comparison_figure(maps[:_MAX_SHOWN])} if len(maps) > 1 else {}


def write_report(records: Sequence[Record], path: Path, *, drawn: Mapping[str, Path] = MappingProxyType({})) -> None:
    """One page that needs nothing else: no script, no request, all images inside. Written beside and renamed.

    Args:
        drawn: what `save_figures` has just drawn of the only record, to be taken where the page shows the same.
    """
    if not records:
        raise ValueError("A report needs at least one record; got none.")
    body = _one(records[0], drawn) if len(records) == 1 else _several(records)
    text = page.document(summary.headline(records), body)
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_beside(path) as beside:
        beside.write_text(text, encoding="utf-8")


def _one(record: Record, drawn: Mapping[str, Path]) -> list[str]:
    warning = summary.notice(record)
    images = _images([record], drawn=drawn)
    return [
        _header([record], [record.title, area(record), record.path.name]),
        page.notice(warning) if warning else "",
        page.section("The map", [_panels(record, ("mean", "std")) or images.get("profile", ""), _undrawn([record])]),
        page.paragraph(summary.summary(record), kind="lead"),
        page.tiles(_tiles(record)) if len(record.samples) else "",
        page.section("Beside the truth", [_panels(record, ("truth", "error"))]),
        page.section("On the water", happenings(record)),
        page.section("How it grew", [_film(record, share=1, drawn=drawn.get("mission")), images.get("curves", "")]),
        page.section("What the kernel has learnt", [images.get("attention", "")]),
        page.section("Can the uncertainty be trusted?", [images.get("calibration", "")]),
        page.section("Scores at the end", [_scores([record])]),
        page.section("To repeat it", how_to_repeat(record)),
        _footer(),
    ]


def _several(records: Sequence[Record]) -> list[str]:
    warnings = zip(labels(records), map(summary.notice, records), strict=True)
    images = _images(records)
    shown = records[:_MAX_SHOWN]
    same = _one_field(records)
    left_out = len(records) - len(shown)
    return [
        _header(records, [counted(len(records), "mission")]),
        *(page.notice(f"{label}: {warning}") for label, warning in warnings if warning),
        page.paragraph(summary.comparison(records) if same else _DIFFERENT, kind="lead"),
        page.section(
            "The maps side by side", [images.get("comparison") or images.get("profiles", ""), _undrawn(records)]
        ),
        page.section("Scores at the end", [_scores(records)]),
        page.section("How they grew", [images.get("curves", "")]),
        page.section("Can the uncertainty be trusted?", [images.get("calibration", "")]),
        *(part for record in shown for part in _mission(record, share=len(shown))),
        page.paragraph(f"Figures of {counted(left_out, 'more mission')} are left out.") if left_out else "",
        _footer(),
    ]


_DIMENSIONS = {3: "three", 4: "four"}
_DIFFERENT = "These missions mapped different fields: compare their scores with care, those in units least of all."


def _mission(record: Record, *, share: int) -> list[str]:
    images = _images([record], only=("profile", "attention"))
    return [
        page.part_heading(record.title),
        page.paragraph(summary.summary(record)),
        page.tiles(_tiles(record)) if len(record.samples) else "",
        _panels(record, ("mean", "std", "truth", "error")) or images.get("profile", ""),
        _film(record, share=share),
        images.get("attention", ""),
        page.section("To repeat it", how_to_repeat(record)),
    ]


def _one_field(records: Sequence[Record]) -> bool:
    return len({(record.field_source, record.workspace) for record in records}) == 1


def _header(records: Sequence[Record], facts: list[str]) -> str:
    title = summary.headline(records)
    return page.header(eyebrow="akrig mission report", title=title, facts=facts)


def _footer() -> str:
    return f"<footer>{page.paragraph(f'Written by akrig {__version__}.')}</footer>"


def _images(
    records: Sequence[Record], *, only: Sequence[str] = (), drawn: Mapping[str, Path] = MappingProxyType({})
) -> dict[str, str]:
    drawings, narrow = _drawings(records), _narrow_drawings(records)
    drawings.pop("maps", None)  # a page has them one by one
    titles = ", ".join(record.title for record in records)
    known = any(final_score(record, "rmse") is not None or has_calibration(record) for record in records)
    figures = {}
    for name, draw in drawings.items():
        if not only or name in only:
            image = page.compact(drawn[name].read_bytes() if name in drawn else png_bytes(draw(), dpi=_DPI))
            caption = _caption(name, known=known, line=has_profile(records[0]))
            small = page.compact(png_bytes(narrow[name](), dpi=_DPI)) if name in narrow else None
            alt = f"{name.capitalize()}: {titles}"
            figures[name] = page.figure(image, alt=alt, caption=caption, dpi=_DPI, narrow=small)
    return figures


def _narrow_drawings(records: Sequence[Record]) -> dict[str, Callable[[], Figure]]:
    """For a phone, what would be too wide for one."""
    drawings: dict[str, Callable[[], Figure]] = {
        "curves": lambda: curves_figure(records, is_narrow=True),
        "calibration": lambda: calibration_figure(records, is_narrow=True),
    }
    maps = _with_maps(records)[:_MAX_SHOWN]
    if len(maps) <= _MAX_BESIDE:
        drawings["comparison"] = lambda: comparison_figure(maps, is_narrow=True)
    return drawings


def _with_maps(records: Sequence[Record]) -> list[Record]:
    return [record for record in records if record.workspace.dim == 2 and final_surface(record) is not None]


def _panels(record: Record, wanted: Sequence[str]) -> str:
    """Maps of a field of two dimensions one by one, each as wide as a phone."""
    if not _with_maps([record]):
        return ""
    figures = []
    for name in panel_names(record):
        if name in wanted:
            image = page.compact(png_bytes(panel_figure(record, name), dpi=_DPI))
            of_survey = f"{name} of a survey" if "survey" in record.settings else name
            caption = CAPTIONS.get(of_survey, CAPTIONS[name])
            alt = f"{_PANELS[name]}: {record.title}"
            figures.append(page.figure(image, alt=alt, caption=caption, dpi=_DPI))
    return page.gallery(figures)


def _caption(name: str, *, known: bool, line: bool) -> str:
    variants = [f"{name} along a line"] * line + [f"{name} without truth"] * (not known)
    return next((CAPTIONS[variant] for variant in variants if variant in CAPTIONS), CAPTIONS[name])


def _undrawn(records: Sequence[Record]) -> str:
    dims = sorted({record.workspace.dim for record in records if record.workspace.dim > 2})
    if not dims:
        return ""
    numbers_of = " or ".join(_DIMENSIONS.get(dim, str(dim)) for dim in dims)
    return page.paragraph(
        f"Maps of {numbers_of} dimensions are not drawn; their values are in map.nc, in the run folder."
    )


def _film(record: Record, *, share: int, drawn: Path | None = None) -> str:
    if not has_animation(record):
        return ""
    most = _ANIMATION_BYTES // share
    if drawn is not None and drawn.stat().st_size <= most:
        film = drawn.read_bytes()
    else:
        film = animation_bytes(record, max_frames=60 // share + 10, max_bytes=most)
    return page.figure(film, alt=f"Animation: {record.title}", caption=CAPTIONS["mission"], kind="film")


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
    return page.scores_table(labels(records), rows) if rows else ""


def _score_row(metric: MetricPart, records: Sequence[Record]) -> tuple[str, str, list[str], set[int]] | None:
    values = [final_score(record, metric.name) for record in records]
    if all(value is None for value in values):
        return None
    units = {record.units for record in records}
    name = metric.with_units(units.pop() if len(units) == 1 else "")
    shown = numbers(values)
    if metric.is_share:
        shown = [MISSING if value is None else percent(value) for value in values]
    best = best_places(values, metric.goal) if _one_field(records) else set()
    return name, metric.sentence, shown, best
