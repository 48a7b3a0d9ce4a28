"""Every contender learns the same legs, and the table says what the maps say."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from akrig.gp import CombinedRegression, GPRegression
from benchmarks import tracks
from benchmarks.tracks import CONTENDERS, Track, contender, driven, mapped, student, table


def made_up(seed, name, *, rmse, msll=-1.0, coverage95=0.95):
    track = {"field": "bay", "length": "short", "path": "lawnmower", "seed": seed}
    return {**track, "map": name, "rmse": rmse, "msll": msll, "coverage95": coverage95}


@pytest.fixture
def short_tracks(monkeypatch):
    monkeypatch.setattr(tracks, "LENGTHS", {"short": (700.0, 80)})


def test_land_is_learnt_leg_by_leg_and_mapped_by_all(short_tracks, tmp_path):
    track = Track("jacksboro", "short", "adaptive", 3)
    rows = mapped(track, tmp_path)
    assert [row["map"] for row in rows] == list(CONTENDERS)
    assert len({row["rmse"] for row in rows}) == len(CONTENDERS)  # they are different models
    assert all(np.isfinite([row["rmse"], row["msll"]]).all() and 0 <= row["coverage95"] <= 1 for row in rows)
    assert mapped(track, tmp_path) == rows  # read, not repeated: the file is there
    found = driven(track)
    assert len(found.legs) > 2
    assert 80 <= sum(len(leg) for leg in found.legs) < 100


def test_the_default_ends_as_it_did_when_it_steered(short_tracks):
    """The replay of its own track is the mission: same legs, same training, same map."""
    found = driven(Track("jacksboro", "short", "adaptive", 3))
    model = contender("default", found)
    for leg in found.legs:
        model.observe(leg)
        model.fit(len(leg))
    scores = found.scoring(model, model.samples)
    assert found.ended["rmse"] == scores["rmse"]


def test_contenders_are_what_their_names_say(short_tracks):
    found = driven(Track("jacksboro", "short", "lawnmower", 3))
    assert isinstance(contender("default", found), CombinedRegression)
    paper = contender("paper's", found)
    assert isinstance(paper, GPRegression)
    plain = [contender(name, found) for name in CONTENDERS[2:]]
    assert all(isinstance(model, CombinedRegression) and len(model.members) == 1 for model in plain)


def test_students_t_is_scipys():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=10), rng.normal(size=10)
    assert student(a - b) == pytest.approx(ttest_rel(a, b).statistic)
    assert student(np.zeros(5)) == 0.0


def test_the_table_compares_with_the_best_of_the_others():
    errors = {"default": 2.0, "paper's": 4.0, "Matern 1/2": 2.5, "Matern 3/2": 3.0, "two-scale RBF": 5.0}
    rows = [made_up(seed, name, rmse=rmse + 0.1 * seed) for seed in range(3) for name, rmse in errors.items()]
    text = table(rows)
    assert "| bay, lawnmower, short | 3 | 2.1 / -1.00 / 0.95 |" in text
    assert "Matern 1/2 -19 %" in text  # 2.1 against 2.6
    assert "against paper's: RMSE -48.8 %, MSLL +0.00 over 1 cells" in text
