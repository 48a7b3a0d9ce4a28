"""Tables and figures of the comparison."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from akrig.colours import DEPTHS
from akrig.files import written_beside
from akrig.plots.save import save_figure
from akrig.plots.style import DOUBT_MAP, style
from benchmarks.field_survey.runs import Choice, Row
from benchmarks.field_survey.worlds import WORLDS

METRICS = {"rmse": "RMSE (m)", "msll": "MSLL", "coverage95": "95 % coverage"}
KEPT = ("world", "nominal", "seed", "path", "map", "lines", "budget", "metres", "legs", "readings", "noise_std", "rmse",
        "mae", "msll", "nlpd", "crps", "coverage50", "coverage90", "coverage95", "uncertainty", "outside")  # fmt: skip
# Path and map, in the order of the table.
CONTENDERS = {
    ("adaptive", "online"): "adaptive path, attentive kernel",
    ("lawnmower", "online"): "lawnmower, attentive kernel",
    ("adaptive", "rbf"): "adaptive path, RBF kernel",
    ("lawnmower", "rbf"): "lawnmower, RBF kernel",
}
LOOKS = {
    ("adaptive", "online"): ("#0b6e99", "-"),
    ("lawnmower", "online"): ("#c8452d", "-"),
    ("adaptive", "rbf"): ("#0b6e99", ":"),
    ("lawnmower", "rbf"): ("#c8452d", ":"),
}


@dataclass(frozen=True)
class Cell:
    """One contender in one world at one distance, over the seeds."""

    rows: tuple[Row, ...]

    def mean(self, name: str) -> float:
        return float(np.mean([row[name] for row in self.rows]))

    def std(self, name: str) -> float:
        return float(np.std([row[name] for row in self.rows], ddof=1)) if len(self.rows) > 1 else 0.0

    def words(self, name: str, digits: int) -> str:
        spread = f" ± {self.std(name):.{digits}f}" if len(self.rows) > 1 else ""
        return f"{self.mean(name):.{digits}f}{spread}"

    def wins(self, other: "Cell", name: str) -> tuple[int, int]:
        """In how many of the seeds that both have is this one lower?"""
        theirs = {row["seed"]: row[name] for row in other.rows}
        pairs = [(row[name], theirs[row["seed"]]) for row in self.rows if row["seed"] in theirs]
        return sum(mine < yours for mine, yours in pairs), len(pairs)


Cells = dict[tuple[str, float], dict[tuple[str, str], Cell]]


def cells(rows: Sequence[Row]) -> Cells:
    """By world and distance, then by path and map."""
    found: Cells = {}
    for world in WORLDS:
        for nominal in sorted({row["nominal"] for row in rows}):
            here = [row for row in rows if row["world"] == world and row["nominal"] == nominal]
            split = {key: tuple(row for row in here if (row["path"], row["map"]) == key) for key in CONTENDERS}
            if any(split.values()):
                found[world, nominal] = {key: Cell(those) for key, those in split.items() if those}
    return found


def write_report(rows: Sequence[Row], folder: Path) -> None:
    """All but the maps, which need the runs' arrays."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "runs.csv", _csv(rows))
    _write(folder / "table.md", table(cells(rows)))
    save_figure(curves(cells(rows)), folder / "curves.png")


def table(found: Cells) -> str:
    """Markdown; the best mean of each world and distance is bold, among those with all seeds."""
    head = ["world", "survey and map", "seeds", "metres", "readings", *METRICS.values(), "adaptive better (RMSE, MSLL)"]
    lines = ["| " + " | ".join(head) + " |", "| --- | --- |" + " ---: |" * (len(head) - 2)]
    for (world, nominal), contenders in found.items():
        most = max(len(cell.rows) for cell in contenders.values())
        whole = [key for key, cell in contenders.items() if len(cell.rows) == most]
        best = {name: min(whole, key=lambda key: _badness(contenders[key], name)) for name in METRICS}
        for key, cell in contenders.items():
            scores = [_bold(cell.words(name, 2), key == best[name]) for name in METRICS]
            place = f"{world}, {nominal / 1000:.1f} km"
            distance = [str(len(cell.rows)), f"{cell.mean('metres'):.0f}", f"{cell.mean('readings'):.0f}"]
            lines.append("| " + " | ".join([place, CONTENDERS[key], *distance, *scores, _wins(key, contenders)]) + " |")
    return "\n".join(lines) + "\n"


def write_trials(rows: Sequence[Row], names: Mapping[str, Choice], folder: Path) -> None:
    """What each choice does to RMSE and MSLL, mean over the seeds."""
    folder.mkdir(parents=True, exist_ok=True)
    worlds = [world for world in WORLDS if any(row["world"] == world for row in rows)]
    head = ["adaptive survey", *(f"{world}: RMSE (m), MSLL" for world in worlds)]
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * len(worlds)]
    for name, choice in names.items():
        those = [row for row in rows if row["choice"] == asdict(choice)]
        split = [Cell(tuple(row for row in those if row["world"] == world)) for world in worlds]
        scores = [f"{cell.mean('rmse'):.2f}, {cell.mean('msll'):.2f}" if cell.rows else "" for cell in split]
        lines.append("| " + " | ".join([name, *scores]) + " |")
    _write(folder / "trials.md", "\n".join(lines) + "\n")


