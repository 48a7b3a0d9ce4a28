"""More readings than one factorisation can take: how near to exact, at what cost, in how much memory.

python -m benchmarks.many_readings [accuracy epochs memory] [--json FILE] [--num 1500] [--readings 2000 100000]

Needs AKRIG_DATA for the tiles and the bay. Accuracy: the default model learns readings, exactly; what it says of a grid
is compared with what it says when it is loaded as a local one. Epochs: plan, observe a leg of 20 readings, fit, in turn
in one process. Memory: the peak of a process of its own that takes in the readings, fits, plans and draws a map.
"""

from benchmarks import timing  # isort: skip  # first: one thread

import argparse
import multiprocessing
import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from akrig.config import Settings, load_settings
from akrig.config.build import build_model, build_strategy
from akrig.fields import load_field
from akrig.geometry import Box, Pose
from akrig.gp import CombinedRegression
from akrig.protocols import Field
from akrig.types import Budget, Samples, Situation
from benchmarks.field_survey.worlds import bay

TILES = ("N17E073", "N43W080", "N45W123", "N47W124")
LEGS = ((100, 60), (200, 60), (400, 60), (1 << 20, 30))  # readings, and steps of training
LINES = 12
LEG = 20
PLANNERS = ("myopic", "route")
STEPS_OF_MEMORY = 50


def field_of(name: str) -> tuple[Field, Box]:
    """And the part of it that is read."""
    if name == "bay":
        world = bay(0)
        return world.bed, world.area.extent
    field = load_field(name)
    lower, upper = np.array(field.extent.lower), np.array(field.extent.upper)
    return field, Box(tuple(lower + 0.02 * (upper - lower)), tuple(upper - 0.02 * (upper - lower)))


def readings(field: Field, box: Box, num: int, *, on_tracks: bool, noise_std: float, seed: int = 0) -> Samples:
    rng = np.random.default_rng(seed)
    lower, upper = np.array(box.lower), np.array(box.upper)
    places = rng.uniform(size=(2 * num, 2))
    if on_tracks:
        line, share = np.divmod(np.linspace(0, LINES, 2 * num, endpoint=False), 1.0)
        places = np.stack([np.where(line % 2, 1 - share, share), (line + 0.5) / LINES], axis=1)
        places = np.clip(places + rng.normal(0, 0.002, places.shape), 0, 1)
    X = lower + (upper - lower) * places
    y = field(X) + rng.normal(0, noise_std, len(X))
    kept = np.flatnonzero(np.isfinite(y))
    kept = kept[np.linspace(0, len(kept) - 1, num).astype(int)]
    return Samples(X[kept], y[kept])


def settings_of(box: Box, *, local_from: int, planner: str = "myopic") -> Settings:
    workspace = {"lower": list(box.lower), "upper": list(box.upper)}
    model = {"local_from": local_from}
    return load_settings(None, {"field": "halves", "workspace": workspace, "strategy": planner, "model": model})


def model_of(box: Box, local_from: int) -> CombinedRegression:
    model = build_model(settings_of(box, local_from=local_from), workspace=box)
    assert isinstance(model, CombinedRegression)
    return model


def accuracy(name: str, *, on_tracks: bool, num: int) -> dict[str, float]:
    """Quantiles over a grid, of the field without noise."""
    field, box = field_of(name)
    samples = readings(field, box, num, on_tracks=on_tracks, noise_std=0.1 if name == "bay" else 1.0)
    exact, begin = model_of(box, 0), 0
    for size, steps in LEGS:
        exact.observe(samples.after(begin).first(size))
        exact.fit(steps)
        begin += size
    local = model_of(box, num - 1)
    with TemporaryDirectory() as folder:
        exact.save(Path(folder) / "model")
        local.load(Path(folder) / "model")
    grid = box.grid(50, 50)
    one, other = exact.latent(grid), local.latent(grid)
    off = np.abs(other.mean - one.mean) / one.std
    ratio = np.abs(other.variance / one.variance - 1)
    return {
        "mean 50 %": float(np.median(off)),
        "mean 99 %": float(np.quantile(off, 0.99)),
        "mean worst": float(off.max()),
        "variance 50 %": float(np.median(ratio)),
        "variance 99 %": float(np.quantile(ratio, 0.99)),
        "variance worst": float(ratio.max()),
    }


