"""Serve fake public sources on a loopback port: recordings dated as of today, with faults on demand.

    python tests/loopback/play.py --port 0 --ready FILE [--payloads DIR] [--rate N] [--for SECONDS] [--seed N]

It writes its port into FILE when it listens. The service asks it by CAMBIST_GATEWAY=http://127.0.0.1:PORT.
`GET /control` tells what was asked; `POST /control {"source": "ecb", "fault": "swapped", "seconds": 3}` sets a fault,
null takes it away; `drop` closes a venue's sockets once. A source of "*" is all of them.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import re
import signal
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from aiohttp import web
from ecb import Ecb
from faults import FAULTS, NONE, Fault, Reply, deliver
from made import Bis, Boj, Compiled, Fred, Imf, Tcmb
from official import Source, call_now, official_sources
from prices import Prices
from quotes import Lbma, QuoteSource, Westmetall, quote_sources
from recordings import RecordingFolder
from sockets import Sockets
from venues import VENUES, Venue

_SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "payloads"
_UNKNOWN = 50
_AT_THE_DOOR = frozenset({"429", "500", "redirect", "latency", "slow", "reset"})
"""Faults that happen before a WebSocket is accepted."""


@dataclass
class FakeSources:
    """All sources, the faults that they have, and what was asked of them."""

    sources: list[Source]
    quote_sources: list[QuoteSource]
    venues: list[Venue]
    sockets: Sockets
    faults: dict[str, Fault] = field(default_factory=dict)
    requests: Counter[str] = field(default_factory=Counter)
    unknown: list[str] = field(default_factory=list)

    @property
    def keys(self) -> set[str]:
        return {one.key for one in (*self.sources, *self.quote_sources, *self.venues)}

    def fault(self, key: str) -> Fault:
        return self.faults.get(key, self.faults.get("*", NONE))

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer whatever is asked of any source."""
        text = unquote(request.raw_path).lstrip("/")
        for venue in self.venues:
            if _is_socket_of(venue, text) and request.headers.get("Upgrade", "").lower() == "websocket":
                return await self._socket(request, venue)
        text += (await request.read()).decode("utf-8", "replace")
        key, reply = self._reply(request, text)
        if reply is None:
            self.unknown = [*self.unknown[-_UNKNOWN:], f"{request.method} {text[:300]}"]
            return web.Response(status=404, text="Nothing is played there")
        self.requests[key] += 1
        if reply.headers.get("ETag") and request.headers.get("If-None-Match") == reply.headers["ETag"]:
            return web.Response(status=304, headers=reply.headers)
        return await deliver(request, reply, self.fault(key))

    def _reply(self, request: web.Request, text: str) -> tuple[str, Reply | None]:
        for one in (*self.sources, *self.quote_sources, *self.venues):
            fault = self.fault(one.key)
            if isinstance(one, QuoteSource):
                reply = one.answer(text, fault, request)
            elif isinstance(one, Venue):
                reply = one.answer(text, fault)
            else:
                reply = one.answer(call_now(text, fault))
            if reply is not None:
                return one.key, reply
        return "", None

    async def _socket(self, request: web.Request, venue: Venue) -> web.StreamResponse:
        self.requests[f"{venue.key} socket"] += 1
        fault = self.fault(venue.key)
        if fault.kind in _AT_THE_DOOR:
            return await deliver(request, Reply(b"", "text/plain", 503), fault)
        return await self.sockets.serve(request, venue, lambda: self.fault(venue.key))

    async def tell(self, _: web.Request) -> web.Response:
        """Return what was requested, and how many clients are connected."""
        told = {
            "requests": self.requests,
            "sockets": self.sockets.open(),
            "ticks": self.sockets.ticks,
            "faults": {key: fault.kind for key, fault in self.faults.items()},
            "unknown": self.unknown,
        }
        return web.json_response(told)

    async def control(self, request: web.Request) -> web.Response:
        """Set a fault, or take it away."""
        said: dict[str, Any] = await request.json()
        key, kind = said.get("source"), said.get("fault")
        if key not in self.keys | {"*"} or (kind is not None and kind not in FAULTS):
            return web.json_response({"error": f"no source [{key}] or no fault [{kind}]"}, status=400)
        if kind == "drop":
            keys = self.keys if key == "*" else {key}
            return web.json_response({"dropped": sum([await self.sockets.drop(each) for each in keys])})
        if kind is not None:
            self.faults[key] = Fault(kind, float(said.get("seconds", Fault.seconds)))
            if kind == "reset":
                self.sockets.cut(key)
        elif key == "*":
            self.faults.clear()
        else:
            self.faults.pop(key, None)
        return web.json_response({"faults": {each: fault.kind for each, fault in self.faults.items()}})


