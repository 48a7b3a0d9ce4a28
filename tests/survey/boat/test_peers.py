"""Ground stations that others wrote, each in a process of its own: they know ArduPilot, not us."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from akrig.survey.boat.dialect import Mode
from tests.survey.boat.rig import FRAME
from tests.survey.boat.running import free_port, serving

HERE = Path(__file__).parent
MAVPROXY = Path(os.environ.get("AKRIG_MAVPROXY", HERE.parents[2] / ".venv-mavproxy")) / "bin" / "mavproxy.py"
SPEEDUP = 20


def away_from(boat, latitude: float, longitude: float) -> float:
    x, y = FRAME.to_metres(np.array([[longitude, latitude]]))[0]
    return float(np.hypot(boat.position[0] - x, boat.position[1] - y))


def test_mavsdk_arms_the_boat_sends_it_to_a_point_and_exchanges_a_mission():
    pytest.importorskip("mavsdk", reason="needs MAVSDK: pip install mavsdk")
    port = free_port()
    settings = {"speedup": SPEEDUP, "parameters": {"ARMING_NEED_LOC": 1}}  # the peer waits for a position by trying
    with serving(to=[("127.0.0.1", port)], settings=settings) as boat:
        peer = [sys.executable, str(HERE / "mavsdk_peer.py"), str(port), "0.0004", "0.0003"]
        done = subprocess.run(peer, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        seen = json.loads(done.stdout.splitlines()[-1])
        assert seen["armed"]
        assert seen["volts"] == pytest.approx(boat.battery.voltage, abs=1)
        assert seen["fetched"] == seen["sent"]
        assert (boat.mode, boat.is_armed) == (Mode.GUIDED, True)
        assert away_from(boat, 47.5004, 9.3003) < 8


class MavProxy:
    """MAVProxy's console: lines in, lines out."""

    def __init__(self, port: int, folder: Path) -> None:
        modules = "--default-modules=link,mode,arm,misc,param,wp,cmdlong,output"
        command = [str(MAVPROXY.parent / "python"), str(MAVPROXY), f"--master=udpin:127.0.0.1:{port}", "--nowait"]
        self.process = subprocess.Popen(
            [*command, modules, f"--state-basedir={folder}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
            env={**os.environ, "HOME": str(folder), "MAVLINK20": "1"},
        )  # fmt: skip
        self.said = ""
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        while letter := self.process.stdout.read(1):
            self.said += letter

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait_for(self, happened, *, seconds: float = 40) -> None:
        until = time.monotonic() + seconds
        while not happened():
            assert time.monotonic() < until, self.said
            time.sleep(0.05)

    def __enter__(self) -> "MavProxy":
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()  # it takes its time to leave otherwise
        self.listener.join(20)
        self.process.communicate(timeout=20)


@pytest.mark.skipif(not MAVPROXY.exists(), reason="needs MAVProxy in .venv-mavproxy (see the Makefile)")
def test_mavproxy_arms_the_boat_and_sends_it_to_a_point(tmp_path):
    port = free_port()
    with serving(to=[("127.0.0.1", port)], settings={"speedup": SPEEDUP}) as boat, MavProxy(port, tmp_path) as proxy:
        proxy.wait_for(lambda: "online system 1" in proxy.said)
        proxy.wait_for(lambda: "is using GPS" in proxy.said or boat.navigation.has_position)
        proxy.type("mode guided")
        proxy.wait_for(lambda: boat.mode is Mode.GUIDED)
        proxy.type("arm throttle")
        proxy.wait_for(lambda: boat.is_armed)
        proxy.type("guided 47.5004 9.3003 0")
        proxy.wait_for(lambda: away_from(boat, 47.5004, 9.3003) < 4)
        proxy.wait_for(lambda: "parameters" in proxy.said)
        assert "ARMED" in proxy.said
