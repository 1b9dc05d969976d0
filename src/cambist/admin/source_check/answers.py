"""Ask one source once, and read what it sends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any

import aiohttp

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.ingest.fetch import Fetcher
from cambist.pricing.tick import Tick
from cambist.settings.outgoing import OutgoingProxies
from cambist.sources.base import Adapter, FixingAdapter, SourceRequest, TickAdapter, VenueAdapter

_MOST_ASKED = 4
"""How many days back a source is asked that has no answer for the newest ones: a long weekend."""

_NO_PAIRS: Mapping[str, Any] = {}


@dataclass(slots=True)
class CheckedAnswer:
    """What one source sent. `url` has a placeholder in place of a key; times are UTC.

    `is_whole` is false if the source is asked for each currency by itself, so that one answer has only some codes.
    `error` is the reason why nothing could be read, and empty if something was.
    """

    key: str
    url: str = ""
    content: bytes = b""
    subject: str = ""
    status: int = 0
    content_type: str = ""
    seconds: float = 0.0
    error: str = ""
    is_whole: bool = True
    fixings: list[Fixing] = field(default_factory=list)
    ticks: list[Tick] = field(default_factory=list)
    left_out: tuple[str, ...] = ()

    @property
    def newest(self) -> date | None:
        """The newest day that was read."""
        days = [fixing.day for fixing in self.fixings] + [tick.as_of.date() for tick in self.ticks if tick.as_of]
        return max(days, default=None)

    @property
    def reason(self) -> str:
        """The status with its standard name, such as `404 Not Found`."""
        names = {each.value: each.phrase for each in HTTPStatus}
        return f"{self.status} {names.get(self.status, '')}".strip() if self.status else ""


async def ask(
    adapter: Adapter, today: date, gateway: str, keys: Mapping[str, str], proxies: OutgoingProxies
) -> CheckedAnswer:
    """Ask a source for its newest rates, and read the answer. Failures are in the result."""
    answer = CheckedAnswer(adapter.source.key)
    async with aiohttp.ClientSession(trace_configs=[_recorder(answer)]) as session:
        fetcher = Fetcher(session, gateway, keys, proxies, attempts=1)
        started = time.monotonic()
        try:
            if isinstance(adapter, FixingAdapter):
                await _ask_fixings(adapter, fetcher, answer, today)
            elif isinstance(adapter, TickAdapter):
                await _ask_ticks(adapter, fetcher, answer)
        except SourceBroken as error:
            answer.error = str(error)
        answer.seconds = round(time.monotonic() - started, 2)
    return answer


async def _ask_fixings(adapter: FixingAdapter, fetcher: Fetcher, answer: CheckedAnswer, today: date) -> None:
    requests = newest_requests(adapter, today)
    if not requests:
        raise SourceBroken(f"{answer.key}: there is nothing to ask for up to {today}")
    answer.is_whole = _is_asked_once(requests)
    for number, request in enumerate(reversed(requests[-_MOST_ASKED:])):
        if number:
            await asyncio.sleep(adapter.source.schedule.pause.total_seconds())
        try:
            await _fetch(fetcher, answer, request)
            parsed = adapter.parse_tolerantly(answer.content, request.subject)
        except NothingPublished as error:
            answer.error = str(error)
            continue
        answer.error, answer.fixings, answer.left_out = "", parsed.fixings, parsed.left_out
        return


async def _ask_ticks(adapter: TickAdapter, fetcher: Fetcher, answer: CheckedAnswer) -> None:
    names = _NO_PAIRS
    if isinstance(adapter, VenueAdapter):
        await _fetch(fetcher, answer, adapter.pair_list_request())
        names = adapter.parse_pair_names(answer.content)
        await asyncio.sleep(adapter.source.schedule.pause.total_seconds())
    requests = adapter.requests()
    if not requests:
        raise SourceBroken(f"{answer.key}: it is only listened to, not asked")
    answer.is_whole = len(requests) == 1
    await _fetch(fetcher, answer, requests[0])
    answer.ticks = list(adapter.parse_ticks(answer.content, requests[0].subject, names))


async def _fetch(fetcher: Fetcher, answer: CheckedAnswer, request: SourceRequest) -> None:
    answer.url, answer.subject = request.url, request.subject
    answer.content = await fetcher.fetch(answer.key, request) or b""


def newest_requests(adapter: FixingAdapter, today: date) -> list[SourceRequest]:
    """Return the requests for the newest days, oldest first."""
    reach = timedelta(days=max(adapter.source.schedule.reread_days, 7))
    return list(adapter.requests(today - reach, today))


def _is_asked_once(requests: Sequence[SourceRequest]) -> bool:
    """Return whether one request asks for everything of its days."""
    last = requests[-1]
    return sum((each.first, each.last) == (last.first, last.last) for each in requests) == 1


def _recorder(answer: CheckedAnswer) -> aiohttp.TraceConfig:
    """Record status and content type of each response, also of those that are refused."""

    async def record(
        _session: aiohttp.ClientSession, _context: SimpleNamespace, sent: aiohttp.TraceRequestEndParams
    ) -> None:
        answer.status = sent.response.status
        answer.content_type = sent.response.headers.get("Content-Type", "")

    config = aiohttp.TraceConfig()
    config.on_request_end.append(record)
    return config
