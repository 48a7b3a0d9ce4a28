"""Settings of a mission that replays recorded readings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from akrig.config.load import load_settings, merged, read_settings
from akrig.config.settings import Settings
from akrig.errors import ConfigError
from akrig.journal.folder import RunFolder
from akrig.journal.legs import read_legs

KEPT = ("field", "workspace", "seed", "strategy", "sensor", "scoring")  # when a preset decides all else


def replay_settings(log: Path, options: Mapping[str, Any]) -> Settings:
    """From a run folder, all else is as it was there, unless an option or a preset says otherwise."""
    fixed = [name for name in ("budget", "vehicle", "pilot", "field") if name in options]
    if fixed:
        raise ConfigError("replay", [f"{', '.join(fixed)} cannot be chosen: a replay takes them from the log."])
    legs = read_legs(log)
    if log.is_dir():
        below = read_settings(RunFolder.open(log).config).model_dump(exclude_none=True)
        below = {name: below[name] for name in KEPT} if "preset" in options else below
    else:
        X = np.array([measurement.position for leg in legs for measurement in leg])
        below = {"field": "none", "workspace": _extent(X), "strategy": "random"}
    recorded = {
        "budget": {"readings": sum(map(len, legs))},
        "pilot": {"readings": 2},  # whatever the first leg brought
        "vehicle": {"name": "replay", "log": str(log.resolve()), "spacing": 1.0},
    }
    return load_settings(None, merged(merged(below, options), recorded))


def _extent(X: np.ndarray) -> dict[str, list[float]]:
    """Of the readings; where they do not vary, as on one straight line, a tenth of the rest, or one metre."""
    lower, upper = X.min(axis=0), X.max(axis=0)
    pad = np.where(upper > lower, 0.0, max(0.05 * float((upper - lower).max()), 0.5))
    return {"lower": (lower - pad).tolist(), "upper": (upper + pad).tolist()}
