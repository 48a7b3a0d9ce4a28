"""Every figure of a run, declared once: when there is one, how it is drawn, what is said of it, and where it stands.

Reports and `akrig plot` walk `FIGURES`. To add a figure: its file, and its entry here; one of the user's own is a
function of a `Record` that gives a matplotlib figure, named "module:function" on the command line.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from matplotlib.figure import Figure

from akrig.config.own_parts import import_name
from akrig.errors import ConfigError
from akrig.journal.record import Record
from akrig.plots.animation import animation_bytes, has_animation, save_animation
from akrig.plots.attention import attention_figure, has_attention
from akrig.plots.calibration import calibration_figure, has_calibration
from akrig.plots.curves import curves_figure, has_curves
from akrig.plots.foresight import foresight_figure, has_foresight
from akrig.plots.formatting import final_score
from akrig.plots.maps import comparison_figure, maps_figure, panel_figure, panel_names
from akrig.plots.panel import final_surface
from akrig.plots.profile import has_profile, profile_attention_figure, profiles_figure
from akrig.plots.save import compact, png_bytes, save_figure
from akrig.plots.style import style

DPI = 150
MOST_SHOWN = 6  # records with pictures: a page must fit into a mail
_MOST_BESIDE = 3  # maps side by side on a phone
_FILM_BYTES = 2_000_000  # of all animations together

Records = Sequence[Record]
Drawing = Callable[[Records], Figure]


def one_field(records: Records) -> bool:
    return len({(record.field_source, record.workspace) for record in records}) == 1


def with_maps(records: Records) -> list[Record]:
    return [record for record in records if record.workspace.dim == 2 and final_surface(record) is not None]


def _with_lines(records: Records) -> list[Record]:
    return [record for record in records if has_profile(record)][:MOST_SHOWN]


@dataclass(frozen=True)
class RunFigure:
    """One entry.

    Args:
        name: of its file.
        section: of the report, in which it stands in the order of the entries.
        applies: is there anything to draw?
        caption: what stands beneath.
        narrow: the same for a phone, where it would be too wide; `None` if it is not.
        of: is it of one mission, of several held against each other, or of any number?
        label: what it is, for those who cannot see it.
        place: beside the text, in a row with those next to it, or in the folder of figures alone.
    """

    name: str
    section: str
    applies: Callable[[Records], bool]
    draw: Drawing
    caption: Callable[[Records], str]
    narrow: Callable[[Records], Figure | None] = lambda records: None
    of: Literal["one", "several", "any"] = "any"
    label: str = ""
    place: Literal["page", "row", "folder"] = "page"

    kind = ""  # its class on the page
    page_dpi = DPI

    @property
    def file(self) -> str | None:
        """Its name in a folder of figures; what stands in a row is there as one."""
        return None if self.place == "row" else f"{self.name}.png"

    def is_of(self, records: Records) -> bool:
        fits = self.of == "any" or (self.of == "one") == (len(records) == 1)
        return fits and self.applies(records)

    def save(self, records: Records, path: Path) -> None:
        save_figure(self.draw(records), path, dpi=DPI)

    def image(self, records: Records, *, drawn: Path | None = None, share: int = 1) -> bytes:
        """For a page.

        Args:
            drawn: the file, if it is there already.
            share: so many alike are on the page.
        """
        return compact(drawn.read_bytes() if drawn else png_bytes(self.draw(records), dpi=DPI))

    def narrow_image(self, records: Records) -> bytes | None:
        figure = self.narrow(records)
        return None if figure is None else compact(png_bytes(figure, dpi=DPI))


class Film(RunFigure):
    """One that moves."""

    kind, page_dpi = "film", 100

    @property
    def file(self) -> str:
        return f"{self.name}.gif"

    def save(self, records: Records, path: Path) -> None:
        save_animation(records[0], path)

    def image(self, records: Records, *, drawn: Path | None = None, share: int = 1) -> bytes:
        most = _FILM_BYTES // share
        if drawn is not None and drawn.stat().st_size <= most:
            return drawn.read_bytes()
        return animation_bytes(records[0], max_frames=60 // share + 10, max_bytes=most)


def _one(draw: Callable[[Record], Figure]) -> Drawing:
    return lambda records: draw(records[0])


def _says(text: str, **otherwise: str) -> Callable[[Records], str]:
    """A caption, or another `along_a_line`, `without_truth` or `of_a_survey`."""

    def caption(records: Records) -> str:
        known = any(final_score(record, "rmse") is not None or has_calibration(record) for record in records)
        cases = {
            "of_a_survey": "survey" in records[0].settings,
            "along_a_line": has_profile(records[0]),
            "without_truth": not known,
        }
        return next((otherwise[case] for case, holds in cases.items() if holds and case in otherwise), text)

    return caption


def _panel(name: str, label: str, section: str, caption: Callable[[Records], str]) -> RunFigure:
    """A map alone, as wide as a phone."""
    return RunFigure(
        name, section, lambda records: bool(with_maps(records)) and name in panel_names(records[0]),
        _one(lambda record: panel_figure(record, name)), caption, of="one", label=label, place="row",
    )  # fmt: skip


_BAND = "The band reaches two standard deviations to either side of the prediction: in 95 of 100 places the "
FIGURES = (
    _panel("mean", "Prediction", "map", _says(
        "What the readings say about every place.",
        of_a_survey="What the soundings say about every place inside the fence, with lines of equal depth. North is "
        "up.",
    )),
    _panel("std", "Uncertainty", "map", _says(
        "One standard deviation: dark means unsure. In 95 of 100 places the true value should lie within twice as "
        "much of the prediction."
    )),
    RunFigure(
        "profile", "map", lambda records: has_profile(records[0]), profiles_figure,
        _says(
            f"{_BAND}truth should lie inside. Beneath, the same two standard deviations and the error: where the error "
            "rises out of the band, the truth lies outside the 95 % interval.",
            without_truth=f"{_BAND}true value should lie inside.",
        ),
        of="one",
    ),
    RunFigure(
        "maps", "map", lambda records: bool(with_maps(records)), _one(maps_figure), _says(""),
        of="one", place="folder",
    ),
    RunFigure(
        "profiles", "map", lambda records: one_field(records) and len(_with_lines(records)) > 1,
        lambda records: profiles_figure(_with_lines(records)),
        _says(
            "Two rows per mission, all on the same scales. Look for predictions whose band is wide where their error "
            "is large."
        ),
        of="several",
    ),
    RunFigure(
        "comparison", "map", lambda records: one_field(records) and len(with_maps(records)) > 1,
        lambda records: comparison_figure(with_maps(records)[:MOST_SHOWN]),
        _says("All on the same scales. Look for maps whose uncertainty is dark where their error is."),
        narrow=lambda records: (
            comparison_figure(with_maps(records), is_narrow=True)
            if len(with_maps(records)) <= _MOST_BESIDE else None
        ),
        of="several",
    ),
    _panel("truth", "Truth", "truth", _says("On the colour scale of the prediction.")),
    _panel("error", "Error", "truth", _says(
        "On the colour scale of the uncertainty. A good map is dark in the same places in both, and its error is the "
        "larger of the two in at most a third of all places."
    )),
    RunFigure(
        "route", "route", lambda records: has_foresight(records[0]), _one(foresight_figure),
        _says(
            "The way that was planned for all that was left of the budget, the part of it that was driven before the "
            "next plan, and the best lawnmower of the same length. The errors are those that the planner expected, its "
            "doubts of a young model included: root mean square over the map."
        ),
        narrow=lambda records: foresight_figure(records[0], is_narrow=True),
        of="one", label="Planned route",
    ),
    Film(
        "mission", "growth", lambda records: has_animation(records[0]), lambda records: Figure(),
        _says("Prediction and uncertainty while the readings come in."), of="one", label="Animation",
    ),
    RunFigure(
        "curves", "growth", has_curves, curves_figure,
        _says(
            "Scores after each epoch. All but coverage should fall; coverage should stay near the dashed line.",
            without_truth="Uncertainty should fall while readings come in.",
        ),
        narrow=lambda records: curves_figure(records, is_narrow=True),
    ),
    RunFigure(
        "attention", "kernel",
        lambda records: bool(_with_lines(records) or with_maps(records)) and has_attention(records[0]),
        _one(lambda record: (profile_attention_figure if has_profile(record) else attention_figure)(record)),
        _says(
            "Short lengthscales (dark) belong where the field is rough, long ones (bright) where it is smooth.",
            along_a_line="Short lengthscales belong where the field is rough, long ones where it is smooth. Places of "
            "like colours in the stacks are treated alike.",
        ),
        of="one",
    ),
    RunFigure(
        "calibration", "trust", lambda records: any(map(has_calibration, records)), calibration_figure,
        _says(
            "Coverage: a line on the diagonal means that intervals hold as much of the truth as they promise. Error by "
            "uncertainty: errors should grow with the predicted standard deviation; the band holds half of them."
        ),
        narrow=lambda records: calibration_figure(records, is_narrow=True),
    ),
)  # fmt: skip


def own_figures(names: Iterable[str]) -> list[RunFigure]:
    """Entries of the user's own "module:function"; `ConfigError` for what is none."""
    return [_own_figure(name) for name in names]


def _own_figure(name: str) -> RunFigure:
    try:
        function = import_name(name)
    except ValueError as error:
        raise ConfigError("figure", [str(error)]) from None
    called = name.partition(":")[2]
    if not inspect.isfunction(function):
        raise ConfigError("figure", [f"{name!r} is no figure: it is not a function."])
    if called in {figure.name for figure in FIGURES}:
        raise ConfigError("figure", [f"{name!r} would be a second {called}.png; call the function something else."])

    def draw(record: Record) -> Figure:
        try:
            with style():
                made: Any = function(record)
        except Exception as error:  # whatever the user's code does
            raise ConfigError("figure", [f"{name!r} could not be drawn: {type(error).__name__}: {error}"]) from error
        if not isinstance(made, Figure):
            raise ConfigError("figure", [f"{name!r} gives a {type(made).__name__}, which is no matplotlib figure."])
        return made

    label = called[:1].upper() + called[1:].replace("_", " ")
    said = (inspect.getdoc(function) or label).partition("\n")[0]
    return RunFigure(called, "own", lambda records: True, _one(draw), lambda records: said, of="one", label=label)
