"""What a person takes home: the map for a GIS, contours, a picture and a page."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from akrig.charts.folder import ChartFolder
from akrig.charts.grids import grid_numbers
from akrig.charts.learning import Judgement
from akrig.charts.soundings import ChartData
from akrig.config import Settings
from akrig.survey.exports.contours import lines_at, sensible_interval, whole_levels
from akrig.survey.exports.geojson import line_feature, write_features
from akrig.survey.exports.geotiff import STD, MapGrid, on_degrees, write_bands
from akrig.words import plural

MOST_DRAWN = 800  # cells along the longer side that contours are drawn through
FEWEST_DRAWN = 4


@dataclass(frozen=True)
class Chart:
    """A finished map.

    Args:
        sentences: what a person should know of it.
        files: what there is, the map first.
    """

    sentences: tuple[str, ...]
    files: tuple[Path, ...]

    @classmethod
    def of(cls, folder: ChartFolder) -> "Chart":
        """As it was written."""
        told = folder.read_json(folder.summary)
        return cls(tuple(told["sentences"]), tuple(folder.path / name for name in told["files"]))


def write_results(
    folder: ChartFolder,
    bands: np.ndarray,
    grid: MapGrid,
    data: ChartData,
    judgement: Judgement | None,
    settings: Settings,
    *,
    with_report: bool,
) -> Chart:
    """The summary is written last: while it is not there, the map is not done."""
    name = "mean depth" if data.quantity == "depth" else "prediction"
    write_bands(folder.geotiff, bands, grid, names=(name, STD), units=(data.units,) * 2)
    files, sentences = [folder.geotiff], _sentences(bands, grid, data, judgement)
    if _write_contours(folder.contours, bands[0], grid, data):
        files.append(folder.contours)
    if with_report:
        from akrig.plots.chart import save_chart_figure, write_chart_report

        save_chart_figure(bands, grid.cell, folder.picture, quantity=data.quantity, units=data.units)
        write_chart_report(
            folder.report,
            title=folder.path.absolute().name,
            picture=folder.picture,
            sentences=sentences,
            numbers=_numbers(bands, grid, data, judgement),
            settings=settings.model_dump(include={"seed", "kernel", "model", "training"}, exclude_none=True),
        )
        files += [folder.picture, folder.report]
    told: dict[str, Any] = {
        "sentences": sentences,
        "files": [path.name for path in files],
        "judgement": None if judgement is None else judgement.numbers,
        "grid": grid_numbers(grid),
    }
    folder.write_json(folder.summary, told)
    return Chart(tuple(sentences), tuple(files))


def _sentences(bands: np.ndarray, grid: MapGrid, data: ChartData, judgement: Judgement | None) -> list[str]:
    unit = f" {data.units}" if data.units else ""
    std = bands[1][np.isfinite(bands[1])]
    middle = f"; its standard deviation is {np.median(std):.2g}{unit} in the middle of its range" if len(std) else ""
    cells = f"{grid.cols} x {grid.rows} cells of {grid.cell:g} m"
    size = f"The map has {cells}, made of {plural(len(data), 'sounding', shown=f'{len(data):,}')}{middle}."
    trust = (
        "There were too few legs to hold any back: nobody can say how far this map can be trusted."
        if judgement is None
        else judgement.sentence(data.units)
    )
    return [size, trust]


def _numbers(
    bands: np.ndarray, grid: MapGrid, data: ChartData, judgement: Judgement | None
) -> list[tuple[str, str, str]]:
    items = [
        ("Soundings", f"{len(data):,}", f"on {plural(len(np.unique(data.legs)), 'leg')}"),
        ("Cells", f"{grid.cols} x {grid.rows}", f"of {grid.cell:g} m"),
    ]
    if judgement is not None:
        items.append(("Error", f"{judgement.error:.2g} {data.units}".strip(), "on legs held back, root mean square"))
        items.append(("95 % intervals", f"{100 * judgement.inside:.0f} %", "of held-back soundings lie inside"))
    return items


def _write_contours(path: Path, mean: np.ndarray, grid: MapGrid, data: ChartData) -> bool:
    """Of a map on Earth that is not flat; of a large one by every so many cells, so that a GIS can hold them."""
    step = max(1, math.ceil(max(mean.shape) / MOST_DRAWN))
    shown = mean[::step, ::step].astype(np.float64)
    known = shown[np.isfinite(shown)]
    interval = sensible_interval(*np.percentile(known, [1, 99]).tolist()) if len(known) else None
    if grid.crs is None or interval is None or min(shown.shape) < FEWEST_DRAWN:
        return False
    x = grid.west + (np.arange(grid.cols)[::step] + 0.5) * grid.cell
    y = grid.north - (np.arange(grid.rows)[::step] + 0.5) * grid.cell
    name = "depth_m" if data.quantity == "depth" else "value"
    features = []
    for level in whole_levels(shown, interval):
        for line in lines_at(x, y[::-1], shown[::-1], level):
            features.append(line_feature(on_degrees(line, grid.crs), {name: level}))
    write_features(path, features)
    return True
