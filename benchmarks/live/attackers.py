"""Hostile clients of the mission page, all without its key, on this computer only.

python -m benchmarks.live.attackers PORT silent flood   until standard input is closed; says when all of them are at it
"""

import argparse
import asyncio
import itertools
import logging
import os
import resource
import struct
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

HOST = "127.0.0.1"
LONGEST = 900.0  # seconds, whatever happens
REST = 0.05  # seconds before a client that was thrown out comes back
READ_AT_ONCE = 65536


@dataclass(frozen=True)
class Line:
    """A connection to the page."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    port: int

    def send(self, text: str) -> None:
        self.writer.write(text.encode())

    @property
    def host(self) -> str:
        return f"{HOST}:{self.port}"

    def ask(self, path: str, method: str = "GET", *, more: str = "") -> None:
        self.send(f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nOrigin: http://{self.host}\r\n{more}\r\n")

    async def answer(self) -> bytes:
        """The head of one; its body is read and dropped."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
        await self.reader.readexactly(int(length or b"0"))
        return head

    def listen(self) -> None:
        """Asks for a WebSocket."""
        upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        self.ask("/feed", more=f"{upgrade}Sec-WebSocket-Key: {'A' * 22}==\r\n")

    async def until_dropped(self) -> None:
        while await self.reader.read(READ_AT_ONCE):
            pass

    async def drip(self, text: str, *, every: float = 1.0) -> None:
        """Until the connection is dropped."""
        while not self.reader.at_eof() and not self.writer.is_closing():
            self.send(text)
            with suppress(TimeoutError):
                await asyncio.wait_for(self.reader.read(READ_AT_ONCE), every)


Client = Callable[[Line], Awaitable[None]]


async def silent(line: Line) -> None:
    await line.until_dropped()


async def slow_head(line: Line) -> None:
    line.send(f"GET / HTTP/1.1\r\nHost: {line.host}\r\nX: ")
    await line.drip("x", every=0.5)


async def slow_second_head(line: Line) -> None:
    """A good request first, then one that never ends."""
    line.ask("/access")
    await line.answer()
    await slow_head(line)


async def slow_body(line: Line) -> None:
    line.ask("/order", "POST", more="Content-Type: application/json\r\nContent-Length: 1500\r\n")
    await line.drip(" ", every=0.5)


async def endless_head(line: Line) -> None:
    line.send(f"GET / HTTP/1.1\r\nHost: {line.host}\r\n")
    for k in itertools.count():
        line.send(f"X-{k}: {'x' * 4000}\r\n")
        await line.writer.drain()


async def tiny_chunks(line: Line) -> None:
    """A body in chunks of one byte, as much of it as can be sent."""
    line.ask("/order", "POST", more="Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n")
    while True:
        line.send("1\r\n \r\n" * 2000)
        await line.writer.drain()


PATHS = itertools.cycle(("/", "/access", "/at?x=0&y=0", "/map/60", "/map/model", "/page/main.js"))


async def flood(line: Line) -> None:
    """One request after the other on one connection, as fast as they are answered."""
    while True:
        line.ask(next(PATHS))
        await line.answer()


async def flood_anew(line: Line) -> None:
    """A new connection for each request."""
    line.ask(next(PATHS), more="X-Forwarded-For: 192.0.2.1\r\nConnection: close\r\n")
    await line.until_dropped()


