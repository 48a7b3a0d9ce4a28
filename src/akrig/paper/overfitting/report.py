"""The overfitting study's report: training and test MSLL after every step, beside the authors' curves."""

import csv
import math
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from statistics import fmean

import numpy as np

from akrig.paper.overfitting.figure import TrainingCurve, overfitting_figure
from akrig.paper.writing import (
    Place,
    ReportTable,
    add_figure,
    signed,
    write_csv,
    write_markdown,
    write_page,
)
from akrig.plots import page
from akrig.plots.formatting import MISSING, kernel_words
from akrig.study.definition import Study
from akrig.study.results import Results
from akrig.words import capital, joined, plural

NEAR = 0.02  # of MSLL: what chance in rounding leaves of two equal trainings
OVERFITS = 0.05  # of MSLL: a rise after the best step that is more than a wobble
_KERNELS = {"ak": "attentive", "rbf": "rbf", "gibbs": "gibbs", "dkl": "deep"}
_NUMBERS = ("best_test", "last_test", "last_train")
_CAPTION = (
    "MSLL after every training step; below zero is better than a flat map. Where a dashed line goes on falling while "
    "the solid one of its colour rises again, the model learns its readings by heart. Values of the first steps may "
    "lie above the panel."
)
_GIBBS = (
    "The authors' Gibbs kernel multiplies the exponent by the number of dimensions, which makes its lengthscales "
    "shorter by a factor of 1.4 at first; akrig's is the one that their paper describes, so its curves differ."
)


@dataclass(frozen=True)
class Row:
    """One field and kernel: MSLL, over seeds where there are several."""

    field: str
    kernel: str
    num_seeds: int
    best_test: float
    best_step: float
    last_test: float
    last_train: float
    last_smse: float

    @property
    def rise(self) -> float:
        return self.last_test - self.best_test

    @property
    def gap(self) -> float:
        """By how much the model is better at its readings than elsewhere, at the end."""
        return self.last_test - self.last_train


def write_overfitting(study: Study, results: Results, folder: Path) -> list[str]:
    """Tables, figure and page; returns what to say in the terminal."""
    watched = Results([result for result in results if "test_msll" in result.data])
    rows = _rows(watched)
    theirs = published_curves() if _is_the_papers(study) else {}
    sentences = _sentences(rows, theirs)
    _write_tables(folder, study, rows, theirs)
    parts = [page.paragraph(sentences[0], kind="lead")]
    parts += map(page.paragraph, sentences[1:])
    if len(watched):
        note = "Beneath: the authors' value, and ours less theirs." if theirs else ""
        figure = overfitting_figure(_panels(watched), name="MSLL")
        shown = add_figure(folder, "overfitting", figure, alt="Training and test MSLL over steps", caption=_CAPTION)
        parts.append(page.section("Step by step", [shown]))
        parts.append(page.section("Best and last", [page.paragraph(note), page.study_table(_table(rows, theirs))]))
    if len(watched) < len(results):
        few = "Some runs were scored only at their end (evaluation.every is not set) and are left out."
        parts.append(page.notice(few))
    if theirs and any(row.kernel == "gibbs" for row in rows):
        parts.append(page.paragraph(_GIBBS))
    return [*sentences, write_page(study, results, folder, parts)]


def published_curves() -> dict[tuple[str, str], Row]:
    """Of the authors' published curves, by field and kernel."""
    text = files("akrig.paper.overfitting").joinpath("published.csv").read_text(encoding="utf-8")
    by_split = {(row["field"], _KERNELS[row["kernel"]], row["split"]): row for row in csv.DictReader(text.splitlines())}
    found = {}
    for (field, kernel, split), row in by_split.items():
        if split == "test":
            train = by_split[field, kernel, "train"]
            test = (float(row["best_msll"]), float(row["best_iteration"]) + 1, float(row["last_msll"]))
            found[field, kernel] = Row(field, kernel, 1, *test, float(train["last_msll"]), float(row["last_smse"]))
    return found


