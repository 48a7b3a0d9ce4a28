"""MAVLink 2 with ArduPilot's messages, loaded once: pymavlink reads the version from the environment when imported."""

import os

os.environ.setdefault("MAVLINK20", "1")

from pymavlink.dialects.v20 import ardupilotmega as mavlink

__all__ = ["mavlink"]
