"""A small lake, sounded along lines, as files that people have."""

from pathlib import Path

import numpy as np

from akrig.frame import LocalFrame

FRAME = LocalFrame(8.5, 47.3)
QUICK = {"kernel": "rbf", "model": "exact", "training": {"pilot_steps": 20}}
QUICK_OPTIONS = ["--kernel", "rbf", "--model", "exact", "--set", "training.pilot_steps=20", "--no-report"]


def depth(X: np.ndarray) -> np.ndarray:
    return 10 + 4 * np.sin(X[:, 0] / 60) + 3 * np.cos(X[:, 1] / 50)


def lines(num: int = 9, each: int = 30, *, noise: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Back and forth over 300 m x 200 m."""
    rng = np.random.default_rng(0)
    way = []
    for k in range(num):
        x = np.linspace(0, 300, each)
        way.append(np.column_stack([x[:: -1 if k % 2 else 1], np.full(each, 200.0 * k / max(num - 1, 1))]))
    X = np.concatenate(way) + rng.normal(0, 0.5, (num * each, 2))
    return X, depth(X) + rng.normal(0, noise, len(X))


def write_soundings(path: Path, X: np.ndarray, y: np.ndarray) -> Path:
    lonlat = FRAME.to_degrees(X)
    rows = [f"{lat:.9f},{lon:.9f},{value:.4f}" for (lon, lat), value in zip(lonlat, y, strict=True)]
    path.write_text("\n".join(["latitude,longitude,depth", *rows, ""]))
    return path


def write_readings(path: Path, X: np.ndarray, y: np.ndarray) -> Path:
    rows = [f"{x:.4f},{north:.4f},{value:.4f}" for (x, north), value in zip(X, y, strict=True)]
    path.write_text("\n".join(["x,y,value", *rows, ""]))
    return path
