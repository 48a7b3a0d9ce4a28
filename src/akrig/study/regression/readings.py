"""Which field is regressed, and the readings that the model gets of it."""

import numpy as np

from akrig.config import Settings, build_field
from akrig.config.vehicles import box
from akrig.errors import ConfigError
from akrig.geometry import Box
from akrig.gp import Normalization
from akrig.protocols import Field
from akrig.study.regression.settings import FUNCTIONS, ReadingsSettings, RegressionSettings
from akrig.types import Points, Samples

_MOST_TRIES = 100  # to find places where a field with holes has data


def regressed_field(settings: RegressionSettings) -> Field:
    if settings.field.name in FUNCTIONS:
        return FUNCTIONS[settings.field.name]
    field = build_field(Settings(field=settings.field))
    assert field is not None
    return field


def workspace_of(settings: RegressionSettings, field: Field) -> Box:
    """As given, if it is inside the field; else the field's extent."""
    given = box(settings.workspace)
    if given is None:
        return field.extent
    if given.dim != field.extent.dim or not field.extent.contains(np.array([given.lower, given.upper])).all():
        extent = f"{field.extent.lower} to {field.extent.upper}"
        raise ConfigError(
            "workspace", [f"{given.lower} to {given.upper} is not inside the field, which spans {extent}."]
        )
    return given


def take_readings(settings: RegressionSettings, field: Field, workspace: Box) -> tuple[Samples, Normalization]:
    """Readings with their noise, and the scales that standardise them."""
    wanted = settings.readings
    seed = settings.seed if wanted.seed is None else wanted.seed
    rng = np.random.default_rng(seed)
    if wanted.name == "own":
        X = FUNCTIONS[settings.field.name].training_points(rng)
    else:
        draws = _authors_points if wanted.name == "authors" else _uniform_points
        X = draws(wanted, field, workspace, seed)
    y = field(X)
    if wanted.noise_std:
        y = y + rng.normal(0.0, wanted.noise_std, len(y))
    by_workspace = settings.model.normalization == "workspace"
    normalization = Normalization.from_samples(Samples(X, y), workspace=workspace if by_workspace else None)
    if wanted.target_noise_std:
        y = y + rng.normal(0.0, wanted.target_noise_std * normalization.scale, len(y))
    return Samples(X, y), normalization


def _uniform_points(wanted: ReadingsSettings, field: Field, workspace: Box, seed: int) -> Points:
    """Where the field has data."""
    rng, found = np.random.default_rng(seed), np.empty((0, workspace.dim))
    for _ in range(_MOST_TRIES):
        X = rng.uniform(workspace.lower, workspace.upper, (wanted.count - len(found), workspace.dim))
        found = np.concatenate([found, X[np.isfinite(field(X))]])
        if len(found) == wanted.count:
            return found
    raise ConfigError(
        "readings", [f"the field has no data at nearly all places of {workspace.lower}-{workspace.upper}."]
    )


def _authors_points(wanted: ReadingsSettings, field: Field, workspace: Box, seed: int) -> Points:
    """With seed 0 in [0, 1]^2: the points of their helens_x_train.csv, and those of their overfitting curves."""
    legacy = np.random.RandomState(seed)
    shares = legacy.uniform(size=(workspace.dim, wanted.count)).T
    X = np.array(workspace.lower) + shares * np.array(workspace.size)
    if not np.isfinite(field(X)).all():
        raise ConfigError("readings", ["the field has holes, which these places do not avoid; take 'uniform'."])
    return X
