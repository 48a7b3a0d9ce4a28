"""Settings of a mission that replays recorded readings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from akrig.config.build import build_model
from akrig.config.load import load_settings, merged, read_settings, to_toml
from akrig.config.own_parts import own_code
from akrig.config.resolve import resolve
from akrig.config.settings import Settings, by_name
from akrig.config.vehicles import box, build_strategy
from akrig.errors import ConfigError
from akrig.journal.folder import RunFolder
from akrig.journal.legs import read_legs, write_table
from akrig.types import Measurement, Points

KEPT = ("field", "workspace", "seed", "strategy", "sensor", "scoring", "frame")  # when a preset decides all else
UNUSED = {"pilot", "sensor", "vehicle"}  # by a replay
READINGS = "readings.csv"  # in the run folder: what is replayed of a log that had to be prepared
TRAINING_STEPS = 1500  # at least, in all
MARGIN, NARROWEST, WIDEST = 0.03, 1.0, 25.0  # beyond the outermost readings: of their extent, and metres


def replay_settings(log: Path, options: Mapping[str, Any]) -> Settings:
    """From a run folder, all else is as it was there, unless an option or a preset says otherwise."""
    _refuse_fixed(options)
    legs = read_legs(log)
    if log.is_dir():
        below = _of_folder(RunFolder.open(log))
        _refuse_code(below, options, log)
    else:
        below = _of_table([measurement for leg in legs for measurement in leg], is_georeferenced=False)
    return _with(below, options, _recorded(sum(map(len, legs)), log))


def create_replay(
    readings: list[Measurement],
    options: Mapping[str, Any],
    *,
    origin: tuple[float, float] | None,
    out: Path,
    about: Mapping[str, str],
) -> RunFolder:
    """A run folder that holds the prepared readings of a log too, so that it needs the log no more.

    Args:
        origin: longitude and latitude of the point (0, 0), if known.
    """
    _refuse_fixed(options)
    below = {**_of_table(readings, is_georeferenced=origin is not None), **_learning(len(readings))}
    if origin is not None:
        below["frame"] = {"longitude": origin[0], "latitude": origin[1]}
    folder = create_depths(_with(below, options, _recorded(len(readings), out / READINGS)), out, about=about)
    write_table(folder.path / READINGS, readings)
    return folder


def create_depths(settings: Settings, out: Path, *, about: Mapping[str, str]) -> RunFolder:
    """A run folder for a replay without a field, which cannot say what the readings are: on Earth, they are depths."""
    settings = resolve(settings)
    workspace = box(settings.workspace)
    assert workspace is not None
    build_model(settings, workspace=workspace)  # better to fail before there is a folder
    build_strategy(settings)
    read = {"quantity": "depth", "units": "m"} if settings.frame is not None else {"quantity": "", "units": ""}
    return RunFolder.create(out, to_toml(settings, about={**read, **about}))


def foreign_field(log: Path) -> str | None:
    """The code that a run folder names as its field, if any: it is not run, and the truth is not known."""
    return own_code(read_settings(RunFolder.open(log).config).model_dump()).get("field")


def margin_about(X: Points) -> float:
    """Metres that a georeferenced map reaches beyond its readings."""
    return min(WIDEST, max(NARROWEST, MARGIN * float(np.ptp(X, axis=0).max())))


def _refuse_fixed(options: Mapping[str, Any]) -> None:
    fixed = [name for name in ("budget", "vehicle", "pilot", "field") if name in options]
    if fixed:
        raise ConfigError("replay", [f"{', '.join(fixed)} cannot be chosen: a replay takes them from the log."])


def _refuse_code(below: Mapping[str, Any], options: Mapping[str, Any], log: Path) -> None:
    """A folder is only read: code that it names is run if its reader names it, too."""
    named = own_code(_with_preset(below, options))
    named = {part: name for part, name in named.items() if "name" not in _section(options.get(part))}
    if named:
        choices = ", ".join(f"--{part} {name}" for part, name in named.items())
        raise ConfigError(
            "replay",
            [
                f"{log} names code that is not akrig's, and a replay runs none that you do not name yourself; "
                f"give {choices} if you trust it, or choose another."
            ],
        )


def _section(given: Any) -> Mapping[str, Any]:
    section = by_name(given)
    return section if isinstance(section, Mapping) else {}


def _with(below: dict[str, Any], options: Mapping[str, Any], recorded: dict[str, Any]) -> Settings:
    return load_settings(None, merged(merged(_with_preset(below, options), options), recorded))


def _with_preset(below: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: below[name] for name in below if name in KEPT or "preset" not in options}


def _of_folder(folder: RunFolder) -> dict[str, Any]:
    settings = read_settings(folder.config)
    below = settings.model_dump(exclude_none=True)
    below["scoring"].pop("metrics", None)  # a folder is only read: code that it names is not run
    for part in UNUSED & own_code(below).keys():
        del below[part]
    if settings.survey is None:
        return {**below, "field": "none"} if "field" in own_code(below) else below
    from akrig.survey.area import area_from  # only surveys need it

    # The boat, its link and its rules are gone; what is left of the area is where the map is, and on which Earth.
    drawn = settings.survey.area
    area = area_from(drawn.name, drawn.fence, drawn.keep_outs, drawn.home)
    frame = {"longitude": area.frame.longitude, "latitude": area.frame.latitude}
    workspace = {"lower": list(area.extent.lower), "upper": list(area.extent.upper)}
    del below["survey"]
    return {**below, "field": "none", "frame": frame, "workspace": below.get("workspace", workspace)}


def _of_table(readings: list[Measurement], *, is_georeferenced: bool) -> dict[str, Any]:
    """Nobody knows the truth."""
    X = np.array([reading.position for reading in readings])
    workspace = extent_of(X, margin_about(X) if is_georeferenced else 0.0)
    return {"field": "none", "workspace": workspace, "strategy": "myopic"}


def _learning(num_readings: int) -> dict[str, Any]:
    """An old survey has no pilot pass: its first readings tell neither how far nor how deep the others lie.

    Over the raw log of a bay thinned to 200 readings, 200 steps left the noise three times too large.
    """
    steps = max(1.0, round(TRAINING_STEPS / num_readings, 1))
    return {"model": {"normalization": "workspace", "mean": "constant"}, "training": {"steps_per_reading": steps}}


def _recorded(num_readings: int, log: Path) -> dict[str, Any]:
    return {
        "budget": {"readings": num_readings},
        "pilot": {"readings": 2},  # whatever the first leg brought
        "vehicle": {"name": "replay", "log": str(log.resolve()), "spacing": 1.0},
    }


def extent_of(X: Points, margin: float) -> dict[str, list[float]]:
    """Of the readings; where they do not vary, as on one straight line, a tenth of the rest, or one metre."""
    lower, upper = X.min(axis=0), X.max(axis=0)
    pad = margin + np.where(upper > lower, 0.0, max(0.05 * float((upper - lower).max()), 0.5))
    return {"lower": (lower - pad).tolist(), "upper": (upper + pad).tolist()}
