"""Open Exchange Rates: rates of some 170 currencies, blended from sources of its choice, since 1999.

Address: `openexchangerates.org`, one JSON per day: `disclaimer`, `license`, `timestamp`, `base` and `rates`. It needs
an App ID.
Direction: units per dollar; metals in troy ounces per dollar.
Published: every day, weekends included; today's rates every hour.
Oddities: the answer has no day but a `timestamp` within it: some hour for old days, the last second for newer ones,
the last hour for today. BTC is among the rates and is skipped. Ended currencies continue for years.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from msgspec import Raw, Struct

from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import EVERY_DAY, FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_HISTORY = "https://openexchangerates.org/api/historical"
_FIRST_DAY = date(1999, 1, 1)
_BASE = "USD"
_NO_CURRENCIES = frozenset({"BTC"})
_WITHIN = timedelta(hours=25)
"""A day's last rates may be from the first minutes of the next day."""

_reader = PayloadReader("Open Exchange Rates")


class _Answer(Struct):
    timestamp: int
    base: str
    rates: dict[str, Raw]


class OpenExchangeRatesAdapter(FixingAdapter):
    """Parses the JSON of one day; `subject` is the day."""

    source = Source(
        key="openexchangerates",
        name="Open Exchange Rates",
        home="https://openexchangerates.org/",
        terms="https://openexchangerates.org/terms",
        licence="by the plan that the App ID belongs to; not to be passed on",
        redistribution=Redistribution.FORBIDDEN,
        pace=Pace.DAILY,
        covers="some 170 currencies and the precious metals against the dollar",
        fixed_at=time(23, 59),
        zone=ZoneInfo("UTC"),
        first_day=_FIRST_DAY,
        compiled=True,
        # The free plan's 1,000 requests a month are about 30 a day.
        schedule=Schedule(start=time(0, 30), every=timedelta(hours=6), days=EVERY_DAY, reread_days=2),
        disabled_reason="Open Exchange Rates wants an App ID of your own, and its terms forbid passing its data on.",
        setting="openexchangerates_key",
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request each day; there are rates on weekends, too."""
        day = max(first, _FIRST_DAY)
        while day <= last:
            yield SourceRequest(
                url=f"{_HISTORY}/{day}.json?app_id={{key}}",
                first=day,
                last=day,
                subject=day.isoformat(),
                content_types=("application/json",),
            )
            day += timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse one day, in the answer's order."""
        day = _reader.day(subject, since=_FIRST_DAY)
        answer = _reader.json(content, _Answer)
        _check(answer, day)
        published_at = datetime.fromtimestamp(answer.timestamp, UTC)
        for code, value in answer.rates.items():
            pair = Pair(_BASE, _reader.code(code))
            with _reader.cell:
                rate = _reader.json_number(value, f"{pair} on {day}")
                if code != _BASE and code not in _NO_CURRENCIES:
                    yield Fixing("openexchangerates", pair, day, rate, published_at=published_at)


def _check(answer: _Answer, day: date) -> None:
    """Raise SourceBroken if the answer is not of the day, or not per dollar."""
    midnight = int(datetime.combine(day, time(0), UTC).timestamp())
    if not midnight <= answer.timestamp < midnight + _WITHIN.total_seconds():
        raise _reader.broken(f"the answer about {day} is of the second {answer.timestamp}")
    if answer.base != _BASE or bytes(answer.rates.get(_BASE, b"")) != b"1" or "EUR" not in answer.rates:
        raise _reader.broken(f"the rates of {day} are not per dollar")


adapter: FixingAdapter = OpenExchangeRatesAdapter()
