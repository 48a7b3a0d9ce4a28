"""The whole vehicle, with the simulated boat served beside it: what a mission may rely on, whatever happens."""

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from akrig.config.survey import SurveySettings
from akrig.errors import BoatRefused, LinkLost
from akrig.survey.link import Ending, MavlinkVehicle
from akrig.survey.link.orders import Order
from akrig.survey.link.transport import open_transport
from akrig.types import Measurement, Plan
from tests.survey.link.rig import FRAME, ISLAND, Afloat, Book, aboard, afloat, free_port, lake, until
from tests.survey.link.test_nmea import sentence

EAST = [(30.0, 0.0)]
WALL = np.array([[8.0, -30.0], [10.0, -30.0], [10.0, 60.0], [8.0, 60.0]])


class Voyage:
    """A mission's thread: follows a plan and collects what comes."""

    def __init__(self, vehicle: MavlinkVehicle, book: Book, places: list[tuple[float, float]]) -> None:
        self.book, self.readings = book, list[Measurement]()
        self.failure: BaseException | None = None
        self.place: tuple[float, ...] = (math.nan, math.nan)  # where it was when it ended
        self._thread = threading.Thread(target=self._run, args=(vehicle, Plan(np.array(places))), daemon=True)
        self._thread.start()

    def _run(self, vehicle: MavlinkVehicle, plan: Plan) -> None:
        try:
            for reading in vehicle.follow(plan):
                self.readings.append(reading)
            self.place = vehicle.pose.position  # at once: on a busy computer it drifts on for a while
        except BaseException as failure:
            self.failure = failure

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def ends(self, *, seconds: float = 40.0) -> "Voyage":
        self._thread.join(seconds)
        assert self.is_over, f"the voyage did not end; told {self.book.notices}"
        return self

    def away_from(self, x: float, y: float) -> float:
        """Metres, when it ended."""
        return math.dist(self.place, (x, y))


@contextmanager
def voyage(
    places: list[tuple[float, float]], *, boat: dict[str, Any] | None = None, **vehicle: Any
) -> Iterator[tuple[Afloat, MavlinkVehicle, Voyage, Book]]:
    book = Book()
    with afloat(**(boat or {})) as water, aboard(water.address, book, **vehicle) as made:
        made.engage()
        sailing = Voyage(made, book, places)
        try:
            yield water, made, sailing, book
        finally:
            made.guard.end(made.guard.ending or _stop())
            sailing.ends()


def _stop() -> Ending:
    return Ending("hold", "The test is over.")


def island() -> Any:
    return lake(ISLAND)


def test_goes_round_a_keep_out_and_sounds_on_its_way():
    with voyage([(60.0, 0.0)], area=island(), spacing=3.0) as (water, vehicle, sailing, book):
        sailing.ends()
        assert sailing.away_from(60, 0) < 5
        X = np.array([reading.position for reading in sailing.readings])
        assert len(X) > 15
        assert (island().clearance(X) > 2.5).all()
        gaps = np.hypot(*np.diff(X, axis=0).T)
        assert (gaps >= 3.0).all()
        assert {round(reading.value) for reading in sailing.readings} == {5}
        times = [reading.time for reading in sailing.readings]
        assert times == sorted(times)
        assert 0 <= times[0] <= times[-1] <= vehicle.clock
        assert abs(vehicle.now - water.state["unix"]) < 120  # the boat's date, not this computer's
        accepted = [sounding for sounding, *_ in book.soundings if sounding.reason is None]
        assert len(accepted) > len(sailing.readings)  # all are kept, some are used
        assert vehicle.pose.position == pytest.approx(water.state["position"], abs=3)


def test_every_second_somebody_is_told_how_the_boat_is():
    with voyage([(15.0, 0.0)]) as (_, _vehicle, sailing, book):
        sailing.ends()
        last = book.telemetry[-1]
        assert (last["mode"], last["armed"], last["waiting"], last["fix"]) == ("GUIDED", True, [], 3)
        assert last["depth"] == pytest.approx(5, abs=0.5)
        gaps = np.diff([state["time"] for state in book.telemetry])
        assert (gaps >= 1 - 1e-6).all()  # differences of dates, in float64


