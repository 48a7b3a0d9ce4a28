"""Sentences of NMEA 0183: checked, and taken apart."""


def fields_of(sentence: str) -> list[str] | None:
    """Its address, such as SDDPT, and its fields; `None` if it is none, or its checksum is wrong."""
    body, star, checksum = sentence.strip().removeprefix("$").partition("*")
    if not sentence.strip().startswith("$") or (star and not _is_right(body, checksum)):
        return None
    return body.split(",")


def number_in_field(field: str) -> float | None:
    """NaN if it is empty, `None` if it is no number."""
    try:
        return float(field) if field else float("nan")
    except ValueError:
        return None


def _is_right(body: str, checksum: str) -> bool:
    value = 0
    for character in body:
        value ^= ord(character)
    try:
        return int(checksum[:2], 16) == value
    except ValueError:
        return False
