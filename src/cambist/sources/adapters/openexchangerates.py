"""Open Exchange Rates: units per dollar of some 170 currencies, blended by it from sources of its own choice.

One JSON a day, for whoever has an App ID: `disclaimer`, `license`, `timestamp`, `base` and `rates`. The answer tells
not its day but a moment within: of old days some hour, of newer ones the last second, of today the last hour. Metals
are in troy ounces per dollar. BTC stands among the rates and is no currency; dead currencies go on there for years.
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
"""A day's last rates may be of the first minutes of the next one."""

_reader = PayloadReader("Open Exchange Rates")


class _Answer(Struct):
    timestamp: int
    base: str
    rates: dict[str, Raw]


class OpenExchangeRatesAdapter(FixingAdapter):
    """Reads the JSON of one day; `subject` is the day."""

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
        # The free plan's thousand requests a month are some thirty a day.
        schedule=Schedule(start=time(0, 30), every=timedelta(hours=6), days=EVERY_DAY, reread_days=2),
        disabled_reason="Open Exchange Rates wants an App ID of your own, and its terms forbid passing its data on.",
        setting="openexchangerates_key",
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Ask for one day after the other; there are rates on weekends, too."""
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
        """Read one day, in the answer's order."""
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
    """See that it is an answer of the day, and per dollar."""
    midnight = int(datetime.combine(day, time(0), UTC).timestamp())
    if not midnight <= answer.timestamp < midnight + _WITHIN.total_seconds():
        raise _reader.broken(f"the answer about {day} is of the second {answer.timestamp}")
    if answer.base != _BASE or bytes(answer.rates.get(_BASE, b"")) != b"1" or "EUR" not in answer.rates:
        raise _reader.broken(f"the rates of {day} are none per dollar")


adapter: FixingAdapter = OpenExchangeRatesAdapter()
