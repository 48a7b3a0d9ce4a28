"""Every command that reads something, with what it reads; and a case of it for every seed."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.fuzz import damage, damage_arrays

DAMAGES = {**damage.BY_KIND, **damage_arrays.BY_KIND}


@dataclass(frozen=True)
class Scenario:
    """Args:
    command: words of `akrig`.
    file: that is damaged; of several that fit, the first.
    kind: of its content.
    needs: what the command finds in its folder beside.
    """

    command: str
    file: str
    kind: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """Args:
    damaged: the file, and how.
    must_fail: nobody could make sense of it.
    """

    seed: int
    command: list[str]
    damaged: str
    must_fail: bool = False


NEW = "--out new --no-report"
SURVEY = ("lake.geojson", "level.csv", "lake.toml")
OF_RUNS = {
    "config.toml": "toml", "journal.jsonl": "journal", "scores.csv": "table", "timings.csv": "table",
    "snapshots/*.npz": "npz", "map.nc": "netcdf", "checkpoint/*.pt": "checkpoint",
}  # fmt: skip
OF_SURVEYS = {"config.toml": "toml", "journal.jsonl": "journal", "telemetry.jsonl": "lines"}
# What `resume` reads of a mission that was stopped; of one that is complete it leaves most alone.
GONE_ON_WITH = {("run", name) for name in OF_RUNS} - {("run", "config.toml"), ("run", "map.nc")}
LOOKING = (
    "report {}",
    "plot {}",
    "view {} --no-browser --port 0",
    f"replay {{}} --kernel rbf {NEW}",
    "resume {} --no-report",
    "export {} --as track,soundings,plan --out new",
)


def _of_folders() -> list[Scenario]:
    made = []
    for folder, files in (("run", OF_RUNS), ("survey", OF_SURVEYS)):
        for name, kind in files.items():
            for command in LOOKING:
                of = "part" if command.startswith("resume") and (folder, name) in GONE_ON_WITH else folder
                made.append(Scenario(command.format(of), f"{of}/{name}", kind, (of,)))
        made.append(Scenario(f"tell {folder} hold --wait 0.01", f"{folder}/config.toml", "toml", (folder,)))
    return made


def _of_files() -> list[Scenario]:
    made = [
        Scenario(f"run mission.toml {NEW}", "mission.toml", "toml"),
        Scenario(f"run mission.toml {NEW}", "mission.toml", "toml"),
        Scenario("boat lake.toml", "lake.toml", "toml", SURVEY),
        Scenario("study study.toml --out new", "study.toml", "toml"),
        Scenario("study study.toml --out results", "results/study.toml", "toml", ("results", "study.toml")),
        Scenario("study study.toml --out results", "results/runs/*/done.json", "json", ("results", "study.toml")),
        Scenario("study study.toml --out results", "results/runs/*/result.nc", "netcdf", ("results", "study.toml")),
    ]
    survey = f"survey lake.toml --simulate {NEW}"
    for name, kind in (("lake.toml", "toml"), ("lake.geojson", "json"), ("level.csv", "table")):
        made += [Scenario(survey, name, kind, SURVEY)] * 2
    for name, kind in (("lake.geojson", "json"), ("lake.kml", "text"), ("lake.plan", "json")):
        made.append(Scenario(f"boat --area {name} --bed flat", name, kind))
    for name, kind in (("bed.tif", "geotiff"), ("bed.npy", "npy"), ("bed.asc", "text"), ("N17E073.hgt", "bytes"),
                       ("bed.png", "bytes"), ("bed.jpg", "bytes"), ("bed.bag", "bytes")):  # fmt: skip
        made += [
            Scenario(f"run --field {name} --strategy random --budget 60 {NEW}", name, kind),
            Scenario(f"boat --bed {name} --area lake.geojson", name, kind, SURVEY),
        ]
    for command in ("fields", f"run --field N17E073 --strategy random --budget 60 {NEW}"):
        made.append(Scenario(command, "data/fields/N17E073.npy", "npy", ("data",)))
    made.append(Scenario("boat --bed soundings.csv --area lake.geojson", "soundings.csv", "table", SURVEY))
    for name, kind in (("soundings.csv", "table"), ("deeper.csv", "table"), ("readings.csv", "table"),
                       ("recording.mcap", "bytes"), ("log.nmea", "text"), ("log.sl2", "bytes"), ("log.sl3", "bytes"),
                       ("log.bin", "bytes")):  # fmt: skip
        made += [Scenario(f"replay {name} --kernel rbf {NEW}", name, kind)] * 2
    prior = f"replay soundings.csv --set model.prior_map=bed.tif {NEW}"
    made.append(Scenario(prior, "bed.tif", "geotiff", ("soundings.csv",)))
    made.append(Scenario(f"replay readings.csv --spacing 2 --kernel rbf {NEW}", "readings.csv", "table"))
    return made


SCENARIOS = (*_of_folders(), *_of_files())
KEYS = (
    "kernel.hidden", "kernel.name", "kernel.lengthscale", "field.name", "field.downsample", "seed", "budget", "x", "",
    "budget.distance", "scoring.grid", "strategy.num_candidates", "pilot.readings", "sensor.noise_std", "a.b.c.d",
    "workspace.lower", "training.steps_per_reading", "vehicle.spacing", "vehicle.name", "vehicle.log", "frame.latitude",
)  # fmt: skip


def make_case(seed: int, material: Path, here: Path) -> Case:
    """The command and, in an empty folder, what it finds there."""
    rng = Random(seed)
    if rng.random() < 0.05:
        return Case(seed, _options(rng), "options")
    scenario = rng.choice(SCENARIOS)
    for name in {scenario.file.split("/")[0], *scenario.needs}:
        source = material / name
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, here / name)
    path = sorted(here.glob(scenario.file))[0]
    if rng.random() < 0.15:
        how = damage.replace(path, rng)
        is_read = scenario.file in scenario.command.split() or (
            scenario.file.endswith("config.toml") and not scenario.command.startswith(("replay", "tell"))
        )
        is_all_default = how == "as_empty" and scenario.command.startswith("run mission.toml")
        must_fail = is_read and not is_all_default
        return Case(seed, scenario.command.split(), f"{scenario.file} {how}", must_fail=must_fail)
    spoil: Callable[[bytes, Random], bytes] = rng.choice(DAMAGES[scenario.kind])
    path.write_bytes(spoil(path.read_bytes(), rng))
    return Case(seed, scenario.command.split(), f"{scenario.file} {spoil.__name__}")


def _options(rng: Random) -> list[str]:
    odd = str(rng.choice((damage.value(rng), rng.choice(damage.WORDS)))).replace("\0", "")[:300]
    return rng.choice(
        (
            ["run", "--set", f"{rng.choice(KEYS)}={odd}", "--out", "new", "--no-report"],
            ["run", "--set", f"{rng.choice(KEYS)}={odd}", "--out", "new", "--no-report"],
            ["run", "--field", odd or "x", "--out", "new", "--no-report"],
            ["run", "--budget", odd, "--out", "new", "--no-report"],
            ["run", "--seed", odd, "--out", "new", "--no-report"],
            ["run", "--time", odd, "--distance", odd, "--out", "new", "--no-report"],
            ["boat", "--home", f"{odd},{odd}"],
            ["boat", "--param", f"WP_SPEED={odd}"],
            ["boat", "--fault", f"gps@{odd}"],
            ["boat", "--wind", f"{odd},3"],
            ["boat", "--speedup", odd],
            ["boat", "--to", f"127.0.0.1:{odd}"],
            ["study", "benchmark-offline", "--seeds", odd, "--out", "new"],
            ["study", "benchmark-offline", "--only", odd, "--out", "new"],
            ["tell", ".", "goto", odd, odd],
        )
    )
