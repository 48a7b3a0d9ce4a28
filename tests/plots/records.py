"""A small mission over a field with a flat and a rugged half, mapped by two real kernels in plain NumPy."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from akrig.geometry import Box, Pose
from akrig.journal.record import Record, RecordedEpoch, Snapshot
from akrig.types import Budget, Measurement, Plan, Samples

WORKSPACE = Box((0.0, 0.0), (5000.0, 4000.0))
LENGTHSCALES = np.array([150.0, 400.0, 1000.0])
NOISE_STD = 2.0


def terrain(X: np.ndarray) -> np.ndarray:
    """Rolling in the west, rugged in the east."""
    x, y = X.T / 1000
    ridges = sum(np.sin(k * x * 3.1 + 2 * k) * np.cos(k * y * 2.7 + k * k) / k for k in (1, 2, 3, 4))
    return 320 + 45 * np.sin(0.9 * x + 0.5 * y) + 70 * _ruggedness(X) * ridges


def _ruggedness(X: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-(X[:, 0] - 2700) / 200))


def _weights(X: np.ndarray, kernel_name: str) -> np.ndarray:
    if kernel_name != "attentive":
        return np.tile([0.0, 1.0, 0.0], (len(X), 1))
    rugged = _ruggedness(X)
    weights = np.stack([0.25 * rugged, 0.1 + 0.65 * rugged, 1.0 - 0.9 * rugged], axis=1)
    return weights / np.linalg.norm(weights, axis=1, keepdims=True)


def _gram(A: np.ndarray, B: np.ndarray, kernel_name: str) -> np.ndarray:
    squared = ((A[:, None] - B[None]) ** 2).sum(-1)
    wa, wb = _weights(A, kernel_name), _weights(B, kernel_name)
    return 60.0**2 * sum(
        np.outer(wa[:, m], wb[:, m]) * np.exp(-squared / (2 * scale**2)) for m, scale in enumerate(LENGTHSCALES)
    )


def _predict(samples: Samples, X: np.ndarray, kernel_name: str) -> tuple[np.ndarray, np.ndarray]:
    K = _gram(samples.X, samples.X, kernel_name) + NOISE_STD**2 * np.eye(len(samples))
    k = _gram(X, samples.X, kernel_name)
    mean = samples.y.mean() + k @ np.linalg.solve(K, samples.y - samples.y.mean())
    variance = 60.0**2 - np.einsum("ij,ji->i", k, np.linalg.solve(K, k.T))
    return mean, np.sqrt(np.maximum(variance, 0) + NOISE_STD**2)


def _tour(readings: int, rng: np.random.Generator) -> np.ndarray:
    """A pilot sweep through the whole workspace, then towards what is far from all readings."""
    t = np.linspace(0, 1, 40)
    points = list(np.stack([300 + 4400 * t, 2000 + 1500 * np.sin(3 * np.pi * t)], axis=1))
    heading = np.pi / 2
    while len(points) < readings:
        candidates = rng.uniform((100, 100), (4900, 3900), (200, 2))
        gaps = np.linalg.norm(candidates[:, None] - np.array(points)[None], axis=-1).min(axis=1)
        goal = candidates[np.argmax(gaps * (1 + 1.5 * _ruggedness(candidates)))]
        while np.linalg.norm(goal - points[-1]) > 150 and len(points) < readings:
            turn = np.arctan2(*(goal - points[-1])[::-1]) - heading
            heading += np.clip((turn + np.pi) % (2 * np.pi) - np.pi, -0.9, 0.9)
            step = points[-1] + 150 * np.array([np.cos(heading), np.sin(heading)])
            points.append(np.clip(step, (60, 60), (4940, 3940)))
    return np.array(points[:readings])


def _epochs(readings: int, leg: int, rng: np.random.Generator) -> list[RecordedEpoch]:
    X = _tour(readings, rng)
    y = terrain(X) + rng.normal(0, NOISE_STD, len(X))
    travelled = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(X, axis=0), axis=1))])
    ends = [*range(min(40, readings), readings, leg), readings]
    epochs = []
    for index, (begin, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        leg_readings = [Measurement(travelled[i] / 4, tuple(X[i]), y[i]) for i in range(begin, end)]
        before = X[max(end - 2, 0)]
        pose = Pose(tuple(X[end - 1]), np.arctan2(*(X[end - 1] - before)[::-1]))
        used = Budget(end, travelled[end - 1], travelled[end - 1] / 4)
        loss = 1.9 - 0.4 * end / readings
        epochs.append(RecordedEpoch(index, Plan(X[begin:end]), leg_readings, loss, pose, used, vehicle={}))
    return epochs


def _scores(snapshots: list[Snapshot], epochs: list[RecordedEpoch], truth: np.ndarray) -> dict[str, np.ndarray]:
    rows = []
    for snapshot, epoch in zip(snapshots, epochs, strict=True):
        error, std = truth - snapshot.mean, snapshot.std
        used = epoch.used
        squared, z = error**2, np.abs(error) / std
        nlpd = np.mean(0.5 * np.log(2 * np.pi * std**2) + 0.5 * z**2)
        trivial = np.mean(0.5 * np.log(2 * np.pi * truth.var()) + 0.5 * (truth - truth.mean()) ** 2 / truth.var())
        row = {"epoch": epoch.index, "samples": used.readings, "distance": used.distance, "time": used.time}
        row |= {"loss": epoch.loss, "uncertainty": std.mean(), "smse": squared.mean() / truth.var()}
        row |= {"msll": nlpd - trivial, "nlpd": nlpd, "rmse": np.sqrt(squared.mean()), "mae": np.abs(error).mean()}
        row |= {"crps": 0.7 * np.abs(error).mean()}
        row |= {f"coverage{p}": np.mean(z <= s) for p, s in ((50, 0.674), (90, 1.645), (95, 1.96))}
        rows.append(row | {"correlation": np.corrcoef(np.abs(error).ravel(), std.ravel())[0, 1]})
    return {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]}


def _map(last: Snapshot, truth: np.ndarray, x: np.ndarray, y: np.ndarray, kernel_name: str) -> xr.Dataset:
    layers = {"mean": last.mean, "std": last.std, "latent_std": np.sqrt(last.std**2 - NOISE_STD**2)}
    layers |= {"truth": truth, "error": np.abs(truth - last.mean)}
    data = {name: (("y", "x"), layer) for name, layer in layers.items()}
    coords = {"x": x, "y": y}
    if kernel_name == "attentive":
        X = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        weights = _weights(X, kernel_name)
        shares = weights / weights.sum(axis=1, keepdims=True)
        data["lengthscale"] = (("y", "x"), (shares @ LENGTHSCALES).reshape(truth.shape))
        data["weights"] = (("base", "y", "x"), weights.T.reshape(-1, *truth.shape))
        members = np.stack([1 - _ruggedness(X), _ruggedness(X)])
        data["memberships"] = (("member", "y", "x"), members.reshape(-1, *truth.shape))
        coords["base"] = LENGTHSCALES
    return xr.Dataset(data, coords=coords)


def make_record(
    kernel_name: str = "attentive",
    *,
    readings: int = 90,
    leg: int = 10,
    shape: tuple[int, int] = (24, 30),
    seed: int = 0,
) -> Record:
    rng = np.random.default_rng(seed)
    epochs = _epochs(readings, leg, rng)
    y, x = (np.linspace(low, high, n) for low, high, n in zip((0, 0), (4000, 5000), shape, strict=True))
    X = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    truth = terrain(X).reshape(shape)
    snapshots = []
    for last in range(1, len(epochs) + 1):
        samples = Samples.of((m for epoch in epochs[:last] for m in epoch.measurements), dim=2)
        mean, std = (part.reshape(shape).astype(np.float32) for part in _predict(samples, X, kernel_name))
        snapshots.append(Snapshot(len(samples), mean, std))
    parts = {"plan": 0.02, "follow": 0.01, "fit": 0.3, "look": 0.1}
    growth = np.linspace(0.3, 1, len(epochs)) ** 2
    return Record(
        path=Path(f"runs/ridge-{kernel_name}-myopic-{seed}"),
        quantity="elevation",
        units="m",
        settings={
            "seed": seed,
            "field": {"name": "ridge"},
            "kernel": {"name": kernel_name, "lengthscales": [150.0, 400.0, 1000.0]},
            "strategy": {"name": "myopic"},
            "training": {"learning_rate": 0.01},
            "budget": {"readings": readings},
            "about": {"quantity": "elevation", "units": "m", "akrig": "0.1.0", "numpy": "2.3.1", "torch": "2.9.0"},
        },
        workspace=WORKSPACE,
        epochs=epochs,
        scores=_scores(snapshots, epochs, truth),
        timings={"epoch": np.arange(len(epochs))} | {name: base * growth for name, base in parts.items()},
        snapshots=snapshots,
        map=_map(snapshots[-1], truth, x, y, kernel_name),
        ended="budget",
        torn=0,
    )


def with_settings(record: Record, *, seed: int | None = None, **names: str) -> Record:
    """Another seed, or another name of field, kernel or strategy."""
    changed: dict[str, Any] = {part: {**record.settings[part], "name": name} for part, name in names.items()}
    return replace(record, settings={**record.settings, **changed, "seed": record.seed if seed is None else seed})


def along_a_line(record: Record) -> Record:
    """Its southernmost row alone, as a field of one dimension; snapshots are kept of maps only."""
    assert record.map is not None
    return replace(
        record,
        workspace=Box(WORKSPACE.lower[:1], WORKSPACE.upper[:1]),
        epochs=[_reshaped(epoch, lambda position: position[:1]) for epoch in record.epochs],
        snapshots=[],
        map=record.map.isel(y=0, drop=True),
    )


def in_a_volume(record: Record) -> Record:
    """The same at two depths, as a field of three dimensions."""
    assert record.map is not None
    return replace(
        record,
        workspace=Box((*WORKSPACE.lower, 0.0), (*WORKSPACE.upper, 100.0)),
        epochs=[_reshaped(epoch, lambda position: (*position, 50.0)) for epoch in record.epochs],
        snapshots=[],
        map=record.map.expand_dims(z=[0.0, 100.0]),
    )


def _reshaped(epoch: RecordedEpoch, change: Callable[[tuple[float, ...]], tuple[float, ...]]) -> RecordedEpoch:
    return replace(
        epoch,
        plan=Plan(np.array([change(tuple(waypoint)) for waypoint in epoch.plan.waypoints])),
        measurements=[replace(m, position=change(m.position)) for m in epoch.measurements],
        pose=replace(epoch.pose, position=change(epoch.pose.position)),
    )


_TRUTH_SCORES = ["smse", "msll", "nlpd", "rmse", "mae", "crps", "coverage50", "coverage90", "coverage95", "correlation"]


def without_truth(record: Record) -> Record:
    assert record.map is not None
    scores = {name: column for name, column in record.scores.items() if name not in _TRUTH_SCORES}
    return replace(record, map=record.map.drop_vars(["truth", "error"]), scores=scores)


def with_scored_epochs(record: Record, num_epochs: int) -> Record:
    return replace(
        record,
        scores={name: column[:num_epochs] for name, column in record.scores.items()},
        timings={name: column[:num_epochs] for name, column in record.timings.items()},
    )


def barely_begun(record: Record) -> Record:
    """Nothing but a folder: no epoch has ended yet."""
    empty = with_scored_epochs(record, 0)
    return replace(empty, epochs=[], snapshots=[], map=None, ended=None)