def _badness(cell: Cell, name: str) -> float:
    return abs(cell.mean(name) - 0.95) if name == "coverage95" else cell.mean(name)


def _bold(text: str, is_best: bool) -> str:
    return f"**{text}**" if is_best else text


def _wins(key: tuple[str, str], contenders: dict[tuple[str, str], Cell]) -> str:
    """Of the adaptive path over the lawnmower, with the same kernel."""
    other = ("lawnmower", key[1])
    if key[0] != "adaptive" or other not in contenders:
        return ""
    wins = [contenders[key].wins(contenders[other], name) for name in ("rmse", "msll")]
    return ", ".join(f"{won} of {total}" for won, total in wins)


def curves(found: Cells) -> Figure:
    """Metrics over distance, a column per world, one standard deviation shaded."""
    worlds = list(dict.fromkeys(world for world, _ in found))
    with style():
        figure, axes = plt.subplots(
            len(METRICS),
            len(worlds),
            figsize=(3.1 * len(worlds), 6.5),
            squeeze=False,
            sharex=True,
            layout="constrained",
        )
        for column, world in enumerate(worlds):
            for row, (name, label) in enumerate(METRICS.items()):
                _draw_curves(axes[row, column], found, world=world, name=name)
                axes[row, column].set(title=world if row == 0 else "", ylabel=label if column == 0 else "")
            axes[-1, column].set_xlabel("distance (km)")
        handles, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


def _draw_curves(axis: Axes, found: Cells, *, world: str, name: str) -> None:
    """Points with all seeds only: others would be luck."""
    most = max(len(cell.rows) for contenders in found.values() for cell in contenders.values())
    for key, label in CONTENDERS.items():
        cells_here = [
            contenders[key] for (place, _), contenders in found.items() if place == world and key in contenders
        ]
        here = [cell for cell in cells_here if len(cell.rows) == most]
        if not here:
            continue
        colour, dashes = LOOKS[key]
        x, y, spread = (
            np.array(values)
            for values in zip(*[(c.mean("metres") / 1000, c.mean(name), c.std(name)) for c in here], strict=True)
        )
        axis.plot(x, y, dashes, color=colour, marker="o", markersize=3, label=label)
        if key[1] == "online":
            axis.fill_between(x, y - spread, y + spread, color=colour, alpha=0.15, linewidth=0)
    if name == "coverage95":
        axis.axhline(0.95, color="#8a9096", linewidth=0.8)


def maps(surveys: Sequence[tuple[str, Path, Path]]) -> Figure:
    """Of each world the truth with both tracks, and the errors of both maps.

    Args:
        surveys: the world's name, and the arrays of the adaptive survey and of the lawnmower.
    """
    with style():
        figure, axes = plt.subplots(
            len(surveys), 4, figsize=(12, 2.3 * len(surveys)), squeeze=False, layout="constrained"
        )
        for row, (world, *files) in enumerate(surveys):
            arrays = [np.load(file) for file in files]
            errors = [np.abs(a["mean_online"] - a["truth"]) for a in arrays]
            worst = float(np.nanpercentile(np.concatenate(errors), 98))
            for place, path in enumerate(("adaptive", "lawnmower")):
                left, right, points = axes[row, place], axes[row, 2 + place], arrays[place]["points"]
                depth = _draw_map(left, points, arrays[place]["truth"], colours=DEPTHS)
                left.plot(*arrays[place]["X"].T, color="white", linewidth=0.8)
                error = _draw_map(right, points, errors[place], colours=DOUBT_MAP, top=worst)
                left.set_title(f"{world}: {path}")
                right.set_title(f"{path}: RMSE {np.sqrt(np.nanmean(errors[place] ** 2)):.2f} m")
                if place:
                    figure.colorbar(depth, ax=axes[row, :2], label="depth (m)", shrink=0.8)
                    figure.colorbar(error, ax=axes[row, 2:], label="error (m)", shrink=0.8)
    return figure


def _draw_map(axis: Axes, points: np.ndarray, values: np.ndarray, *, colours: str, top: float | None = None):
    x, y = np.unique(points[:, 0]), np.unique(points[:, 1])
    order = np.lexsort((points[:, 0], points[:, 1]))
    image = axis.pcolormesh(x, y, values[order].reshape(len(y), len(x)), cmap=colours, vmax=top, rasterized=True)
    axis.set(aspect="equal", xticks=[], yticks=[])
    return image


def _csv(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, KEPT, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: f"{row[name]:.6g}" if isinstance(row[name], float) else row[name] for name in KEPT})
    return text.getvalue()


def _write(path: Path, text: str) -> None:
    with written_beside(path) as beside:
        beside.write_text(text, encoding="utf-8")
