"""A person with a ground station of their own: takes the boat, arms and disarms it, and turns what can be turned."""

from akrig.survey.link.modes import ARDUPILOT
from tests.ardupilot.truth import Truth
from tests.ardupilot.wire import AUTOPILOT, AUTOPILOT_SYSTEM, Message, Wire, mavlink, wait_until

SECONDS = 20.0  # on this computer's clock, for the autopilot to do it
AGAIN = 0.5  # seconds after which it is asked again
ALL_BATTERIES = 255
FORCED = 21196.0


class Pilot:
    """Speaks as system 250, without heartbeats: those of 255, akrig's, stay the only ones that the boat waits for."""

    def __init__(self, port: int, truth: Truth) -> None:
        self._truth = truth
        self._values: dict[str, float] = {}
        self.wire = Wire(port, hear=self._hear, opened=lambda wire: wire.ask_only_for({}))

    def close(self) -> None:
        self.wire.close()

    def change_mode(self, mode: str) -> None:
        flag = mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED
        self._insist(
            lambda: self.wire.command(mavlink.MAV_CMD_DO_SET_MODE, flag, ARDUPILOT[mode]),
            lambda: self._truth.mode == mode,
            what=f"{mode} (the boat is in {self._truth.mode})",
        )

    def arm(self) -> None:
        self._insist(
            lambda: self.wire.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1),
            lambda: self._truth.armed,
            what="arming",
        )

    def disarm(self) -> None:
        self._insist(
            lambda: self.wire.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 0, FORCED),
            lambda: not self._truth.armed,
            what="disarming",
        )

    def set(self, **parameters: float) -> None:
        """Parameters by name, each confirmed by the autopilot."""
        for name, value in parameters.items():
            self._values.pop(name, None)
            message = mavlink.MAVLink_param_set_message(
                AUTOPILOT_SYSTEM, AUTOPILOT, name.encode(), value, mavlink.MAV_PARAM_TYPE_REAL32
            )
            self._insist(
                lambda message=message: self.wire.send(message),
                lambda name=name, value=value: abs(self._values.get(name, float("nan")) - value) < 1e-4,
                what=f"{name} {value:g}",
            )

    def empty_battery_to(self, percent: float) -> None:
        self._insist(
            lambda: self.wire.command(mavlink.MAV_CMD_BATTERY_RESET, ALL_BATTERIES, percent),
            lambda: abs(self._truth.percent - percent) <= 1,
            what=f"{percent:g} % in the battery",
        )

    def _insist(self, ask, is_done, *, what: str) -> None:
        """A message that comes while the connection is opened again is lost: it is sent until it is heeded."""
        for _ in range(int(SECONDS / AGAIN)):
            ask()
            try:
                wait_until(is_done, seconds=AGAIN, what=what)
            except AssertionError:
                continue
            return
        raise AssertionError(f"{what} did not happen; the autopilot says: {self._truth.texts[-5:]}")

    def _hear(self, message: Message) -> None:
        if message.get_type() == "PARAM_VALUE":
            self._values[message.param_id] = message.param_value
