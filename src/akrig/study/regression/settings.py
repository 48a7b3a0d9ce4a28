"""Every setting of a regression: a model fitted to given readings of a field, without a mission."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from akrig.config.names import check_name, check_options
from akrig.config.own_parts import check_own_parts
from akrig.config.settings import (
    MOST_POINTS,
    Corners,
    Count,
    FieldSettings,
    InUnits,
    KernelSettings,
    NotNegative,
    Positive,
    Section,
    Seed,
    Several,
    by_name,
)
from akrig.config.validation import validated
from akrig.fields import CATALOGUE, CHIRP, STEP, Function1D

FUNCTIONS: dict[str, Function1D] = {"step": STEP, "sin": CHIRP}


class FieldOrFunction(FieldSettings):
    """As in a mission, or one of the paper's functions: "step" or "sin"."""

    @model_validator(mode="after")
    def _known(self) -> "FieldOrFunction":
        if not self.is_file:
            check_name(self.name, [*CATALOGUE, *FUNCTIONS], what="field")
        for name, corners in (("crop", self.crop), ("extent", self.extent)):
            if corners is not None and (len(corners.lower) != 2 or self.name in FUNCTIONS):
                raise ValueError(f"{name} is for rasters, and needs two coordinates; got {corners.lower}")
        check_options(self.name, self.options)
        return self


class ReadingsSettings(Section):
    """Where the field is read, and how well."""

    # "uniform" over the workspace; "authors": the same, drawn as the paper's authors drew them (seed 0 and 300 give the
    # training points that they published with helens); "own": the training points that a function brings along
    name: Literal["uniform", "authors", "own"] = "uniform"
    count: Several = 300
    seed: Seed | None = None  # of places and noise; the run's own, which is also the networks', if not given
    noise_std: InUnits = 0.0  # in the sensor's units
    target_noise_std: NotNegative = 0.0  # added to standardised targets, as in the paper's demonstrations


class RegressionModelSettings(Section):
    noise_variance: Positive = 1.0  # at first, in normalised units
    mean: Literal["zero", "constant"] = "zero"
    normalization: Literal["workspace", "readings"] = "workspace"  # what points are scaled by


class RegressionTrainingSettings(Section):
    """Of Adam."""

    steps: Count = 1000
    learning_rate: Positive = 0.01
    network_learning_rate: Positive = 0.001


class EvaluationSettings(Section):
    grid: Annotated[list[Several], Field(min_length=1, max_length=3)] | None = None
    every: Count | None = None  # steps between evaluations; once, at the end, if not given

    @model_validator(mode="after")
    def _affordable(self) -> "EvaluationSettings":
        if self.grid is not None and math.prod(self.grid) > MOST_POINTS:
            raise ValueError(f"grid {self.grid} has more than {MOST_POINTS} points")
        return self


class RegressionSettings(Section):
    """One regression."""

    seed: Seed = 0
    field: Annotated[FieldOrFunction, BeforeValidator(by_name)] = FieldOrFunction()
    workspace: Corners | None = None  # the field's extent
    readings: Annotated[ReadingsSettings, BeforeValidator(by_name)] = ReadingsSettings()
    kernel: Annotated[KernelSettings, BeforeValidator(by_name)] = KernelSettings()
    model: RegressionModelSettings = RegressionModelSettings()
    training: RegressionTrainingSettings = RegressionTrainingSettings()
    evaluation: EvaluationSettings = EvaluationSettings()

    @model_validator(mode="after")
    def _has_own_readings(self) -> "RegressionSettings":
        if self.readings.name == "own" and self.field.name not in FUNCTIONS:
            raise ValueError(
                f"readings: only {' and '.join(FUNCTIONS)} bring readings of their own; take 'uniform' for a field"
            )
        return self


def regression_settings(content: Mapping[str, Any]) -> RegressionSettings:
    """Nested settings, checked; everything that is wrong with them is said at once."""
    return validated(RegressionSettings, content, source="The regression", what="a setting of a regression")


def check_regression(content: Mapping[str, Any]) -> None:
    """Raises what is wrong with the settings, before anything runs."""
    regression_settings(content)
    check_own_parts(content)
