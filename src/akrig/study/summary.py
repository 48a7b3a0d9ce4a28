"""What a benchmark's runs come to: metrics averaged over each mission, and curves over seeds.

A cell of the paper's tables is one metric's curve averaged over the number of samples, then the mean and standard
deviation of that over seeds.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from akrig.metric_parts import EPOCH_COLUMNS, METRICS
from akrig.metrics import averaged
from akrig.study.results import Results

AXES = ("strategy", "field", "kernel")
ERRORS = tuple(metric.name for metric in METRICS.values() if metric.group == "error")  # of the paper's tables
CALIBRATION = tuple(
    metric.name
    for metric in sorted(METRICS.values(), key=lambda metric: metric.has_units)
    if metric.group == "calibration"
)
Key = tuple[str, str, str, str]  # strategy, field, kernel, metric


@dataclass(frozen=True)
class Curve:
    """Mean and standard deviation over seeds at each number of samples."""

    samples: np.ndarray
    mean: np.ndarray
    std: np.ndarray


@dataclass(frozen=True)
class Score:
    """Over seeds; the standard deviation is with n - 1, and NaN of fewer than two."""

    mean: float
    std: float
    num_seeds: int

    @classmethod
    def of(cls, values: Sequence[float] | np.ndarray) -> "Score":
        std = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
        return cls(float(np.mean(values)), std, len(values))


def averages(results: Results, *, defaults: Mapping[str, str] | None = None) -> xr.DataArray:
    """Every metric averaged over its mission: (strategy, field, kernel, metric, seed), NaN where a run is missing.

    Args:
        defaults: labels of axes that the study does not vary.
    """
    keys = keys_of(results, defaults)
    labels = {result.labels["seed"] for result in results}
    seeds = sorted(labels, key=lambda seed: (int(seed), "") if seed.isdigit() else (0, seed))
    metrics = [name for name in (*ERRORS, *CALIBRATION) if any(name in result.data for result in results)]
    metrics += own_metrics_in(results)
    names = [list(dict.fromkeys(key[place] for key in keys)) for place in range(len(AXES))]
    values = np.full([*map(len, names), len(metrics), len(seeds)], np.nan)
    for key, result in zip(keys, results, strict=True):
        place = tuple(labels.index(label) for labels, label in zip(names, key, strict=True))
        for k, metric in enumerate(metrics):
            if metric in result.data and result.data.sizes["samples"]:
                values[*place, k, seeds.index(result.labels["seed"])] = averaged(*curve_of(result.data, metric))
    coords = {**dict(zip(AXES, names, strict=True)), "metric": metrics, "seed": seeds}
    return xr.DataArray(values, coords=coords, dims=tuple(coords))


def own_metrics_in(results: Results) -> list[str]:
    """The user's own: whatever else the runs were scored by."""
    scored = {str(name): None for r in results for name, column in r.data.items() if column.dims == ("samples",)}
    return [name for name in scored if name not in (*METRICS, *EPOCH_COLUMNS)]


def keys_of(results: Results, defaults: Mapping[str, str] | None = None) -> list[tuple[str, str, str]]:
    """Strategy, field and kernel of each run. Whatever else the study varies goes with the kernel's name."""
    axes = dict.fromkeys(axis for result in results for axis in result.labels if axis not in (*AXES, "seed"))
    others = [axis for axis in axes if len(results.labels_of(axis)) > 1]
    keys = []
    for labels in (result.labels for result in results):
        strategy, field, kernel = (labels.get(axis, (defaults or {}).get(axis, "")) for axis in AXES)
        more = ", ".join(f"{axis.removeprefix('kernel.')} {labels[axis]}" for axis in others if axis in labels)
        keys.append((strategy, field, f"{kernel} ({more})" if more else kernel))
    return keys


def curve_of(dataset: xr.Dataset, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """A metric of one run: numbers of samples and values."""
    return dataset["samples"].to_numpy().astype(float), dataset[metric].to_numpy().astype(float)


def scores(table: xr.DataArray) -> dict[Key, Score]:
    """Mean and standard deviation of averages over seeds, where there are any."""
    names = [[str(name) for name in table[axis].values] for axis in (*AXES, "metric")]
    found: dict[Key, Score] = {}
    for place in np.ndindex(*table.shape[:-1]):
        values = table.to_numpy()[place]
        values = values[~np.isnan(values)]
        if len(values):
            strategy, field, kernel, metric = (labels[i] for labels, i in zip(names, place, strict=True))
            found[strategy, field, kernel, metric] = Score.of(values)
    return found


def mean_curve(datasets: Sequence[xr.Dataset], metric: str) -> Curve:
    """Interpolated to the numbers of samples at which any run was scored and all were under way."""
    curves = [curve_of(dataset, metric) for dataset in datasets]
    begin = max(samples[0] for samples, _ in curves)
    end = min(samples[-1] for samples, _ in curves)
    axis = np.unique(np.concatenate([samples for samples, _ in curves]))
    axis = axis[(begin <= axis) & (axis <= end)]
    values = np.array([np.interp(axis, samples, column) for samples, column in curves])
    std = values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(len(axis))
    return Curve(axis, values.mean(axis=0), std)


def mean_curves(
    results: Results, metrics: Iterable[str], *, defaults: Mapping[str, str] | None = None
) -> dict[Key, Curve]:
    """Keyed by strategy, field, kernel and metric."""
    groups: dict[tuple[str, str, str], list[xr.Dataset]] = {}
    for key, result in zip(keys_of(results, defaults), results, strict=True):
        groups.setdefault(key, []).append(result.data)
    curves = {}
    for key, datasets in groups.items():
        for metric in metrics:
            scored = [dataset for dataset in datasets if metric in dataset and dataset.sizes["samples"]]
            if scored:
                curves[*key, metric] = mean_curve(scored, metric)
    return curves


def scored_every(dataset: xr.Dataset, every: int) -> xr.Dataset:
    """What would be left of a run scored after every epoch, had it been scored every so many readings.

    The rule of `akrig.runs.scores`: the first epoch, any with `every` new readings since, and the last.
    """
    counts = [int(count) for count in dataset["samples"].to_numpy()]
    kept, scored_at = [], -every
    for place, count in enumerate(counts):
        new, over = count - scored_at, place == len(counts) - 1
        if new >= every or (over and new > 0):
            kept.append(place)
            scored_at = count
    return dataset.isel(samples=kept)


def change_by_thinning(dataset: xr.Dataset, metric: str, every: int) -> float:
    """Of the averaged metric, as a share of the curve's mean size (which for MSLL may cross zero)."""
    samples, values = curve_of(dataset, metric)
    less = averaged(*curve_of(scored_every(dataset, every), metric))
    return (less - averaged(samples, values)) / averaged(samples, np.abs(values))
