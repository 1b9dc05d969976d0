"""Faults of sources, which can be set and cleared at run time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta

from aiohttp import web
from recordings import Change, as_it_is, hundredfold, inverted

_ANSWERS = (
    "latency",
    "reset",
    "429",
    "500",
    "slow",
    "garbage",
    "html",
    "huge",
    "redirect",
    "truncated",
    "silent",
    "empty",
)
_CONTENTS = ("swapped", "hundredfold", "stale", "future")
FAULTS = frozenset((*_ANSWERS, *_CONTENTS, "drop"))
PAGE = "<!DOCTYPE html><html><head><title>Checking your browser</title></head><body>Just a moment …</body></html>"
GARBAGE = random.Random(1).randbytes(4096)  # noqa: S311  noise, not secrets
"""Random bytes, always the same."""

_HUGE = 80 * 1024 * 1024
_CHUNK = bytes([32]) * 64 * 1024
_PIECES = 20
_STALE, _FUTURE = timedelta(days=-28), timedelta(days=14)


@dataclass(frozen=True)
class Fault:
    """A fault; `seconds` is how long `latency`, `slow` and the wait that `429` asks for take."""

    kind: str = ""
    seconds: float = 3.0

    @property
    def shift(self) -> timedelta:
        """By how much the times that the source tells are wrong."""
        return {"stale": _STALE, "future": _FUTURE}.get(self.kind, timedelta())

    @property
    def change(self) -> Change:
        """What the source makes of the rates of one currency."""
        return {"swapped": inverted, "hundredfold": hundredfold}.get(self.kind, as_it_is)


NONE = Fault()


@dataclass(frozen=True)
class Reply:
    """What a source answers."""

    body: bytes
    media: str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


async def deliver(request: web.Request, reply: Reply, fault: Fault) -> web.StreamResponse:
    """Answer as the fault has it."""
    if fault.kind == "latency":
        await asyncio.sleep(fault.seconds)
    elif fault.kind == "silent":
        await asyncio.sleep(3600)
    elif fault.kind == "reset":
        abort(request)
    elif fault.kind == "slow":
        return await _stream(request, reply, _slow_chunks(reply.body, fault.seconds))
    elif fault.kind == "huge":
        return await _stream(request, reply, _endless_chunks())
    reply = _damage(reply, fault)
    # The header is written as it is: its charset is the source's, not aiohttp's.
    headers = reply.headers | ({"Content-Type": reply.media} if reply.media else {})
    return web.Response(body=reply.body, status=reply.status, headers=headers)


def _damage(reply: Reply, fault: Fault) -> Reply:
    if fault.kind == "429":
        return Reply(b"{}", "application/json", 429, {"Retry-After": f"{fault.seconds:.0f}"})
    if fault.kind == "500":
        return Reply(PAGE.encode(), "text/html", 500)
    if fault.kind == "html":
        return Reply(PAGE.encode(), "text/html; charset=utf-8")
    if fault.kind == "redirect":
        return Reply(b"", "", 302, {"Location": "http://elsewhere.invalid/"})
    if fault.kind in {"garbage", "empty", "truncated"}:
        half = reply.body[: len(reply.body) // 2]
        return Reply({"garbage": GARBAGE, "empty": b"", "truncated": half}[fault.kind], reply.media)
    return reply


def abort(request: web.Request) -> None:
    """Cut the connection without a word."""
    if request.transport is not None:
        request.transport.abort()
    raise ConnectionResetError


async def _stream(request: web.Request, reply: Reply, pieces: AsyncIterator[bytes]) -> web.StreamResponse:
    response = web.StreamResponse(status=reply.status, headers={"Content-Type": reply.media} | reply.headers)
    await response.prepare(request)
    async for piece in pieces:
        await response.write(piece)
    await response.write_eof()
    return response


async def _slow_chunks(body: bytes, seconds: float) -> AsyncIterator[bytes]:
    size = len(body) // _PIECES + 1
    for start in range(0, len(body), size):
        yield body[start : start + size]
        await asyncio.sleep(seconds / _PIECES)


async def _endless_chunks() -> AsyncIterator[bytes]:
    for _ in range(_HUGE // len(_CHUNK)):
        yield _CHUNK


def damage_frame(frame: str, fault: Fault) -> str | bytes | None:
    """Return a frame with the fault; None for no frame."""
    if fault.kind == "silent":
        return None
    spoilt: dict[str, str | bytes] = {
        "garbage": GARBAGE,
        "html": PAGE,
        "huge": " " * 5 * 1024 * 1024,
        "truncated": frame[: len(frame) // 2],
        "empty": "",
    }
    return spoilt.get(fault.kind, frame)
