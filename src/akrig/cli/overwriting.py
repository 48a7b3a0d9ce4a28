"""Where commands may write: not over what they read, nor over what akrig did not make, unless they are told to."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from akrig.files import whole_path

if TYPE_CHECKING:
    from akrig.journal.folder import RunFolder

FORCE = click.option("--force", is_flag=True, help="Replace a file that akrig did not make.")
LOOKED_AT = 4096  # bytes at the beginning and at the end
# Of pages, of pictures, of films, of where a simulated boat was, of plans; the last is of KML, and of pages before they
# had the first.
MARKS = (
    b'<meta name="generator" content="akrig">',
    b"Software\0akrig",
    b"Made by akrig",
    b"time_unix,longitude,latitude,x,y,heading,",
    b'"groundStation": "akrig"',
    b"Written by akrig ",
)


def check_outputs(paths: Iterable[Path], *, force: bool | None = None, option: str = "--out") -> None:
    """`ClickException` if a file is there already and not akrig's.

    Args:
        force: replace it all the same; `None` where nobody can say so.
        option: that says where.
    """
    for path in paths:
        if not os.path.lexists(path) or _is_ours(path):
            continue
        if not path.is_file():
            raise click.ClickException(f"{path} exists and is not a file; choose another {option}.")
        if not force:
            ways = f"choose another {option}" + ("" if force is None else ", or give --force")
            raise click.ClickException(f"{path} exists and was not made by akrig; {ways}.")


def check_not_read(path: Path, folders: Iterable["RunFolder"]) -> None:
    """`ClickException` if a page would replace what it is made from, whatever the way that leads there."""
    place = whole_path(path)
    for folder in folders:
        if any(place.is_relative_to(whole_path(source)) for source in folder.sources):
            raise click.ClickException(f"{path} is what the report is made from; choose another --out.")


def _is_ours(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        begin = file.read(LOOKED_AT)
        file.seek(max(0, path.stat().st_size - LOOKED_AT))
        end = file.read(LOOKED_AT)
    return not begin or any(mark in begin + end for mark in MARKS)
