"""Which sources say that they publish a currency, and how many of them publish independent rates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from cambist.pricing.pair import PIVOT
from cambist.pricing.source_kind import Pace
from cambist.reference.tables import CURRENCIES
from cambist.sources.base import Adapter, FixingAdapter, Source
from cambist.sources.published_currencies import published_currencies


@dataclass(frozen=True, slots=True)
class DeclaredCoverage:
    """The sources of one currency, best first, and the first day that each can have it."""

    code: str
    sources: tuple[tuple[Source, date], ...]

    @property
    def independent(self) -> int:
        """How many of the sources that are on by default have rates of their own; compilers alone count as one."""
        on = [source for source, _ in self.sources if source.is_on_by_default]
        return sum(not source.compiled for source in on) or min(len(on), 1)


def declared_coverage(adapters: Iterable[Adapter], today: date) -> list[DeclaredCoverage]:
    """Return the coverage of each living currency by the daily fixings of sources, by code.

    A source covers the currencies that it lists, and the one that all its rates share if it also has the US dollar.
    Monthly sources, those of other types of rates, and live prices do not count.
    """
    daily = [
        adapter.source
        for adapter in adapters
        if isinstance(adapter, FixingAdapter)
        and adapter.source.pace is not Pace.MONTHLY
        and adapter.source.is_of_main_market
    ]
    living = sorted(code for code, currency in CURRENCIES.items() if currency.lives_on(today) and code != PIVOT)
    return [DeclaredCoverage(code, tuple(_sources(code, daily))) for code in living]


def _sources(code: str, daily: Iterable[Source]) -> Iterable[tuple[Source, date]]:
    since = min(life.first_day for life in CURRENCIES[code].lives)
    for source in daily:
        codes = published_currencies().get(source.key, ())
        if code in codes or (code in (source.anchor, source.alias) and PIVOT in codes):
            yield source, max(dict(source.later).get(code, source.first_day), since)
