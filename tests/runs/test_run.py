"""What a run keeps when things go wrong, and when the vehicle is not one that can be put back."""

import resource

import pytest

from akrig.config import build_mission, load_settings, read_settings
from akrig.errors import RunFolderError
from akrig.files import write_text
from akrig.geometry import Pose
from akrig.journal import RunFolder, read_journal, read_record
from akrig.journal.events import Journal
from akrig.journal.record import recorded_epochs
from akrig.journal.tables import read_columns
from akrig.runs import MissionWatcher, create_run, run_mission
from akrig.runs.checkpoints import Checkpoints
from akrig.runs.run import Run, SurveyHooks
from akrig.types import Measurement
from akrig.vehicles import Journaled
from tests.runs.apart import apart, said_by

QUICK = {"field": "halves", "kernel": "rbf", "scoring": {"grid": [10, 10], "map_grid": [12, 12]}}


class RealBoat:
    """Without a state, like a boat on a lake; `fails_at` is the reading at which it loses its link."""

    fails_at = None

    def __init__(self, sensor, pose, noise):
        self.sensor, self.pose, self.noise = sensor, pose, noise
        self.clock, self.legs, self.readings = 0.0, 0, 0

    def follow(self, plan):
        rng = self.noise(self.legs)
        self.legs += 1
        for place in plan.waypoints:
            if self.readings == type(self).fails_at:
                raise ConnectionError("link lost")
            self.pose, self.clock, self.readings = Pose(tuple(place)), self.clock + 1, self.readings + 1
            yield Measurement(self.clock, self.pose.position, self.sensor.measure(place[None], rng)[0])


def readings(folder: RunFolder) -> list[dict]:
    return [event for event in read_journal(folder.journal).events if event["event"] == "measurement"]


@pytest.fixture
def real(tmp_path, monkeypatch):
    monkeypatch.setattr(RealBoat, "fails_at", None)
    options = {**QUICK, "strategy": "active", "vehicle": f"{__name__}:RealBoat", "budget": 70}
    return create_run(load_settings(None, options), tmp_path / "run")


@pytest.mark.parametrize("fails_at", [30, 55])
def test_readings_of_a_boat_that_loses_its_link_are_kept_and_used(fails_at, real, monkeypatch):
    monkeypatch.setattr(RealBoat, "fails_at", fails_at)
    with pytest.raises(ConnectionError, match="link lost"):
        run_mission(real)
    assert len(readings(real)) == fails_at
    assert read_journal(real.journal).events[-1] == {"event": "fault", "message": "ConnectionError: link lost"}
    monkeypatch.setattr(RealBoat, "fails_at", None)
    told = []
    assert run_mission(real, MissionWatcher(tell=told.append)) == "budget"
    epochs = recorded_epochs(read_journal(real.journal).events)
    assert sum(len(epoch.measurements) for epoch in epochs) == len(readings(real)) == 70
    times = [event["time"] for event in readings(real)]
    if fails_at > 50:  # some epochs were done: the clock goes on
        assert times == sorted(times)
        assert any("goes on from where it is now" in sentence for sentence in told)
        errors = [event["value"] for event in readings(real)]
        assert len(set(errors)) == len(errors)


def test_every_reading_of_such_a_boat_is_on_disk_before_it_is_used(real, monkeypatch):
    seen = []

    def follow(self, plan):
        for measurement in original(self, plan):
            seen.append(len(readings(real)))
            yield measurement

    original = RealBoat.follow
    monkeypatch.setattr(RealBoat, "follow", follow)
    run_mission(real)
    assert seen == list(range(70))


def test_a_leg_that_is_broken_off_by_an_error_in_simulation_is_repeated(tmp_path, monkeypatch):
    folder = create_run(load_settings(None, {**QUICK, "strategy": "random", "budget": 60}), tmp_path / "run")
    from akrig.gp import GPRegression

    fit, count = GPRegression.fit, []

    def fails(self, steps, **options):
        count.append(steps)
        if len(count) == 4:
            raise RuntimeError("cosmic ray")
        return fit(self, steps, **options)

    monkeypatch.setattr(GPRegression, "fit", fails)
    with pytest.raises(RuntimeError, match="cosmic ray"):
        run_mission(folder)
    monkeypatch.undo()
    run_mission(folder)
    whole = create_run(load_settings(None, {**QUICK, "strategy": "random", "budget": 60}), tmp_path / "whole")
    run_mission(whole)
    kept, expected = (recorded_epochs(read_journal(f.journal).events) for f in (folder, whole))
    assert [epoch.measurements for epoch in kept] == [epoch.measurements for epoch in expected]
    assert folder.map.read_bytes() == whole.map.read_bytes()


