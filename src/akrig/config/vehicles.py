"""From settings to a field, a sensor and a vehicle."""

from pathlib import Path

import numpy as np
from numpy.random import Generator

from akrig.config.own_parts import make_part
from akrig.config.settings import Corners, SensorSettings, Settings
from akrig.fields import load_field
from akrig.geometry import Box, Pose
from akrig.journal.legs import read_legs
from akrig.protocols import Field, Sensor, Vehicle
from akrig.randomness import Randomness
from akrig.types import Points, Values
from akrig.vehicles import (
    Dropouts,
    Fenced,
    Outliers,
    PointSensor,
    Relay,
    Replay,
    SimulatedVehicle,
    Teleport,
    TimeLimited,
    VaryingNoise,
)


def build_field(settings: Settings) -> Field | None:
    """`None` when recorded readings are replayed and nobody knows the truth."""
    wanted = settings.field
    if wanted.name == "none":
        return None
    if ":" in wanted.name:
        return make_part("field", wanted.name, wanted.options, seed=wanted.seed)
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
    sensor: Sensor = PointSensor(field, settings.noise_std)
    if ":" in settings.name:
        sensor = make_part("sensor", settings.name, settings.options, field=field)
    if settings.relative_noise:

        def std(X: Points) -> Values:
            return settings.relative_noise * np.abs(field(X))

        sensor = VaryingNoise(sensor, std)
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
    if wanted.name == "replay":
        assert wanted.log is not None
        return Replay(read_legs(Path(wanted.log)))
    assert field is not None
    assert wanted.name is not None
    assert wanted.spacing is not None
    sensor = build_sensor(settings.sensor, field)
    begin = Pose(workspace.lower, wanted.heading)
    sampling_rate = wanted.speed / wanted.spacing

    def noise(leg: int) -> Generator:
        return randomness.generator("sensor", first_leg + leg)

    teleport = Teleport(sensor, pose=begin, noise=noise, sampling_rate=sampling_rate)
    vehicle: Vehicle = teleport
    if wanted.name == "simulated":
        scouted = settings.pilot.by == "teleport"
        boat = SimulatedVehicle(
            sensor,
            pose=begin,
            noise=(lambda leg: noise(leg + 1)) if scouted else noise,  # leg 0 was the scout's
            speed=wanted.speed,
            sampling_rate=sampling_rate,
            control_rate=10 * sampling_rate,
            goal_radius=0.1 * wanted.spacing,
            slowdown_radius=wanted.spacing,
            turn_gain=2 * sampling_rate,
        )
        vehicle = Relay(teleport, boat) if scouted else boat
    elif ":" in wanted.name:
        given = {"sensor": sensor, "pose": begin, "noise": noise, "speed": wanted.speed, "spacing": wanted.spacing}
        vehicle = make_part("vehicle", wanted.name, wanted.options, workspace=workspace, **given)
    vehicle = Fenced(vehicle, field.extent)
    return TimeLimited(vehicle, seconds_per_leg=wanted.seconds_per_leg) if wanted.seconds_per_leg else vehicle


def box(corners: Corners | None) -> Box | None:
    return None if corners is None else Box(tuple(corners.lower), tuple(corners.upper))
