"""What the page's processes ask of the operating system, as far as it knows of such things."""

import os
from contextlib import suppress


def lower_priority(steps: int) -> None:
    """The mission goes first; AKRIG_PAGE_NICE says by how much, if somebody knows better."""
    with suppress(OSError, AttributeError):  # there is no such thing on Windows
        os.nice(int(os.environ.get("AKRIG_PAGE_NICE", steps)))


def raise_file_limit(wanted: int = 2048) -> None:
    """Of open files: some systems begin with 256."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard) if hard > 0 else wanted, hard))
