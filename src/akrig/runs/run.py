"""A mission in a run folder: the loop and its consumers meet here."""

import errno
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from akrig import __version__
from akrig.config import Parts, Settings, build_mission, read_settings, resolve, to_toml
from akrig.errors import AkrigError, RunFolderError
from akrig.journal.events import Content, Journal, read_journal
from akrig.journal.folder import RunFolder
from akrig.journal.record import RecordedEpoch, epoch_event, recorded_epochs, unfinished_leg
from akrig.mission import Stopwatch
from akrig.runs.checkpoints import Checkpoints
from akrig.runs.map import write_map
from akrig.runs.scores import ScoreLog
from akrig.types import Epoch, Measurement, Plan
from akrig.vehicles import Continued, Journaled
from akrig.vehicles.wrappers import restore, state_of

SECONDS_BETWEEN_CHECKPOINTS = 5.0
DISK_TROUBLES = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)
VERSIONED = ("numpy", "scipy", "torch", "gpytorch", "numba")


@dataclass(frozen=True)
class MissionProgress:
    """What a watcher hears after every epoch.

    Args:
        share: of the budget spent.
        scores: the latest; empty before the first.
        repeated: the epoch was recorded before, and only learnt from again.
    """

    epoch: Epoch
    share: float
    scores: dict[str, float]
    repeated: bool


@dataclass(frozen=True)
class MissionWatcher:
    """Who looks on while a mission runs.

    Args:
        hear: after every epoch.
        tell: what a person should know, one sentence.
        wants_to_stop: asked after every epoch.
    """

    hear: Callable[[MissionProgress], None] = lambda news: None
    tell: Callable[[str], None] = lambda sentence: None
    wants_to_stop: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class SurveyHooks:
    """What is special about a mission with a boat; others just spend their budget.

    Args:
        conclude: after every epoch: why the mission is over already, or `None`.
        come_home: when it is over, before the map is drawn: the epochs of the way home.
        settle: after that: why it was over, as it is written down.
        may_look: is the model free to be looked at?
        catch_up: before the map is drawn: waits for a model that is still learning; no if that is not to be waited for.
    """

    conclude: Callable[[Epoch], str | None] = lambda epoch: None
    come_home: Callable[[str], Iterable[Epoch]] = lambda reason: ()
    settle: Callable[[str], str] = lambda reason: reason
    may_look: Callable[[], bool] = lambda: True
    catch_up: Callable[[], bool] = lambda: True


def create_run(settings: Settings, path: Path) -> RunFolder:
    """Resolves the settings, and makes the folder if they can be carried out."""
    settings = resolve(settings)
    field = build_mission(settings).field  # all parts, once: better to fail before there is a folder
    about = {"quantity": getattr(field, "quantity", ""), "units": getattr(field, "units", ""), **versions()}
    return RunFolder.create(path, to_toml(settings, about=about))


@cache
def versions() -> Mapping[str, str]:
    found = {"akrig": __version__}
    for name in VERSIONED:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return MappingProxyType(found)


def run_mission(
    folder: RunFolder, watcher: MissionWatcher | None = None, *, checkpoint_every: float = SECONDS_BETWEEN_CHECKPOINTS
) -> str:
    """Begin the mission in this folder, or go on with it; returns why it ended: "budget" or "stopped".

    Args:
        checkpoint_every: seconds between saves of the model; what happened since is learnt again from the journal.
    """
    watcher = watcher or MissionWatcher()
    with opened_run(folder, watcher.tell) as (settings, content, journal):
        parts = _build(settings, journal, recorded_epochs(content.events), watcher)
        checkpoints = Checkpoints(folder, parts.model, every=checkpoint_every)
        return Run(folder, settings, parts, journal, checkpoints, watcher).run_mission(content)


@contextmanager
def opened_run(
    folder: RunFolder, tell: Callable[[str], None], *, sync: Literal["reading", "epoch"] = "epoch"
) -> Iterator[tuple[Settings, Content, Journal]]:
    """A run that nobody else writes in meanwhile: its settings, what its journal held, and the journal, begun."""
    with folder.locked():
        settings, content = read_settings(folder.config), read_journal(folder.journal)
        if content.torn:
            tell(f"The journal's last line was cut off ({content.torn} bytes) and is dropped.")
        journal = Journal(folder.journal, sync=sync, content=content)
        try:
            if not content.events:
                journal.begin(__version__)
            yield settings, content, journal
        finally:
            journal.close()


def _build(settings: Settings, journal: Journal, done: list[RecordedEpoch], watcher: MissionWatcher) -> Parts:
    """A vehicle that can be restored will repeat an interrupted leg; of any other every reading is kept."""
    parts = build_mission(settings, wrap=lambda vehicle: Journaled(vehicle, journal))
    if state_of(parts.mission.vehicle):
        return parts
    journal.keep_every_reading()
    if not done:
        return parts
    watcher.tell("The vehicle cannot be put back where it was: the mission goes on from where it is now.")
    begin, first_leg = done[-1].used.time, len(done)
    return build_mission(
        settings, wrap=lambda vehicle: Journaled(Continued(vehicle, begin=begin), journal), first_leg=first_leg
    )


