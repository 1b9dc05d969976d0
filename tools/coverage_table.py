"""The tables of docs/reference/coverage.md: which sources each currency has, and which currencies have one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from cambist.pricing.pair import PIVOT
from cambist.pricing.parity import parity_on
from cambist.pricing.source_kind import Pace
from cambist.reference.currency_tables import CURRENCIES
from cambist.registry.sources.source_adapters import adapters
from cambist.sources.base import Adapter, FixingAdapter, Source
from cambist.sources.published_currencies import published_currencies

_UNENDED = date(2200, 1, 1)
"""A day that only currencies and laws without a known end reach, so that the tables do not change with the calendar."""


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


def found() -> list[DeclaredCoverage]:
    """Return the coverage of all living currencies."""
    return declared_coverage(adapters().values(), _UNENDED)


def coverage_rows() -> Iterator[Sequence[str]]:
    """Yield a row for each living currency: its sources, with the first year of each."""
    for each in found():
        sources = ", ".join(
            f"{source.key} {first:%Y}{'' if source.is_on_by_default else ' (off)'}{'*' if source.compiled else ''}"
            for source, first in each.sources
        )
        yield each.code, CURRENCIES[each.code].name, law(each.code), str(each.independent), sources


def single_rows() -> Iterator[Sequence[str]]:
    """Yield a row for each currency that no law fixes and that has fewer than two independent words."""
    for each in found():
        if each.independent < 2 and not law(each.code):
            on = [source.key for source, _ in each.sources if source.is_on_by_default]
            yield each.code, CURRENCIES[each.code].name, ", ".join(on) or "none"


def law(code: str) -> str:
    """Return the currency that a law fixes the rate to; empty if there is none."""
    parity = parity_on(_UNENDED, code)
    return parity.anchor if parity else ""