def test_hold_and_resume():
    with voyage(EAST) as (water, vehicle, sailing, book):
        until(lambda: water.away_from(0, 0) > 5)
        book.orders.append(Order("1", "hold"))
        assert until(lambda: book.answers.get("1")) == (True, "the boat holds its place")
        assert water.mode == "LOITER"
        book.orders.append(Order("2", "resume"))
        assert until(lambda: book.answers.get("2")) == (True, "it goes on")
        sailing.ends()
        assert vehicle.ending is None
        assert sailing.away_from(*EAST[0]) < 5


def test_skip_and_goto():
    with voyage([(60.0, 0.0), (0.0, 10.0)]) as (water, _vehicle, sailing, book):
        until(lambda: water.away_from(0, 0) > 5)
        longitude, latitude = FRAME.to_degrees(np.array([[10.0, 15.0]]))[0].tolist()
        book.orders.append(Order("1", "goto", (longitude, latitude)))
        until(lambda: water.away_from(10, 15) < 5)
        until(lambda: water.away_from(10, 15) > 8)  # back to its waypoint
        book.orders.append(Order("2", "skip"))
        sailing.ends()
        assert sailing.away_from(0, 10) < 5


def test_a_pilot_who_carries_the_boat_off_is_not_fought_and_the_way_is_planned_anew():
    area = lake(WALL)
    with voyage([(0.0, 40.0)], area=area) as (water, _vehicle, sailing, book):
        until(lambda: water.away_from(0, 0) > 5)
        water.tell("pilot MANUAL")
        until(lambda: book.said("Somebody changed the mode to MANUAL"))
        water.tell("move 24 0")  # the wall is between here and there
        until(lambda: math.dist(water.state["estimate"], (24, 0)) < 4)
        assert water.mode == "MANUAL"
        begin = len(sailing.readings)
        water.tell("pilot GUIDED")
        sailing.ends()
        assert sailing.away_from(0, 40) < 5
        X = np.array([reading.position for reading in sailing.readings[begin:]])
        assert X[:, 1].max() > 60  # round the wall's end
        assert (area.clearance(X) > 1).all()


def test_a_lost_link_is_waited_for_and_the_voyage_goes_on():
    with voyage(EAST) as (water, vehicle, sailing, book):
        until(lambda: water.away_from(0, 0) > 5)
        water.tell("link for 50")
        until(lambda: book.said("No word from the boat"))
        until(lambda: book.said("heard again"))
        sailing.ends()
        assert vehicle.ending is None


def test_without_gps_the_boat_is_stopped_and_no_sounding_is_accepted():
    with voyage(EAST) as (water, vehicle, sailing, book):
        until(lambda: water.away_from(0, 0) > 5)
        water.tell("gps for 30")
        until(lambda: book.said("until it can") or book.said("until it has"))
        until(lambda: water.mode == "HOLD")
        count = len(sailing.readings)
        sailing.ends()
        assert vehicle.ending is None
        assert sailing.away_from(*EAST[0]) < 5
        reasons = {sounding.reason for sounding, *_ in book.soundings}
        assert reasons & {"no GPS fix", "no word from the GPS", "the boat's filter has no position"}
        assert len(sailing.readings) > count


def test_after_a_restart_the_motors_stay_off_until_a_person_says_so():
    with voyage(EAST, boat={"reboot_seconds": 3.0}) as (water, vehicle, sailing, book):
        until(lambda: water.away_from(0, 0) > 8)
        count = len(sailing.readings)
        clock = vehicle.clock
        water.tell("reboot")
        until(lambda: book.said("has restarted"))
        until(lambda: water.state["has_position"])
        assert not water.state["armed"]
        until(lambda: set(vehicle.guard.pauses) <= {"restart", "pilot"})
        until(lambda: vehicle.boat_state.clock.restarts and vehicle.boat_state.health.mode == "MANUAL")
        until(lambda: vehicle.boat_state.health.gps_trouble(3.0) is None)  # it has told so, too
        book.orders.append(Order("1", "resume"))
        accepted, said = until(lambda: book.answers.get("1"))
        assert accepted
        assert said.startswith("it goes on")  # at once, or once the GPS is heard again: this computer may be busy
        sailing.ends()
        assert len(sailing.readings) > count
        assert sailing.away_from(*EAST[0]) < 5
        assert clock < vehicle.clock < clock + 300


