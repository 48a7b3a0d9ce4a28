"""What the boat tells ground stations: one function per message, `None` when there is nothing to tell."""

from collections.abc import Callable
from math import atan2, degrees, hypot
from typing import Any

from akrig.frame import LocalFrame
from akrig.geometry import wrapped
from akrig.survey.boat.autopilot import Autopilot
from akrig.survey.boat.dialect import Mode, constants, mavlink
from akrig.survey.boat.dynamics import Pair
from akrig.survey.boat.sensors import Sonar

VERSION = 4 << 24 | 5 << 16 | 7 << 8 | 255  # 4.5.7, official release
CAPABILITIES = sum(
    constants(
        "MAV_PROTOCOL_CAPABILITY", "MISSION_INT", "COMMAND_INT", "PARAM_ENCODE_C_CAST", "MISSION_FLOAT",
        "SET_POSITION_TARGET_LOCAL_NED", "SET_POSITION_TARGET_GLOBAL_INT", "MAVLINK2",
    )
)  # fmt: skip
DOWN = mavlink.MAV_SENSOR_ROTATION_PITCH_270
ONLY_POSITION = 0xFFF8
STATES = {Mode.INITIALIZING: mavlink.MAV_STATE_CALIBRATING, Mode.HOLD: mavlink.MAV_STATE_STANDBY}
CHARGE_STATES = {
    None: mavlink.MAV_BATTERY_CHARGE_STATE_OK,
    "low": mavlink.MAV_BATTERY_CHARGE_STATE_LOW,
    "critical": mavlink.MAV_BATTERY_CHARGE_STATE_CRITICAL,
}
SENSORS = sum(
    constants(
        "MAV_SYS_STATUS", "SENSOR_3D_GYRO", "SENSOR_3D_ACCEL", "SENSOR_3D_MAG", "SENSOR_GPS", "SENSOR_LASER_POSITION",
        "SENSOR_BATTERY", "AHRS", "SENSOR_MOTOR_OUTPUTS", "PREARM_CHECK",
    )
)  # fmt: skip


