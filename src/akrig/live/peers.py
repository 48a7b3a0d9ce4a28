"""Who is at the other end of a connection: the user of this computer, or the address of another."""

import ipaddress
import os
import socket
import struct
from contextlib import suppress
from pathlib import Path

WHOLE_MAP = ["0", "0", "4294967295"]  # of user ids, where there is no user namespace
ESTABLISHED = 1
# linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h
NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST = 4, 20, 1
HEADER, QUESTION, ANSWER = struct.Struct("=IHHII"), struct.Struct("=BBBBI"), struct.Struct("=BBBB48xIIIII")
TABLES = {socket.AF_INET: Path("/proc/net/tcp"), socket.AF_INET6: Path("/proc/net/tcp6")}


def client_group(host: str) -> str:
    """Addresses that count as one client: an IPv6 network of 64 bits is given to one customer, or one phone."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        if not address.is_loopback:
            return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(client_group(host)).is_loopback
    except ValueError:
        return False


def peer_user(connection: socket.socket) -> int | None:
    """The user whose process holds the other end of a connection within this computer; `None` if that is not known.

    Only to be believed where `can_tell_users`. The kernel tells by the socket's owner; an end that was closed
    already has none, and says 0, root's number.
    """
    for find in (_from_netlink, _from_proc):
        with suppress(OSError, ValueError, struct.error):
            return find(connection)
    return None


def can_tell_users() -> bool:
    """Does this system tell who made a connection? Found out with one to oneself."""
    if not _numbers_are_unique():
        return False
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as server,
            socket.create_connection(server.getsockname(), timeout=1.0),
        ):
            accepted, _ = server.accept()
            with accepted:
                return peer_user(accepted) == os.getuid()
    except (OSError, AttributeError):  # there are no user numbers on Windows
        return False


def _numbers_are_unique() -> bool:
    """In a user namespace, as of a container without root, users of the computer outside may share one number."""
    try:
        return Path("/proc/self/uid_map").read_text().split() == WHOLE_MAP
    except OSError:
        return False


def _from_netlink(connection: socket.socket) -> int | None:
    """Of the kernel, about this one connection: as fast with ten thousand others as with none."""
    family, (host, port), (own_host, own_port) = _ends(connection)
    ends = struct.pack("!HH", port, own_port) + b"".join(
        socket.inet_pton(family, end).ljust(16, b"\0") for end in (host, own_host)
    )
    any_interface, any_cookie = bytes(4), b"\xff" * 8
    question = QUESTION.pack(family, socket.IPPROTO_TCP, 0, 0, 0xFFFFFFFF) + ends + any_interface + any_cookie
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG) as kernel:
        kernel.settimeout(0.2)
        kernel.send(HEADER.pack(HEADER.size + len(question), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 1, 0) + question)
        answer = kernel.recv(8192)
    if HEADER.unpack_from(answer)[1] != SOCK_DIAG_BY_FAMILY:
        raise OSError("The kernel does not know this connection.")
    _, state, _, _, _, _, _, user, inode = ANSWER.unpack_from(answer, HEADER.size)
    return user if state == ESTABLISHED and inode else None


def _from_proc(connection: socket.socket) -> int | None:
    """In the table of all connections, where the kernel cannot be asked about one."""
    family, there, here = _ends(connection)
    wanted = [_written(family, *end) for end in (there, here)]
    for line in TABLES[family].read_text().splitlines()[1:]:
        fields = line.split()
        if fields[1:3] == wanted:
            return int(fields[7]) if int(fields[3], 16) == ESTABLISHED and int(fields[9]) else None
    return None


def _ends(connection: socket.socket) -> tuple[socket.AddressFamily, tuple[str, int], tuple[str, int]]:
    """Theirs, ours; as IPv4 if both are, also on a socket for IPv6."""
    there, here = connection.getpeername()[:2], connection.getsockname()[:2]
    if connection.family == socket.AF_INET6 and there[0].startswith("::ffff:"):
        return socket.AF_INET, (there[0][7:], there[1]), (here[0][7:], here[1])
    return socket.AddressFamily(connection.family), there, here


def _written(family: socket.AddressFamily, host: str, port: int) -> str:
    """As the table has it: words of 32 bits in the order of this machine's bytes."""
    words = struct.iter_unpack("=I", socket.inet_pton(family, host))
    return "".join(f"{word:08X}" for (word,) in words) + f":{port:04X}"