def test_a_low_battery_ends_the_voyage_with_a_return():
    with voyage(EAST) as (water, vehicle, sailing, book):
        until(lambda: water.away_from(0, 0) > 5)
        water.tell("battery 15")
        sailing.ends()
        assert vehicle.ending is not None
        assert vehicle.ending.course == "return"
        vehicle.guard.come_home()
        assert Voyage(vehicle, book, [(0.0, 0.0)]).ends().away_from(0, 0) < 5
        vehicle.rest(disarm=True)
        assert not water.state["armed"]


def test_weeds_in_the_thrusters():
    with voyage(EAST, stuck=20.0) as (water, _vehicle, _sailing, book):
        until(lambda: water.away_from(0, 0) > 5)
        water.tell("thruster both 0")
        until(lambda: book.said("has not come nearer to its waypoint for 20 s"))
        until(lambda: water.mode == "LOITER")


def test_the_guard_acts_while_the_mission_thinks():
    book = Book()
    home = tuple(FRAME.to_degrees(np.array([[92.0, 0.0]]))[0].tolist())
    current = {"current_speed": 0.5, "current_towards": math.pi / 2}
    with afloat(home=home, **current) as water, aboard(water.address, book) as vehicle:
        vehicle.engage()
        water.tell("thruster both 0")
        until(lambda: book.said("m from a border: it is stopped"))
        assert "breach" in vehicle.guard.pauses
        until(lambda: water.mode == "LOITER")


def test_what_cannot_be_written_down_ends_the_voyage_and_holds_the_boat():
    with voyage(EAST) as (water, _vehicle, sailing, book):
        until(lambda: water.away_from(0, 0) > 5)
        book.soundings = None  # type: ignore[assignment]  # as if the disk were full
        sailing.ends()
        assert isinstance(sailing.failure, AttributeError)
        until(lambda: water.mode == "LOITER")
        book.soundings = []


def test_soundings_from_beside_the_autopilot():
    port, stop = free_port(), threading.Event()
    sonar = open_transport(f"udpout:127.0.0.1:{port}")

    def ping() -> None:
        while not stop.wait(0.01):
            sonar.write((sentence("SDDBT,,f,7.25,M,,F") + "\r\n").encode())

    thread = threading.Thread(target=ping, daemon=True)
    thread.start()
    try:
        with voyage([(20.0, 0.0)], source=f"nmea:udpin:127.0.0.1:{port}") as (_, _vehicle, sailing, _book):
            sailing.ends()
            assert {reading.value for reading in sailing.readings} == {7.25}
    finally:
        stop.set()
        thread.join()
        sonar.close()


def test_readings_of_an_earlier_stretch_come_first():
    early = [Measurement(float(k), (k / 2, -50.0), 4.0) for k in range(9)]
    book = Book()
    with afloat() as water, aboard(water.address, book) as vehicle:
        vehicle.take_up(early)
        vehicle.engage()
        sailing = Voyage(vehicle, book, [(6.0, 0.0)]).ends()
        assert sailing.readings[:3] == early[::4]  # two metres apart, as all others


def test_nobody_there():
    with (
        pytest.raises(LinkLost, match="No boat was heard"),
        aboard(f"udpin:127.0.0.1:{free_port()}", Book(), connect=0.5),
    ):
        pass


def test_before_it_is_connected_it_has_no_pose():
    made = MavlinkVehicle(lake(), SurveySettings(), speed=1.0, recorders=Book().recorders, begin=7.0)
    assert made.clock == 7.0
    with pytest.raises(BoatRefused, match="has not told its position"):
        _ = made.pose
