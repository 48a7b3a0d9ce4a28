"""What is kept of every epoch beside the journal: scores, snapshots of the map, and seconds."""

import io
import time
from typing import Any

import numpy as np

from akrig.config import Parts, Settings
from akrig.errors import RunFolderError
from akrig.files import content_of, write_bytes
from akrig.gp.attention import attention_at
from akrig.journal.folder import RunFolder
from akrig.journal.tables import Table
from akrig.metric_parts import EPOCH_COLUMNS
from akrig.metrics import foretold_by
from akrig.types import Epoch, Prediction, Values


class ScoreLog:
    """Looks at the map when it is time, which depends on nothing but the epochs so far.

    Args:
        keep_through: rows of later epochs are taken back, because these will be learnt again.
    """

    def __init__(self, folder: RunFolder, settings: Settings, parts: Parts, *, keep_through: int) -> None:
        self._folder, self._settings, self._parts = folder, settings.scoring, parts
        self._scores = Table(folder.scores, keep_through=keep_through)
        self._timings = Table(folder.timings, keep_through=keep_through)
        self._scored_at, self._num_snapshots = -self._settings.every, 0
        self.latest: dict[str, float] = {}
        rows = self._scores.rows()
        with content_of(
            folder.scores, advice="restore it from a copy, or delete it to do without", error=RunFolderError
        ):
            self._scored = {int(row["epoch"]) for row in rows}
            if rows:
                self._scored_at = int(rows[-1]["samples"])
                self.latest = {name: float(value) for name, value in rows[-1].items() if name not in EPOCH_COLUMNS}

    def skip(self, epoch: Epoch) -> None:
        """An epoch whose scores and snapshots are there already."""
        if epoch.index in self._scored:
            self._num_snapshots = self._snapshots_due()

    def look(self, epoch: Epoch) -> None:
        begin = time.perf_counter()
        readings, over = int(epoch.used.readings), self._parts.mission.remaining.is_spent
        new = readings - self._scored_at
        if new >= self._settings.every or (over and new > 0):
            prediction = self._parts.model.predict(self._parts.scoring.points)
            self.latest = self._parts.scoring.score(
                prediction, self._parts.model.samples, foretold=foretold_by(self._parts.model)
            )
            self._scored_at = readings
            columns = (epoch.index, readings, epoch.used.distance, epoch.used.time, epoch.loss)
            self._scores.append({**dict(zip(EPOCH_COLUMNS, columns, strict=True)), **self.latest})
            if self._snapshots_due() > self._num_snapshots:
                self._write_snapshot(readings, prediction)
                self._num_snapshots = self._snapshots_due()
        parts = {part: epoch.seconds.get(part, 0.0) for part in ("plan", "follow", "fit")}
        self._timings.append({"epoch": epoch.index, **parts, "look": time.perf_counter() - begin})

    def sync(self) -> None:
        self._scores.sync()
        self._timings.sync()

    def _snapshots_due(self) -> int:
        """How many there should be by now."""
        num, mission = self._settings.snapshots, self._parts.mission
        if not num or mission.workspace.dim != 2:
            return 0
        return min(num, 1 + int(mission.budget.share_spent(mission.used) * (num - 1) + 1e-9))

    def _as_grid(self, values: Values) -> np.ndarray:
        """Row 0 is south; nothing is shown where the map is about nothing."""
        scoring = self._parts.scoring
        shown = values if scoring.inside is None else np.where(scoring.inside(scoring.points), values, np.nan)
        return shown.reshape(scoring.counts).T.astype(np.float32)

    def _write_snapshot(self, readings: int, prediction: Prediction) -> None:
        layers = {"mean": prediction.mean, "std": prediction.std}
        attention = attention_at(self._parts.model, self._parts.scoring.points)
        if attention is not None:
            layers["lengthscale"] = attention.lengthscale
        grids: dict[str, Any] = {name: self._as_grid(values) for name, values in layers.items()}
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **grids)
        self._folder.snapshots.mkdir(exist_ok=True)
        write_bytes(self._folder.snapshot(readings), buffer.getvalue())
