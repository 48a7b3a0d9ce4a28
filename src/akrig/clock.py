"""The time of a mission as the page, the report and the terminal all say it."""

import math

MINUTE, HOUR, DAY = 60, 3600, 86400


def clock(seconds: float) -> str:
    """Since the mission began: `12:05`, `1:02:03`, and with its days `8 d 07:28:49`; nothing before it began."""
    if math.isnan(seconds):
        return ""
    whole = max(0, int(seconds))
    days, hours, minutes = whole // DAY, whole // HOUR % 24, whole // MINUTE % 60
    below = f"{minutes:02d}:{whole % MINUTE:02d}"
    if days:
        return f"{days} d {hours:02d}:{below}"
    return f"{hours}:{below}" if hours else below.removeprefix("0")
