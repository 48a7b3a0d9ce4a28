"""Whether a netCDF file holds everything itself: HDF5 lets a file name others, and reads them for whoever opens it.

Of another file there are three kinds of mention, and each leaves a mark that cannot be left out: raw data elsewhere
(a local heap with the names, which netCDF has no use for), a link to an object elsewhere, and a dataset that is put
together from others ("HDF5 File Format Specification", sections III.D, IV.A.2.g and IV.A.2.i).
"""

import re
from pathlib import Path

from akrig.files import LARGEST, read_bytes

BEGINNINGS = (b"CDF", b"\x89HDF\r\n\x1a\n\x02\x08", b"\x89HDF\r\n\x1a\n\x03\x08")  # classic; HDF5 as netCDF writes it
LOCAL_HEAP = b"HEAP\0"
# Version 1, flags that say that a type follows, type 64.
LINK = re.compile(rb"\x01[\x08-\x0f\x18-\x1f]\x40")
# A layout (message 8) of class 3, whose heap lies in the first four gigabytes; behind a header of version 2 or 1.
VIRTUAL = re.compile(rb"\x08(?:[^\0]\0.(?:..)?|\0.\0....)[\x04\x05]\x03.{4}\0{4}", re.DOTALL)


def check_self_contained(path: Path) -> None:
    """`ValueError` if it is no netCDF file, or reading it would read others, too."""
    data = read_bytes(path, most=LARGEST)
    if not data.startswith(BEGINNINGS):
        raise ValueError("it is no netCDF file")
    linked = any(_leads_out(data, found.start()) for found in LINK.finditer(data))
    if LOCAL_HEAP in data or linked or VIRTUAL.search(data):
        raise ValueError("it refers to other files, which akrig does not read")


def _leads_out(data: bytes, at: int) -> bool:
    """Is what begins there a link to another file, with its name and that of the object in it?"""
    flags = data[at + 1]
    at += 3 + (8 if flags & 4 else 0) + (1 if flags & 16 else 0)
    width = 1 << (flags & 3)
    at += width + int.from_bytes(data[at : at + width], "little")
    size = int.from_bytes(data[at : at + 2], "little")
    value = data[at + 2 : at + 2 + size]
    return len(value) == size and size > 3 and value[0] == 0 and value[-1] == 0 and value.count(b"\0") > 2
