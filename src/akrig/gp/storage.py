"""A model in a file: tensors and plain numbers only, never code, so that a file from elsewhere is safe to open."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from akrig.errors import AkrigError
from akrig.files import LARGEST, check_file, content_of, written_beside
from akrig.gp.adam import Moments
from akrig.gp.normalize import Normalization
from akrig.types import Samples

FORMAT = 1


class UnreadableModel(AkrigError, ValueError):
    """A file that does not hold the model that is asked for."""


@dataclass(frozen=True)
class State:
    samples: Samples
    normalization: Normalization | None
    module: dict[str, Any]
    moments: Moments
    num_factorized: int


def write_content(path: Path, content: dict[str, Any]) -> None:
    """Tensors and plain numbers, written beside and renamed."""
    with written_beside(path, synced=True) as beside, beside.open("wb") as file:
        torch.save({"format": FORMAT, **content}, file)


def read_content(path: Path) -> dict[str, Any]:
    """What was written, if it is of the format that this akrig reads."""
    check_file(path, most=LARGEST)
    try:
        content = torch.load(path, weights_only=True)
        version = content["format"]
    except Exception as error:
        raise UnreadableModel(f"{path} is not a saved akrig model.") from error
    if not isinstance(version, int) or version != FORMAT:
        raise UnreadableModel(f"{path} has format {version}, this akrig reads {FORMAT}; use the akrig that wrote it.")
    return content


def content_from(state: State) -> dict[str, Any]:
    scales, moments = state.normalization, state.moments
    return {
        "X": torch.tensor(state.samples.X),
        "y": torch.tensor(state.samples.y),
        "normalization": None
        if scales is None
        else {
            "center": torch.from_numpy(scales.center),
            "radius": torch.from_numpy(scales.radius),
            "offset": scales.offset,
            "scale": scales.scale,
        },
        "module": state.module,
        "moments": {
            "first": torch.from_numpy(moments.first),
            "second": torch.from_numpy(moments.second),
            "steps": moments.steps,
        },
        "num_factorized": state.num_factorized,
    }


def state_from(path: Path, content: dict[str, Any], *, expected: dict[str, torch.Tensor], num_moments: int) -> State:
    """The content of a file, checked against the parameters of the model it is meant for."""
    with content_of(path, advice="take another copy", error=UnreadableModel):
        _check_fits(path, content, expected=expected, num_moments=num_moments)
        return _state(content)


def _check_fits(path: Path, content: dict[str, Any], *, expected: dict[str, torch.Tensor], num_moments: int) -> None:
    if not isinstance(content["module"], dict):
        raise ValueError("its parameters are no section")
    found = {name: tuple(value.shape) for name, value in content["module"].items()}
    wanted = {name: tuple(value.shape) for name, value in expected.items()}
    if found != wanted:
        names = sorted(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name))
        raise UnreadableModel(
            f"{path} holds another kind of model: it differs in {', '.join(names[:3])}"
            f"{' and more' if len(names) > 3 else ''}; make the model with the kernel and mean it was saved with."
        )
    if not isinstance(content["moments"], dict):
        raise ValueError("its moments are no section")
    if any(tuple(content["moments"][name].shape) != (num_moments,) for name in ("first", "second")):
        raise UnreadableModel(f"{path} holds another kind of model: its optimiser has other parameters.")


def _state(content: dict[str, Any]) -> State:
    scales = content["normalization"]
    if scales is not None:
        if not isinstance(scales, dict):
            raise ValueError("its normalization is no section")
        scales = Normalization(scales["center"].numpy(), scales["radius"].numpy(), scales["offset"], scales["scale"])
    samples = Samples(content["X"].numpy(), content["y"].numpy())
    moments = content["moments"]
    moments = Moments(moments["first"].numpy(), moments["second"].numpy(), _count(moments, "steps"))
    num_factorized = _count(content, "num_factorized") if "num_factorized" in content else 0
    return State(samples, scales, content["module"], moments, num_factorized)


def _count(section: dict[str, Any], name: str) -> int:
    count = section[name]
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise ValueError(f"its {name} is no count")
    return count
