"""From settings to a field, a sensor, a vehicle, a pilot survey and a strategy: all that needs no torch."""

from typing import Any

import numpy as np
from numpy.random import Generator

from akrig.config.names import is_code
from akrig.config.own_parts import make_part
from akrig.config.section import Corners
from akrig.config.settings import NO_FIELD, SensorSettings, Settings
from akrig.fields import load_field
from akrig.geometry import Box, Pose
from akrig.protocols import Field, Sensor, Strategy, Vehicle
from akrig.randomness import Randomness
from akrig.vehicles import Dropouts, Fenced, Outliers, Relay, Teleport, TimeLimited, VaryingNoise


def build_field(settings: Settings) -> Field | None:
    """`None` when recorded readings are replayed and nobody knows the truth."""
    wanted = settings.field
    if wanted.name == NO_FIELD:
        return None
    if is_code(wanted.name):
        return make_part("field", wanted, seed=wanted.seed)
    return load_field(
        wanted.name,
        seed=wanted.seed,
        interpolation=wanted.interpolation,
        crop=box(wanted.crop),
        downsample=wanted.downsample,
        extent=box(wanted.extent),
        download=wanted.download,
    )


def build_sensor(settings: SensorSettings, field: Field) -> Sensor:
    sensor: Sensor = make_part("sensor", settings, field=field)
    if settings.relative_noise:
        sensor = VaryingNoise(sensor, lambda X: settings.relative_noise * np.abs(field(X)))
    if settings.outlier_rate:
        sensor = Outliers(sensor, settings.outlier_rate, settings.outlier_std)
    return Dropouts(sensor, settings.dropout_rate) if settings.dropout_rate else sensor


def build_vehicle(
    settings: Settings, field: Field | None, workspace: Box, randomness: Randomness, *, first_leg: int = 0
) -> Vehicle:
    """The vehicle inside its fence, which is the field's extent; resolved settings are needed.

    Args:
        first_leg: of a mission that goes on with a new vehicle; the noise is that leg's.
    """
    wanted = settings.vehicle
    if wanted.part.replays:
        return make_part("vehicle", wanted)
    assert field is not None
    assert wanted.spacing is not None
    scouted = wanted.part.reads == "on its way" and settings.pilot.by == "teleport"
    rate, begin = wanted.speed / wanted.spacing, Pose(workspace.lower, wanted.heading)

    def noise(leg: int) -> Generator:
        return randomness.generator("sensor", first_leg + leg)

    vehicle: Vehicle = make_part(
        "vehicle",
        wanted,
        sensor=(sensor := build_sensor(settings.sensor, field)),
        pose=begin,
        noise=(lambda leg: noise(leg + 1)) if scouted else noise,
        sampling_rate=rate,
        speed=wanted.speed,
        spacing=wanted.spacing,
        workspace=workspace,
    )
    if scouted:
        vehicle = Relay(Teleport(sensor, pose=begin, noise=noise, sampling_rate=rate), vehicle)
    vehicle = Fenced(vehicle, field.extent)
    return TimeLimited(vehicle, seconds_per_leg=wanted.seconds_per_leg) if wanted.seconds_per_leg else vehicle


def box(corners: Corners | None) -> Box | None:
    return None if corners is None else Box(tuple(corners.lower), tuple(corners.upper))


def build_pilot(settings: Settings) -> Strategy:
    return make_part(
        "pilot",
        settings.pilot,
        num_points=settings.pilot.readings,
        make_strategy=lambda: build_strategy(settings),
    )


def build_strategy(settings: Settings, **known: Any) -> Strategy:
    """Resolved settings are needed; `known` is what akrig has for its own strategies, beside."""
    strategy, vehicle = settings.strategy, settings.vehicle
    spacing = vehicle.spacing if vehicle.part.reads == "at waypoints" else None
    return make_part(
        "strategy",
        strategy,
        num_candidates=strategy.num_candidates,
        spacing=spacing,
        speed=vehicle.speed,
        reading_spacing=vehicle.spacing,
        **known,
    )
