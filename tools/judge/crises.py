"""Crises: what several sources would have published of a real series, each at its own hour, replayed day by day."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from pathlib import Path
from random import Random

from tools.judge.panel import Event, Panel, rounded
from tools.judge.series import HISTORY, Series, day_number, ecb_series, fed_series

from cambist.verdicts.facts import SourceFacts

HOURS = (13.25, 10.0, 8.5, 15.0, 7.0, 12.0, 16.0, 20.0)
"""At which hours (UTC) the sources publish."""

EVENT_HOUR = 9.4
"""At which hour a large move happens: a source that publishes earlier still has the old rate."""


@dataclass(frozen=True, slots=True)
class Crisis:
    """A code in bad weeks; its series is that of the ECB or of the Federal Reserve."""

    code: str
    first: str
    last: str
    by: str = "ecb"

    def panel(self, sources: int, seed: int, folder: Path = HISTORY) -> Panel | None:
        """Return the panel of so many sources, each of which misses 3 % of the days; None without the series."""
        series = ecb_series(self.code) if self.by == "ecb" else fed_series(self.code, folder)
        days = [day for day in sorted(series) if day_number(self.first) <= day <= day_number(self.last)]
        if not days:
            return None
        truth = {day: series[day] for day in days}
        events = [event for source in range(sources) for event in _published(truth, days, source, seed)]
        largest = max(range(1, len(days)), key=lambda place: abs(truth[days[place]] - truth[days[place - 1]]))
        facts = tuple(SourceFacts(f"a{source}", fixed_at=HOURS[source]) for source in range(sources))
        return Panel(f"{self.code} {self.first[:7]}", truth, events, facts, days[largest], skip=8)


def _published(truth: Series, days: list[int], source: int, seed: int) -> list[Event]:
    events = []
    for place, day in enumerate(days):
        if Random(seed * 1000 + source * 77 + day).random() < 0.03:
            continue
        before, hour = truth[days[max(place - 1, 0)]], HOURS[source]
        move = truth[day] - before
        random = Random(seed * 7919 + day * 101 + source)
        if abs(move) > 0.05:
            value = truth[day] if hour >= EVENT_HOUR else before
        else:
            value = before + move * min(1, 0.4 + 0.6 * hour / 14)
        value += random.gauss(0, 0.0005)
        digits = random.choice((5, 5, 6, 4 if exp(value) > 20 else 5))
        events.append(Event(day * 24 + hour, f"a{source}", day, rounded(value, digits)))
    return events


def tolerance(value: float, before: float) -> float:
    """Allow one percent, or three quarters of the day's true move: sources have other hours."""
    return max(0.01, 0.75 * abs(value - before))


CRISES = (
    Crisis("CHF", "2014-12-15", "2015-02-15"),
    Crisis("CHF", "2011-08-01", "2011-10-01"),
    Crisis("GBP", "2016-05-20", "2016-07-20"),
    Crisis("RUB", "2014-11-10", "2015-01-20"),
    Crisis("RUB", "2022-01-20", "2022-03-01"),
    Crisis("TRY", "2018-07-20", "2018-09-20"),
    Crisis("TRY", "2021-11-10", "2022-01-15"),
    Crisis("JPY", "2022-10-01", "2023-01-15"),
    Crisis("JPY", "2024-07-01", "2024-08-31"),
    Crisis("KRW", "1997-11-01", "1998-02-15", "fed"),
    Crisis("THB", "1997-06-01", "1997-09-15", "fed"),
    Crisis("MXN", "1994-12-01", "1995-03-31", "fed"),
    *(Crisis(code, "2008-09-15", "2008-12-01") for code in ("ISK", "ZAR", "KRW", "BRL", "AUD", "MXN", "JPY")),
)
