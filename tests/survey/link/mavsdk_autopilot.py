"""MAVSDK's server as autopilot, in a process of its own: says what it was asked to do, one JSON line each.

Run as: mavsdk_autopilot.py PORT (of the ground station). Reads lines: `armable` from then on lets itself be armed.
"""

import json
import sys
import threading

from mavsdk import ComponentType, Configuration, Mavsdk
from mavsdk.plugins.action_server import ActionServer, AllowableFlightModes
from mavsdk.plugins.mavlink_direct_server import MavlinkDirectServer

WATCHED = ("SET_POSITION_TARGET_GLOBAL_INT", "COMMAND_LONG", "HEARTBEAT")
_writing = threading.Lock()


def say(what: str, value) -> None:
    with _writing:
        sys.stdout.write(json.dumps([what, value]) + "\n")
        sys.stdout.flush()


def main(port: str) -> None:
    sdk = Mavsdk(Configuration.create_with_component_type(ComponentType.AUTOPILOT))
    component = sdk.server_component()
    action, direct = ActionServer(component), MavlinkDirectServer(component)
    action.set_armable(False, False)
    action.set_disarmable(True, True)
    action.set_allowable_flight_modes(AllowableFlightModes(True, True, True, True, True, True, True))
    action.subscribe_arm_disarm(lambda result, order, _: say("arm", [result.name, bool(order.arm)]))
    action.subscribe_flight_mode_change(lambda result, mode, _: say("mode", [result.name, str(mode)]))
    for name in WATCHED:
        direct.subscribe_message(name, lambda message, _: say(message.message_name, json.loads(message.fields_json)))
    say("open", sdk.add_any_connection(f"udpout://127.0.0.1:{port}").name)
    for line in sys.stdin:
        if line.strip() == "armable":
            action.set_armable(True, True)
            say("armable", True)
    sdk.destroy()


if __name__ == "__main__":
    main(sys.argv[1])
