"""What the messages of a recording look like, as JSON Schema; Foxglove knows the first three by their names.

Foxglove reads plain types only: a value that is not known is left out, never null.
"""

import math
from typing import Any

from akrig.survey.logs.mcap_file import SOUNDINGS

POSITION, TELEMETRY, EVENTS, PLAN, AREA, EPOCHS = (
    "/boat/position",
    "/boat/telemetry",
    "/events",
    "/plan",
    "/area",
    "/epochs",
)

NUMBER, TEXT, WHOLE, TRUTH = {"type": "number"}, {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
TIMESTAMP = {"type": "object", "title": "time", "properties": {"sec": WHOLE, "nsec": WHOLE}}


def _schema(title: str, **properties: dict[str, Any]) -> dict[str, Any]:
    return {"title": title, "type": "object", "properties": properties}


LOCATION = _schema(
    "foxglove.LocationFix",
    timestamp=TIMESTAMP,
    frame_id=TEXT,
    latitude=NUMBER,
    longitude=NUMBER,
    altitude=NUMBER,
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
    latitude=NUMBER,
    longitude=NUMBER,
    x=NUMBER,
    y=NUMBER,
    depth=NUMBER,
    raw=NUMBER,
    status={**TEXT, "enum": ["used", "kept", "rejected"]},
    reason=TEXT,
)
BOAT = _schema(
    "akrig.Telemetry",
    timestamp=TIMESTAMP,
    time=NUMBER,
    x=NUMBER,
    y=NUMBER,
    heading=NUMBER,
    speed=NUMBER,
    mode=TEXT,
    armed=TRUTH,
    battery=NUMBER,
    voltage=NUMBER,
    fix=NUMBER,
    satellites=NUMBER,
    hdop=NUMBER,
    depth=NUMBER,
    link=NUMBER,
    waiting={"type": "array", "items": TEXT},
)
EPOCH = _schema(
    "akrig.Epoch",
    timestamp=TIMESTAMP,
    index=WHOLE,
    loss=NUMBER,
    readings=NUMBER,
    distance=NUMBER,
    time=NUMBER,
    x=NUMBER,
    y=NUMBER,
    heading=NUMBER,
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
