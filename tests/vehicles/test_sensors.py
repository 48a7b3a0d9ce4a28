import numpy as np
import pytest

from akrig.testing import check_sensor
from akrig.vehicles import Dropouts, Outliers, PointSensor, VaryingNoise
from tests.worlds import WORKSPACE, Waves

MANY = np.random.default_rng(0).uniform(-10, 10, (20000, 2))


@pytest.mark.parametrize(
    "sensor",
    [
        PointSensor(Waves(), 1.0),
        PointSensor(Waves(), 0.0),
        Outliers(PointSensor(Waves()), 0.3, 50.0),
        Dropouts(PointSensor(Waves()), 0.3),
        VaryingNoise(PointSensor(Waves()), lambda X: np.abs(X[:, 0])),
        Dropouts(Outliers(VaryingNoise(PointSensor(Waves()), lambda X: np.ones(len(X))), 0.1, 5.0), 0.1),
    ],
    ids=["noisy", "exact", "outliers", "dropouts", "varying", "all"],
)
def test_satisfies_the_sensor_contract(sensor):
    check_sensor(sensor, workspace=WORKSPACE)


def test_noise_has_the_standard_deviation_asked_for(rng):
    errors = PointSensor(Waves(), 2.5).measure(MANY, rng) - Waves()(MANY)
    assert errors.std() == pytest.approx(2.5, rel=0.03)
    assert abs(errors.mean()) < 0.1


def test_noise_can_depend_on_the_place(rng):
    sensor = VaryingNoise(PointSensor(Waves(), 0.0), lambda X: np.where(X[:, 0] > 0, 4.0, 0.5))
    errors = sensor.measure(MANY, rng) - Waves()(MANY)
    right = MANY[:, 0] > 0
    assert errors[right].std() == pytest.approx(4.0, rel=0.05)
    assert errors[~right].std() == pytest.approx(0.5, rel=0.05)


def test_outliers_are_as_many_and_as_far_off_as_asked(rng):
    errors = Outliers(PointSensor(Waves(), 0.0), 0.05, 30.0).measure(MANY, rng) - Waves()(MANY)
    struck = errors != 0
    assert struck.mean() == pytest.approx(0.05, abs=0.01)
    assert errors[struck].std() == pytest.approx(30.0, rel=0.1)


def test_dropouts_are_as_many_as_asked_and_leave_the_rest_alone(rng):
    y = Dropouts(PointSensor(Waves(), 0.0), 0.1).measure(MANY, rng)
    assert np.isnan(y).mean() == pytest.approx(0.1, abs=0.02)
    assert np.array_equal(y[~np.isnan(y)], Waves()(MANY)[~np.isnan(y)])


@pytest.mark.parametrize("make", [lambda s: Outliers(s, 1.5, 1.0), lambda s: Dropouts(s, -0.1)])
def test_a_rate_lies_between_0_and_1(make):
    with pytest.raises(ValueError, match="between 0 and 1"):
        make(PointSensor(Waves()))


def test_noise_std_is_not_negative():
    with pytest.raises(ValueError, match="noise_std must be zero or more"):
        PointSensor(Waves(), -1.0)
