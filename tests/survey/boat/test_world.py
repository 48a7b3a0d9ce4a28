import csv
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akrig.survey.boat import STEP, BoatSettings, Fault, parse_schedule
from akrig.survey.boat.battery import Battery
from akrig.survey.boat.dialect import Mode
from akrig.survey.boat.parameters import DEFAULTS, TWINS, Parameters
from akrig.survey.boat.server import COLUMNS, TruthFile
from akrig.survey.boat.weather import Weather
from akrig.survey.boat.world import due_faults
from tests.survey.boat.rig import FRAME, Rig

STORMY = {"wind_speed": 6.0, "gusts": 2.0, "current_speed": 0.2, "sonar_outlier_rate": 0.1}


def track(**settings) -> list:
    rig = Rig(**STORMY, **settings).ready()
    rig.stream(132, rate=5)
    rig.go_to(30, 30)
    depths = [message.current_distance for message in rig.run(40) if message.get_type() == "DISTANCE_SENSOR"]
    return [rig.boat.position, rig.boat.heading, depths]


def test_one_seed_gives_one_voyage():
    assert track(seed=4) == track(seed=4)
    assert track(seed=4) != track(seed=5)


def test_more_sonar_noise_leaves_the_voyage_untouched():
    assert track(seed=4)[:2] == track(seed=4, sonar_noise_std=1.0)[:2]


def test_begins_where_home_is():
    longitude, latitude = FRAME.to_degrees(np.array([[120.0, -80.0]]))[0]
    boat = Rig(home=(longitude, latitude), heading=1.0).boat
    assert boat.position == pytest.approx((120, -80), abs=1e-6)
    assert boat.lonlat == pytest.approx((longitude, latitude), abs=1e-9)
    assert boat.heading == 1.0


def test_time_goes_on_through_a_reboot():
    rig = Rig(start_time_unix=1e9)
    rig.run(10)
    rig.boat.inject(Fault("reboot"))
    rig.run(10)
    assert rig.boat.time == pytest.approx(20)
    assert rig.boat.unix_time == pytest.approx(1e9 + 20)


def test_distance_is_the_length_of_the_way():
    rig = Rig(current_speed=0.5).ready(Mode.HOLD)
    before = rig.boat.distance
    rig.run(20)
    assert rig.boat.distance - before == pytest.approx(10, rel=0.02)  # still air brakes a little


def test_gusts_have_the_spread_asked_for_about_the_mean_wind():
    from random import Random

    settings = BoatSettings(wind_speed=4, wind_towards=math.pi / 2, gusts=1.5, gust_seconds=2)
    weather = Weather(settings, rng=Random(0), dt=STEP)
    seen = []
    for _ in range(40_000):
        weather.step()
        seen.append(weather.wind)
    np.testing.assert_allclose(np.mean(seen, axis=0), [4, 0], atol=0.2)
    np.testing.assert_allclose(np.std(seen, axis=0), [1.5, 1.5], rtol=0.08)


@given(share=st.floats(0, 1), more=st.floats(0, 1))
def test_a_fuller_battery_has_more_voltage(share, more):
    low, high = (Battery(BoatSettings(battery_start=s)).voltage for s in sorted((share, more)))
    assert 11.5 < low <= high < 17


def test_a_battery_gives_its_capacity_and_no_more():
    battery = Battery(BoatSettings(battery_capacity=10, hotel_power=14.8))
    battery.step(3600, 14.8)
    assert (battery.used, battery.share) == (pytest.approx(2), pytest.approx(0.8))
    battery.step(36_000, 14.8)
    assert battery.share == 0


def test_faults_come_off_the_schedule_when_their_time_has_come():
    schedule = [parse_schedule(text) for text in ("gps@5", "sonar@2+1", "reboot@9")]
    assert [fault.name for fault in due_faults(schedule, 5.0)] == ["gps", "sonar"]
    assert [entry.fault.name for entry in schedule] == ["reboot"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"speedup": 0}, "positive speedup"),
        ({"wind_speed": -1}, "wind_speed that is not negative"),
        ({"gps_noise_std": math.nan}, "gps_noise_std"),
        ({"sonar_outlier_rate": 1.5}, "between 0 and 1"),
        ({"sonar_min": 5, "sonar_max": 2}, "min < max"),
        ({"home": (10.0, 95.0)}, "longitude and a latitude"),
    ],
)
def test_settings_that_cannot_be_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        BoatSettings(**wrong)


def test_unknown_parameters_are_refused_at_launch():
    with pytest.raises(ValueError, match="no parameter WP_SPED"):
        Rig(parameters={"WP_SPED": 1.0})


@pytest.mark.parametrize("name", sorted(DEFAULTS))
def test_every_parameter_can_be_read_and_fits_its_message(name):
    parameters = Parameters({})
    assert len(name) <= 16
    assert math.isfinite(parameters[name])
    assert parameters.names[parameters.place(name)] == name


def test_old_and_new_names_of_a_parameter_mean_the_same():
    parameters = Parameters({"MAV_GCS_SYSID": 250})
    assert parameters["SYSID_MYGCS"] == 250
    assert all(DEFAULTS[old] == DEFAULTS[new] for old, new in TWINS.items())


def test_the_truth_file_holds_where_the_boat_really_was(tmp_path):
    rig = Rig(current_speed=0.4, current_towards=math.pi / 2)
    recorder = TruthFile(tmp_path / "truth.csv")
    for _ in range(200):
        rig.boat.step()
        recorder.step(rig.boat)
        lines = (tmp_path / "truth.csv").read_text().splitlines()  # each line is there at once
    recorder.close()
    assert lines[0] == COLUMNS
    rows = list(csv.DictReader(lines))
    assert len(rows) == 40
    assert float(rows[-1]["x"]) == pytest.approx(rig.boat.position[0], abs=1e-3)
    places = np.array([[float(row["longitude"]), float(row["latitude"])] for row in rows])
    metres = FRAME.to_metres(places)
    np.testing.assert_allclose(metres[:, 0], [float(row["x"]) for row in rows], atol=2e-3)
    assert (rows[-1]["mode"], rows[-1]["armed"]) == ("MANUAL", "0")


def test_a_mission_and_the_command_line_choose_the_hull():
    from akrig.cli.boat import boat_from
    from akrig.config.survey import SimulationSettings

    assert SimulationSettings().hull == "thrusters"
    assert boat_from(bed="flat").hull.rudder is None
    assert boat_from(bed="flat", hull="rudder").hull.rudder is not None