class Epochs:
    """Of a model with so many readings of a tile."""

    def __init__(self, num: int, *, local_from: int, planner: str) -> None:
        self.field, self.box = field_of(TILES[0])
        settings = settings_of(self.box, local_from=local_from, planner=planner)
        self.model, self.planner = build_model(settings, workspace=self.box), build_strategy(settings)
        self.number = 0
        first = min(300, num // 2)
        for size in (first, num - first):
            self.model.observe(self._read(size))
            self.model.fit(2)

    def _read(self, num: int) -> Samples:
        self.number += 1
        return readings(self.field, self.box, num, on_tracks=False, noise_std=1.0, seed=self.number)

    def run(self) -> dict[str, float]:
        """CPU seconds by part."""
        leg, pose = self._read(LEG), Pose((0.0, 0.0), 0.0)
        times = [time.process_time()]
        situation = Situation(pose, self.box, Budget(readings=400), 5)
        self.planner.plan(self.model, situation, np.random.default_rng(self.number))
        times.append(time.process_time())
        self.model.observe(leg)
        times.append(time.process_time())
        self.model.fit(LEG)
        times.append(time.process_time())
        parts = dict(zip(("plan", "observe", "fit"), np.diff(times).tolist(), strict=True))
        return {**parts, "epoch": times[-1] - times[0]}


def epochs(sizes: list[int], *, rounds: int) -> dict[str, dict[str, float]]:
    """Medians over rounds in which all take their turns."""
    makers = {
        f"{planner}, {num}, {how}": (num, 0 if how == "exact" else min(num - 1, 2000), planner)
        for planner in PLANNERS
        for num in sizes
        for how in (("exact", "local") if num <= 2000 else ("local",))
    }
    runs = {name: Epochs(num, local_from=local, planner=planner) for name, (num, local, planner) in makers.items()}
    found = {name: [run.run() for _ in range(1)] for name, run in runs.items()}  # warm
    found = {name: [] for name in found}
    for _ in range(rounds):
        for name, run in runs.items():
            found[name].append(run.run())
    return {
        name: {part: float(np.median([each[part] for each in all])) for part in all[0]} for name, all in found.items()
    }


def memory(num: int, answer) -> None:
    """In a process of its own."""
    before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    run = Epochs(num, local_from=2000, planner="route")
    run.model.fit(STEPS_OF_MEMORY)
    run.run()
    run.model.predict(run.box.grid(100, 100))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answer.put((before / 1024, peak / 1024, time.process_time() - begin))


def apart(num: int) -> tuple[float, float, float]:
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    process = context.Process(target=memory, args=(num, answer))
    process.start()
    found = answer.get()
    process.join()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Accuracy, time and memory of models of many readings.")
    parser.add_argument("what", nargs="*", default=["accuracy", "epochs", "memory"])
    parser.add_argument("--json", metavar="FILE", help="also write the numbers there")
    parser.add_argument("--num", type=int, default=1500, help="readings to compare with exact (default %(default)s)")
    parser.add_argument("--readings", type=int, nargs="+", default=[2000, 100_000], help="of which epochs are timed")
    parser.add_argument("--rounds", type=int, default=5, help="repetitions in alternation (default %(default)s)")
    given, results = parser.parse_args(), {}
    if "accuracy" in given.what:
        rows = []
        for name in (*TILES, "bay"):
            for on_tracks in (True, False):
                kind = "tracks" if on_tracks else "scattered"
                found = results[f"{name}, {kind}"] = accuracy(name, on_tracks=on_tracks, num=given.num)
                rows.append([f"{name}, {kind}", *(f"{value:.4f}" for value in found.values())])
                print(rows[-1], flush=True)
        timing.print_table(f"From exact, at {given.num} readings (standard deviations, shares)", ["", *found], rows)
    if "epochs" in given.what:
        found = results["epochs"] = epochs(given.readings, rounds=given.rounds)
        rows = [[name, *(f"{seconds:.2f}" for seconds in each.values())] for name, each in found.items()]
        timing.print_table("CPU seconds of an epoch", ["", "plan", "observe", "fit", "epoch"], rows)
    if "memory" in given.what:
        rows = []
        for num in (100_000, 1_000_000):
            before, peak, seconds = results[f"memory {num}"] = apart(num)
            rows.append([str(num), f"{before:.0f}", f"{peak:.0f}", f"{seconds:.0f}"])
        timing.print_table("Peak memory", ["readings", "MiB at first", "MiB at the peak", "CPU s"], rows)
    timing.write_json(given.json, results)


if __name__ == "__main__":
    main()
