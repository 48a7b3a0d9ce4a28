"""From a mission file to settings that need nothing but themselves to be repeated."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from akrig.config.load import merged
from akrig.config.names import nearest
from akrig.config.presets import PRESETS
from akrig.config.resolve import with_whole_map
from akrig.config.section import Corners
from akrig.config.settings import FrameSettings, Settings
from akrig.config.survey import AreaSettings, DepthSettings, SurveySettings
from akrig.config.validation import validated
from akrig.errors import ConfigError
from akrig.files import read_toml, whole_path
from akrig.protocols import Field
from akrig.survey.area import Area, area_from, read_area
from akrig.survey.link.transport import check_address
from akrig.survey.link.waterlevel import read_water_level
from akrig.survey.reserve import pilot_needs

CELLS, MAP_CELLS = 60, 160  # along the longer side: of the grid that is scored, and of the map
PILOT_LINES = 2  # one leaves corners unseen, three leave little for the survey (docs/field.md)
SPEED = 1.5  # metres per second, unless vehicle.speed says otherwise
MOST_OF_IT = 0.7
NOT_FOR_FILES = ("field", "workspace", "frame", "survey", "simulated", "preset")


def load_survey(file: Path, options: Mapping[str, Any] | None = None, *, simulate: bool = False) -> Settings:
    """Resolved settings: files are read, choices made, and all is checked that can be before the boat is called."""
    given = merged(_as_written(read_toml(file)), options or {})
    source = str(file)
    _check_words(source, given)
    below = merged(PRESETS["default"], {"vehicle": {"speed": SPEED}, "pilot": {"num_lines": PILOT_LINES}})
    content = merged(below, given)
    survey = {name: content.pop(name) for name in SurveySettings.model_fields if name in content}
    content |= {"field": {"name": "none"}, "survey": {**survey, "simulated": simulate}}
    if isinstance(content["vehicle"], Mapping):  # else it is told below what it should be
        content["vehicle"] = {**content["vehicle"], "name": "mavlink"}
    settings = validated(Settings, content, source=source)
    return _resolved(settings, settings.surveyed, file.parent, source)


def _as_written(content: dict[str, Any]) -> dict[str, Any]:
    """A run folder's config.toml says the same as the mission file it came from, in other places."""
    survey = content.get("survey")
    if not isinstance(survey, Mapping):
        return content
    kept = {name: value for name, value in content.items() if name not in (*NOT_FOR_FILES, "about")}
    kept["vehicle"] = {name: value for name, value in dict(kept.get("vehicle", {})).items() if name != "name"}
    return {**kept, **{name: value for name, value in survey.items() if name not in NOT_FOR_FILES}}


def area_of(survey: SurveySettings) -> Area:
    """The area that resolved settings hold."""
    kept = survey.area
    return area_from(kept.name, kept.fence, kept.keep_outs, kept.home)


def _check_words(source: str, given: Mapping[str, Any]) -> None:
    known = [name for name in (*Settings.model_fields, *SurveySettings.model_fields) if name not in NOT_FOR_FILES]
    problems = [f"{name} is not a setting of a survey; {nearest(name, known)}" for name in given if name not in known]
    if "area" not in given:
        problems.append(
            'area is missing: name a GeoJSON or KML file or a plan of QGroundControl, as in area = "lake.geojson"'
        )
    if "budget" not in given:
        problems.append("budget is missing: give distance (metres, the way home included) or time (seconds)")
    if problems:
        raise ConfigError(source, problems)


def _resolved(settings: Settings, survey: SurveySettings, folder: Path, source: str) -> Settings:
    area = area_of(survey) if survey.area.file is None else read_area(folder / survey.area.file)
    _check_addresses(survey, source)
    kept = AreaSettings(**{name: value for name, value in area.as_dict().items() if value is not None})
    simulation = survey.simulation
    if any(mark in simulation.bed for mark in "./\\"):  # a file
        simulation = simulation.model_copy(update={"bed": str(whole_path(folder / simulation.bed))})
    whole = {
        "area": kept,
        "depth": _with_whole_path(survey.depth, folder),
        "simulation": simulation,
    }
    extent = area.extent
    counts, fine = (
        [max(10, round(cells * side / max(extent.size))) for side in extent.size] for cells in (CELLS, MAP_CELLS)
    )
    settings = settings.model_copy(
        update={
            "workspace": Corners(lower=list(extent.lower), upper=list(extent.upper)),
            "frame": FrameSettings(longitude=area.frame.longitude, latitude=area.frame.latitude),
            "model": with_whole_map(settings.model, folder),
            "vehicle": settings.vehicle.model_copy(update={"spacing": survey.depth.spacing}),
            "scoring": settings.scoring.model_copy(update={"grid": counts, "map_grid": fine}),
            "pilot": settings.pilot.model_copy(update={"name": "lawnmower"} if settings.pilot.part.goes_first else {}),
            "survey": survey.model_copy(update=whole),
        }
    )
    _check_budget(settings, area, source)
    return settings


def check_bed(bed: Field, area: Area) -> None:
    """A simulation needs water: most of the area must have a depth."""
    X = area.extent.grid(50, 50)
    depths = bed(X[area.allows(X)])
    known = float(np.mean(depths > 0)) if len(depths) else 0.0
    if known < MOST_OF_IT:
        raise ConfigError(
            "simulation.bed",
            [f"only {known:.0%} of {area.called} is water there: is the polygon on land, or of another lake?"],
        )


def _check_addresses(survey: SurveySettings, source: str) -> None:
    addresses = {"link.address": survey.link.address}
    if survey.depth.source.startswith("nmea:"):
        addresses["depth.source"] = survey.depth.source.removeprefix("nmea:")
    for name, address in addresses.items():
        try:
            check_address(address)
        except ValueError as error:
            raise ConfigError(source, [f"{name}: {error}"]) from None


def _with_whole_path(depth: DepthSettings, folder: Path) -> DepthSettings:
    """A run must not depend on the folder it was started from."""
    if depth.water_level is None:
        return depth
    path = whole_path(folder / depth.water_level)
    read_water_level(path)
    return depth.model_copy(update={"water_level": str(path)})


def _check_budget(settings: Settings, area: Area, source: str) -> None:
    """The pilot pass and the way home must fit."""
    needs, has = pilot_needs(settings, area), settings.budget.budget
    for name, have, need in (("metres", has.distance, needs.distance), ("seconds", has.time, needs.time)):
        if have < need:
            few = settings.pilot.num_lines <= 2
            advice = "draw a smaller area" if few else f"lower pilot.num_lines (now {settings.pilot.num_lines})"
            problem = (
                f"budget: {have:.6g} {name} are fewer than the {need:.0f} or so of the pilot pass and the way home; "
                f"raise the budget, or {advice}"
            )
            raise ConfigError(source, [problem])
