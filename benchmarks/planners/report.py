"""What the study found, as tables."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from akrig.files import written_beside
from benchmarks.planners.comparison import Comparison, cells, comparisons, metres_to
from benchmarks.planners.surveys import LAWNMOWER, Row

HEAD = (
    *(
        "field",
        "km",
        "planner",
        "seeds",
        "RMSE (m)",
        "MSLL",
        "95 % coverage",
        "cells within",
        "plan (s): median, worst",
    ),
    *("RMSE by lawnmower's (worst)", "won (RMSE, MSLL)", "p (RMSE, MSLL), Holm"),
)
NOT_KEPT = ("errors",)
LOWER = 0.8  # of the lawnmower's RMSE: worth a word


def write_report(rows: Sequence[Row], folder: Path, *, target: float) -> str:
    """The tables, also into the folder, beside the rows they are made from."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [name for name in rows[0] if name not in NOT_KEPT]
    text = io.StringIO()
    writer = csv.DictWriter(text, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: f"{row[name]:.6g}" if isinstance(row[name], float) else row[name] for name in names})
    shown = "\n".join([table(rows), *overall(comparisons(rows)), *to_target(rows, target), ""])
    for name, content in (("surveys.csv", text.getvalue()), ("planners.md", shown)):
        with written_beside(folder / name) as beside:
            beside.write_text(content, encoding="utf-8")
    return shown


def table(rows: Sequence[Row]) -> str:
    """Markdown; means over the seeds."""
    compared = {(each.key, each.metric): each for each in comparisons(rows)}
    lines = ["| " + " | ".join(HEAD) + " |", "|---|---:|---|" + "---:|" * (len(HEAD) - 3)]
    for key, those in cells(rows).items():
        rmse, msll, coverage, within, median = (
            float(np.mean([row[name] for row in those]))
            for name in ("rmse", "msll", "coverage95", "within", "plan_median")
        )
        worst = max(row["plan_worst"] for row in those)
        pair = [compared.get((key, metric)) for metric in ("rmse", "msll")]
        cell = [key[0], f"{key[1] / 1000:.1f}", key[2], str(len(those)), f"{rmse:.2f}", f"{msll:.2f}"]
        cell += [f"{coverage:.2f}", f"{100 * within:.0f} %", f"{median:.2f}, {worst:.2f}", *_beside(*pair)]
        lines.append("| " + " | ".join(cell) + " |")
    return "\n".join(lines) + "\n"


def _beside(rmse: Comparison | None, msll: Comparison | None) -> tuple[str, str, str]:
    if rmse is None or msll is None:
        return "", "", ""
    ratio = f"{rmse.ratio:.2f} ({rmse.worst:.2f})"
    return ratio, f"{rmse.won}, {msll.won} of {len(rmse.seeds)}", f"{rmse.corrected:.3f}, {msll.corrected:.3f}"


def overall(found: Sequence[Comparison]) -> Iterator[str]:
    """Over all cells, contender by contender."""
    for name in dict.fromkeys(each.key[2] for each in found):
        rmse, msll = ([each for each in found if each.key[2] == name and each.metric == m] for m in ("rmse", "msll"))
        ratios = np.array([each.ratio for each in rmse])
        nats = np.mean([each.difference for each in msll])
        yield (
            f"- {name}: RMSE {100 * (ratios.mean() - 1):+.0f} % on average over {len(rmse)} cells, at least "
            f"{100 * (1 - LOWER):.0f} % lower in {int((ratios <= LOWER).sum())}; MSLL {nats:+.2f} nat; significantly "
            f"better in {_count(rmse, 'is_win')} and {_count(msll, 'is_win')} cells (RMSE, MSLL), "
            f"worse in {_count(rmse, 'is_loss')} and {_count(msll, 'is_loss')}; the worst single survey has "
            f"{max(each.worst for each in rmse):.2f} times the lawnmower's error"
        )


def _count(found: Sequence[Comparison], what: str) -> int:
    return sum(getattr(each, what) for each in found)


def to_target(rows: Sequence[Row], target: float) -> Iterator[str]:
    """Metres to reach a mean standard deviation, by the lawnmower's: the median over fields and seeds where both do."""
    names = [name for name in dict.fromkeys(row["contender"] for row in rows) if name != LAWNMOWER]
    for name in names:
        ratios, missed = [], 0
        for field, seed in dict.fromkeys((row["field"], row["seed"]) for row in rows):
            here = [row for row in rows if (row["field"], row["seed"]) == (field, seed)]
            ours, theirs = ([row for row in here if row["contender"] == each] for each in (name, LAWNMOWER))
            if ours and theirs:
                pair = np.array([metres_to(target, ours), metres_to(target, theirs)])
                if np.isfinite(pair).all():
                    ratios.append(pair[0] / pair[1])
                else:
                    missed += 1
        middle = f"{np.median(ratios):.2f} of the lawnmower's metres" if ratios else "never with the lawnmower"
        yield (
            f"- {name}, to a mean standard deviation of {target:g} m: {middle} ({len(ratios)} of fields and seeds; one "
            f"of the two does not reach it in {missed})"
        )
