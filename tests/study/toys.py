"""Runs that take no time, for tests of what is around them."""

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from akrig.study.definition import Study, read_study
from akrig.study.parts import KINDS, RunKind

MISSIONS, TOYS = KINDS["mission"], RunKind("builtins:dict", "tests.study.toys:compute_toy")

TOML: dict[str, Any] = {
    "title": "Toys",
    "kind": "mission",
    "seeds": "0-1",
    "base": {"field": "ridges", "size": 3},
    "grid": [{"kernel": ["rbf", "attentive"]}],
}


def toy_study(**changes: Any) -> Study:
    return read_study({**TOML, **changes}, name="toys", source="toys.toml")


def compute_toy(settings: dict[str, Any], path: Path) -> xr.Dataset:
    """As what computes a kind."""
    if settings["kernel"].get("fails"):
        raise ValueError("this kernel fails")
    rmse = np.arange(settings["size"]) + 10.0 * settings["seed"] + len(settings["kernel"]["name"])
    return xr.Dataset({"rmse": ("samples", rmse)}, coords={"samples": np.arange(settings["size"])})


def missing(folder, specifications) -> list:
    """Specifications minus results."""
    return [specification for specification in specifications if folder.done(specification.name) is None]
