"""What all clients of the page share: the run as it is viewed, the newest map of its model, and news of changes."""

import asyncio
import json
import time
from contextlib import suppress
from typing import Any

import numpy as np

from akrig.live import model_worker
from akrig.live.maps import Map, interpolated
from akrig.live.model_client import ModelClient, Unavailable
from akrig.live.run_view import RunView
from akrig.live.streams import Cursor

SECONDS_BETWEEN_LOOKS = 0.4
REST = 9  # times as long as the last map took: a tenth of one core at most is spent on fresh maps
LONGEST_REST = 20.0  # seconds; and the rest after a failure
LARGEST_MODEL = 5000  # readings; a larger one would take too much memory beside the mission
SECONDS_IDLE = 2.0  # without clients, looks are rarer


class Feed:
    """Looks at the run while anybody watches; draws the model's map when there is a newer one."""

    def __init__(self, view: RunView) -> None:
        self.view, self.model_client = view, ModelClient()
        self.num_clients = 0
        self._changed = asyncio.Condition()
        self._status: dict[str, Any] = view.status
        self.version = 0
        self._first: tuple[int, str] = (-1, "")
        self._truths: dict[tuple[int, int], Any] = {}
        self._rest_until = 0.0

    async def run(self) -> None:
        drawing: asyncio.Task | None = None
        try:
            while True:
                await self._poll()
                if drawing is None or drawing.done():
                    drawing = asyncio.create_task(self._draw()) if self._should_draw() else None
                await asyncio.sleep(SECONDS_BETWEEN_LOOKS if self.num_clients else SECONDS_IDLE)
        finally:
            if drawing is not None:
                drawing.cancel()
            self.model_client.close()

    async def _poll(self) -> None:
        before = self.view.streams.cursors
        self.view.poll()
        if self.view.status != self._status or self.view.streams.since(before):
            await self.notify()

    async def notify(self) -> None:
        self.version += 1
        self._status = self.view.status
        async with self._changed:
            self._changed.notify_all()

    async def wait_for_news(self, version: int, *, seconds: float) -> None:
        """Returns when there is something newer, or after so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._changed:
                await self._changed.wait_for(lambda: self.version > version)

    def message(self, cursors: dict[str, Cursor]) -> str:
        """All that a client has not had; the first message is the same for all, and made once."""
        if not cursors:
            if self._first[0] != self.version:
                self._first = (self.version, self._composed({}))
            return self._first[1]
        return self._composed(cursors)

    @property
    def size(self) -> int:
        """Bytes of all news from the beginning, as far as they were told to anybody."""
        return len(self._first[1])

    def _composed(self, cursors: dict[str, Cursor]) -> str:
        content: dict[str, Any] = {
            "version": self.version,
            "now": round(time.time(), 1),
            "status": self._status,
            "streams": self.view.streams.since(cursors),
        }
        if not cursors:
            content["about"] = self.view.info.for_page(self.view.folder)
        return json.dumps(content, separators=(",", ":"), allow_nan=False)

    # -- the model -------------------------------------------------------------------------------------------------

    def _should_draw(self) -> bool:
        newest = self.view.newest_checkpoint
        if newest is None or not self.num_clients:
            return False
        have = self.view.model
        return (have is None or have[0] != newest) and time.monotonic() > self._rest_until

    async def _draw(self) -> None:
        epoch, begin = self.view.newest_checkpoint, time.monotonic()
        if epoch is None:
            return
        info, folder = self.view.info, self.view.folder
        readings = self.view.readings_after(epoch)
        try:
            if self.view.final_map is not None:
                layers = await self.model_client.ask(model_worker.read_final_map, self.view.final_map)
            elif info.can_predict and readings <= LARGEST_MODEL:
                layers = await self.model_client.ask(
                    model_worker.predict_map, folder.config, folder.checkpoint(epoch), info.workspace, info.grid
                )
            else:
                raise Unavailable("The model is too large, or not akrig's own.")
            self.view.model = (epoch, Map(readings, layers))
            await self.notify()
            rest = 0.0 if self.view.is_over else min(REST * (time.monotonic() - begin), LONGEST_REST)
        except Unavailable:
            rest = LONGEST_REST
        self._rest_until = time.monotonic() + rest

    async def at(self, x: float, y: float, readings: int | None) -> dict[str, Any]:
        """The prediction at a place.

        Args:
            readings: of the snapshot to look at, between its points; `None` is the newest map, by the model itself.
        """
        info, model = self.view.info, self.view.model
        lower, size = info.workspace.lower, info.workspace.size
        shares = [(v - a) / s for v, a, s in zip((x, y), lower, size, strict=True)]
        if not all(0 <= share <= 1 for share in shares):
            raise ValueError(f"({x:g}, {y:g}) is outside the map.")
        if readings is None and model is not None and info.can_predict and model[1].readings <= LARGEST_MODEL:
            with suppress(Unavailable):
                saved = self.view.folder.checkpoint(model[0])
                place = np.array([[x, y]])
                said = await self.model_client.ask(model_worker.predict_at, self.view.folder.config, saved, place)
                return {"source": "model", "readings": model[1].readings} | {n: float(v[0]) for n, v in said.items()}
        map = model[1] if readings is None and model is not None else self.view.snapshot(readings or 0)
        return {"source": "map", "readings": map.readings, **interpolated(map, shares[0], shares[1])}

    async def truth(self, rows: int, columns: int) -> Map:
        """On the grid of a map that is there; `Unavailable` or `ValueError` if it is not known."""
        frames = self.view.streams.frames
        shapes = set(zip(frames["rows"], frames["columns"], strict=True)) | {self.view.info.grid[::-1]}
        if not self.view.info.knows_truth or (rows, columns) not in shapes:
            raise ValueError("The truth is not known.")
        if (rows, columns) not in self._truths:
            self._truths[rows, columns] = await self.model_client.ask(
                model_worker.true_map, self.view.folder.config, self.view.info.workspace, (columns, rows)
            )
        return Map(0, {"truth": self._truths[rows, columns]})