def _is_the_papers(study: Study) -> bool:
    """Whether its runs can be held against the authors'."""
    readings, training = study.base.get("readings"), study.base.get("training", {})
    same = isinstance(readings, dict) and readings.get("name") == "authors" and readings.get("seed") == 0
    return same and training.get("steps") == 2000


def _panels(results: Results) -> dict[str, dict[str, list[TrainingCurve]]]:
    panels: dict[str, dict[str, list[TrainingCurve]]] = {}
    for result in results:
        scored = np.isfinite(result.data["test_msll"].to_numpy())
        columns = (result.data[name].to_numpy()[scored] for name in ("iteration", "train_msll", "test_msll"))
        kernels = panels.setdefault(result.label("field"), {})
        kernels.setdefault(result.label("kernel"), []).append(TrainingCurve(*columns))
    return panels


def _rows(results: Results) -> list[Row]:
    smse: dict[tuple[str, str], list[float]] = {}
    for result in results:
        kernel = result.label("kernel")
        smse.setdefault((result.label("field"), kernel), []).append(float(result.data["test_smse"].to_numpy()[-1]))
    rows = []
    for field, kernels in _panels(results).items():
        for kernel, curves in kernels.items():
            best = [int(np.argmin(curve.test)) for curve in curves]
            means = (
                fmean(float(curve.test[place]) for curve, place in zip(curves, best, strict=True)),
                fmean(float(curve.steps[place]) for curve, place in zip(curves, best, strict=True)),
                fmean(float(curve.test[-1]) for curve in curves),
                fmean(float(curve.train[-1]) for curve in curves),
                fmean(smse[field, kernel]),
            )
            rows.append(Row(field, kernel, len(curves), *means))
    return rows


def _sentences(rows: list[Row], theirs: dict[tuple[str, str], Row]) -> list[str]:
    if not rows:
        return ["No run was scored while it was trained: set evaluation.every."]
    said = [_robustness(rows), _worst(rows), _gaps(rows), _agreement(rows, theirs)]
    return [sentence for sentence in said if sentence]


def _robustness(rows: list[Row]) -> str:
    """On how many fields each kernel gets worse again."""
    kernels = list(dict.fromkeys(row.kernel for row in rows))
    parts = []
    for kernel in kernels:
        rises = [row.rise for row in rows if row.kernel == kernel]
        worse = sum(rise > OVERFITS for rise in rises)
        parts.append(f"{kernel_words(kernel)} on {worse} of {len(rises)}")
    return f"After its best step, test MSLL rises by more than {OVERFITS} before training ends: {joined(parts)} fields."


def _worst(rows: list[Row]) -> str:
    row = max(rows, key=lambda row: row.rise)
    if row.rise <= OVERFITS:
        return "No kernel overfits."
    return (
        f"It rises most with {kernel_words(row.kernel)} on {row.field}: from {signed(row.best_test)} at step "
        f"{row.best_step:.0f} to {signed(row.last_test)} at the end."
    )


def _gaps(rows: list[Row]) -> str:
    """Who is the most sure of its own readings."""
    kernels = list(dict.fromkeys(row.kernel for row in rows))
    gaps = {kernel: fmean(row.gap for row in rows if row.kernel == kernel) for kernel in kernels}
    parts = [f"{gaps[kernel]:.2f} with {kernel_words(kernel)}" for kernel in sorted(gaps, key=gaps.__getitem__)]
    best = {kernel: fmean(row.best_test for row in rows if row.kernel == kernel) for kernel in kernels}
    first = min(best, key=best.__getitem__)
    text = f"At the end, MSLL is lower at the readings than elsewhere by {joined(parts)}, on average."
    if len(kernels) < 2:
        return text
    fields = sum(_is_best(row, rows) for row in rows if row.kernel == first)
    total = len({row.field for row in rows})
    where = f"{fields} of {plural(total, 'field')}"
    return f"{text} {capital(kernel_words(first))} reaches the lowest test MSLL on {where}."


