"""What one run of a study is, and the name that follows from it."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

FORMAT = 1  # of results; another number means that old results cannot be read


@dataclass(frozen=True, eq=False)
class Specification:
    """One run.

    Args:
        kind: what carries it out, "mission" or "regression".
        settings: complete, nested, and made of what JSON knows.
        labels: axis -> label, in the grid's order, and "seed"; for tables and figures, not part of the name.
    """

    kind: str
    settings: dict[str, Any]
    labels: dict[str, str]

    @cached_property
    def name(self) -> str:
        """Follows from the content: whoever computes the same run, wherever, gives it the same name."""
        return _digest(self.kind, self.settings)

    @cached_property
    def family(self) -> str:
        """The same for all seeds."""
        return family_of(self.kind, self.settings)

    @property
    def title(self) -> str:
        """For people."""
        return ", ".join(f"{axis}={label}" for axis, label in self.labels.items())


def family_of(kind: str, settings: dict[str, Any]) -> str:
    return _digest(kind, {key: value for key, value in settings.items() if key != "seed"})


def _digest(kind: str, settings: dict[str, Any]) -> str:
    canonical = json.dumps([FORMAT, kind, settings], sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]