class Telemetry:
    """Makes messages from the autopilot's state; `unix_time` is 0 until the first GPS fix told the time."""

    def __init__(
        self, autopilot: Autopilot, sonar: Sonar, frame: LocalFrame, *, unix_time: Callable[[], float]
    ) -> None:
        self._autopilot, self._sonar, self._frame, self._unix_time = autopilot, sonar, frame, unix_time
        self._navigation, self._battery = autopilot.navigation, autopilot.battery
        self._last_place: tuple[Pair, tuple[int, int]] | None = None
        makers = (
            self.heartbeat, self.sys_status, self.system_time, self.gps_raw_int, self.attitude,
            self.local_position_ned, self.global_position_int, self.mission_current, self.nav_controller_output,
            self.vfr_hud, self.position_target_global_int, self.distance_sensor, self.battery_status,
            self.autopilot_version, self.rangefinder, self.ekf_status_report, self.home_position,
            self.gps_global_origin, self.water_depth,
        )  # fmt: skip
        # Each is called what its message is.
        self.makers: dict[int, Callable[[], Any]] = {
            getattr(mavlink, f"MAVLINK_MSG_ID_{maker.__name__.upper()}"): maker for maker in makers
        }

    @property
    def milliseconds(self) -> int:
        """Since boot."""
        return round(self._autopilot.time * 1000)

    def on_the_wire(self, place: Pair) -> tuple[int, int]:
        """Latitude and longitude times 1e7."""
        if self._last_place is not None and self._last_place[0] == place:
            return self._last_place[1]
        longitude, latitude = self._frame.degrees_of(*place)
        self._last_place = (place, (round(latitude * 1e7), round(longitude * 1e7)))
        return self._last_place[1]

    def heartbeat(self) -> Any:
        autopilot = self._autopilot
        base = mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED
        if autopilot.mode is Mode.MANUAL:
            base |= mavlink.MAV_MODE_FLAG_MANUAL_INPUT_ENABLED
        if autopilot.mode.steers_itself:
            base |= mavlink.MAV_MODE_FLAG_GUIDED_ENABLED
        if autopilot.is_armed:
            base |= mavlink.MAV_MODE_FLAG_SAFETY_ARMED
        status = STATES.get(autopilot.mode, mavlink.MAV_STATE_ACTIVE)
        if autopilot.failsafes.is_critical:
            status = mavlink.MAV_STATE_CRITICAL
        boat, maker = mavlink.MAV_TYPE_SURFACE_BOAT, mavlink.MAV_AUTOPILOT_ARDUPILOTMEGA
        return mavlink.MAVLink_heartbeat_message(boat, maker, base, int(autopilot.mode), status, 3)

    def sys_status(self) -> Any:
        autopilot, health = self._autopilot, SENSORS
        gps = self._navigation.gps
        if gps is None or not gps.is_good:
            health &= ~mavlink.MAV_SYS_STATUS_SENSOR_GPS
        if not self._navigation.has_position:
            health &= ~mavlink.MAV_SYS_STATUS_AHRS
        if self._sonar.current(self._navigation.time) is None:
            health &= ~mavlink.MAV_SYS_STATUS_SENSOR_LASER_POSITION
        if autopilot.failsafes.battery.level is not None:
            health &= ~mavlink.MAV_SYS_STATUS_SENSOR_BATTERY
        if not autopilot.is_armed and autopilot.objections:
            health &= ~mavlink.MAV_SYS_STATUS_PREARM_CHECK
        enabled = SENSORS if autopilot.is_armed else SENSORS & ~mavlink.MAV_SYS_STATUS_SENSOR_MOTOR_OUTPUTS
        volts, amperes = round(self._battery.voltage * 1000), round(self._battery.current * 100)
        percent = round(self._battery.share * 100)
        return mavlink.MAVLink_sys_status_message(
            SENSORS, enabled, health, 200, volts, amperes, percent, 0, 0, 0, 0, 0, 0
        )

    def system_time(self) -> Any:
        return mavlink.MAVLink_system_time_message(round(self._unix_time() * 1e6), self.milliseconds)

    def gps_raw_int(self) -> Any:
        fix = self._navigation.gps
        if fix is None or not fix.is_good:
            kind, seen = (0, 0) if fix is None else (fix.fix_type, fix.satellites)
            return mavlink.MAVLink_gps_raw_int_message(0, kind, 0, 0, 0, 65535, 65535, 0, 0, seen)
        latitude, longitude = self.on_the_wire(fix.position)
        east, north = fix.velocity
        return mavlink.MAVLink_gps_raw_int_message(
            self.milliseconds * 1000, fix.fix_type, latitude, longitude, 0, round(fix.hdop * 100), 120,
            round(hypot(east, north) * 100), round(degrees(atan2(east, north)) % 360 * 100) % 36000, fix.satellites,
            0, 500, 900, 100,
        )  # fmt: skip

    def attitude(self) -> Any:
        heading, turn = wrapped(self._navigation.heading), self._navigation.turn
        return mavlink.MAVLink_attitude_message(self.milliseconds, 0.0, 0.0, heading, 0.0, 0.0, turn)

    def local_position_ned(self) -> Any:
        origin, (x, y), (east, north) = self._navigation.origin, self._navigation.position, self._navigation.velocity
        if origin is None:
            return None
        return mavlink.MAVLink_local_position_ned_message(
            self.milliseconds, y - origin[1], x - origin[0], 0.0, north, east, 0.0
        )

    def global_position_int(self) -> Any:
        """Zeros before the filter has settled; when it is lost, a place that runs on: as ArduPilot has it."""
        place, (east, north) = self._navigation.position, self._navigation.velocity
        latitude, longitude = (0, 0) if self._navigation.origin is None else self.on_the_wire(place)
        course = round(degrees(self._navigation.heading) * 100) % 36000
        return mavlink.MAVLink_global_position_int_message(
            self.milliseconds, latitude, longitude, 0, 0, _short(north * 100), _short(east * 100), 0, course
        )

    def mission_current(self) -> Any:
        autopilot = self._autopilot
        total = len(autopilot.missions.items)
        return mavlink.MAVLink_mission_current_message(autopilot.itinerary.index if total else 0, max(total - 1, 0))

    def nav_controller_output(self) -> Any:
        autopilot, task = self._autopilot, self._autopilot.task
        if not autopilot.mode.steers_itself:
            return None
        bearing, distance, cross_track = 0, 0, 0.0
        if task is not None:
            bearing, distance = round(degrees(wrapped(task.bearing))), min(round(task.distance), 65535)
            cross_track = task.cross_track
        return mavlink.MAVLink_nav_controller_output_message(
            0.0, 0.0, bearing, bearing, distance, 0.0, 0.0, cross_track
        )

    def vfr_hud(self) -> Any:
        speed = hypot(*self._navigation.velocity)
        heading = round(degrees(self._navigation.heading)) % 360
        throttle = round(abs(self._autopilot.pilot.throttle) * 100)
        return mavlink.MAVLink_vfr_hud_message(speed, speed, heading, throttle, 0.0, 0.0)

    def position_target_global_int(self) -> Any:
        task = self._autopilot.task
        if task is None or task.goal is None:
            return None
        latitude, longitude = self.on_the_wire(task.goal)
        return mavlink.MAVLink_position_target_global_int_message(
            self.milliseconds, 0, ONLY_POSITION, latitude, longitude, *(0.0,) * 9
        )

    def distance_sensor(self) -> Any:
        echo = self._sonar.current(self._navigation.time)
        if echo is None:
            return None
        parameters = self._autopilot.parameters
        low, high = (round(parameters[name] * 100) for name in ("RNGFND1_MIN", "RNGFND1_MAX"))
        return mavlink.MAVLink_distance_sensor_message(
            self.milliseconds, low, min(high, 65535), min(round(echo.distance * 100), 65535),
            mavlink.MAV_DISTANCE_SENSOR_ULTRASOUND, 0, DOWN, 0, 0.0, 0.0, (0.0,) * 4, echo.confidence,
        )  # fmt: skip

    def rangefinder(self) -> Any:
        echo = self._sonar.current(self._navigation.time)
        return None if echo is None else mavlink.MAVLink_rangefinder_message(echo.distance, 0.0)

    def water_depth(self) -> Any:
        echo = self._sonar.current(self._navigation.time)
        if echo is None:
            return None
        place = (0, 0) if self._navigation.origin is None else self.on_the_wire(self._navigation.position)
        heading = wrapped(self._navigation.heading)
        return mavlink.MAVLink_water_depth_message(
            self.milliseconds, 0, int(echo.in_range), *place, 0.0, 0.0, 0.0, heading, echo.distance, 15.0
        )

    def battery_status(self) -> Any:
        battery = self._battery
        volts = (round(battery.voltage * 1000), *(65535,) * 9)
        state = CHARGE_STATES[self._autopilot.failsafes.battery.level]
        return mavlink.MAVLink_battery_status_message(
            0, 0, 1, 32767, volts, round(battery.current * 100), round(battery.used * 1000), -1,
            round(battery.share * 100), 0, state,
        )  # fmt: skip

    def autopilot_version(self) -> Any:
        nothing = (0,) * 8
        return mavlink.MAVLink_autopilot_version_message(
            CAPABILITIES, VERSION, 0, 0, 0, tuple(b"akrigsim"), nothing, nothing, 0, 0, 1
        )

    def ekf_status_report(self) -> Any:
        navigation = self._navigation
        if not navigation.has_attitude:
            return mavlink.MAVLink_ekf_status_report_message(mavlink.EKF_UNINITIALIZED, 0.0, 0.0, 0.0, 0.0, 0.0)
        flags = mavlink.EKF_ATTITUDE | mavlink.EKF_VELOCITY_VERT | mavlink.EKF_POS_VERT_ABS
        if navigation.has_position:
            flags |= mavlink.EKF_VELOCITY_HORIZ | mavlink.EKF_POS_HORIZ_REL | mavlink.EKF_POS_HORIZ_ABS
            flags |= mavlink.EKF_PRED_POS_HORIZ_REL | mavlink.EKF_PRED_POS_HORIZ_ABS
        elif navigation.has_given_up:
            flags |= mavlink.EKF_VELOCITY_HORIZ | mavlink.EKF_CONST_POS_MODE
        position, velocity = navigation.position_ratio, navigation.velocity_ratio
        return mavlink.MAVLink_ekf_status_report_message(flags, velocity, position, 0.0, navigation.compass_ratio, 0.0)

    def home_position(self) -> Any:
        if self._autopilot.home is None:
            return None
        latitude, longitude = self.on_the_wire(self._autopilot.home)
        return mavlink.MAVLink_home_position_message(
            latitude, longitude, 0, 0.0, 0.0, 0.0, (1.0, 0.0, 0.0, 0.0), 0.0, 0.0, 0.0, self.milliseconds * 1000
        )

    def gps_global_origin(self) -> Any:
        if self._navigation.origin is None:
            return None
        return mavlink.MAVLink_gps_global_origin_message(
            *self.on_the_wire(self._navigation.origin), 0, self.milliseconds * 1000
        )


def _short(value: float) -> int:
    return max(-32768, min(32767, round(value)))
