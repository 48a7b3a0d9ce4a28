"""What a replay ends with: where its planner would go next, and of a georeferenced log a GeoTIFF."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from akrig.config import Parts, Settings, build_mission, read_settings
from akrig.errors import RunFolderError
from akrig.files import write_text
from akrig.journal.events import read_journal
from akrig.journal.folder import RunFolder
from akrig.journal.record import RecordedEpoch, recorded_epochs
from akrig.runs.checkpoints import Checkpoints
from akrig.types import Budget, Points, Prediction

NEXT, GEOTIFF = "next.json", "map.tif"


@dataclass(frozen=True, eq=False)
class NextPlan:
    """Where the planner would go next.

    Args:
        strategy: the planner's name.
        readings: that the model knows.
        waypoints: in metres.
        lonlat: the same, longitude and latitude; `None` if nobody knows where on Earth this was.
        expected: a reading at each.
        geotiff: the map, if georeferenced.
    """

    strategy: str
    readings: int
    waypoints: Points
    lonlat: Points | None
    expected: Prediction
    geotiff: Path | None


def plan_next(run: Path, *, tell: Callable[[str], None] = lambda sentence: None) -> NextPlan:
    """One more plan, from the model as it was at the end of a replay; writes `next.json` and perhaps `map.tif`."""
    folder = RunFolder.open(run)
    settings = read_settings(folder.config)
    done = recorded_epochs(read_journal(folder.journal).events)
    if not done:
        raise RunFolderError(f"{run} has no finished epoch; go on with `akrig resume {run}`.")
    parts = _at_the_end(folder, settings, done, tell)
    if settings.frame is None:
        waypoints, lonlat, geotiff = _plan(parts, done[-1], None), None, None
    else:
        from akrig.survey.logs.hull import area_of_replay, write_replay_map  # a replay in metres needs no geography

        area, geotiff = area_of_replay(settings, parts.model.samples.X), folder.path / GEOTIFF
        waypoints = _plan(parts, done[-1], area.allows)
        lonlat = area.frame.to_degrees(waypoints)
        write_replay_map(geotiff, area, parts.model)
    readings = len(parts.model.samples)
    next_plan = NextPlan(settings.strategy.name, readings, waypoints, lonlat, parts.model.predict(waypoints), geotiff)
    write_text(folder.path / NEXT, json.dumps(_as_json(next_plan), indent=2) + "\n")
    return next_plan


def _at_the_end(folder: RunFolder, settings: Settings, done: list[RecordedEpoch], tell: Callable[[str], None]) -> Parts:
    """The parts of a mission whose last epoch has ended."""
    parts = build_mission(settings)
    saved = Checkpoints(folder, parts.model, every=math.inf).load_newest(before=len(done), tell=tell)
    for recorded in done:
        if recorded.index <= saved:
            parts.mission.skip(recorded.epoch)
        else:
            parts.mission.repeat(recorded.epoch)
    return parts


def _plan(parts: Parts, last: RecordedEpoch, allows: Callable[[Points], np.ndarray] | None) -> Points:
    mission = parts.mission

    def is_open(X: Points) -> np.ndarray:
        allowed = np.ones(len(X), dtype=bool) if allows is None else allows(X)
        return allowed if mission.is_open is None else allowed & mission.is_open(X)

    rng = mission.randomness.generator("strategy", mission.index)
    situation = replace(mission.situation, pose=last.pose, remaining=Budget(), is_open=is_open)
    return mission.strategy.plan(parts.model, situation, rng).waypoints


def _as_json(next_plan: NextPlan) -> dict:
    expected = next_plan.expected
    places = []
    for k, position in enumerate(next_plan.waypoints.tolist()):
        place = {"position": position, "mean": float(expected.mean[k]), "std": float(expected.std[k])}
        if next_plan.lonlat is not None:
            place |= {"latitude": float(next_plan.lonlat[k, 1]), "longitude": float(next_plan.lonlat[k, 0])}
        places.append(place)
    return {"strategy": next_plan.strategy, "readings": next_plan.readings, "waypoints": places}
