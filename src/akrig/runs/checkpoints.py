"""The model as it was at the end of an epoch, so that resuming need not train it all again."""

import time
from collections.abc import Callable

from akrig.files import UnreadableFile
from akrig.gp.storage import UnreadableModel
from akrig.journal.folder import RunFolder
from akrig.protocols import Model, Saved, capability


class Checkpoints:
    """Saves the model now and then; the two newest are kept, in case the newest turns out unreadable.

    A model that cannot be saved is trained again from the journal.

    Args:
        every: seconds, at least, between saves.
    """

    def __init__(self, folder: RunFolder, model: Model, *, every: float) -> None:
        self._folder, self._model = folder, capability(model, Saved)
        self._every, self._last = every, time.monotonic()

    @property
    def is_due(self) -> bool:
        return self._model is not None and time.monotonic() - self._last > self._every

    def save(self, epoch: int) -> None:
        if self._model is None:
            return
        self._folder.checkpoints.mkdir(exist_ok=True)
        self._model.save(self._folder.checkpoint(epoch))
        for _, old in self._folder.list_checkpoints()[2:]:
            old.unlink(missing_ok=True)
        self._last = time.monotonic()

    def load_newest(self, *, before: int, tell: Callable[[str], None]) -> int:
        """The epoch it was saved after, which lies before epoch `before`; -1 if there is none that can be read."""
        for epoch, path in self._folder.list_checkpoints():
            if epoch < before and self._model is not None:
                try:
                    self._model.load(path)
                except (UnreadableModel, UnreadableFile) as error:
                    tell(f"{error} The model is rebuilt from the journal.")
                    continue
                return epoch
        return -1
