"""The simulated boat in a process of its own: run-time type checks and the link's threads would slow it down.

Run as: boat_process.py PORT LONGITUDE LATITUDE SETTINGS (JSON). Reads lines, answers each with a line of JSON:
`state`, `move X Y`, or a fault such as `gps for 30`.
"""

import json
import sys
import threading

from akrig.frame import LocalFrame
from akrig.geometry import Box
from akrig.survey.boat import Boat, BoatSettings, parse_fault, serve
from akrig.survey.boat.beds import Flat


def obey(boat: Boat, line: str) -> dict:
    word, *rest = line.split()
    if word == "move":
        boat.motion.x, boat.motion.y = map(float, rest)
        boat.motion.surge = boat.motion.sway = 0.0
    elif word != "state":
        boat.inject(parse_fault(line))
    return {
        "position": boat.position,
        "estimate": boat.navigation.position,
        "has_position": boat.autopilot.has_position,
        "mode": boat.mode.name,
        "armed": boat.is_armed,
        "unix": boat.unix_time,
        "speed_limit": boat.autopilot.speed_limit,
    }


def main(port: str, longitude: str, latitude: str, settings: str) -> None:
    bed = Flat(5.0, Box((-500, -500), (500, 500)))
    frame = LocalFrame(float(longitude), float(latitude))
    boat, stop = Boat(BoatSettings(**json.loads(settings)), frame=frame, bed=bed), threading.Event()

    def listen() -> None:
        for line in sys.stdin:
            sys.stdout.write(json.dumps(obey(boat, line)) + "\n")
            sys.stdout.flush()
        stop.set()

    threading.Thread(target=listen, daemon=True).start()
    serve(boat, to=[("127.0.0.1", int(port))], stop=stop, tell=lambda text: None)


if __name__ == "__main__":
    main(*sys.argv[1:])
