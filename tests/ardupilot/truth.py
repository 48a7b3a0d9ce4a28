"""Where the boat really is, by the autopilot's own simulation, and what the autopilot does and says."""

import json
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from akrig.survey.area import Area
from akrig.survey.link.modes import ARDUPILOT
from tests.ardupilot.wire import Message, Wire, mavlink

MODES = {number: name for name, number in ARDUPILOT.items()}
RATE = 10.0  # times per second of the boat's time
STREAMS = {
    mavlink.MAVLINK_MSG_ID_SYSTEM_TIME: RATE,
    mavlink.MAVLINK_MSG_ID_SIMSTATE: RATE,
    mavlink.MAVLINK_MSG_ID_SYS_STATUS: 2.0,
    mavlink.MAVLINK_MSG_ID_EKF_STATUS_REPORT: 2.0,
}


@dataclass(frozen=True)
class Sight:
    """The boat at one instant.

    Args:
        boot: seconds since the autopilot was switched on.
        unix: the same instant by the autopilot's date; 0 while it knows none.
        place: local metres of the area.
        life: how often the autopilot had been switched on.
    """

    boot: float
    unix: float
    place: tuple[float, float]
    mode: str
    armed: bool
    life: int


class Truth:
    """Hears everything in a thread of its own.

    Args:
        seen: called in that thread with every new sight, for a sonar to sound from.
    """

    def __init__(self, port: int, area: Area, *, seen: Callable[[Sight], None] = lambda sight: None) -> None:
        self.area, self._seen = area, seen
        self.mode, self.armed = "", False
        self.volts, self.percent = 0.0, -1
        self.has_position = self.passes_checks = False
        self._boot = self._unix = 0.0
        self.life = 0  # how often the autopilot was switched on
        self._sights: list[Sight] = []
        self._sights_before = 0  # when the last heartbeat came
        self._texts: list[tuple[float, str]] = []
        self._lock = threading.Lock()
        self._wire = Wire(port, hear=self._hear, opened=self._begin)

    def close(self) -> None:
        self._wire.close()

    # -- for tests, in any thread ----------------------------------------------------------------------------------

    @property
    def now(self) -> int:
        """A mark for `sights`: what comes from now on."""
        return len(self._sights)

    def sights(self, since: int = 0, until: int | None = None) -> list[Sight]:
        with self._lock:
            return self._sights[since:until]

    def write(self, path: Path) -> None:
        """A line of JSON for every second and every text, to look into afterwards."""
        with self._lock:
            lines = [{"boot": boot, "text": text} for boot, text in self._texts] + [
                asdict(s) for s in self._sights[::10]
            ]
        path.write_text("".join(json.dumps(line) + "\n" for line in sorted(lines, key=lambda line: line["boot"])))

    @property
    def latest(self) -> Sight:
        return self._sights[-1]

    @property
    def texts(self) -> list[str]:
        """All that the autopilot said, in the order it did."""
        with self._lock:
            return [text for _, text in self._texts]

    def modes(self, since: int = 0, until: int | None = None) -> list[str]:
        """That the boat was in, one after another."""
        seen = [sight.mode for sight in self.sights(since, until)]
        return [mode for k, mode in enumerate(seen) if k == 0 or mode != seen[k - 1]]

    def clearances(self, since: int = 0, until: int | None = None) -> np.ndarray:
        """Metres to the nearest border while the boat was armed; negative outside the fence and in keep-outs."""
        places = [sight.place for sight in self.sights(since, until) if sight.armed]
        return self.area.clearance(np.array(places)) if places else np.array([np.inf])

    def check_never_outside(self, since: int = 0, until: int | None = None) -> None:
        nearest = self.clearances(since, until).min()
        assert nearest > 0, f"the boat was {-nearest:.1f} m outside the fence or in a keep-out"

    def distance_to(self, place: tuple[float, float]) -> float:
        return float(np.hypot(*np.subtract(self.latest.place, place)))

    # -- in the wire's thread --------------------------------------------------------------------------------------

    def _begin(self, wire: Wire) -> None:
        self._wire = wire
        self.life += 1
        self.has_position = self.passes_checks = False
        wire.ask_only_for(STREAMS)

    def _hear(self, message: Message) -> None:
        kind = message.get_type()
        if kind == "SYSTEM_TIME":
            self._boot, self._unix = message.time_boot_ms / 1e3, message.time_unix_usec / 1e6
        elif kind == "SIMSTATE":
            self._see(message)
        elif kind == "HEARTBEAT" and message.get_srcComponent() == mavlink.MAV_COMP_ID_AUTOPILOT1:
            self.mode = MODES.get(message.custom_mode, f"mode {message.custom_mode}")
            self.armed = bool(message.base_mode & mavlink.MAV_MODE_FLAG_SAFETY_ARMED)
            self._keep_streams()
        elif kind == "STATUSTEXT":
            with self._lock:
                self._texts.append((self._boot, message.text))
        elif kind == "SYS_STATUS":
            checked = message.onboard_control_sensors_health & mavlink.MAV_SYS_STATUS_PREARM_CHECK
            self.passes_checks = bool(checked)
            self.volts, self.percent = message.voltage_battery / 1e3, message.battery_remaining
        elif kind == "EKF_STATUS_REPORT":
            self.has_position = bool(message.flags & mavlink.ESTIMATOR_POS_HORIZ_ABS)

    def _keep_streams(self) -> None:
        """A wish that comes while the autopilot starts may be lost: it is told again while too little is seen."""
        if len(self._sights) - self._sights_before < RATE / 2:
            self._wire.ask_only_for(STREAMS)
        self._sights_before = len(self._sights)

    def _see(self, message: Message) -> None:
        x, y = self.area.frame.to_metres(np.array([[message.lng / 1e7, message.lat / 1e7]]))[0].tolist()
        sight = Sight(self._boot, self._unix, (x, y), self.mode, self.armed, self.life)
        with self._lock:
            self._sights.append(sight)
        self._seen(sight)
