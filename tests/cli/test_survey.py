"""What `akrig survey` and `akrig tell` say when something is in the way: one sentence, and nothing half-made."""

import re

import pytest

from akrig.survey.folders import create_survey
from akrig.survey.settings import load_survey
from tests.forked import akrig
from tests.survey.pond import write_pond


@pytest.fixture
def pond(tmp_path):
    write_pond(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["survey", "nowhere.toml"], "nowhere.toml"),
        (["survey", "pond.toml", "--set", "area=nowhere.kml"], "nowhere.kml"),
        (["survey", "pond.toml", "--set", "safety.margn=3"], "did you mean 'margin'?"),
        (["survey", "pond.toml", "--set", "budget.distance=40"], "pilot pass and the way home"),
        (["survey", "pond.toml", "--set", "safety.margin=60"], "leaves nothing"),
        (["survey", "pond.toml", "--set", "link.address=carrier:pigeon"], "no address of a link"),
        (["survey", "pond.toml", "--plan"], 'only strategy = "route" with pilot = "none" plans ahead'),
        (["survey", "pond.toml", "--plan", "--simulate"], "calls no boat"),
        (["survey", "pond.toml", "--simulate", "--set", "simulation.bed=missing.csv"], "missing.csv"),
        (["survey", "pond.toml", "--simulate", "--set", 'simulation.faults=["storm@3"]'], "storm"),
        (["boat", "pond.toml", "--bed", "flat"], "decides; change its [simulation]"),
        (["boat", "pond.toml", "--param", "WP_SPED=3"], "no parameter WP_SPED"),
    ],
)
def test_bad_input_is_one_clear_sentence(arguments, said, pond):
    before = sorted(path.name for path in pond.iterdir())
    result = akrig(*arguments, cwd=pond)
    assert result.returncode != 0
    assert said in result.stderr, result.stderr
    assert "Traceback" not in result.stderr
    assert sorted(path.name for path in pond.iterdir()) == before


def test_no_boat_is_said_and_no_folder_is_in_the_way_of_the_next_try(pond):
    result = akrig("survey", "pond.toml", "--set", "link.connect=0.6", "--out", "run", cwd=pond)
    assert result.returncode == 1
    assert "No boat was heard at udpin:127.0.0.1:" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (pond / "run").exists()


def test_a_plan_is_drawn_and_said_without_a_boat(pond):
    before = {path.name for path in pond.iterdir()}
    result = akrig("survey", "pond.toml", "--plan", "--set", "strategy=route", "--set", "pilot=none", cwd=pond)
    assert result.returncode == 0, result.stderr
    found = re.fullmatch(
        r"The route: (\d+) m in [\d:]+, the way home included; the lawnmower it was compared with: (\d+) m in .*\n"
        r"Expected error, before any reading: (\d+)% of how much the bed varies; lawnmower (\d+)%\.\n"
        r"The first stretch: (\d+) m in [\d:]+; .*\n"
        r".* at 20%\. The picture is pond-plan\.png,\n"
        r"the route for QGroundControl pond-plan\.plan\.\n",
        result.stdout,
    )
    assert found is not None, result.stdout
    route, lawnmower, error, other, first = map(int, found.groups())
    assert 0 < first < route
    assert 0 < lawnmower <= 340
    assert 250 < route <= 340
    assert 0 < error <= other < 100
    assert {path.name for path in pond.iterdir()} - before == {"pond-plan.png", "pond-plan.plan"}
    (pond / "pond-plan.png").write_bytes(b"somebody else's")
    again = akrig("survey", "pond.toml", "--plan", "--set", "strategy=route", "--set", "pilot=none", cwd=pond)
    assert again.returncode != 0
    assert "was not made by akrig" in again.stderr


def test_orders_need_a_running_survey(pond):
    create_survey(load_survey(pond / "pond.toml"), pond / "run")
    result = akrig("tell", "run", "hold", "--wait", "0.3", cwd=pond)
    assert result.returncode == 1
    assert "is it running?" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["goto"], "needs a latitude"),
        (["goto", "91", "8"], "no latitude"),
        (["hold", "1", "2"], "need nothing"),
        (["fly"], "fly"),
    ],
)
def test_orders_that_are_none_are_refused(arguments, said, pond):
    (pond / "run").mkdir()
    result = akrig("tell", "run", *arguments, cwd=pond)
    assert result.returncode == 2
    assert said in result.stderr
