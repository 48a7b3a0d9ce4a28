"""What can be wrong with a file: its bytes, its words, its numbers, its structure, or that it is one at all."""

import csv
import io
import json
import os
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import tomli_w

NUMBERS: tuple[Any, ...] = (
    float("nan"), float("inf"), float("-inf"), 1e300, -1e300, 1e-300, 1e15, 0, -1, -0.5, 10**9, 10**18, 10**40, 2**63,
    True, 0.5, 3,
)  # fmt: skip
TEXTS = (
    "",
    "x" * 5000,
    "\u202e",
    "../../etc/passwd",
    "a:b",
    "os:system",
    "nan",
    "1e300",
    "é\n\t",
    "{}",
    "%s",
    "[red]",
    "none",
)
WORDS = (
    "nan",
    "inf",
    "-inf",
    "1e300",
    "1e-300",
    "-1",
    "0",
    "1000000000",
    "9" * 400,
    "",
    "x",
    ";",
    '"',
    "\x00",
    "[[",
    "{",
    "1,5",
)


def structures(rng: Random) -> Any:
    deep: Any = 1
    for _ in range(rng.choice((3, 60))):
        deep = [deep] if rng.random() < 0.5 else {"a": deep}
    return rng.choice(([], {}, [1], [[1, 2], [3]], {"a": 1}, {"name": 3}, deep, ["x"] * 3, [float("nan")] * 2))


def value(rng: Random) -> Any:
    return rng.choice((lambda: rng.choice(NUMBERS), lambda: rng.choice(TEXTS), lambda: structures(rng)))()


# -- content -------------------------------------------------------------------------------------------------------


def bytes_of(data: bytes, rng: Random) -> bytes:
    """Flipped, cut, doubled, swapped or filled in somewhere."""
    data, at = bytearray(data), rng.randrange(len(data) + 1) if data else 0
    kind = rng.randrange(6)
    if kind == 0:
        for _ in range(rng.choice((1, 3, 30))):
            if data:
                data[rng.randrange(len(data))] = rng.randrange(256)
    elif kind == 1:
        del data[at:]
    elif kind == 2:
        del data[at : at + rng.choice((1, 8, 100))]
    elif kind == 3:
        data[at:at] = rng.randbytes(rng.choice((1, 8, 300)))
    elif kind == 4:
        data[at:at] = data[: rng.choice((4, 64, 1000))]
    else:
        data[at : at + 8] = rng.choice((b"\xff" * 8, b"\0" * 8, b"\x7f\xff\xff\xff" * 2))
    return bytes(data)


def words_of(data: bytes, rng: Random) -> bytes:
    """One word, number or mark becomes another."""
    text = data.decode("utf-8", errors="replace")
    marks = [0, *(k for k, letter in enumerate(text) if letter in ' ,=\n:[]{}<>"'), len(text)]
    k = rng.randrange(len(marks) - 1) if len(marks) > 1 else 0
    begin, end = marks[k] + (k > 0), marks[min(k + 1, len(marks) - 1)]
    return (text[:begin] + rng.choice(WORDS) + text[end:]).encode()


def encoding_of(data: bytes, rng: Random) -> bytes:
    text = data.decode("utf-8", errors="replace")
    kind = rng.randrange(5)
    if kind == 0:
        return b"\xef\xbb\xbf" + data
    if kind == 1:
        return text.encode("utf-16")
    if kind == 2:
        return text.replace(",", ";").encode()
    if kind == 3:
        return text.replace("\n", "\r").encode()
    return b"\xff\xfe" + data


def _leaf(content: Any, rng: Random) -> None:
    """Somewhere in nested content something is changed, taken away or added."""
    while True:
        keys = list(content) if isinstance(content, dict) else list(range(len(content)))
        if not keys or rng.random() < 0.05:
            if isinstance(content, dict):
                content[rng.choice(("x", "name", "seed", "type"))] = value(rng)
            else:
                content.append(value(rng))
            return
        key = rng.choice(keys)
        if isinstance(content[key], dict | list) and content[key] and rng.random() < 0.8:
            content = content[key]
            continue
        if rng.random() < 0.25:
            del content[key]
        else:
            content[key] = value(rng)
        return


