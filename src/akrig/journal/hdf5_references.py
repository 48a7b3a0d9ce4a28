"""Whether a netCDF file holds everything itself: HDF5 lets a file name others, and reads them for whoever opens it.

Of another file there are three kinds of mention ("HDF5 File Format Specification", version 3). Two leave a mark that
cannot be left out and that numbers do not form: raw data elsewhere (a local heap with the names, which netCDF has no
use for), and a dataset that is put together from others (IV.A.2.i). The third, a link to an object elsewhere
(IV.A.2.g), is looked for where links are: in the headers of groups, and in the heaps of those with many. Among a map's
numbers it would be found by chance: every 256th depth between 2 and 4 m looks like the beginning of one.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from akrig.files import LARGEST, read_bytes

CLASSIC = b"CDF"  # a format without references
BEGINNINGS = (b"\x89HDF\r\n\x1a\n\x02\x08\x08", b"\x89HDF\r\n\x1a\n\x03\x08\x08")  # HDF5 as netCDF writes it
LOCAL_HEAP = b"HEAP\0"
# A layout (message 8) of class 3, whose heap lies in the first four gigabytes; behind a header of version 2 or 1.
VIRTUAL = re.compile(rb"\x08(?:[^\0]\0.(?:..)?|\0.\0....)[\x04\x05]\x03.{4}\0{4}", re.DOTALL)
# What may be left in a heap of links: version 1, flags that say that a type follows, one of those beyond this file.
LINK = re.compile(rb"\x01[\x08-\x0f\x18-\x1f][\x40-\xff]")
NOWHERE = 2**64 - 1  # an address
LINK_INFO, A_LINK, CONTINUED, OLD_GROUP = 0x02, 0x06, 0x10, 0x11  # messages
MOST_OBJECTS = 10_000


def check_self_contained(path: Path) -> None:
    """`ValueError` if it is no netCDF file, or reading it would read others, too."""
    data = read_bytes(path, most=LARGEST)
    if data.startswith(CLASSIC):
        return
    if not data.startswith(BEGINNINGS):
        raise ValueError("it is no netCDF file")
    if LOCAL_HEAP in data or VIRTUAL.search(data) or _has_foreign_links(data):
        raise ValueError("it refers to other files, which akrig does not read")


def _has_foreign_links(data: bytes) -> bool:
    """Is there a link that is not simply to an object of this file, in any group that the first one leads to?"""
    if _number(data, 12) != 0:
        raise ValueError("it is no netCDF file that akrig could have written")
    waiting, seen = [_number(data, 36)], set[int]()
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        if len(seen) > MOST_OBJECTS:
            raise ValueError("it is no netCDF file that akrig could have written")
        for kind, message in _messages(data, at):
            if kind == OLD_GROUP:
                return True
            links = [message] if kind == A_LINK else []
            if kind == LINK_INFO:
                heap = _number(message, 10 if message[1] & 1 else 2)
                for block in _blocks(data, heap) if heap != NOWHERE else ():
                    found, rest = _links(block)
                    if LINK.search(rest):
                        return True
                    links += found
            for link in links:
                if link[1] & 8 and link[2] != 0:  # not simply to an address
                    return True
                waiting.append(_number(link, _end_of_name(link)))
    return False


def _messages(data: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """Of an object's header of version 2 (IV.A.1.b): what kind each is, and what it says."""
    _expect(data, at, b"OHDR\x02")
    flags = data[at + 5]
    begin = at + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    width = 1 << (flags & 3)
    chunks = [(begin + width, _number(data, begin, width))]
    head = 6 if flags & 4 else 4
    for place, size in chunks:  # grows on the way
        if len(chunks) > MOST_OBJECTS or place + size > len(data):
            raise ValueError("it is damaged")
        end = place + size
        while place + head <= end:
            kind, length, shared = data[place], _number(data, place + 1, 2), data[place + 3] & 2
            message = data[place + head : place + head + length]
            place += head + length
            if shared and kind in (A_LINK, LINK_INFO, CONTINUED):
                raise ValueError("it is no netCDF file that akrig could have written")
            if kind == CONTINUED:
                where = _number(message, 0)
                _expect(data, where, b"OCHK")
                chunks.append((where + 4, _number(message, 8) - 8))
            yield kind, message


def _end_of_name(link: bytes) -> int:
    """Where a link message says what it leads to (IV.A.2.g)."""
    flags = link[1]
    at = 2 + (1 if flags & 8 else 0) + (8 if flags & 4 else 0) + (1 if flags & 16 else 0)
    width = 1 << (flags & 3)
    return at + width + _number(link, at, width)


def _links(block: bytes) -> tuple[list[bytes], bytes]:
    """The links in a heap, which stand one behind the other, and what is behind them."""
    found = []
    while len(block) > 12 and block[0] == 1 and (end := _end_of_name(block) + 8) <= len(block):
        found.append(block[:end])
        if block[1] & 8 and block[2] != 0:
            break
        block = block[end:]
    return found, block


def _blocks(data: bytes, at: int) -> Iterator[bytes]:
    """What is in the direct blocks of a fractal heap (III.G), as far as netCDF needs one."""
    _expect(data, at, b"FRHP\0")
    filters, flags = _number(data, at + 7, 2), data[at + 9]
    huge, tiny = _number(data, at + 86), _number(data, at + 102)
    table_width, first_size, largest = _number(data, at + 110, 2), _number(data, at + 112), _number(data, at + 120)
    offset_size = (_number(data, at + 128, 2) + 7) // 8
    root, rows = _number(data, at + 132), _number(data, at + 140, 2)
    if filters or huge or tiny:
        raise ValueError("it is no netCDF file that akrig could have written")
    head = 5 + 8 + offset_size + (4 if flags & 2 else 0)
    places = [(root, first_size)]
    if rows:
        _expect(data, root, b"FHIB\0")
        sizes = [first_size * 2 ** max(row - 1, 0) for row in range(rows)]
        if sizes[-1] > largest:
            raise ValueError("it is no netCDF file that akrig could have written")
        entries = [size for size in sizes for _ in range(table_width)]
        begin = root + 13 + offset_size
        places = [(_number(data, begin + 8 * k), size) for k, size in enumerate(entries)]
    for place, size in places:
        if place != NOWHERE:
            _expect(data, place, b"FHDB\0")
            yield data[place + head : place + size]


def _expect(data: bytes, at: int, mark: bytes) -> None:
    if data[at : at + len(mark)] != mark:
        raise ValueError("it is damaged")


def _number(data: bytes, at: int, width: int = 8) -> int:
    """Little-endian, as all of HDF5's own are."""
    if at + width > len(data):
        raise ValueError("it is damaged")
    return int.from_bytes(data[at : at + width], "little")
