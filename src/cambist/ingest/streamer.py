"""Streaming: a venue's sockets, each kept connected in a task of its own, with back-off after failures."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import aiohttp

from cambist.errors import SourceBroken, SourceUnreachable
from cambist.ingest.fetch import proxy_failure
from cambist.ingest.poller import Poller
from cambist.ingest.price_pipeline import PricePipeline
from cambist.pricing.pair import Pair
from cambist.reference.assets import coin_for_symbol
from cambist.reference.currency_tables import CURRENCIES
from cambist.sources.base import PairNames, VenueAdapter, VenueMessage, VenueSocket

log = logging.getLogger(__name__)

_LIST_EVERY = timedelta(hours=1)
_LONGEST_BACK_OFF = 60.0
_STABLE = 60.0
"""Seconds after which a connection counts as stable: if it then breaks, there is no longer back-off."""

_LONGEST_FRAME = 4 * 1024 * 1024
_YIELD_EVERY = 50

TRADED_AS_CURRENCY = frozenset({"USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "NZD", "SGD"})
"""The bases that are currencies at venues. Any other base that looks like a currency is a coin with that symbol."""


def supported_pairs(venue: str, names: PairNames) -> dict[str, Pair]:
    """Return those of a venue's pairs whose two sides Cambist has, in its own codes."""
    supported = {}
    for name, pair in names.items():
        base = pair.base if pair.base in TRADED_AS_CURRENCY else coin_for_symbol(venue, pair.base)
        quote = pair.quote if pair.quote in CURRENCIES else coin_for_symbol(venue, pair.quote)
        if base is not None and quote is not None and base != quote:
            supported[name] = Pair(base, quote)
    return supported


@dataclass(slots=True)
class Streamer:
    """Receives the ticks of one venue: keeps its sockets connected, and fetches its list of pairs every hour."""

    venue: VenueAdapter
    poller: Poller
    pipeline: PricePipeline
    names: dict[str, Pair] = field(default_factory=dict)
    back_off: float = 1.0

    async def run(self) -> None:
        """Receive ticks for ever; reconnect the sockets when the list of pairs changes."""
        tasks: list[asyncio.Task[None]] = []
        try:
            while True:
                names = await self._current_names()
                if not names:
                    await self.poller.pause()
                    continue
                if names != self.names or not tasks:
                    await _cancel(tasks)
                    self.names = dict(names)
                    self.pipeline.listings.replace(self.venue.source.key, self.names.values())
                    tasks = [
                        asyncio.create_task(self._keep_connected(socket)) for socket in self.venue.sockets(self.names)
                    ]
                await _wait(tasks, _LIST_EVERY)
        finally:
            await _cancel(tasks)

    async def _current_names(self) -> Mapping[str, Pair]:
        """Return the venue's pairs, or those from before if its list cannot be fetched."""
        try:
            return await self._fetch_names()
        except SourceBroken as error:
            self.poller.fetcher.forget(self.venue.pair_list_request())
            self.poller.record_failure(error)
            return self.names

    async def _fetch_names(self) -> Mapping[str, Pair]:
        request = self.venue.pair_list_request()
        content = await self.poller.fetch(request)
        return (
            self.names
            if content is None
            else supported_pairs(self.venue.source.key, self.venue.parse_pair_names(content))
        )

    async def _keep_connected(self, socket: VenueSocket) -> None:
        """Keep one socket connected, with back-off if its connections break soon."""
        wait, loop = self.back_off, asyncio.get_running_loop()
        while True:
            began = loop.time()
            self.pipeline.tick_store.reset_sequences(self.venue.source.key)
            try:
                await self._connect(socket)
            except (SourceBroken, aiohttp.ClientError, OSError, TimeoutError) as error:
                kind = SourceBroken if isinstance(error, SourceBroken) else SourceUnreachable
                self.poller.record_failure(kind(f"{self.venue.source.key}: {_message(error)}"))
            wait = self.back_off if loop.time() - began > _STABLE else min(wait * 2, _LONGEST_BACK_OFF)
            await asyncio.sleep(random.uniform(wait / 2, wait))  # noqa: S311  nobody guesses it

    async def _connect(self, socket: VenueSocket) -> None:
        fetcher = self.poller.fetcher
        address = fetcher.address(socket.url)
        async with fetcher.session.ws_connect(
            address,
            heartbeat=20,
            max_msg_size=_LONGEST_FRAME,
            timeout=aiohttp.ClientWSTimeout(5),
            proxy=fetcher.proxies.proxy_for(address),
        ) as connection:
            sender = asyncio.create_task(_send_frames(connection, socket))
            try:
                await self._listen(connection, socket)
            finally:
                sender.cancel()
                await asyncio.gather(sender, return_exceptions=True)

    async def _listen(self, connection: aiohttp.ClientWebSocketResponse, socket: VenueSocket) -> None:
        loop, silence, received = asyncio.get_running_loop(), socket.silence.total_seconds(), 0
        # Not the timeout of `receive`: pings would extend it, and a venue that sends no ticks may still answer those.
        async with asyncio.timeout(silence) as limit:
            extended_at = loop.time()
            while True:
                message = await connection.receive()
                if message.type not in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
                    raise SourceBroken("the connection was closed")
                if self._apply(self.venue.parse_message(message.data, self.names)):
                    return
                received += 1
                if received % _YIELD_EVERY == 0:
                    await asyncio.sleep(0)
                if loop.time() - extended_at > min(1.0, silence / 10):
                    extended_at = loop.time()
                    limit.reschedule(extended_at + silence)

    def _apply(self, message: VenueMessage) -> bool:
        """Apply the ticks of a message; return whether the venue asks to reconnect."""
        if message.refused:
            log.warning("Source %s: refuses a subscription: %s", self.venue.source.key, message.refused[:200])
        now = self.poller.clock()
        for tick in message.ticks:
            if self.pipeline.apply_tick(tick, now) is None:
                self.poller.source_status.record_market_time(tick.as_of or now)
                self.poller.record_success()
        return message.reconnect


async def _wait(tasks: list[asyncio.Task[None]], duration: timedelta) -> None:
    """Wait for a while. A socket's task never ends by itself: if one does, it has failed, and its error is raised."""
    done, _ = await asyncio.wait(tasks, timeout=duration.total_seconds(), return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        await task


async def _cancel(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _send_frames(connection: aiohttp.ClientWebSocketResponse, socket: VenueSocket) -> None:
    """Send the opening frames, then pings."""
    for frame in socket.opening_frames:
        await connection.send_str(frame)
        await asyncio.sleep(socket.pause.total_seconds())
    while socket.ping:
        await asyncio.sleep(socket.ping_every.total_seconds())
        await connection.send_str(socket.ping)


def _message(error: Exception) -> str:
    return str(error) if isinstance(error, SourceBroken) else proxy_failure(error) or type(error).__name__
