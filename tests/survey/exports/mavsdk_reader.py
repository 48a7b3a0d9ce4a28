"""MAVSDK reads a plan of QGroundControl, in a process of its own; prints what is in it, a line of JSON.

Run as: mavsdk_reader.py PORT FILE. It reads plans for a system that it hears, so a heartbeat is sent to it.
"""

import json
import sys
import threading
import time

from mavsdk import ComponentType, Configuration, Mavsdk
from mavsdk.plugins.mission_raw import MissionRaw
from pymavlink import mavutil
from pymavlink.dialects.v20 import ardupilotmega as dialect


def beat(port: str, ending: threading.Event) -> None:
    line = mavutil.mavlink_connection(f"udpout:127.0.0.1:{port}", source_system=1, source_component=1)
    boat, autopilot = dialect.MAV_TYPE_SURFACE_BOAT, dialect.MAV_AUTOPILOT_ARDUPILOTMEGA
    while not ending.wait(0.2):
        line.mav.heartbeat_send(boat, autopilot, 0, 0, 4)


def main(port: str, file: str) -> None:
    sdk = Mavsdk(Configuration.create_with_component_type(ComponentType.GROUND_STATION))
    sdk.add_any_connection(f"udpin://127.0.0.1:{port}")
    ending = threading.Event()
    heart = threading.Thread(target=beat, args=(port, ending))
    heart.start()
    try:
        until = time.monotonic() + 100
        while (system := sdk.first_autopilot(1.0)) is None and time.monotonic() < until:
            pass
        found = MissionRaw(system).import_qgroundcontrol_mission(file)
        items = {kind: getattr(found, f"{kind}_items") for kind in ("mission", "geofence", "rally")}
        told = {kind: [[item.command, item.x, item.y] for item in each] for kind, each in items.items()}
        sys.stdout.write(json.dumps(told) + "\n")
    finally:
        ending.set()
        heart.join()


main(*sys.argv[1:])
