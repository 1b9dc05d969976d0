"""Twelve Data: exchange rates of seven currency pairs and gold, with the operator's own key.

Address: `api.twelvedata.com`, JSON by pair. All pairs are one request, at one credit each; 8 credits a minute and 800
a day are free, so eight pairs are requested four times an hour.
Direction: quote currency per unit of the base; gold per troy ounce. There is one rate, without bid and ask: both
sides of a tick are this rate.
Published: current rates only; `timestamp` is in seconds.
Oddities: an error is an object with `code`, `message` and `status` "error", in place of the whole answer or of one
pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from msgspec import Struct

from cambist.errors import shorten
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.pricing.tick import Tick
from cambist.sources.base import PairNames, Redistribution, Schedule, Source, SourceRequest, TickAdapter
from cambist.sources.parsing import PayloadReader

_PAIRS = ("EUR/USD", "GBP/USD", "USD/JPY", "USD/CHF", "AUD/USD", "USD/CAD", "NZD/USD", "XAU/USD")
_URL = "https://api.twelvedata.com/exchange_rate?symbol=" + ",".join(_PAIRS)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SINCE, _UNTIL = 10**9, 10**10
"""Seconds of ten digits: 2001 to 2286."""

_reader = PayloadReader("Twelve Data")


class _Error(Struct):
    status: object = ""
    code: object = 0
    message: object = ""


class _Rate(Struct):
    symbol: str = ""
    rate: Decimal | None = None
    timestamp: int = 0
    status: str = ""
    message: str = ""


class TwelveDataAdapter(TickAdapter):
    """Parses the rates of all pairs."""

    source = Source(
        key="twelvedata",
        name="Twelve Data",
        home="https://twelvedata.com/",
        terms="https://twelvedata.com/terms",
        licence="by the plan that the key belongs to; passing it on needs a plan that allows it",
        redistribution=Redistribution.FORBIDDEN,
        pace=Pace.INTRADAY,
        covers="rates, without bid and ask, of seven pairs of currencies and of gold",
        zone=ZoneInfo("America/New_York"),
        first_day=date.max,  # it only has current rates
        # The free plan's 800 credits a day are 100 requests for eight pairs. The market opens on Sunday evening.
        schedule=Schedule(every=timedelta(minutes=15), days=frozenset({6, 0, 1, 2, 3, 4})),
        rate_type=RateType.MARKET,
        disabled_reason="Twelve Data wants a key of your own, and most of its plans forbid passing its data on.",
        setting="twelvedata_key",
    )

    def requests(self) -> Sequence[SourceRequest]:
        """Request all pairs at once. The key is in a header, which is not logged."""
        return (
            SourceRequest(url=_URL, headers=(("Authorization", "apikey {key}"),), content_types=("application/json",)),
        )

    def parse_ticks(self, content: bytes, subject: str, names: PairNames) -> Iterator[Tick]:
        """Parse all pairs."""
        _ = subject, names
        error = _reader.json(content, _Error)
        if error.status == "error":
            raise _reader.broken(f"it answers an error: {shorten(f'{error.code} {error.message}')}")
        rates = _reader.json(content, dict[str, _Rate])
        if rates.keys() != set(_PAIRS):
            raise _reader.broken(f"it was asked for other pairs than [{shorten(', '.join(rates))}]")
        for name, rate in rates.items():
            yield _tick(name, rate)


def _tick(name: str, rate: _Rate) -> Tick:
    if rate.status == "error":
        raise _reader.broken(f"{name} has no rate: {shorten(rate.message)}")
    if rate.symbol != name or not _SINCE <= rate.timestamp < _UNTIL:
        raise _reader.broken(f"{name} has no time, or is [{shorten(rate.symbol)}]: [{shorten(str(rate.timestamp))}]")
    value = _reader.json_number(rate.rate, name)
    return Tick("twelvedata", Pair(*name.split("/")), value, value, _EPOCH + timedelta(seconds=rate.timestamp))


adapter: TickAdapter = TwelveDataAdapter()
