"""Figures of one mission as files, and one or several missions as a page to send to a colleague."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from matplotlib.figure import Figure

from akrig import __version__
from akrig.journal.record import Record
from akrig.plots import page, summary
from akrig.plots.animation import animation_bytes, has_animation, save_animation
from akrig.plots.attention import attention_figure, has_attention
from akrig.plots.calibration import calibration_figure, has_calibration
from akrig.plots.curves import curves_figure, has_curves
from akrig.plots.maps import comparison_figure, maps_figure
from akrig.plots.panel import final_surface
from akrig.plots.profile import has_profile, profile_attention_figure, profiles_figure
from akrig.plots.saving import png_bytes, save_figure, written_beside
from akrig.plots.style import labels
from akrig.plots.survey import happenings
from akrig.plots.wording import (
    METRICS,
    MISSING,
    Metric,
    amount,
    area,
    best_places,
    duration,
    field_range,
    final_score,
    length,
    number,
    numbers,
    percent,
    plural,
    used_distance,
    used_time,
)

_DPI = 150
_MAX_SHOWN = 6  # records with figures of their own: a page must fit into a mail
_ANIMATION_BYTES = 2_000_000  # of all animations together

_CAPTIONS = {
    "maps": "Truth and prediction share one colour scale. Uncertainty (two standard deviations) and error share the "
    "other: where the error is the darker of the two, the truth lies outside the map's 95 % interval. A good map is "
    "dark in the same places in both.",
    "maps without truth": "Dark means unsure: in 95 of 100 places the true value should lie within two standard "
    "deviations of the prediction.",
    "profile": "The band reaches two standard deviations to either side of the prediction: in 95 of 100 places the "
    "truth should lie inside. Beneath, the same two standard deviations and the error: where the error rises out of "
    "the band, the truth lies outside the 95 % interval.",
    "profile without truth": "The band reaches two standard deviations to either side of the prediction: in 95 of 100 "
    "places the true value should lie inside.",
    "profiles": "Two rows per mission, all on the same scales. Look for predictions whose band is wide where their "
    "error is large.",
    "comparison": "One row per mission, all on the same scales. Look for maps whose uncertainty is dark where "
    "their error is.",
    "curves": "Scores after each epoch. All but coverage should fall; coverage should stay near the dashed line.",
    "curves without truth": "Uncertainty should fall while readings come in.",
    "attention": "Short lengthscales (dark) belong where the field is rough, long ones (bright) where it is smooth.",
    "attention along a line": "Short lengthscales belong where the field is rough, long ones where it is smooth. "
    "Places of like colours in the stacks are treated alike.",
    "calibration": "Left: a line on the diagonal means that intervals hold as much of the truth as they promise. "
    "Right: errors should grow with the predicted standard deviation; the band holds half of all errors.",
    "mission": "Prediction and uncertainty while the readings come in.",
}


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
    maps = [record for record in records if record.workspace.dim == 2 and final_surface(record) is not None]
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
        page.paragraph(summary.summary(record), kind="lead"),
        page.tiles(_tiles(record)) if len(record.samples) else "",
        page.section("The map", [images.get("maps") or images.get("profile", ""), _undrawn([record])]),
        page.section("On the water", happenings(record)),
        page.section("How it grew", [_film(record, share=1, drawn=drawn.get("mission")), images.get("curves", "")]),
        page.section("What the kernel has learnt", [images.get("attention", "")]),
        page.section("Can the uncertainty be trusted?", [images.get("calibration", "")]),
        page.section("Scores at the end", [_scores([record])]),
        page.section("To repeat it", _repeat(record)),
        _footer(),
    ]


def _several(records: Sequence[Record]) -> list[str]:
    warnings = zip(labels(records), map(summary.notice, records), strict=True)
    images = _images(records)
    shown = records[:_MAX_SHOWN]
    same = _one_field(records)
    left_out = len(records) - len(shown)
    return [
        _header(records, [plural(len(records), "mission")]),
        *(page.notice(f"{label}: {warning}") for label, warning in warnings if warning),
        page.paragraph(summary.comparison(records) if same else _DIFFERENT, kind="lead"),
        page.section("Scores at the end", [_scores(records)]),
        page.section(
            "The maps side by side", [images.get("comparison") or images.get("profiles", ""), _undrawn(records)]
        ),
        page.section("How they grew", [images.get("curves", "")]),
        page.section("Can the uncertainty be trusted?", [images.get("calibration", "")]),
        *(part for record in shown for part in _mission(record, share=len(shown))),
        page.paragraph(f"Figures of {plural(left_out, 'more mission')} are left out.") if left_out else "",
        _footer(),
    ]


_DIMENSIONS = {3: "three", 4: "four"}
_DIFFERENT = "These missions mapped different fields: compare their scores with care, those in units least of all."


def _mission(record: Record, *, share: int) -> list[str]:
    images = _images([record], only=("maps", "profile", "attention"))
    return [
        page.part_heading(record.title),
        page.paragraph(summary.summary(record)),
        page.tiles(_tiles(record)) if len(record.samples) else "",
        images.get("maps") or images.get("profile", ""),
        _film(record, share=share),
        images.get("attention", ""),
        *_repeat(record),
    ]


def _one_field(records: Sequence[Record]) -> bool:
    return len({(record.field_name, record.workspace) for record in records}) == 1


def _header(records: Sequence[Record], facts: list[str]) -> str:
    title = summary.headline(records)
    return page.header(eyebrow="akrig mission report", title=title, facts=facts)


def _footer() -> str:
    return f"<footer>{page.paragraph(f'Written by akrig {__version__}.')}</footer>"


def _images(
    records: Sequence[Record], *, only: Sequence[str] = (), drawn: Mapping[str, Path] = MappingProxyType({})
) -> dict[str, str]:
    drawings, taken = _drawings(records), dict(drawn)
    if "maps" in drawings:  # two by two: on a page there is more height than width
        drawings["maps"] = lambda: maps_figure(records[0], columns=2)
        taken.pop("maps", None)
    titles = ", ".join(record.title for record in records)
    known = any(final_score(record, "rmse") is not None or has_calibration(record) for record in records)
    figures = {}
    for name, draw in drawings.items():
        if not only or name in only:
            image = page.compact(taken[name].read_bytes() if name in taken else png_bytes(draw(), dpi=_DPI))
            caption = _caption(name, known=known, line=has_profile(records[0]))
            figures[name] = page.figure(image, alt=f"{name.capitalize()}: {titles}", caption=caption, dpi=_DPI)
    return figures


def _caption(name: str, *, known: bool, line: bool) -> str:
    variants = [f"{name} along a line"] * line + [f"{name} without truth"] * (not known)
    return next((_CAPTIONS[variant] for variant in variants if variant in _CAPTIONS), _CAPTIONS[name])


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
    return page.figure(film, alt=f"Animation: {record.title}", caption=_CAPTIONS["mission"], kind="film")


def _tiles(record: Record) -> list[tuple[str, str, str]]:
    rmse, covered, follows, doubt = (
        final_score(record, name) for name in ("rmse", "coverage95", "correlation", "uncertainty")
    )
    reach, distance = field_range(record), used_distance(record)
    seconds = sum(float(column.sum()) for name, column in record.timings.items() if name != "epoch")
    items = [("Readings", f"{len(record.samples)}", f"in {plural(len(record.epochs), 'epoch')}")]
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
    rows = [row for metric in METRICS if (row := _score_row(metric, records)) is not None]
    return page.scores_table(labels(records), rows) if rows else ""


def _score_row(metric: Metric, records: Sequence[Record]) -> tuple[str, str, list[str], set[int]] | None:
    values = [final_score(record, metric.column) for record in records]
    if all(value is None for value in values):
        return None
    units = {record.units for record in records}
    name = f"{metric.name} ({units.pop()})" if metric.has_units and len(units) == 1 and units != {""} else metric.name
    shown = numbers(values)
    if metric.is_share:
        shown = [MISSING if value is None else percent(value) for value in values]
    best = best_places(values, metric.goal) if _one_field(records) else set()
    return name, metric.meaning, shown, best


def _repeat(record: Record) -> list[str]:
    config = record.path / "config.toml"
    settings = {name: value for name, value in record.settings.items() if name != "about"}
    about = record.settings.get("about", {})
    versions = {name: value for name, value in about.items() if name not in ("quantity", "units", "signature")}
    as_file = [page.code(config.read_text(encoding="utf-8"))] if config.is_file() else []
    return [
        page.code(f"akrig run {shlex.quote(str(config))}"),
        page.details("Settings", [page.settings_table(settings)] if settings else []),
        page.details("Settings as a file (config.toml)", as_file),
        page.details("Versions", [page.settings_table(versions)] if versions else []),
    ]
