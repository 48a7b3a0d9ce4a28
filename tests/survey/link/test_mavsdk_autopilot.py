"""An independent peer: MAVSDK's server, acting as autopilot, takes our arming, mode and targets."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from akrig.errors import BoatRefused
from akrig.survey.link.modes import Modes
from tests.survey.link.rig import free_port, until, wire
from tests.survey.link.test_helm import Bridge

pytest.importorskip("mavsdk")


class Autopilot:
    """MAVSDK in a process of its own, and what it says it was asked."""

    def __init__(self, port: int) -> None:
        script = Path(__file__).with_name("mavsdk_autopilot.py")
        self._process = subprocess.Popen(
            [sys.executable, str(script), str(port)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self.events: list[tuple[str, Any]] = []
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        for line in self._process.stdout or ():
            what, value = json.loads(line)
            self.events.append((what, value))

    def heard(self, what: str) -> list[Any]:
        return [value for name, value in list(self.events) if name == what]

    def tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def close(self) -> None:
        self._process.kill()
        self._thread.join(5)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process.wait()


@pytest.fixture(scope="module")
def met() -> Iterator[tuple[Bridge, Autopilot]]:
    port = free_port()
    bridge, autopilot = Bridge(port, ready=6.0), Autopilot(port)
    bridge.link.start()
    try:
        assert bridge.link.wait(lambda: bridge.state.modes is not None, 20)
        bridge.link.speedup = 4.0  # it answers at once: there is no need to wait for real seconds
        yield bridge, autopilot
    finally:
        bridge.link.close()
        autopilot.close()


def test_its_heartbeat_makes_it_the_boat_and_it_hears_ours(met):
    bridge, autopilot = met
    assert (bridge.link.system, bridge.link.autopilot) == (1, 0)  # MAV_AUTOPILOT_GENERIC
    assert not Modes(0).is_ardupilot
    beat = until(lambda: autopilot.heard("HEARTBEAT"))[0]
    assert (beat["type"], beat["autopilot"]) == (6, 8)


def test_a_refused_arming_is_understood(met):
    bridge, autopilot = met
    with pytest.raises(BoatRefused, match=r"cannot be armed \(not now\)"):
        bridge.helm.engage()
    assert ["COMMAND_DENIED", True] in autopilot.heard("arm")
    assert bridge.state.health.mode == "GUIDED"
    assert not bridge.state.health.armed


def test_mode_and_arming_are_accepted(met):
    bridge, autopilot = met
    autopilot.tell("armable")
    until(lambda: autopilot.heard("armable"))
    bridge.helm.engage()
    assert ["SUCCESS", "7"] in autopilot.heard("mode")  # offboard, which is what we call GUIDED
    assert autopilot.heard("arm")[-1] == ["SUCCESS", True]
    assert (bridge.state.health.mode, bridge.state.health.armed) == ("GUIDED", True)


def test_targets_arrive_as_they_were_meant(met):
    bridge, autopilot = met
    until(lambda: bridge.helm.steer((30.0, -40.0)) or len(autopilot.heard("SET_POSITION_TARGET_GLOBAL_INT")) >= 2)
    target = autopilot.heard("SET_POSITION_TARGET_GLOBAL_INT")[-1]
    assert (target["lat_int"], target["lon_int"]) == wire(30, -40)
    assert (target["coordinate_frame"], target["type_mask"]) == (6, 0b110111111000)
    assert (target["target_system"], target["target_component"]) == (1, 1)


@pytest.mark.parametrize("mode", ["RTL", "AUTO", "MANUAL", "GUIDED"])
def test_modes_mean_the_same_on_both_sides(met, mode):
    bridge, _ = met
    bridge.helm.change_mode(mode)
    assert bridge.state.health.mode == mode


def test_disarming(met):
    bridge, autopilot = met
    bridge.helm.disarm()
    until(lambda: autopilot.heard("arm")[-1] == ["SUCCESS", False])
    assert until(lambda: not bridge.state.health.armed)
