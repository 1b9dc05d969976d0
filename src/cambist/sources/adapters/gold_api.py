"""Gold-API: prices of the four precious metals in dollars.

Address: `api.gold-api.com`, JSON, one metal per request, without a key.
Direction: dollars per troy ounce; one price, without bid and ask.
Published: every few seconds. `updatedAt` is its time, in UTC.
Oddities: the site does not say where the prices are from.
Known from: recorded answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from msgspec import Raw, Struct

from cambist.errors import shorten
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.pricing.tick import Tick
from cambist.sources.base import PairNames, Redistribution, Schedule, Source, SourceRequest, TickAdapter
from cambist.sources.parsing import PayloadReader

_PRICES = "https://api.gold-api.com/price/"
_METALS = ("XAU", "XAG", "XPT", "XPD")
_SINCE = datetime(2020, 1, 1, tzinfo=UTC)

_reader = PayloadReader("Gold-API")


class _Answer(Struct):
    """There are no defaults, so that an answer without one of the fields is an error."""

    currency: str
    exchangeRate: Decimal  # noqa: N815  the source's own name
    price: Raw
    symbol: str
    updatedAt: str  # noqa: N815  the source's own name


class GoldApiAdapter(TickAdapter):
    """Parses the price of one metal."""

    source = Source(
        key="gold_api",
        name="Gold-API",
        home="https://gold-api.com/",
        terms="https://gold-api.com/terms",
        licence="free to use; the origin of the prices is not stated",
        redistribution=Redistribution.UNCLEAR,
        pace=Pace.INTRADAY,
        covers="the four precious metals in dollars, one price each",
        zone=ZoneInfo("America/New_York"),
        first_day=date.max,  # it tells of now alone
        schedule=Schedule(
            every=timedelta(minutes=1),
            days=frozenset({6, 0, 1, 2, 3, 4}),  # the market opens on Sunday evening
            pause=timedelta(seconds=1),
        ),
        rate_type=RateType.MARKET,
        disabled_reason="Gold-API does not say where its prices are from, nor whether they may be passed on.",
    )

    def requests(self) -> Sequence[SourceRequest]:
        """Request each metal by itself."""
        return tuple(
            SourceRequest(url=_PRICES + metal, subject=metal, content_types=("application/json",)) for metal in _METALS
        )

    def parse_ticks(self, content: bytes, subject: str, names: PairNames) -> Iterator[Tick]:
        """Parse one metal's price."""
        _ = names
        answer = _reader.json(content, _Answer)
        if answer.symbol != subject or answer.currency != "USD" or answer.exchangeRate != 1:
            raise _reader.broken(f"it was asked for {subject} in dollars, not [{shorten(answer.symbol)}]")
        value = _reader.json_number(answer.price, subject)
        yield Tick("gold_api", Pair(answer.symbol, "USD"), value, value, _moment(answer.updatedAt))


def _moment(text: str) -> datetime:
    """Return the time of a price. Errors: SourceBroken."""
    try:
        found = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z")
    except ValueError:
        found = _SINCE
    if found <= _SINCE:
        raise _reader.broken(f"[{shorten(text)}] is no time of a price")
    return found.astimezone(UTC)


adapter: TickAdapter = GoldApiAdapter()
