"""Requests as they come in: handed on only when they are whole, so that no half of one takes up a place."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from akrig.files import json_objects

LARGEST_HEAD = 16_384  # bytes; browsers send the cookies of all other pages on the same machine along
LARGEST_BODY = 2000
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
NOTHING: Mapping[str, str] = {}
REASONS = {200: "OK", 400: "Bad Request", 411: "Length Required", 429: "Too Many Requests", 431: "Headers Too Large"}


@dataclass(frozen=True)
class RawRequest:
    """One that is whole; `data` is all of it, as it came."""

    method: str
    path: str
    host: str
    cookies: str
    data: bytes
    body: bytes


class BadRequest(ValueError):
    """One that is refused before it is whole; `answer` is what to send back."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.answer = error_bytes(status, sentence)


class RequestBuffer:
    """What has come of a request so far."""

    def __init__(self) -> None:
        self._data, self._end = bytearray(), -1

    def add(self, data: bytes) -> RawRequest | None:
        """The request, once it is whole; `BadRequest` if it never will be, or is followed by another one at once."""
        begin = max(0, len(self._data) - 3)
        self._data += data
        if self._end < 0:
            self._end = self._data.find(b"\r\n\r\n", begin)
        if self._end > LARGEST_HEAD or (self._end < 0 and len(self._data) > LARGEST_HEAD):
            raise BadRequest(431, "This request's headers are too large.")
        if self._end >= 0:
            return self._whole(self._end + 4)
        if not self._data[:1].isalpha():
            raise BadRequest(400, "This is not a request.")
        return None

    def _whole(self, end: int) -> RawRequest | None:
        head = bytes(self._data[:end])
        lines = head[:-4].decode("latin-1").split("\r\n")
        words = lines[0].split(" ")
        if len(words) != 3 or head.count(b"\n") != head.count(b"\r\n"):  # h11 would see an end where we see none
            raise BadRequest(400, "This is not a request.")
        headers = _headers(lines[1:])
        if "transfer-encoding" in headers:
            raise BadRequest(411, "Say how long the request is.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 9 or int(length) > LARGEST_BODY:
            raise BadRequest(400, "This request is too large.")
        body = bytes(self._data[end:])
        if len(body) < int(length):
            return None
        if len(body) > int(length):
            raise BadRequest(400, "Ask again when the first request is answered.")
        self._data, self._end = bytearray(), -1
        path, host, cookies = words[1].partition("?")[0], headers.get("host", ""), headers.get("cookie", "")
        return RawRequest(words[0], path, host, cookies, head + body, body)


def _headers(lines: list[str]) -> dict[str, str]:
    """By lower-case name; one that comes twice, in one value."""
    headers: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        name, value = name.strip().lower(), value.strip()
        headers[name] = f"{headers[name]}; {value}" if name in headers else value
    return headers


def read_json(data: bytes) -> dict[str, Any] | None:
    """An object; `None` for everything else, also for what is nested too deep to read."""
    return next(json_objects([data]), None)


def error_bytes(status: int, sentence: str) -> bytes:
    return response_bytes(status, json.dumps({"sentence": sentence}).encode(), kind="application/json")


def response_bytes(status: int, body: bytes, *, kind: str, headers: Mapping[str, str] = NOTHING) -> bytes:
    """The last on its connection, ready to be sent."""
    own = {"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"}
    lines = [f"{name}: {value}" for name, value in {**own, **SECURITY_HEADERS, **headers}.items()]
    return "\r\n".join([f"HTTP/1.1 {status} {REASONS[status]}", *lines, "", ""]).encode() + body
