"""From soundings to a map: read, learnt, computed tile by tile, written; killed and called again, it goes on."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from akrig import __version__
from akrig.charts.folder import FORMAT, ChartFolder
from akrig.charts.grids import Tile, chart_grid, grid_numbers, tiles_of
from akrig.charts.learning import ROUNDS, STEPS, Judgement, learn
from akrig.charts.results import Chart, write_results
from akrig.charts.soundings import ChartData, load_chart_data, read_chart_data, write_chart_data
from akrig.charts.tiles import compute_tile, new_model, saved
from akrig.config import Settings, load_settings
from akrig.config.load import merged
from akrig.errors import ChartError, ConfigError
from akrig.files import LARGEST, sha256_of
from akrig.journal.folder import RunFolder
from akrig.survey.area import Area, read_area
from akrig.survey.exports.geotiff import MapGrid
from akrig.survey.logs.replay import extent_of
from akrig.workers.jobs import FailedJob, Job, Workers

CELLS_PER_WORKER = 100_000  # fewer are not worth a process
# Where soundings are many, so fine a lengthscale is worth having: on the bay's legs (not those of the table) MSLL went
# from -2.59 to -2.61.
MANY, FINE = 5000, 0.005
FIXED = ("field", "workspace", "budget", "pilot", "sensor", "vehicle", "strategy", "scoring", "frame", "survey")


@dataclass(frozen=True)
class ChartWatcher:
    """Who looks on.

    Args:
        begin: called with the name of a part of the work and its number of steps.
        advance: after every step.
        tell: what a person should know, one sentence.
    """

    begin: Callable[[str, int], None] = lambda what, steps: None
    advance: Callable[[], None] = lambda: None
    tell: Callable[[str], None] = lambda sentence: None


@dataclass(frozen=True, eq=False)
class ChartRequest:
    """What a person asks for.

    Args:
        options: settings, nested.
        cell: metres; `size` is columns and rows; `None` for both takes handy cells.
        area: a drawing of where the map is wanted.
        report: draw a picture and a page.
    """

    log: Path
    options: Mapping[str, Any]
    cell: float | None = None
    size: tuple[int, int] | None = None
    area: Path | None = None
    report: bool = True

    @property
    def numbers(self) -> dict[str, Any]:
        """All that the map follows from."""
        log = RunFolder.open(self.log).journal if self.log.is_dir() else self.log
        return {
            "format": FORMAT,
            "akrig": __version__,
            "soundings": {"name": self.log.name, "sha256": sha256_of(log, most=LARGEST)},
            "settings": json.loads(json.dumps(dict(self.options))),
            "cells": {"cell": self.cell, "size": None if self.size is None else list(self.size)},
            "area": None if self.area is None else sha256_of(self.area, most=LARGEST),
            "report": self.report,
        }


def make_chart(
    request: ChartRequest,
    out: Path,
    workers_for: Callable[[int], Workers],
    *,
    force: bool = False,
    watcher: ChartWatcher | None = None,
) -> Chart:
    """All of it, or what is missing; what is done already is told of.

    Args:
        workers_for: who computes the tiles, given how many are worth having.
        force: replace a map of something else.
    """
    watcher, folder = watcher or ChartWatcher(), ChartFolder(out)
    check_options(request.options)
    order, ready = request.numbers, None
    if not out.exists():  # nothing is made of a file that cannot be read
        ready = _prepared(folder, request, watcher)
    with folder.locked():
        folder.begin(order, force=force)
        if folder.is_done:
            return Chart.of(folder)
        data, area, grid, settings = ready or _prepared(folder, request, watcher)
        if not folder.soundings.exists():
            write_chart_data(folder.soundings, data)
        watcher.tell(data.note)
        judgement = _learnt(folder, data, settings, watcher)
        plan = {"grid": grid_numbers(grid), "area": None if area is None else area.as_dict()}
        bands = _computed(folder, grid, settings, plan, workers_for, watcher)
        watcher.begin("writing", 1)
        chart = write_results(folder, bands, grid, data, judgement, settings, with_report=request.report)
        watcher.advance()
        folder.tidy()
    return chart


def check_options(options: Mapping[str, Any]) -> None:
    fixed = [name for name in FIXED if name in options]
    if fixed:
        raise ConfigError("map", [f"{', '.join(fixed)} cannot be chosen: a map has its soundings, and nobody plans."])


def chart_settings(data: ChartData, options: Mapping[str, Any]) -> Settings:
    """Of the model; all else is nobody's affair."""
    below: dict[str, Any] = {
        "field": "none",
        "workspace": extent_of(data.X, data.margin),
        "budget": {"readings": len(data)},
        "pilot": {"readings": 2},
        "vehicle": {"name": "replay", "log": "soundings", "spacing": 1.0},
        "model": {"normalization": "workspace", "mean": "constant"},
    }
    if len(data) > MANY:
        below["kernel"] = {"shortest": FINE}
    return load_settings(None, merged(below, options))


