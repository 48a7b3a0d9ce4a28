"""What the messages of a recording look like, as JSON Schema; Foxglove knows the first three by their names.

Foxglove reads plain types only: a value that is not known is left out, never null.
"""

import math
from typing import Any

from akrig.survey.logs.mcap_file import SOUNDINGS

POSITION, TELEMETRY = "/boat/position", "/boat/telemetry"
EVENTS, PLAN, AREA, EPOCHS = "/events", "/plan", "/area", "/epochs"

NUMBER, TEXT, WHOLE, TRUTH = {"type": "number"}, {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
TIMESTAMP = {"type": "object", "title": "time", "properties": {"sec": WHOLE, "nsec": WHOLE}}


def _schema(title: str, **properties: dict[str, Any]) -> dict[str, Any]:
    return {"title": title, "type": "object", "properties": properties}


def _numbers(*names: str) -> dict[str, dict[str, Any]]:
    return dict.fromkeys(names, NUMBER)


LOCATION = _schema(
    "foxglove.LocationFix",
    timestamp=TIMESTAMP,
    frame_id=TEXT,
    **_numbers("latitude", "longitude", "altitude"),
    position_covariance={"type": "array", "items": NUMBER, "minItems": 9, "maxItems": 9},
    position_covariance_type=WHOLE,
)
LOG = _schema(
    "foxglove.Log", timestamp=TIMESTAMP, level=WHOLE, message=TEXT, name=TEXT, file=TEXT, line={**WHOLE, "minimum": 0}
)
GEOJSON = _schema("foxglove.GeoJSON", geojson=TEXT)
SOUNDING = _schema(
    "akrig.Sounding",
    timestamp=TIMESTAMP,
    **_numbers("latitude", "longitude", "x", "y", "depth", "raw"),
    status={**TEXT, "enum": ["used", "kept", "rejected"]},
    reason=TEXT,
)
BOAT = _schema(
    "akrig.Telemetry",
    timestamp=TIMESTAMP,
    **_numbers("time", "x", "y", "heading", "speed"),
    mode=TEXT,
    armed=TRUTH,
    **_numbers("battery", "voltage", "fix", "satellites", "hdop", "depth", "link"),
    waiting={"type": "array", "items": TEXT},
)
EPOCH = _schema(
    "akrig.Epoch",
    timestamp=TIMESTAMP,
    index=WHOLE,
    **_numbers("loss", "readings", "distance", "time", "x", "y", "heading"),
)

CHANNELS: dict[str, dict[str, Any]] = {
    AREA: GEOJSON,
    PLAN: GEOJSON,
    POSITION: LOCATION,
    TELEMETRY: BOAT,
    SOUNDINGS: SOUNDING,
    EVENTS: LOG,
    EPOCHS: EPOCH,
}


def known(schema: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """Those of the values that the schema names and that are there: no null, no NaN."""
    return {name: values[name] for name in schema["properties"] if is_known(values.get(name))}


def is_known(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and not math.isfinite(value))
