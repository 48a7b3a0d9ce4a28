"""What a survey is to reach: read from a mission file, told to the planner, and decided by."""

import pytest

from akrig.config import read_settings, to_toml
from akrig.errors import ConfigError
from akrig.s44 import BY_NAME, SharedError
from akrig.strategies.routes.goals import AllOf, MeanDeviation, OrderMet
from akrig.survey.goal import goal_of, is_reached
from akrig.survey.settings import load_survey
from tests.survey.pond import write_pond


def surveyed(folder, **sections):
    settings = load_survey(write_pond(folder), sections)
    (folder / "config.toml").write_text(to_toml(settings, about={}))
    assert read_settings(folder / "config.toml") == settings
    return settings.surveyed


def test_an_order_is_a_goal_with_what_all_soundings_share(tmp_path):
    survey = surveyed(tmp_path, target={"order": "1b"}, depth={"shared_error": 0.05, "shared_error_share": 0.004})
    assert goal_of(survey) == AllOf((OrderMet(BY_NAME["1b"], 0.9, SharedError(0.05, 0.004)),))
    assert is_reached(survey, {"uncertainty": 9.0, "order_1b": 0.9})
    assert not is_reached(survey, {"uncertainty": 0.0, "order_1b": 0.89})


def test_with_an_uncertainty_beside_it_both_must_be_reached(tmp_path):
    survey = surveyed(tmp_path, target={"order": "1a", "share": 0.5, "uncertainty": 0.4})
    assert goal_of(survey) == AllOf((MeanDeviation(0.4), OrderMet(BY_NAME["1b"], 0.5, SharedError())))
    assert is_reached(survey, {"uncertainty": 0.4, "order_1b": 0.5})
    assert not is_reached(survey, {"uncertainty": 0.41, "order_1b": 0.5})
    assert not is_reached(survey, {"uncertainty": 0.4, "order_1b": 0.49})


def test_without_a_target_there_is_no_goal(tmp_path):
    survey = surveyed(tmp_path)
    assert goal_of(survey) is None
    assert not survey.target.is_set


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ({"share": 0.9}, r'target.*share \(0.9\) is of the area that meets an order; give one, as in order = "1b"'),
        ({"order": "3"}, r"target.order: '3' is not possible; choose from exclusive, special, 1a, 1b, 2"),
        ({"order": "1b", "share": 90}, r"target.share"),
        ({"order": "1b", "share": 0}, r"target.share"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path, target, said):
    with pytest.raises(ConfigError, match=said):
        load_survey(write_pond(tmp_path), {"target": target})