def _is_best(row: Row, rows: list[Row]) -> bool:
    return row.best_test == min(other.best_test for other in rows if other.field == row.field)


def _agreement(rows: list[Row], theirs: dict[tuple[str, str], Row]) -> str:
    pairs = [(row, theirs[row.field, row.kernel]) for row in rows if (row.field, row.kernel) in theirs]
    if not pairs:
        return ""
    parts = []
    for kernel in dict.fromkeys(row.kernel for row, _ in pairs):
        gaps = [
            abs(getattr(row, name) - getattr(their, name))
            for row, their in pairs
            if row.kernel == kernel
            for name in _NUMBERS
        ]
        parts.append(f"{sum(gap <= NEAR for gap in gaps)} of {len(gaps)} with {kernel_words(kernel)}")
    return f"Of the numbers that the authors published, ours are within {NEAR}: {joined(parts)}."


def _table(rows: list[Row], theirs: dict[tuple[str, str], Row]) -> ReportTable:
    heads = [
        "Field",
        "Kernel",
        "Best test MSLL",
        "at step",
        "Last test MSLL",
        "Rise",
        "Last training MSLL",
        "Last SMSE",
    ]
    shown: list[list[str]] = []
    best: set[Place] = set()
    notes: dict[Place, str] = {}
    marked: set[Place] = set()
    for i, row in enumerate(rows):
        is_first = i == 0 or rows[i - 1].field != row.field
        shown.append([row.field if is_first else "", row.kernel, *_numbers(row)])
        if _is_best(row, rows) and sum(other.field == row.field for other in rows) > 1:
            best.add((i, 2))
        their = theirs.get((row.field, row.kernel))
        if their is None:
            continue
        notes[i, 3] = f"{their.best_step:.0f}"
        for j, name in ((2, "best_test"), (4, "last_test"), (6, "last_train")):
            difference = getattr(row, name) - getattr(their, name)
            notes[i, j] = f"{signed(getattr(their, name))} ({signed(difference, plus=True)})"
            marked |= {(i, j)} if abs(difference) > 0.1 else set()
        notes[i, 7] = f"{their.last_smse:.4f}"
    return ReportTable(heads, shown, names=2, best=frozenset(best), notes=notes, marked=frozenset(marked))


def _numbers(row: Row) -> list[str]:
    test = (signed(row.best_test), f"{row.best_step:.0f}", signed(row.last_test), signed(row.rise, plus=True))
    return [*test, signed(row.last_train), f"{row.last_smse:.4f}"]


def _write_tables(folder: Path, study: Study, rows: list[Row], theirs: dict[tuple[str, str], Row]) -> None:
    names = ["best_test", "best_step", "last_test", "last_train", "last_smse"]
    nothing = Row("", "", 0, *[math.nan] * 5)
    lines, shown = [], []
    for row in rows:
        their = theirs.get((row.field, row.kernel), nothing)
        pairs = [(getattr(row, name), getattr(their, name)) for name in names]
        lines.append([row.field, row.kernel, row.num_seeds, *(n for a, b in pairs for n in (a, b, a - b))])
        parts = [f"{signed(b)} ({signed(a - b, plus=True)})" if math.isfinite(b) else MISSING for a, b in pairs]
        ours = _numbers(row)
        shown.append([row.field, row.kernel, ours[0], parts[0], ours[2], parts[2], ours[4], parts[3]])
    heads = [f"{name}{end}" for name in names for end in ("", "_authors", "_difference")]
    write_csv(folder, "overfitting", ["field", "kernel", "seeds", *heads], lines)
    columns = [
        "Field",
        "Kernel",
        "Best test",
        "authors' (ours less theirs)",
        "Last test",
        "authors'",
        "Last training",
        "authors'",
    ]
    table = ReportTable(columns, shown, names=2)
    intro = f"MSLL of {study.base.get('training', {}).get('steps', 'all')} training steps."
    write_markdown(folder, "overfitting", [f"# {study.title}", intro, table])
