"""Files, read and written: from anywhere, with one sentence for what is wrong; to a disk, whole or not at all."""

import csv
import hashlib
import io
import json
import os
import stat
import struct
import tomllib
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from io import BufferedReader
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from akrig.errors import AkrigError, ConfigError

LARGEST = 4_000_000_000  # bytes of what is read whole
LARGEST_TEXT = 200_000_000  # of what people write: settings, drawings
LAST_BYTES = 8192  # of a stream, where its newest lines are
LONGEST_LINE = 100_000_000  # of a stream: a plan of a million waypoints has half of that
# What content raises that is not as it should be, in our own code and in that of others.
_WRONG = (
    ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError, RuntimeError, MemoryError,
    EOFError, csv.Error, struct.error, zlib.error, BadZipFile,
)  # fmt: skip
_LONGEST_REASON = 200
_STANDARD_ERROR = 2  # its descriptor


class UnreadableFile(AkrigError, OSError):
    """A file that is none, is too large, or does not hold what it should."""


def open_file(path: Path, *, most: int | None = None) -> BufferedReader:
    """Opened to be read, if it is a file: pipes and devices may never end. `FileNotFoundError` if there is none.

    Args:
        most: bytes that it may have; `None` where it is read piece by piece.
    """
    # Without waiting for somebody to write into a pipe.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode):
            raise UnreadableFile(f"{path} is a folder, not a file.")
        if not stat.S_ISREG(found.st_mode):
            raise UnreadableFile(f"{path} is a pipe or a device, not a file.")
        if most is not None and found.st_size > most:
            raise UnreadableFile(f"{path} has {found.st_size} bytes; akrig reads at most {most} of such a file.")
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def whole_path(path: Path) -> Path:
    """From the root on, links followed; as far as they lead somewhere."""
    return Path(os.path.realpath(path))


def check_file(path: Path, *, most: int | None = None) -> None:
    """For what others read by its name."""
    open_file(path, most=most).close()


def read_bytes(path: Path, *, most: int = LARGEST) -> bytes:
    with open_file(path, most=most) as file:
        return file.read(most)


def sha256_of(path: Path, *, most: int) -> str:
    with open_file(path, most=most) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_text(path: Path, *, most: int = LARGEST_TEXT) -> str:
    """In UTF-8, with the mark at the beginning that some editors leave, or without; `UnicodeDecodeError` if not."""
    with io.TextIOWrapper(open_file(path, most=most), encoding="utf-8-sig", newline="") as file:
        return file.read()


def read_lines(path: Path) -> Iterator[bytes]:
    """With their ends, as a stream: a day of telemetry need not fit into memory. None if there is no file.

    A last line without its end is being written, or was cut off: nothing is read after it.
    """
    if path.exists():
        with open_file(path) as file:
            while line := file.readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE:
                    raise UnreadableFile(
                        f"{path} has a line of more than {LONGEST_LINE} bytes; restore it from a copy."
                    )
                yield line
                if not line.endswith(b"\n"):
                    return


def read_last_lines(path: Path) -> list[bytes]:
    """Those in the last bytes, the newest first; the oldest of them may be half a line."""
    with open_file(path) as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - LAST_BYTES))
        return file.read().splitlines()[::-1]


def json_objects(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """One from each line; lines that are none, as a crash leaves them, are left out."""
    for line in lines:
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(content, dict):
            yield content


def read_toml(path: Path) -> dict[str, Any]:
    """`ConfigError` if it is none."""
    try:
        return tomllib.loads(read_text(path).replace("\r\n", "\n"))
    except RecursionError:
        raise ConfigError(str(path), ["this is not settings: it is nested too deeply"]) from None
    except ValueError as error:
        raise ConfigError(str(path), [f"this is not TOML: {reason(error)}"]) from None


@contextmanager
def content_of(path: Path, *, advice: str, error: type[AkrigError] = UnreadableFile) -> Iterator[None]:
    """Whatever is wrong with the content of a file, told in one sentence: `AkrigError` goes through as it is.

    Args:
        advice: what to try, after a semicolon.
    """
    try:
        yield
    except AkrigError:
        raise
    except OSError as fault:
        raise error(f"{path} cannot be read ({fault.strerror or reason(fault)}); {advice}.") from fault
    except _WRONG as fault:
        raise error(f"{path} does not hold what it should ({reason(fault)}); {advice}.") from fault


@contextmanager
def without_chatter() -> Iterator[None]:
    """For libraries that tell the terminal what is wrong with a file, from C too, beside raising an error."""
    kept = os.dup(_STANDARD_ERROR)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, _STANDARD_ERROR)
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            yield
    finally:
        os.dup2(kept, _STANDARD_ERROR)
        for descriptor in (kept, nowhere):
            os.close(descriptor)


def reason(error: BaseException) -> str:
    """In few words, on one line."""
    words = " ".join(str(error).split()).rstrip(".")
    if isinstance(error, KeyError):
        words = f"{words} is missing"
    if isinstance(error, RecursionError):
        words = "it is nested too deeply"
    if isinstance(error, MemoryError):
        words = "it is too large"
    words = words or type(error).__name__
    return words if len(words) <= _LONGEST_REASON else f"{words[:_LONGEST_REASON]} ..."


@contextmanager
def written_beside(path: Path, *, synced: bool = False) -> Iterator[Path]:
    """Where to write meanwhile; renamed to `path` at the end, removed if something goes wrong.

    Args:
        synced: the content is on disk before it is renamed, and the name is when this ends.
    """
    beside = path.with_name(f".{path.name}.part")
    beside.unlink(missing_ok=True)  # whatever it is: nothing is written through a link
    try:
        yield beside
        if synced:
            sync_file(beside)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    if synced:
        sync_folder(path.parent)


def write_text(path: Path, text: str) -> None:
    """Beside, on disk, then renamed: a reader sees the old or the new, never half of it."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    with written_beside(path, synced=True) as beside, open(beside, "wb", opener=_without_links) as file:
        file.write(data)


def _without_links(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def sync_file(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(path: Path) -> None:
    """Names of new files are on disk when this returns; a system that cannot do that for folders does it by itself."""
    with suppress(OSError):
        sync_file(path)
