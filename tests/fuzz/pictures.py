"""Pictures in reports: what was drawn once is not drawn again, and all that differs is."""

import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

DRAWN_FROM = ("kernel", "strategy", "seed", "frame", "survey")  # of the settings


class Remembered:
    """Maps for a page, drawn by `draw` from a record that has nothing left but what the memory goes by.

    A picture that comes to need more of the record fails here, at once and in every case.
    """

    def __init__(self, draw: Callable[[Any, Sequence[str]], str]) -> None:
        self._draw = draw
        self._drawn: dict[bytes, str] = {}

    def __call__(self, record: Any, wanted: Sequence[str]) -> str:
        from akrig.plots.panel import final_surface

        surface = final_surface(record)
        bare = replace(
            record,
            path=Path("run"),
            settings={name: record.settings[name] for name in DRAWN_FROM if name in record.settings},
            scores={},
            timings={},
            ended=None,
            torn=0,
        )
        walked = [(epoch.index, epoch.pose, len(epoch.measurements)) for epoch in bare.epochs]
        seen = (wanted, bare.settings, bare.quantity, bare.units, bare.workspace, bare.samples.X, walked, surface)
        key = pickle.dumps(seen)
        if key not in self._drawn:
            self._drawn[key] = self._draw(bare, wanted)
        return self._drawn[key]
