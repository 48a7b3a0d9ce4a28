"""What a check before the start found: one thing, how it stands, and what to do about it."""

from dataclasses import dataclass
from typing import Literal

Standing = Literal["good", "note", "warning", "danger"]


@dataclass(frozen=True)
class Finding:
    """Args:
    name: of a parameter, or of a thing; `safety.accept` takes a danger on by this name.
    standing: "note" is what is not known, or worth knowing; "danger" keeps a survey from starting.
    sentence: how it is, or what will happen.
    value: of the parameter.
    remedy: what to type, a line each.
    """

    name: str
    standing: Standing
    sentence: str
    value: str = ""
    remedy: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.name} {self.value}".rstrip()


def set_parameter(name: str, value: float) -> str:
    """The line to type at a ground station, as MAVProxy takes it."""
    return f"param set {name} {value:g}"
