"""Streaming: a venue's sockets, each kept open in its own task, made anew with back-off when they die or lie."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import aiohttp

from cambist.errors import SourceBroken
from cambist.ingest.poller import Poller
from cambist.ingest.price_pipeline import PricePipeline
from cambist.pricing.pair import Pair
from cambist.reference.assets import coin_for_symbol
from cambist.reference.tables import CURRENCIES
from cambist.sources.base import PairNames, VenueAdapter, VenueMessage, VenueSocket

log = logging.getLogger(__name__)

_LIST_EVERY = timedelta(hours=1)
_LONGEST_BACK_OFF = 60.0
_STEADY = 60.0
"""Seconds after which a connection counts as one that works, and the next may be tried at once."""

_LONGEST_FRAME = 4 * 1024 * 1024
_BREATHE_EVERY = 50

TRADED_AS_CURRENCY = frozenset({"USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "NZD", "SGD"})
"""What venues deal as money. Any other base that looks like a currency is a coin of that name, and shadows none."""


def supported_pairs(venue: str, names: PairNames) -> dict[str, Pair]:
    """Give those of a venue's pairs whose both sides are known here, in our codes."""
    known = {}
    for name, pair in names.items():
        base = pair.base if pair.base in TRADED_AS_CURRENCY else coin_for_symbol(venue, pair.base)
        quote = pair.quote if pair.quote in CURRENCIES else coin_for_symbol(venue, pair.quote)
        if base is not None and quote is not None and base != quote:
            known[name] = Pair(base, quote)
    return known


@dataclass(slots=True)
class Streamer:
    """Keeps one venue heard: its list every hour, its sockets always."""

    venue: VenueAdapter
    poller: Poller
    pipeline: PricePipeline
    names: dict[str, Pair] = field(default_factory=dict)
    back_off: float = 1.0

    async def run(self) -> None:
        """Hear the venue for ever; when its list of pairs changes the sockets are made anew."""
        tasks: list[asyncio.Task[None]] = []
        try:
            while True:
                names = await self._listed()
                if not names:
                    await self.poller.pause()
                    continue
                if names != self.names or not tasks:
                    await _ended(tasks)
                    self.names = dict(names)
                    self.pipeline.listings.replace(self.venue.source.key, self.names.values())
                    tasks = [asyncio.create_task(self._keep(socket)) for socket in self.venue.sockets(self.names)]
                await _undisturbed(tasks, _LIST_EVERY)
        finally:
            await _ended(tasks)

    async def _listed(self) -> Mapping[str, Pair]:
        """Give the venue's pairs; those of before where it does not say."""
        try:
            return await self._list()
        except SourceBroken as error:
            self.poller.fetcher.forget(self.venue.pair_list_request())
            self.poller.record_failure(error)
            return self.names

    async def _list(self) -> Mapping[str, Pair]:
        request = self.venue.pair_list_request()
        content = await self.poller.fetcher.fetch(self.venue.source.key, request)
        return (
            self.names
            if content is None
            else supported_pairs(self.venue.source.key, self.venue.parse_pair_names(content))
        )

    async def _keep(self, socket: VenueSocket) -> None:
        """Keep one connection: a dead one is made anew, the more slowly the more often it dies at once."""
        wait, loop = self.back_off, asyncio.get_running_loop()
        while True:
            began = loop.time()
            self.pipeline.tick_store.reset_sequences(self.venue.source.key)
            try:
                await self._connected(socket)
            except (SourceBroken, aiohttp.ClientError, OSError, TimeoutError) as error:
                self.poller.record_failure(SourceBroken(f"{self.venue.source.key}: {_plainly(error)}"))
            wait = self.back_off if loop.time() - began > _STEADY else min(wait * 2, _LONGEST_BACK_OFF)
            await asyncio.sleep(random.uniform(wait / 2, wait))  # noqa: S311  nobody guesses it

    async def _connected(self, socket: VenueSocket) -> None:
        fetcher = self.poller.fetcher
        async with fetcher.session.ws_connect(
            fetcher.address(socket.url), heartbeat=20, max_msg_size=_LONGEST_FRAME, timeout=aiohttp.ClientWSTimeout(5)
        ) as connection:
            helper = asyncio.create_task(_speak(connection, socket))
            try:
                await self._listen(connection, socket)
            finally:
                helper.cancel()
                await asyncio.gather(helper, return_exceptions=True)

    async def _listen(self, connection: aiohttp.ClientWebSocketResponse, socket: VenueSocket) -> None:
        loop, silence, heard = asyncio.get_running_loop(), socket.silence.total_seconds(), 0
        # Not the time-out of `receive`: pings, which the deaf answer too, would put it off for ever.
        async with asyncio.timeout(silence) as limit:
            put_off_at = loop.time()
            while True:
                message = await connection.receive()
                if message.type not in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
                    raise SourceBroken("the connection was closed")
                if self._take(self.venue.parse_message(message.data, self.names)):
                    return
                heard += 1
                if heard % _BREATHE_EVERY == 0:
                    await asyncio.sleep(0)
                if loop.time() - put_off_at > min(1.0, silence / 10):
                    put_off_at = loop.time()
                    limit.reschedule(put_off_at + silence)

    def _take(self, heard: VenueMessage) -> bool:
        """Put ticks on the tape; say whether the connection must be made anew."""
        if heard.refused:
            log.warning("Source %s: refuses a subscription: %s", self.venue.source.key, heard.refused[:200])
        now = self.poller.clock()
        for tick in heard.ticks:
            if self.pipeline.apply_tick(tick, now) is None:
                self.poller.source_status.record_market_time(tick.as_of or now)
                self.poller.record_success()
        return heard.reconnect


async def _undisturbed(tasks: list[asyncio.Task[None]], while_: timedelta) -> None:
    """Wait; a socket's task never ends by itself, so one that does has met a fault of ours, which is raised."""
    done, _ = await asyncio.wait(tasks, timeout=while_.total_seconds(), return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        await task


async def _ended(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _speak(connection: aiohttp.ClientWebSocketResponse, socket: VenueSocket) -> None:
    """Say hello, then what keeps the connection alive."""
    for frame in socket.opening_frames:
        await connection.send_str(frame)
        await asyncio.sleep(socket.pause.total_seconds())
    while socket.ping:
        await asyncio.sleep(socket.ping_every.total_seconds())
        await connection.send_str(socket.ping)


def _plainly(error: Exception) -> str:
    return str(error) if isinstance(error, SourceBroken) else type(error).__name__
