"""MAVSDK as ground station, in a process of its own: arms the boat, sends it to a point, sends and fetches a mission.

Run as: mavsdk_peer.py PORT NORTH EAST (both in degrees from where the boat is). Prints what it saw, a JSON line.
"""

import json
import math
import sys
import time

from mavsdk import ComponentType, Configuration, Mavsdk
from mavsdk.plugins.action import Action
from mavsdk.plugins.mission_raw import MissionItem, MissionRaw, MissionRawError
from mavsdk.plugins.telemetry import Telemetry

PATIENCE = 60.0


def wait_for(question, what: str):
    """The first answer that is true."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if answer := question():
            return answer
        time.sleep(0.05)
    raise SystemExit(f"MAVSDK waited in vain for {what}")


def armed(action: Action) -> int:
    """How often it was refused before: the filter settles first."""
    for refusals in range(int(PATIENCE / 0.2)):
        try:
            action.arm()
            return refusals
        except Exception:
            time.sleep(0.2)
    raise SystemExit("MAVSDK could not arm")


def upload(missions: MissionRaw, items: list[MissionItem]) -> None:
    """Once more if the boat, whose seconds are short, has asked twice for an item before a busy computer sent it."""
    for _ in range(int(PATIENCE / 0.2)):
        try:
            return missions.upload_mission(items)
        except MissionRawError as error:
            if "INVALID_SEQUENCE" not in str(error):
                raise
            time.sleep(0.2)
    raise SystemExit("MAVSDK could not upload its mission")


def main(port: str, north: float, east: float) -> None:
    sdk = Mavsdk(Configuration.create_with_component_type(ComponentType.GROUND_STATION))
    sdk.add_any_connection(f"udpin://127.0.0.1:{port}")
    system = wait_for(lambda: sdk.first_autopilot(1.0), "an autopilot")
    action, telemetry, missions = Action(system), Telemetry(system), MissionRaw(system)
    telemetry.set_rate_position(5.0)  # nothing is streamed unless asked for
    telemetry.set_rate_battery(2.0)
    refusals = armed(action)
    here = wait_for(lambda: (p := telemetry.position()) and abs(p.latitude_deg) > 1 and p, "a position")
    goal = (here.latitude_deg + north, here.longitude_deg + east)
    action.goto_location(*goal, 0.0, math.nan)

    def is_there() -> bool:
        now = telemetry.position()
        return math.hypot(now.latitude_deg - goal[0], now.longitude_deg - goal[1]) * 111_000 < 5

    wait_for(is_there, "the boat's arrival")
    battery = wait_for(lambda: (b := telemetry.battery()) and b.voltage_v > 1 and b, "a battery")
    latitudes = [round((goal[0] + n * 1e-4) * 1e7) for n in range(3)]
    items = [
        MissionItem(n, 6, 16, int(n == 0), 1, 0.0, 0.0, 0.0, 0.0, latitude, round(goal[1] * 1e7), 0.0, 0)
        for n, latitude in enumerate(latitudes)
    ]
    upload(missions, items)
    fetched = missions.download_mission()
    seen = {
        "refusals": refusals,
        "armed": bool(telemetry.armed()),
        "mode": str(telemetry.flight_mode()),
        "volts": battery.voltage_v,
        "sent": latitudes,
        "fetched": [item.x for item in (fetched[0] if isinstance(fetched, tuple) else fetched)],
    }
    sys.stdout.write(json.dumps(seen) + "\n")
    sys.stdout.flush()
    sdk.destroy()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