def _is_socket_of(venue: Venue, text: str) -> bool:
    return re.search(venue.hears, text) is not None


def fake_sources(folder: Path | None, seed: int, rate: float) -> FakeSources:
    """Set up all sources."""
    recording_folder, ecb = RecordingFolder(folder), Ecb()
    per_euro = ecb.rates(call_now("", NONE).calendar)
    prices = Prices(
        {code: per_euro["USD"] / units for code, units in per_euro.items()} | {"EUR": per_euro["USD"]}, seed
    )
    compiled = [Compiled(recording_folder, key) for key in ("fawazahmed0", "openexchangerates", "inforeuro")]
    made: list[Source] = [
        ecb,
        Fred(recording_folder),
        Fred(recording_folder, "fred"),
        Boj(recording_folder),
        Bis(ecb, recording_folder),
        Tcmb(recording_folder),
        Imf(recording_folder),
    ]
    sources = [*made, *compiled, Lbma(prices), Westmetall(), *official_sources(recording_folder)]
    venues = [venue(prices, recording_folder) for venue in VENUES]
    return FakeSources(sources, quote_sources(prices), venues, Sockets(prices, rate))


async def run(options: argparse.Namespace) -> None:
    """Serve until SIGTERM, until the time is over, or until the parent has ended."""
    playing = fake_sources(options.payloads, options.seed, options.rate)
    app = web.Application(client_max_size=1024 * 1024)
    app.router.add_get("/control", playing.tell)
    app.router.add_post("/control", playing.control)
    app.router.add_route("*", "/{tail:.*}", playing.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", options.port)
    await site.start()
    ticking = asyncio.create_task(playing.sockets.tick_for_ever())
    _write_port(options.ready, runner.addresses[0][1])
    await _wait_for_the_end(options.seconds)
    ticking.cancel()
    await runner.cleanup()


def _write_port(ready: Path | None, port: int) -> None:
    if ready is None:
        print(port, flush=True)  # noqa: T201  who starts it by hand wants to know
        return
    written = ready.with_name(ready.name + ".new")
    written.write_text(f"{port}\n")
    written.replace(ready)  # so that whoever sees it sees the whole of it


async def _wait_for_the_end(seconds: float) -> None:
    loop, parent, stop = asyncio.get_running_loop(), os.getppid(), asyncio.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stop.set)
    end = loop.time() + seconds
    while loop.time() < end and os.getppid() == parent and not stop.is_set():  # noqa: ASYNC110  the parent tells nothing
        await asyncio.sleep(0.2)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, default=0, help="port of 127.0.0.1; 0: any that is free")
    parser.add_argument("--ready", type=Path, help="file into which the port is written; else it is printed")
    parser.add_argument(
        "--payloads",
        type=Path,
        default=_SHARED if _SHARED.is_dir() else None,
        help="folder of recorded answers; without it the small ones of the tests are played",
    )
    parser.add_argument("--rate", type=float, default=200, help="ticks a second over all sockets")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same prices")
    parser.add_argument("--for", dest="seconds", type=float, default=900, help="seconds until it ends by itself")
    return parser.parse_args()


if __name__ == "__main__":
    # A client that goes away in the middle is what faults are for, and nothing to be told about.
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)
    asyncio.run(run(arguments()))
