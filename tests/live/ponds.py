"""The folder of a small survey midway, as a survey leaves it, without the minutes that a boat takes."""

import json
from pathlib import Path

import numpy as np

from akrig.config import read_settings
from akrig.config.build import build_model
from akrig.config.vehicles import box
from akrig.journal.events import to_line
from akrig.survey.folders import create_survey
from akrig.survey.settings import area_of, load_survey
from akrig.types import Points, Samples
from tests.survey.pond import write_pond

BEGIN = 1_750_000_000.0  # seconds since 1970
TARGET = 0.4  # metres


def depth(X: Points) -> np.ndarray:
    """A hole in a bed that slopes to the east."""
    return 5 + 0.02 * X[:, 0] + 4 * np.exp(-((X - X.mean(axis=0)) ** 2).sum(axis=1) / (2 * 18.0**2))


def pond_survey(folder: Path, *, ended: bool = False) -> Path:
    """With a model after 80 readings, 4 rejected soundings, and telemetry."""
    folder.mkdir(parents=True, exist_ok=True)
    mission = write_pond(folder, more=f"[target]\nuncertainty = {TARGET}\n[scoring]\nmap_grid = [60, 44]")
    run = create_survey(load_survey(mission), folder / "pond")
    settings = read_settings(run.config)
    assert settings.survey is not None
    workspace, area = box(settings.workspace), area_of(settings.survey)
    assert workspace is not None
    grid = workspace.grid(12, 12)
    X = grid[area.allows(grid, margin=6)][:80]
    samples = Samples(X, depth(X))
    model = build_model(settings, workspace=workspace)
    model.observe(samples)
    model.fit(40)
    run.checkpoints.mkdir()
    model.save(run.checkpoint(0))
    run.journal.write_text("".join(map(to_line, _events(samples, ended=ended))))
    run.telemetry.write_text("".join(json.dumps(state) + "\n" for state in _states(X)))
    return run.path


def _events(samples: Samples, *, ended: bool) -> list[dict]:
    events: list[dict] = [
        {"event": "mission", "format": 1, "akrig": "0"},
        {"event": "plan", "waypoints": samples.X[-2:].tolist()},
    ]
    for k, (place, value) in enumerate(zip(samples.X.tolist(), samples.y.tolist(), strict=True)):
        when = {"time": 2.0 * k, "unix": BEGIN + 2 * k, "position": place}
        events.append({"event": "sounding", **when, "value": value, "raw": value - 0.15})
        events.append({"event": "measurement", "time": 2.0 * k, "position": place, "value": value})
        if k % 20 == 10:
            events.append({"event": "rejected", **when, "time": 2.0 * k + 1, "raw": 0.1, "reason": "a jump of 6 m"})
    events.append(
        {"event": "epoch", "index": 0, "loss": 0.1, "position": samples.X[-1].tolist(), "heading": 0.5,
         "readings": len(samples), "distance": 320.0, "time": 2.0 * len(samples), "vehicle": {}}
    )  # fmt: skip
    return [*events, {"event": "end", "reason": "budget"}] if ended else events


def _states(X: Points) -> list[dict]:
    return [
        {"time": 2.0 * k, "unix": BEGIN + 2 * k, "x": x, "y": y, "heading": 0.1, "speed": 1.5, "mode": "GUIDED",
         "armed": True, "battery": 0.7, "voltage": 15.5, "fix": 3, "satellites": 12, "hdop": 0.8, "depth": 6.0,
         "link": 0.2, "waiting": []}
        for k, (x, y) in enumerate(X.tolist())
    ]  # fmt: skip


def listing(run: Path) -> dict[str, tuple[int, int]]:
    """All that lies in a folder, and when it was changed."""
    files = [path for path in sorted(run.rglob("*")) if path.is_file()]
    return {str(path.relative_to(run)): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}
