"""ArduPilot's own Rover in a process of its own, with a simulated hull, its sonar, its truth and its pilot."""

import os
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path
from socket import SOCK_STREAM
from typing import Literal

from akrig.survey.area import Area
from tests.ardupilot.line import Line
from tests.ardupilot.pilot import Pilot
from tests.ardupilot.sonar import Sonar
from tests.ardupilot.truth import Truth
from tests.ardupilot.wire import Wire, mavlink, wait_until
from tests.survey.pond import degrees, free_port

VARIABLE = "AKRIG_ARDUPILOT"
Hull = Literal["motorboat-skid", "motorboat"]
HULLS: tuple[Hull, ...] = ("motorboat-skid", "motorboat")
# boat.parm is of the hull with two thrusters; a rudder needs other outputs.
RUDDER = {"SERVO1_FUNCTION": 26, "SERVO3_FUNCTION": 70}
SERIALS = (0, 1, 2, 5)  # 3 and 4 are the GPS's
OURS = {"SERIAL5_PROTOCOL": 2, "LOG_BACKEND_TYPE": 0}  # one more port that speaks MAVLink; no logs, ten megabytes each
HASTE = 40.0  # times as fast as real time, or as fast as the computer can, while nothing but the autopilot matters
SPEEDUP = 4.0  # steady on two cores beside other work
SECONDS_TO_START = 60.0


def why_not() -> str | None:
    """Why there is no autopilot to test with."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        return f"{VARIABLE} is not set: it names a folder with ArduPilot's ardurover and boat.parm"
    missing = [name for name in ("ardurover", "boat.parm") if not (Path(folder) / name).is_file()]
    return f"{folder} ({VARIABLE}) has no {' and no '.join(missing)}" if missing else None


class Autopilot:
    """Args:
    folder: empty; the autopilot keeps its parameters and logs here.
    area: whose local metres the truth is told in.
    place: where the boat lies, metres of the pond.
    parameters: on top of boat.parm.
    """

    def __init__(
        self, folder: Path, area: Area, *, hull: Hull, place: tuple[float, float], speedup: float, **parameters: float
    ) -> None:
        self._folder, self._hull, self._place, self.speedup = folder, hull, place, speedup
        self._parameters = {**OURS, **(RUDDER if hull == "motorboat" else {}), **parameters}
        self._ports = [free_port(SOCK_STREAM) for _ in range(4)]
        self._rc_port = free_port()
        self._process: subprocess.Popen | None = None
        self._lives = 0
        self.switch_on(wipe=True)
        self.line = Line(self._ports[0])
        self.truth = Truth(self._ports[2], area, seen=lambda sight: self.sonar.sound(sight))
        self.pilot = Pilot(self._ports[1], self.truth)
        self.sonar = Sonar(self.pilot.wire)

    def switch_on(self, *, wipe: bool = False) -> None:
        """Args:
        wipe: forget the parameters of last time.
        """
        self._lives += 1
        given = Path(os.environ[VARIABLE]).resolve()
        extra = self._folder / "extra.parm"
        extra.write_text("".join(f"{name} {value:g}\n" for name, value in self._parameters.items()))
        longitude, latitude = degrees(self._place)
        options = {
            "--model": self._hull,
            "--home": f"{latitude:.7f},{longitude:.7f},0,0",
            "--defaults": f"{given / 'boat.parm'},{extra}",
            "--rc-in-port": self._rc_port,
            "--speedup": HASTE if wipe else self.speedup,
            **{f"--serial{k}": f"tcp:{port}" for k, port in zip(SERIALS, self._ports, strict=True)},
        }
        command = [str(given / "ardurover"), *(str(word) for pair in options.items() for word in pair)]
        with (self._folder / "ardurover.log").open("a") as log:
            self._process = subprocess.Popen(
                command + ["-w"] * wipe, cwd=self._folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )

    def switch_off(self) -> None:
        """As if its battery were pulled."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def await_ready(self) -> None:
        """Until it can be armed: in a hurry while its filter settles, then slowly enough for the sonar to be heard."""
        truth, lives = self.truth, self._lives
        wait_until(
            lambda: truth.life >= lives and truth.has_position,
            seconds=SECONDS_TO_START,
            what="a boat that knows where it is",
        )
        self.pilot.set(SIM_SPEEDUP=self.speedup)
        wait_until(lambda: self.truth.passes_checks, seconds=SECONDS_TO_START, what="a boat that can be armed")

    def await_failing_checks(self) -> None:
        """Until it knows that it cannot be armed."""
        wait_until(lambda: not self.truth.passes_checks, seconds=SECONDS_TO_START, what="a check that fails")

    def let_pass(self, seconds: float) -> None:
        """So many seconds of the boat's time, at its usual pace."""
        until = self.truth.latest.boot + seconds
        wait_until(lambda: self.truth.latest.boot >= until, seconds=10 + seconds, what=f"{seconds:.0f} boat seconds")

    def hurry(self, seconds: float) -> None:
        """So many seconds of the boat's time pass, as fast as the computer can."""
        until = self.truth.latest.boot + seconds
        self.pilot.set(SIM_SPEEDUP=HASTE)
        wait_until(lambda: self.truth.latest.boot >= until, seconds=seconds / 2, what=f"{seconds:.0f} boat seconds")
        self.pilot.set(SIM_SPEEDUP=self.speedup)

    @property
    def spare_port(self) -> int:
        """For one more ground station, beside the pilot's and the truth's."""
        return self._ports[3]

    def close(self) -> None:
        self.switch_off()
        for part in (self.line, self.truth, self.pilot):
            part.close()


@contextmanager
def autopilot(folder: Path, area: Area, **how):
    """Afloat and ready to be armed; switched off at the end, whatever happened."""
    folder.mkdir()
    found = Autopilot(folder, area, **how)
    try:
        found.await_ready()
        yield found
    finally:
        found.close()


@contextmanager
def another_ground_station(found: Autopilot, *, system: int):
    """One that does nothing but say that it is there, as often as they do."""
    wire = Wire(found.spare_port, system=system, hear=lambda message: None, opened=lambda wire: wire.ask_only_for({}))
    over = threading.Event()

    def speak() -> None:
        while not over.wait(1 / found.speedup):
            kind, nobody = mavlink.MAV_TYPE_GCS, mavlink.MAV_AUTOPILOT_INVALID
            wire.send(mavlink.MAVLink_heartbeat_message(kind, nobody, 0, 0, mavlink.MAV_STATE_ACTIVE, 3))

    thread = threading.Thread(target=speak, name=f"ground station {system}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        wire.close()