class Run:
    """The consumers of one mission's epochs: journal, scores, checkpoints, watcher."""

    def __init__(
        self,
        folder: RunFolder,
        settings: Settings,
        parts: Parts,
        journal: Journal,
        checkpoints: Checkpoints,
        watcher: MissionWatcher,
        hooks: SurveyHooks | None = None,
    ) -> None:
        self._folder, self._settings, self._parts, self._mission = folder, settings, parts, parts.mission
        self._journal, self._checkpoints, self._watcher = journal, checkpoints, watcher
        self._hooks = hooks or SurveyHooks()
        self._unseen: Epoch | None = None  # the last epoch, if the model was too busy to be looked at

    def run_mission(self, content: Content) -> str:
        done, saved = self._recall(content)
        try:
            self._catch_up(done, saved)
            if not state_of(self._mission.vehicle):
                self._finish_leg(*unfinished_leg(content.events))
            reason = self._go_on()
            if reason != "stopped":
                for epoch in self._hooks.come_home(reason):
                    self._record(epoch)
                reason = self._hooks.settle(reason)
            is_whole = reason != "stopped" and self._catch_up_with_all()
            self._checkpoint()
            if is_whole:
                write_map(self._folder.map, self._parts, self._settings)
        except Exception as error:
            message = str(error) if isinstance(error, AkrigError) else f"{type(error).__name__}: {error}"
            with suppress(AkrigError):
                self._journal.settle({"event": "fault", "message": message})
            if isinstance(error, OSError) and error.errno in DISK_TROUBLES and not isinstance(error, AkrigError):
                raise RunFolderError(
                    f"{self._folder.path} could not be written ({error.strerror}); what was written before is safe. "
                    f"Make room on the disk, then go on with `akrig resume {self._folder.path}`."
                ) from error
            raise
        ends = [event["reason"] for event in content.events if event["event"] == "end"]
        if reason != "stopped" and ends[-1:] != [reason]:
            self._journal.settle({"event": "end", "reason": reason})
        return reason

    def rebuild(self, content: Content) -> None:
        """The model, the scores and the map of a mission that is over, from what is on disk."""
        self._catch_up(*self._recall(content))
        if self._catch_up_with_all():
            write_map(self._folder.map, self._parts, self._settings)

    def _recall(self, content: Content) -> tuple[list[RecordedEpoch], int]:
        """The finished epochs, and which of them the newest checkpoint knows."""
        done = recorded_epochs(content.events)
        saved = self._checkpoints.load_newest(before=len(done), tell=self._watcher.tell)
        self._scores = ScoreLog(self._folder, self._settings, self._parts, keep_through=saved)
        return done, saved

    def _catch_up_with_all(self) -> bool:
        """Does the model know all readings now? If it was busy when they came, it is looked at once more."""
        if not self._hooks.catch_up():
            self._watcher.tell(f"The map is not drawn yet; `akrig resume {self._folder.path}` draws it.")
            return False
        if self._unseen is not None:
            self._scores.look(self._unseen)
        return True

    def _finish_leg(self, plan: Plan | None, leg: list[Measurement]) -> None:
        """Readings of a leg that was interrupted and cannot be repeated count as they are."""
        if plan is None or not leg:
            return
        epoch = self._mission.finish(plan, leg)
        self._journal.settle(epoch_event(epoch, {}))
        self._look(epoch, repeated=True)

    def _catch_up(self, done: list[RecordedEpoch], saved: int) -> None:
        """Become what the run was when its last finished epoch ended; the model is as after epoch `saved`."""
        alike = True
        for recorded in done:
            epoch = recorded.epoch
            if epoch.index <= saved:
                self._mission.skip(epoch)
                self._scores.skip(epoch)
            else:
                watch = Stopwatch()
                loss = self._mission.repeat(epoch)
                watch.lap("fit")
                alike &= loss == epoch.loss or not len(epoch.samples)
                self._look(replace(epoch, seconds=watch.laps), repeated=True)
        if not alike:
            self._watcher.tell(
                "Repeating recorded epochs gave other numbers than before: the mission goes on, but not bit for bit. "
                "Were numpy, torch or the machine changed?"
            )
        if done:
            restore(self._mission.vehicle, done[-1].vehicle)

    def _go_on(self) -> str:
        for epoch in self._mission.epochs():
            self._record(epoch)
            reason = self._hooks.conclude(epoch)
            if reason is not None:
                return reason
            if self._watcher.wants_to_stop() and not self._mission.remaining.is_spent:
                return "stopped"
        return "budget"

    def _record(self, epoch: Epoch) -> None:
        self._journal.settle(epoch_event(epoch, state_of(self._mission.vehicle)))
        self._look(epoch, repeated=False)

    def _look(self, epoch: Epoch, *, repeated: bool) -> None:
        self._unseen = epoch
        if self._hooks.may_look():
            self._unseen = None
            self._scores.look(epoch)
            if self._checkpoints.is_due:
                self._checkpoint()
        share = self._mission.budget.share_spent(epoch.used)
        self._watcher.hear(MissionProgress(epoch, share, self._scores.latest, repeated))

    def _checkpoint(self) -> None:
        """Journal and scores first: what a checkpoint covers is never computed again."""
        if self._mission.index and self._hooks.may_look():
            self._journal.sync()
            self._scores.sync()
            self._checkpoints.save(self._mission.index - 1)
