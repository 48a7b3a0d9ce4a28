"""Pictures in reports: what was drawn once is not drawn again, and all that differs is."""

import pickle
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

from akrig.journal.record import Record
from akrig.plots.figures import FIGURES, RunFigure
from akrig.plots.panel import final_surface

DRAWN_FROM = ("kernel", "strategy", "seed", "frame", "survey")  # of the settings


class Remembered(RunFigure):
    """A map for a page, drawn from a record that has nothing left but what the memory goes by.

    A picture that comes to need more of the record fails here, at once and in every case.
    """

    drawn: dict[bytes, bytes] = {}  # noqa: RUF012

    def image(self, records: Sequence[Record], *, drawn: Path | None = None, share: int = 1) -> bytes:
        (record,) = records
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
        seen = (self.name, bare.settings, bare.quantity, bare.units, bare.workspace, bare.samples.X, walked, surface)
        key = pickle.dumps(seen)
        if key not in self.drawn:
            self.drawn[key] = super().image([bare])
        return self.drawn[key]


def remembered_maps() -> tuple[Remembered, ...]:
    """Of all figures, the maps that a page has one by one."""
    maps = [figure for figure in FIGURES if figure.place == "row"]
    return tuple(Remembered(**{each.name: getattr(figure, each.name) for each in fields(figure)}) for figure in maps)