def test_the_last_score_is_of_the_final_map(tmp_path):
    """Also if the last legs brought no reading."""
    for seed in range(6):
        options = {**QUICK, "strategy": "random", "seed": seed, "budget": {"time": 2800.0}, "pilot": {"readings": 40}}
        options["sensor"] = {"dropout_rate": 0.5}
        options["scoring"] = {**QUICK["scoring"], "every": 10}
        folder = create_run(load_settings(None, options), tmp_path / str(seed))
        run_mission(folder)
        record = read_record(folder.path)
        assert record.scores["samples"][-1] == len(record.samples)


def test_repeated_epochs_have_seconds_too(tmp_path):
    folder = create_run(load_settings(None, {**QUICK, "strategy": "random", "budget": 60}), tmp_path / "run")
    run_mission(folder)
    for _, path in folder.list_checkpoints():
        path.unlink()
    run_mission(folder)
    assert (read_columns(folder.timings)["fit"] > 0).all()


@pytest.mark.parametrize("limit", [14_000, 40_000])
def test_a_disk_that_is_full_for_anything_is_one_clear_sentence(limit, tmp_path):
    options = {**QUICK, "strategy": "active", "kernel": "attentive", "budget": 70}
    folder = create_run(load_settings(None, options), tmp_path / "run")
    assert apart(folder, room=limit).wait() == 1
    said = said_by(folder)
    assert said.count("\n") == 1, said
    assert "could not be written" in said
    assert "akrig resume" in said
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != limit
    assert run_mission(folder) == "budget"


@pytest.mark.parametrize("options", [{"kernel": "fractions:Fraction"}, {"strategy": "math:sqrt"}])
def test_no_folder_is_made_for_a_mission_that_cannot_be_built(options, tmp_path):
    with pytest.raises(Exception, match=r"is no kernel|is no strategy"):
        create_run(load_settings(None, {**QUICK, **options}), tmp_path / "run")
    assert not list(tmp_path.iterdir())


def test_a_folder_in_use_is_refused_and_let_go_afterwards(tmp_path):
    folder = create_run(load_settings(None, {**QUICK, "strategy": "random", "budget": 55}), tmp_path / "run")
    with folder.locked(), pytest.raises(RunFolderError, match="in use by another mission"):
        run_mission(RunFolder.open(folder.path))
    run_mission(folder)


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "file.txt"
    write_text(path, "old")
    write_text(path, "new")
    assert path.read_text() == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["file.txt"]


def run_with(course: SurveyHooks, path, told: list[str]) -> RunFolder:
    """A mission with a course, as a survey has one."""
    folder = create_run(load_settings(None, {**QUICK, "strategy": "active", "budget": 60}), path)
    settings, content = read_settings(folder.config), read_journal(folder.journal)
    journal = Journal(folder.journal, content=content)
    journal.begin("0")
    parts = build_mission(settings, wrap=lambda vehicle: Journaled(vehicle, journal))
    checkpoints = Checkpoints(folder, parts.model, every=1e9)
    Run(folder, settings, parts, journal, checkpoints, MissionWatcher(tell=told.append), course).run_mission(content)
    journal.close()
    return folder


def test_model_that_is_busy_at_the_end_is_waited_for_before_it_is_looked_at(tmp_path):
    is_free, has_map = [False], []

    def catch_up() -> bool:
        has_map.append((tmp_path / "run" / "map.nc").exists())
        is_free[0] = True
        return True

    folder = run_with(SurveyHooks(may_look=lambda: is_free[0], catch_up=catch_up), tmp_path / "run", [])
    assert has_map == [False]
    assert folder.map.exists()
    assert read_columns(folder.scores)["samples"].tolist() == [60]


def test_map_of_a_model_that_nobody_waits_for_is_not_drawn(tmp_path):
    told = []
    folder = run_with(SurveyHooks(may_look=lambda: False, catch_up=lambda: False), tmp_path / "run", told)
    assert not folder.map.exists()
    assert any("akrig resume" in sentence for sentence in told)
    assert read_journal(folder.journal).events[-1] == {"event": "end", "reason": "budget"}