def toml_of(data: bytes, rng: Random) -> bytes:
    content = tomllib.loads(data.decode())
    for _ in range(rng.choice((1, 1, 3))):
        _leaf(content, rng)
    return tomli_w.dumps(content).encode()


def json_of(data: bytes, rng: Random) -> bytes:
    content = json.loads(data)
    _leaf(content, rng)
    return json.dumps(content).encode()


def journal_of(data: bytes, rng: Random) -> bytes:
    """Events that are wrong, doubled, lost or out of turn, each with a good checksum."""
    from akrig.journal.events import to_line

    events = [{k: v for k, v in json.loads(line).items() if k != "crc"} for line in data.splitlines()]
    for _ in range(rng.choice((1, 1, 4))):
        k, kind = rng.randrange(len(events)), rng.randrange(8)
        if kind == 0 and len(events) > 1:
            del events[k]
        elif kind == 1:
            events.insert(k, dict(rng.choice(events)))
        elif kind == 2:
            events[k]["event"] = rng.choice(("plan", "epoch", "measurement", "end", "sounding", "later", "mission"))
        else:
            _leaf(events[k], rng)
    lines = [to_line(event) for event in events]
    if rng.random() < 0.05:
        lines.append('{"event":' + "[" * 3000 + "\n")
    return "".join(lines).encode()


def lines_of(data: bytes, rng: Random) -> bytes:
    """Lines of JSON without checksums."""
    states = [json.loads(line) for line in data.splitlines()]
    for _ in range(rng.choice((1, 4, 20))):
        _leaf(states[rng.randrange(len(states))], rng)
    return "".join(json.dumps(state) + "\n" for state in states).encode()


def table_of(data: bytes, rng: Random) -> bytes:
    rows = list(csv.reader(io.StringIO(data.decode())))
    for _ in range(rng.choice((1, 2, 10))):
        if not rows:
            break
        k, kind = rng.randrange(len(rows)), rng.randrange(6)
        if kind == 0:
            del rows[k]
        elif kind == 1:
            rows[k].append(rng.choice(WORDS))
        elif kind == 2 and rows[k]:
            del rows[k][rng.randrange(len(rows[k]))]
        elif rows[k]:
            rows[k][rng.randrange(len(rows[k]))] = rng.choice(WORDS)
    return "".join(",".join(row) + "\n" for row in rows).encode()


Damage = Callable[[bytes, Random], bytes]
TEXT: tuple[Damage, ...] = (bytes_of, words_of, words_of, encoding_of)
BY_KIND: dict[str, tuple[Damage, ...]] = {
    "toml": (*TEXT, toml_of, toml_of, toml_of, toml_of),
    "json": (*TEXT, json_of, json_of, json_of, json_of),
    "journal": (bytes_of, words_of, encoding_of, journal_of, journal_of, journal_of, journal_of, journal_of),
    "lines": (*TEXT, lines_of, lines_of),
    "table": (*TEXT, table_of, table_of, table_of),
    "text": TEXT,
    "bytes": (bytes_of,),
}


# -- what is no file -----------------------------------------------------------------------------------------------


def as_folder(path: Path) -> None:
    path.mkdir()


def as_pipe(path: Path) -> None:
    os.mkfifo(path)


def as_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def as_loop(path: Path) -> None:
    path.symlink_to(path)


def as_nothing(path: Path) -> None:
    pass


def as_empty(path: Path) -> None:
    path.touch()


def as_link_elsewhere(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def as_deep_text(path: Path) -> None:
    path.write_text("a = " + "[" * 20000)


def as_deep_json(path: Path) -> None:
    path.write_text('{"type":' * 20000)


def as_zeros(path: Path) -> None:
    path.write_bytes(b"\0" * 100_000)


def as_huge(path: Path) -> None:
    """Without taking room on the disk."""
    with path.open("wb") as file:
        file.truncate(20_000_000_000)


PLACES: tuple[Callable[[Path], None], ...] = (
    as_folder, as_pipe, as_device, as_loop, as_nothing, as_empty, as_link_elsewhere, as_deep_text, as_deep_json,
    as_zeros, as_huge,
)  # fmt: skip


def replace(path: Path, rng: Random) -> str:
    """By what is no such file; says by what."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
    made = rng.choice(PLACES)
    made(path)
    return made.__name__
