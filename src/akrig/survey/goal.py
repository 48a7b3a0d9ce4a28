"""What a survey's map is to reach: as a planner of routes is told, and as the end of the survey is decided."""

from collections.abc import Mapping

from akrig.config.survey import SurveySettings
from akrig.strategies.routes.goals import AllOf, Goal, MeanDeviation, OrderMet


def goal_of(survey: SurveySettings) -> Goal | None:
    """For `Route`; `None` if the survey has no target."""
    target, goals = survey.target, []
    if target.uncertainty is not None:
        goals.append(MeanDeviation(target.uncertainty))
    if target.survey_order is not None:
        goals.append(OrderMet(target.survey_order, target.order_share, survey.depth.shared))
    return AllOf(tuple(goals)) if goals else None


def is_reached(survey: SurveySettings, scores: Mapping[str, float]) -> bool:
    """By the scores of a map."""
    target, order = survey.target, survey.target.survey_order
    is_sure = target.uncertainty is None or scores["uncertainty"] <= target.uncertainty
    return is_sure and (order is None or scores[order.column] >= target.order_share)
