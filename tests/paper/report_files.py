"""What a report has written."""

import csv
from pathlib import Path


def table(folder: Path, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "tables" / f"{name}.csv").read_text().splitlines()))


def page_of(folder: Path) -> str:
    return (folder / "report.html").read_text()


def figures(folder: Path) -> set[str]:
    return {path.name for path in (folder / "figures").iterdir()}
