"""A study: a grid of runs, in TOML."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from akrig.errors import ConfigError
from akrig.files import UnreadableFile, read_toml
from akrig.parts import label_of
from akrig.study.axes import Axis, Grid, Value, read_grids, read_seeds, unusable
from akrig.study.parts import KINDS, NO_REPORT, REPORTS
from akrig.study.specification import Specification

MOST_RUNS = 1_000_000
KEYS = ("title", "about", "kind", "report", "seeds", "base", "grid")
# Outside the package in the repository, to be read and copied as examples of what a study can say.
FOLDERS = (Path(__file__).parent / "definitions", Path(__file__).parents[3] / "studies")  # installed; in the repository


@dataclass(frozen=True)
class Study:
    """What to run, and what to make of it.

    Args:
        kind: what one run is.
        report: what is made of the results; "module:function" is the user's own.
        base: settings of every run.
        grids: every combination of each, joined.
    """

    name: str
    title: str
    about: str
    kind: str
    report: str
    seeds: tuple[int, ...]
    base: dict[str, Any]
    grids: tuple[Grid, ...]
    source: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def axes(self) -> dict[str, list[str]]:
        """Labels of every axis, in order of appearance, "seed" last."""
        found: dict[str, list[str]] = {}
        for grid in self.grids:
            for axis in grid:
                found.setdefault(axis.name, []).extend(value.label for value in axis.values)
        labels = {name: list(dict.fromkeys(labels)) for name, labels in found.items()}
        return {**labels, "seed": [str(seed) for seed in self.seeds]}

    @property
    def num_runs(self) -> int:
        return len(self.seeds) * sum(prod(len(axis.values) for axis in grid) for grid in self.grids)

    def specifications(self, only: Mapping[str, Collection[str]] | None = None) -> list[Specification]:
        """In the grids' order, seeds last; two may have the same name, if the same run is in two grids.

        Args:
            only: axis -> labels to keep.
        """
        known = self.axes
        wanted = {
            name: {label if label in known.get(name, ()) else label_of(label) for label in labels}
            for name, labels in (only or {}).items()
        }
        self._check(wanted)
        combinations = [values for grid in self.grids for values in product(*(axis.points for axis in grid))]
        made = [self._specify(values, seed) for values in combinations for seed in self.seeds]
        kept = [s for s in made if all(s.labels.get(name) in labels for name, labels in wanted.items())]
        if not kept:
            raise ConfigError("--only", [f"no run of {self.name} has all of these labels"])
        return kept

    def _specify(self, points: tuple[tuple[Axis, Value], ...], seed: int) -> Specification:
        from akrig.config.load import merged

        settings = merged({}, self.base)
        labels = {}
        for axis, value in points:
            settings = merged(settings, axis.place(value.content))
            labels[axis.name] = value.label
        return Specification(self.kind, {**settings, "seed": seed}, {**labels, "seed": str(seed)})

    def _check(self, wanted: Mapping[str, Collection[str]]) -> None:
        axes, problems = self.axes, []
        for name, labels in wanted.items():
            if name not in axes:
                problems.append(f"{name!r} is no axis of {self.name}; {_nearest(name, axes)}")
                continue
            problems += [
                f"{name} is never {label!r} in {self.name}; {_nearest(label, axes[name])}"
                for label in sorted(labels)
                if label not in axes[name]
            ]
        if problems:
            raise ConfigError("--only", problems)


def study_files() -> dict[str, Path]:
    """Studies that come with akrig, by name."""
    folder = next((folder for folder in FOLDERS if folder.is_dir()), None)
    return {file.stem: file for file in sorted(folder.glob("*.toml"))} if folder else {}


def load_study(name_or_path: str | Path, *, seeds: str | None = None) -> Study:
    """A study that comes with akrig, or one from a file.

    Args:
        seeds: instead of its own.
    """
    path = _find(name_or_path)
    try:
        content = read_toml(path)
    except UnreadableFile:
        raise
    except OSError as error:
        raise ConfigError(str(path), [f"it cannot be read ({error.strerror})"]) from None
    content.pop("format", None)  # of the study.toml in a folder of results
    study = read_study(content, name=content.pop("name", path.stem), source=str(path))
    if seeds is None:
        return study
    problems: list[str] = []
    chosen = read_seeds(seeds, problems)
    if problems:
        raise ConfigError("--seeds", [problem.removeprefix("seeds: ") for problem in problems])
    return replace(study, seeds=chosen)


def read_study(content: dict[str, Any], *, name: str, source: str) -> Study:
    """All that is wrong with it is said at once."""
    problems = [f"{key} is not a word of a study; {_nearest(key, KEYS)}" for key in content if key not in KEYS]
    if not content:
        problems.append("it is empty; a study says at least what its runs share (base) or differ in (grid)")
    kind, report = content.get("kind", "mission"), content.get("report", NO_REPORT)
    is_kind = isinstance(kind, str) and kind in KINDS
    if not is_kind:
        problems.append(f"kind: {kind!r} is not possible; {_nearest(str(kind), KINDS)}")
    if isinstance(report, str) and ":" in report:
        from akrig.config.names import check_code

        try:
            check_code(report)
        except ValueError as error:
            problems.append(f"report: {error}")
    elif report not in (*REPORTS, NO_REPORT):
        problems.append(f"report: {report!r} is not possible; {_nearest(str(report), (*REPORTS, NO_REPORT))}")
    elif is_kind and report != NO_REPORT and REPORTS[report].kind != kind:
        problems.append(f"report: {report!r} is not made of runs of the kind {kind!r}")
    texts = {key: content.get(key, default) for key, default in (("title", name), ("about", ""))}
    problems += [f"{key} should be text; got {text!r}" for key, text in texts.items() if not isinstance(text, str)]
    base = content.get("base", {})
    if not isinstance(base, dict):
        problems.append(f"base should be a section; got {base!r}")
    elif "seed" in base:
        problems.append("base.seed: seeds gives every run its own; remove it")
    else:
        problems += unusable(base, "base")
    seeds = read_seeds(content.get("seeds", 0), problems)
    grids = read_grids(content.get("grid"), problems)
    runs = len(seeds) * sum(prod(len(axis.values) for axis in grid) for grid in grids)
    if runs > MOST_RUNS:
        problems.append(f"grid: these are {runs:.3g} runs; akrig keeps track of at most {MOST_RUNS}")
    if problems:
        raise ConfigError(source, problems)
    return Study(name, texts["title"], texts["about"], kind, report, seeds, base, grids, content)


def _nearest(word: str, known: Iterable[str]) -> str:
    """As in settings; loaded when somebody erred, so that listing studies is light."""
    from akrig.config.names import nearest

    return nearest(word, known)


def _find(name_or_path: str | Path) -> Path:
    word, known = str(name_or_path), study_files()
    if word in known:
        return known[word]
    path = Path(name_or_path)
    if path.suffix == ".toml" or len(path.parts) > 1:
        if path.is_file():
            return path
        raise ConfigError("study", [f"there is no file {path}"])
    raise ConfigError(
        "study", [f"no study is called {word!r}; {_nearest(word, [*known, 'paper'])}, or name a .toml file"]
    )
