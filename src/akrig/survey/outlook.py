"""What a survey along routes is going to drive, as far as that is known before a boat is there."""

from dataclasses import dataclass, replace

from akrig.config import Settings
from akrig.config.build import build_model
from akrig.config.vehicles import box, build_strategy
from akrig.errors import ConfigError
from akrig.geometry import Pose
from akrig.strategies.routes import Route
from akrig.survey.area import Area
from akrig.survey.build import area_ways
from akrig.survey.reserve import Affordable, WayHome
from akrig.survey.settings import area_of
from akrig.threads import blas_threads
from akrig.types import ForeseenWay, Situation


@dataclass(frozen=True, eq=False)
class Outlook:
    """Errors are shares of what is not known before.

    Args:
    route: for the whole budget, as it would be driven if nothing were learnt on the way.
    first: what is driven before it is planned again.
    lawnmower: that the route was compared with.
    """

    area: Area
    route: ForeseenWay
    first: ForeseenWay
    lawnmower: ForeseenWay


def survey_outlook(settings: Settings) -> Outlook:
    """By a model that knows nothing yet; no boat is called."""
    area, workspace, safety = area_of(settings.surveyed), box(settings.workspace), settings.surveyed.safety
    assert workspace is not None
    if area.home is None:
        raise ConfigError("area", ["a plan begins at home, and the area has none; add a point with role = home"])
    route = build_strategy(settings, ways=area_ways(settings, area, area.home))
    if not isinstance(route, Route) or settings.pilot.part.goes_first:
        found = f"strategy {settings.strategy.name}, pilot {settings.pilot.name}"
        raise ConfigError("--plan", [f'only strategy = "route" with pilot = "none" plans ahead; here it is {found}'])
    way_home = WayHome(area, area.home, safety.margin, safety.reserve, settings.vehicle.speed)
    left = settings.budget.budget.minus(way_home.needs(Pose(area.home)))
    now = Situation(Pose(area.home), workspace, left, 0, lambda X: area.allows(X, margin=safety.margin))
    now = replace(now, is_open=Affordable(route, way_home).is_open(now))
    model = build_model(settings, workspace=workspace)
    search = route.search(model, now, route.ways.network(now, route.num_cells))

    def way(stops: tuple[int, ...]) -> ForeseenWay:
        return ForeseenWay(search.way(stops), search.error(stops))

    with blas_threads(len(search.network.cells)):
        whole = route.whole(search, model)
        first = route.first_stretch(search, whole)
        stretch = ForeseenWay(search.network.along(first), search.error(first))
        return Outlook(area, way(whole), stretch, way(search.mown(route.effort // 4)))
