"""What sections of settings are made of: closed to unknown words, frozen, finite numbers, boxes, and named parts."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from akrig.config.names import check_name, check_options
from akrig.parts import Part, find

LARGEST = 1e12  # metres or seconds: to Jupiter, or since the last ice age
LARGEST_READING = 1e30  # in whatever units a sensor has: beyond, numbers of four bytes end, as maps hold them
SMALLEST = 1e-12  # of what must not be nothing: below, quotients lose themselves
MOST = 1_000_000  # of anything that is kept or done one by one
WIDEST = 10_000  # of anything that a matrix is as wide as
NARROWEST = 1e-9  # of a box, as a share of its coordinates: a tank of a metre in UTM is 2e-7


def _not_too_small(value: float) -> float:
    if value < SMALLEST:
        raise ValueError(f"it should be at least {SMALLEST:g}; got {value:g}")
    return value


Number = Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, le=LARGEST, allow_inf_nan=False), AfterValidator(_not_too_small)]
NotNegative = Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False)]
InUnits = Annotated[float, Field(ge=0, le=LARGEST_READING, allow_inf_nan=False)]  # of the sensor
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1, le=MOST)]
Several = Annotated[int, Field(ge=2, le=MOST)]
Lines = Annotated[int, Field(ge=2, le=10_000)]
Width = Annotated[int, Field(ge=1, le=WIDEST)]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
Corner = Annotated[list[Number], Field(min_length=1, max_length=3)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class PartSection(Section):
    """A section that names a part: one of akrig's own (`akrig.parts`), or "module:Name".

    Options are for the user's own, and for those of akrig's that say which they take.
    """

    parts: ClassVar[Mapping[str, Part]]
    what: ClassVar[str]
    standard: ClassVar[str] = ""  # what it is if no name is given
    if TYPE_CHECKING:  # each section has its own: what it is if none is given, and where they stand in a file
        name: Any
        options: Any

    @model_validator(mode="after")
    def _known(self) -> "PartSection":
        if self.name is not None:
            check_name(self.name, self.parts, what=self.what)
            check_options(self.name, self.part_options, self.part.takes)
        return self

    @property
    def part(self) -> Part:
        return find(self.parts, self.name or self.standard)

    @property
    def choices(self) -> dict[str, Any]:
        """All that is given but the name and the options; what is not is as the part has it."""
        return {name: value for name, value in self if name not in ("name", "options") and value is not None}

    @property
    def part_options(self) -> dict[str, Any]:
        return self.options or {}


class Corners(Section):
    lower: Corner
    upper: Corner

    @model_validator(mode="after")
    def _ordered(self) -> "Corners":
        if len(self.lower) != len(self.upper) or not all(a < b for a, b in zip(self.lower, self.upper, strict=True)):
            raise ValueError(f"lower must lie below upper in every dimension; got {self.lower} and {self.upper}")
        for a, b in zip(self.lower, self.upper, strict=True):
            if b - a < NARROWEST * max(1.0, abs(a), abs(b)):
                raise ValueError(f"{a} and {b} are too near each other to be told apart on the way")
        return self
