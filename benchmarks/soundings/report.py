"""The table of what contenders said of held-back soundings."""

import json
from collections.abc import Iterable
from pathlib import Path

from akrig.files import write_text
from benchmarks.soundings.contenders import CONTENDERS

HEADER = "| contender | RMSE (m) | MAE (m) | MSLL | 95 % intervals | learning, CPU s | predicting, CPU s | |"
RULE = "|---|---:|---:|---:|---:|---:|---:|---|"


def kept_rows(folder: Path) -> list[dict]:
    """Of those that are done, in the order of the contenders."""
    files = [folder / f"{name}.json" for name in CONTENDERS]
    return [json.loads(file.read_text()) for file in files if file.exists()]


def table(rows: Iterable[dict]) -> str:
    rows = list(rows)
    if not rows:
        return ""
    first = rows[0]
    told = (
        f"{first['held']:,} soundings on {first['legs']} legs of the bay, held back; {first['known']:,} to learn from."
    )
    return "\n".join([told, "", HEADER, RULE, *map(_line, rows), ""])


def write_table(rows: Iterable[dict], folder: Path) -> str:
    text = table(rows)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "table.md", text)
    return text


def _line(row: dict) -> str:
    numbers = (
        f"{row['rmse']:.3f} | {row['mae']:.3f} | {row['msll']:.3f} | {100 * row['coverage']:.1f} % | "
        f"{row['learning_cpu_seconds']:.0f} | {row['predicting_cpu_seconds']:.1f}"
    )
    return f"| {row['contender']} | {numbers} | {row['about']} |"
