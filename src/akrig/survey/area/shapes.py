"""Which of the shapes of a file is the fence, which are keep-outs, and which is home."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from akrig.survey.area.area import Area, InvalidArea
from akrig.survey.area.validation import Drawn, LonLat, make_area
from akrig.words import capital

Role = Literal["fence", "keep-out", "home"]


@dataclass(frozen=True, eq=False)
class Shape:
    """One feature of a file.

    Args:
        label: what to call it in a message.
        kind: of its geometry, as the file says.
        role: as the file says; None if it does not.
        polygons: of each, the outer ring and then its holes.
        points: places.
    """

    label: str
    kind: str
    role: Role | None = None
    polygons: Sequence[Sequence[LonLat]] = field(default=())
    points: LonLat = field(default=())


def area_of_shapes(name: str, shapes: Sequence[Shape], *, advice: str) -> Area:
    """The area that is drawn; `advice` says how a file of this kind marks a keep-out."""
    for shape in shapes:
        _check_kind(shape)
    fence = _fence(shapes, advice)
    outline, *holes = fence.polygons[0]
    keep_outs = [Drawn(f"hole {number} of {fence.label}", hole) for number, hole in enumerate(holes, start=1)]
    for shape in shapes:
        if shape.role == "keep-out":
            keep_outs += [Drawn(shape.label, polygon[0]) for polygon in shape.polygons]  # an island's lakes are land
    return make_area(name, Drawn(fence.label, outline), keep_outs=keep_outs, home=_home(shapes))


def _check_kind(shape: Shape) -> None:
    if shape.role == "home" and len(shape.points) != 1:
        raise InvalidArea(f"Home is one Point, but {shape.label} is a {shape.kind}; draw a point.")
    if shape.role in ("fence", "keep-out") and not shape.polygons:
        raise InvalidArea(f"A {shape.role} is a Polygon, but {shape.label} is a {shape.kind}; draw a closed polygon.")
    if any(not polygon for polygon in shape.polygons):
        raise InvalidArea(f"{capital(shape.label)} is a polygon without corners; draw it again.")


def _fence(shapes: Sequence[Shape], advice: str) -> Shape:
    fences = [shape for shape in shapes if shape.polygons and shape.role in ("fence", None)]
    if not fences:
        others = sorted({shape.kind for shape in shapes if not shape.polygons})
        found = f" (only {', '.join(others)})" if others else ""
        raise InvalidArea(f"There is no polygon to be the fence{found}; draw a closed polygon around the water.")
    if len(fences) > 1:
        named = " and ".join(shape.label for shape in fences[:3])
        raise InvalidArea(f"There are {len(fences)} polygons that could be the fence, {named}; {advice}.")
    if len(fences[0].polygons) > 1:
        raise InvalidArea(
            f"The fence, {fences[0].label}, consists of {len(fences[0].polygons)} polygons; survey them one by one."
        )
    return fences[0]


def _home(shapes: Sequence[Shape]) -> Drawn | None:
    marked = [shape for shape in shapes if shape.role == "home"]
    homes = marked or [shape for shape in shapes if shape.role is None and shape.points]
    if len(homes) > 1 or any(len(shape.points) > 1 for shape in homes):
        named = " and ".join(shape.label for shape in homes[:3])
        raise InvalidArea(f"There is more than one point that could be home, {named}; keep one.")
    return Drawn(f"home ({homes[0].label})", homes[0].points) if homes else None