def _frame(request: ChartRequest):
    """The area's, if there is one: what is to be cut must lie in the same metres."""
    return None if request.area is None else read_area(request.area).frame


def _area(request: ChartRequest, data: ChartData) -> Area | None:
    if request.area is None:
        return None
    if data.frame is None:
        raise ChartError(
            f"{request.log} does not say where on Earth it is, so {request.area} cannot be laid over it; give "
            "soundings with latitude and longitude, or leave out --area."
        )
    area = read_area(request.area)
    if not area.allows(data.X).any():
        raise ChartError(f"None of the soundings of {request.log} lies in {request.area}; are they of the same place?")
    return area


def _prepared(
    folder: ChartFolder, request: ChartRequest, watcher: ChartWatcher
) -> tuple[ChartData, Area | None, MapGrid, Settings]:
    watcher.begin("reading", 1)
    kept = folder.soundings
    data = load_chart_data(kept) if kept.exists() else read_chart_data(request.log, frame=_frame(request))
    area = _area(request, data)
    grid = chart_grid(data, area, cell=request.cell, size=request.size)
    settings = chart_settings(data, request.options)
    saved(new_model(settings), settings)  # better to fail before there is a folder
    watcher.advance()
    return data, area, grid, settings


def _learnt(folder: ChartFolder, data: ChartData, settings: Settings, watcher: ChartWatcher) -> Judgement | None:
    """The model is in its file when this returns."""
    if not folder.model.exists() or not folder.judgement.exists():
        watcher.begin("learning", ROUNDS + 2)
        model = new_model(settings)
        steps = settings.training.pilot_steps or STEPS
        judgement = learn(model, data, steps=steps, advance=watcher.advance)
        folder.write_json(folder.judgement, {} if judgement is None else judgement.numbers)
        saved(model, settings).save(folder.model)  # last: what it was judged by is there
    numbers = folder.read_json(folder.judgement)
    return Judgement(**numbers) if numbers else None


def _computed(
    folder: ChartFolder,
    grid: MapGrid,
    settings: Settings,
    plan: dict[str, Any],
    workers_for: Callable[[int], Workers],
    watcher: ChartWatcher,
) -> np.ndarray:
    """(2, rows, cols)"""
    tiles, bands = tiles_of(grid), np.full((2, grid.rows, grid.cols), np.nan, dtype=np.float32)
    watcher.begin("mapping", len(tiles))

    def take(tile: Tile) -> bool:
        found = folder.read_tile(tile, tile.shape(grid))
        if found is not None:
            bands[:, tile.rows, tile.cols] = found
            watcher.advance()
        return found is not None

    missing = {tile.name: tile for tile in tiles if not take(tile)}
    if missing:
        given = (folder.path.absolute(), settings.model_dump(mode="json"), plan)
        jobs = [Job(name, compute_tile, (*given, tile.row, tile.col), kind="tile") for name, tile in missing.items()]
        most = min(len(jobs), max(1, math.ceil(grid.rows * grid.cols / CELLS_PER_WORKER)))
        with workers_for(most) as workers:
            for job, result in workers.results(jobs):
                if isinstance(result, FailedJob) or not take(missing[job.name]):
                    why = result.reason if isinstance(result, FailedJob) else "it was not found where it was written"
                    raise ChartError(
                        f"Tile {job.name} could not be computed: {why}; call the same command to go on from the others."
                    )
    return bands
