"""What exports are made from: the area, the model's map of it, and what was heard on the way."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from akrig.config import Settings
from akrig.config.survey import SurveySettings
from akrig.errors import RunFolderError
from akrig.files import json_objects, read_lines
from akrig.journal.events import Event, read_journal
from akrig.journal.folder import RunFolder
from akrig.protocols import Model
from akrig.survey.area import Area
from akrig.survey.exports.contours import Contours, depth_contours
from akrig.survey.exports.csv import SoundingRow
from akrig.survey.exports.geojson import TrackPoint
from akrig.survey.exports.geotiff import MapGrid, map_grid, predicted
from akrig.survey.settings import area_of

CELLS = 400  # of the map along the longer side, if no cell size is given
FINEST, COARSEST = 0.25, 10.0  # metres
LARGEST = {"unix": 1e11, "x": 1e6, "y": 1e6}  # of a place that a boat was at: seconds until the year 5138, metres


@dataclass(frozen=True, eq=False)
class DepthGrid:
    """What the model says at the very centre of every cell; NaN outside the fence and in keep-outs.

    Args:
        mean: depth, metres.
        std: its standard deviation, metres.
    """

    grid: MapGrid
    mean: np.ndarray
    std: np.ndarray


class SurveyData:
    """All that is asked for is made once, when it is asked for.

    Args:
        settings: of a survey, as they lie in its folder.
        folder: its run folder.
        model: as it is at the end; `None` if nothing that needs it is made.
        cell: side of the map's cells, metres; the survey's own if not given.
    """

    def __init__(
        self, settings: Settings, *, folder: RunFolder, model: Model | None, cell: float | None = None
    ) -> None:
        self.settings, self.folder, self._model = settings, folder, model
        self.area = area_of(settings.surveyed)
        self.cell = cell or cell_of(settings.surveyed, self.area)

    @property
    def model(self) -> Model:
        if self._model is None:
            raise RunFolderError(f"{self.folder.path} has no map yet: it comes after the pilot pass.")
        return self._model

    @cached_property
    def depths(self) -> DepthGrid:
        grid = map_grid(self.area, self.cell)
        X = grid.centres()
        inside = self.area.allows(X)
        bands = np.full((2, len(X)), np.nan)
        bands[:, inside] = predicted(self.model.latent, X[inside])
        return DepthGrid(grid, *bands.reshape(2, grid.rows, grid.cols))

    @cached_property
    def contours(self) -> Contours:
        return depth_contours(predict=self.model.latent, area=self.area, cell=2 * self.cell)

    @cached_property
    def track(self) -> list[TrackPoint]:
        """Where the boat was heard."""
        return list(track_points(self.folder.telemetry))

    @cached_property
    def events(self) -> list[Event]:
        return read_journal(self.folder.journal).events

    @cached_property
    def soundings(self) -> list[SoundingRow]:
        """Every one that was heard: used by the model, kept beside it, or rejected."""
        return sounding_rows(self.events)


def cell_of(survey: SurveySettings, area: Area) -> float:
    """Side of a cell of the map, metres."""
    return survey.cell or min(max(max(area.extent.size) / CELLS, FINEST), COARSEST)


def sounding_rows(events: list[Event]) -> list[SoundingRow]:
    """Every sounding that was heard: used by the model, kept beside it, or rejected."""
    used = {event.get("sounding") for event in events if event["event"] == "measurement"}
    return [_row(event, used) for event in events if event["event"] in ("sounding", "rejected")]


def _row(event: Event, used: set[int | None]) -> SoundingRow:
    place = None if event["position"] is None else (event["position"][0], event["position"][1])
    raw = event["raw"] if event["raw"] is not None else float("nan")
    if event["event"] == "rejected":
        return SoundingRow(event["unix"], place, None, raw, "rejected", event["reason"])
    status = "used" if event["id"] in used else "kept"
    return SoundingRow(event["unix"], place, event["value"], raw, status, "")


def track_points(telemetry: Path) -> Iterator[TrackPoint]:
    """Where the boat was heard."""
    for state in json_objects(read_lines(telemetry)):  # what a crash or somebody else left there is passed over
        if all(isinstance(state.get(name), int | float) and abs(state[name]) <= most for name, most in LARGEST.items()):
            yield TrackPoint(state["unix"], (state["x"], state["y"]))
