"""Where tables are printed."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

UNBOUNDED = 1000  # columns: a pipe or a file has no width, and who reads there wants a row per line


def output_console() -> "Console":
    """Standard output, as it is: names may hold brackets and colons, so nothing is markup."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else UNBOUNDED
    return Console(width=width, markup=False, emoji=False, highlight=False)
