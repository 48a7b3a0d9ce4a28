"""What every section of settings is: closed to unknown words, frozen, and made of finite numbers."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

LARGEST = 1e12  # metres or seconds: to Jupiter, or since the last ice age
LARGEST_READING = 1e30  # in whatever units a sensor has: beyond, numbers of four bytes end, as maps hold them
SMALLEST = 1e-12  # of what must not be nothing: below, quotients lose themselves
MOST = 1_000_000  # of anything that is kept or done one by one
WIDEST = 10_000  # of anything that a matrix is as wide as


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