async def flood_orders(line: Line) -> None:
    body = '{"word": "return"}'
    while True:
        line.ask("/order", "POST", more=f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n")
        line.send(body)
        await line.answer()


async def guess(line: Line) -> None:
    """Wrong keys."""
    body = '{"key": "aaaa-bbbb-cccc-dddd"}'
    while True:
        line.ask("/unlock", "POST", more=f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n")
        line.send(body)
        await line.answer()


async def idle(line: Line) -> None:
    """A good request, and then nothing any more."""
    line.ask("/access")
    await line.answer()
    await line.until_dropped()


async def slow_reader(line: Line) -> None:
    """Asks for much and takes none of it."""
    for _ in range(40):
        line.ask("/page/panels.js")
    await asyncio.sleep(LONGEST)


async def watcher(line: Line) -> None:
    """As polite as the page itself: says that it took what it was told."""
    line.listen()
    while await line.reader.read(READ_AT_ONCE):
        line.writer.write(_frame(1, b"ok"))


async def stalled_watcher(line: Line) -> None:
    line.listen()
    await asyncio.sleep(LONGEST)


async def pinging_watcher(line: Line) -> None:
    line.listen()
    await line.reader.readuntil(b"\r\n\r\n")
    while True:
        line.writer.write(_frame(9, b"") * 2000)
        await line.writer.drain()


async def connect(line: Line) -> None:
    """Comes and goes."""


def _frame(kind: int, data: bytes) -> bytes:
    return struct.pack("!BB", 0x80 | kind, 0x80 | len(data)) + bytes(4) + data


# Name, client, and how many of them at once.
ATTACKS: dict[str, tuple[Client, int]] = {
    "silent": (silent, 600),
    "slow_head": (slow_head, 150),
    "slow_second_head": (slow_second_head, 80),
    "slow_body": (slow_body, 150),
    "endless_head": (endless_head, 20),
    "tiny_chunks": (tiny_chunks, 20),
    "flood": (flood, 150),
    "flood_anew": (flood_anew, 150),
    "flood_orders": (flood_orders, 60),
    "guess": (guess, 60),
    "idle": (idle, 300),
    "slow_reader": (slow_reader, 80),
    "watcher": (watcher, 100),
    "stalled_watcher": (stalled_watcher, 100),
    "pinging_watcher": (pinging_watcher, 40),
    "connect": (connect, 60),
}
HURRIED = ("connect", "flood_anew")  # come back at once


async def attack(port: int, names: list[str], *, under_way: Callable[[], None]) -> None:
    """Until it is cancelled.

    Args:
        under_way: called when each of all clients has been at it once.
    """
    begun = asyncio.Semaphore(0)
    clients = [name for name in names for _ in range(ATTACKS[name][1])]
    at_it = [asyncio.create_task(_come_back(port, name, begun)) for name in clients]
    for _ in clients:
        await begun.acquire()
    under_way()
    await asyncio.gather(*at_it)


async def _come_back(port: int, name: str, begun: asyncio.Semaphore) -> None:
    for visit in itertools.count():
        with suppress(OSError, EOFError, asyncio.LimitOverrunError, ValueError):
            await _visit(port, ATTACKS[name][0], begun if visit == 0 else None)
        await asyncio.sleep(0 if name in HURRIED else REST)


async def _visit(port: int, client: Client, begun: asyncio.Semaphore | None) -> None:
    writer = None
    try:
        reader, writer = await asyncio.wait_for(asyncio.open_connection(HOST, port), 30)
        at_it = asyncio.ensure_future(client(Line(reader, writer, port)))
        try:
            await asyncio.wait([at_it], timeout=0.1)  # what it says first is on its way
            if begun is not None:
                begun.release()
                begun = None
            await at_it
        finally:
            at_it.cancel()
    finally:
        if begun is not None:
            begun.release()
        if writer is not None:
            writer.transport.abort()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("port", type=int)
    options.add_argument("attacks", nargs="+", choices=[*ATTACKS, "all"])
    chosen = options.parse_args()
    with suppress(OSError):
        os.nice(19)  # real ones are on other computers; what they need to think is not to be counted
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    names = list(ATTACKS) if "all" in chosen.attacks else chosen.attacks
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # that a line is broken is what they are here for
    threading.Thread(target=_end_with_input, daemon=True).start()
    asyncio.run(asyncio.wait_for(attack(chosen.port, names, under_way=lambda: print("under way", flush=True)), LONGEST))


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
