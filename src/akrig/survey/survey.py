"""A survey in a run folder: connect, map, come home, rest; again and again, whatever happened in between."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from akrig.config import Settings
from akrig.errors import AkrigError, Interrupted
from akrig.journal.events import Content, Event, Journal
from akrig.journal.folder import RunFolder
from akrig.journal.record import recorded_epochs
from akrig.protocols import Field
from akrig.runs.checkpoints import Checkpoints
from akrig.runs.completion import COMPLETE
from akrig.runs.run import SECONDS_BETWEEN_CHECKPOINTS, MissionWatcher, Run, SurveyHooks, opened_run
from akrig.survey.area import Area
from akrig.survey.build import DepthInArea, Planning, build_boat, build_planning
from akrig.survey.goal import is_reached
from akrig.survey.link import Ending
from akrig.survey.link.alarms import Level
from akrig.survey.mailbox import FolderMailbox
from akrig.survey.preflight.checks import check_level_covers_survey, check_start
from akrig.survey.records import TelemetryFile, recorders
from akrig.survey.settings import area_of
from akrig.survey.start import (
    StationaryBoat,
    check_in_area,
    in_degrees,
    last_id,
    last_time,
    unfinished_waypoints,
    unused_soundings,
)
from akrig.types import Epoch, Plan
from akrig.vehicles import Journaled
from akrig.words import are, plural


@dataclass(frozen=True)
class SurveyWatcher:
    """Who looks on while a survey runs.

    Args:
        tell: a notice, with its level.
        brake: is given a function that stops the survey at once and leaves the boat holding.
        progress: metres of the plan that are done, and of all of it.
    """

    mission: MissionWatcher = field(default_factory=MissionWatcher)
    tell: Callable[[Level, str], None] = lambda level, message: None
    brake: Callable[[Callable[[], None]], None] = lambda stop: None
    progress: Callable[[float, float], None] = lambda done, all: None


def run_survey(
    folder: RunFolder, watcher: SurveyWatcher, *, truth: Field | None = None, address: str | None = None
) -> str:
    """Begin the survey in this folder, or go on with it; returns why it ended, in words, or "stopped".

    "not begun" is the answer if it was stopped before it had the boat.

    Args:
        truth: of a simulation, to score the map by.
        address: of the link, if it is not the one in the settings.
    """
    with opened_run(folder, watcher.mission.tell, sync="reading") as (settings, content, journal):
        journal.keep_every_reading()
        with closing(TelemetryFile(folder.telemetry)) as telemetry:
            survey = Survey(folder, _with_address(settings, address), journal, telemetry, watcher, truth)
            ends = [event["reason"] for event in content.events if event["event"] == "end"]
            if ends and ends[-1] in COMPLETE:  # no reason to wake the boat
                survey.rebuild(content)
                return ends[-1]
            return survey.run_mission(content)


def _with_address(settings: Settings, address: str | None) -> Settings:
    if settings.survey is None or address is None:
        return settings
    link = settings.surveyed.link.model_copy(update={"address": address})
    return settings.model_copy(update={"survey": settings.surveyed.model_copy(update={"link": link})})


class Survey:
    """One stretch of a survey, from connecting to the boat to letting go of it."""

    def __init__(
        self, folder: RunFolder, settings: Settings, journal: Journal, telemetry: TelemetryFile, watcher: SurveyWatcher,
        truth: Field | None,
    ) -> None:  # fmt: skip
        self._folder, self._settings, self._survey, self._journal = folder, settings, settings.surveyed, journal
        self._telemetry, self._watcher = telemetry, watcher
        self._area: Area = area_of(settings.surveyed)
        self._truth = None if truth is None else DepthInArea(truth, self._area)
        self._stopped = False
        self._homeward_ending: Ending | None = None  # what kept the boat from getting home

    def run_mission(self, content: Content) -> str:
        done = recorded_epochs(content.events)
        mailbox = FolderMailbox(self._folder, note=self._note_order)
        book = recorders(
            self._journal, self._telemetry, mailbox, tell=self._watcher.tell, progress=self._watcher.progress
        )
        self._boat = build_boat(
            self._settings, self._area, recorders=book, begin=last_time(content.events), last_id=last_id(content.events)
        )
        self._watcher.brake(self._brake)
        try:
            self._boat.connect()
            check_in_area(self._area, self._boat.pose)
            home = self._home(content.events)
            check_level_covers_survey(self._boat.level, self._settings, self._boat.now)
            check_start(self._boat, self._settings, self._folder.path)
            self._boat.take_up(unused_soundings(content.events))
            begins = f"goes on after {plural(len(done), 'leg')}" if done else "begins"
            self._say(f"The survey {begins}; home is {in_degrees(self._area, home)}.")
            self._boat.engage()
            return self._map(home, content)
        except Interrupted:
            return "not begun"
        except Exception:
            self._let_go()
            raise
        finally:
            self._boat.close()

    def rebuild(self, content: Content) -> None:
        """Map and results of a survey that is complete, without a boat."""
        self._watcher.mission.tell("The survey is complete: its map is made again, the boat is left alone.")
        epochs = recorded_epochs(content.events)
        stationary = StationaryBoat(epochs[-1].pose, epochs[-1].used.time)
        x, y = stationary.pose.position
        planning = build_planning(
            self._settings, self._area, (x, y),
            vehicle=stationary, truth=self._truth, tell=self._watcher.mission.tell,
        )  # fmt: skip
        try:
            may_look, catch_up = lambda: planning.worker.is_free, lambda: planning.model.catch_up(lambda: True)
            self._run(planning, SurveyHooks(may_look=may_look, catch_up=catch_up)).rebuild(content)
            self._results(planning)
        finally:
            planning.worker.close()

    def _map(self, home: tuple[float, float], content: Content) -> str:
        boat = Journaled(self._boat, self._journal)
        rest = unfinished_waypoints(content.events, home)
        if rest is not None:
            left = f"{plural(len(rest), 'waypoint')} {are(len(rest))} left of it"
            self._say(f"The plan that was interrupted comes first: {left}.")
        planning = build_planning(
            self._settings, self._area, home, vehicle=boat, truth=self._truth, unfinished=rest,
            tell=lambda said: self._boat.tell("warning", said), turning=self._boat.turning,
        )  # fmt: skip
        course = SurveyHooks(
            conclude=lambda epoch: self._verdict(planning, epoch),
            come_home=lambda reason: self._come_home(planning, home, reason),
            settle=self._settled,
            may_look=lambda: planning.worker.is_free,
            catch_up=lambda: planning.model.catch_up(lambda: not self._stopped),
        )
        try:
            reason = self._run(planning, course).run_mission(content)
        finally:
            planning.worker.close()
        if reason == "stopped":
            self._let_go()
        self._results(planning)
        return reason

    def _run(self, planning: Planning, course: SurveyHooks) -> Run:
        checkpoints = Checkpoints(self._folder, planning.parts.model, every=SECONDS_BETWEEN_CHECKPOINTS)
        watcher = self._watcher.mission
        return Run(self._folder, self._settings, planning.parts, self._journal, checkpoints, watcher, course)

    # -- when it is over -------------------------------------------------------------------------------------------

    def _verdict(self, planning: Planning, epoch: Epoch) -> str | None:
        if self._stopped:
            return "stopped"
        if self._boat.ending is not None:
            return f"{'came home' if self._boat.ending.course == 'return' else 'holds'}: {self._boat.ending.reason}"
        believed = planning.interrupted.is_done and planning.model.trust.is_earned
        if self._survey.target.is_set and believed and planning.worker.is_free:
            scoring, model = planning.parts.scoring, planning.parts.model
            if is_reached(self._survey, scoring.score(model.predict(scoring.points), model.samples)):
                return "target"
        mission = planning.parts.mission
        situation, rng = mission.situation, mission.randomness.generator("survey", mission.index)
        if situation.remaining.is_spent or not planning.affordable.is_anywhere(situation, rng):
            return "budget"
        return None

    def _come_home(self, planning: Planning, home: tuple[float, float], reason: str) -> Iterator[Epoch]:
        ending = self._boat.ending
        if ending is not None and ending.course == "hold":
            self._boat.rest(disarm=False)
            self._say(f"The boat holds its place. {ending.reason}", level="alarm")
            return
        self._say("The survey is done: the boat comes home.")
        self._homeward_ending = None
        self._boat.guard.come_home()
        yield planning.parts.mission.travel(Plan(np.array([home], dtype=float)))
        away = self._boat.distance_to(home)
        if self._boat.ending is None and away < 3 * self._survey.safety.goal_radius:
            disarm = self._survey.safety.disarm_at_home
            self._boat.rest(disarm=disarm)
            keeps = "its motors are off" if disarm else "keeps its place there; disarm it before you lift it out"
            self._say(f"The boat is at home and {keeps}.")
        else:
            self._homeward_ending = self._boat.ending or Ending("hold", "It did not get home.")
            why = f" {self._homeward_ending.reason}"
            self._boat.rest(disarm=False)
            self._say(f"The boat holds its place, {away:.0f} m from home.{why}", level="alarm")

    def _settled(self, reason: str) -> str:
        """Why the survey is over, once the boat is home; a survey whose boat is not is not over."""
        if self._homeward_ending is None:
            return reason
        return "stopped" if self._stopped else f"holds: {self._homeward_ending.reason}"

    def _let_go(self) -> None:
        """Whatever happened: the boat must not go on by itself."""
        try:
            self._boat.rest(disarm=False)
        except AkrigError as error:
            self._watcher.tell("alarm", f"The boat could not be told to hold ({error})")

    def _brake(self) -> None:
        self._stopped = True
        self._boat.guard.end(Ending("hold", "Stopped from the keyboard."))
        if not self._boat.guard.is_in_charge:
            self._boat.link.interrupt()

    def _results(self, planning: Planning) -> None:
        from akrig.survey.results import write_results

        if not planning.worker.is_free:
            again = f"`akrig resume {self._folder.path}`"
            self._watcher.mission.tell(f"The model is still busy: {again} makes the results.")
        elif len(planning.parts.model.samples):
            write_results(self._folder, self._settings, planning.parts.model)

    def _home(self, events: list[Event]) -> tuple[float, float]:
        """The area's; else where the boat was when the survey began."""
        if self._area.home is not None:
            return self._area.home
        noted = [event["position"] for event in events if event["event"] == "home"]
        x, y = noted[0] if noted else self._boat.pose.position
        if not noted:
            self._journal.note({"event": "home", "position": [x, y]})
        return x, y

    # -- words -----------------------------------------------------------------------------------------------------

    def _say(self, message: str, *, level: Level = "info") -> None:
        self._boat.tell(level, message)

    def _note_order(self, order, answer) -> None:
        event: Event = {"event": "command", "time": self._boat.clock, "unix": self._boat.now, "command": order.word}
        place = None if order.place is None else list(order.place)
        self._journal.note({**event, "place": place, "accepted": answer.accepted, "answer": answer.text})
        said = "done" if answer.accepted else "refused"
        self._watcher.tell("info", f"Order {order.word}: {said}, {answer.text}.")
