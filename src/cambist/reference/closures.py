"""Closures: the weekdays on which a market is closed.

The table `closures.csv` is read once at import. It is a table because a calendar library would cost every worker 20 MB
of memory. Before its first and after its last row a market has no closures.

- `currencies`: Christmas Day and New Year's Day, the two days on which no dealer quotes.
- `metals`: those two and Good Friday, as CME Group's calendar of holidays has them; one on a Sunday is kept on Monday.
- `lme`: the bank holidays of England, but for the day of Queen Elizabeth II's funeral, when the London Metal Exchange
  gave its official prices as on any other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Literal

from msgspec import Struct

from cambist.reference.table_loader import Table, Text

_SATURDAY = 5


class Closure(Struct, frozen=True):
    """A weekday on which a market is closed."""

    market: Literal["currencies", "metals", "lme"]
    day: date
    name: Text

    def __post_init__(self) -> None:
        """Refuse a day of a weekend, on which markets are closed anyway."""
        if self.day.weekday() >= _SATURDAY:
            raise ValueError(f"day: {self.day} lies in a weekend")


CLOSURE_TABLE = Table("closures.csv", Closure, unique=("market", "day"))


def _by_market() -> Mapping[str, frozenset[date]]:
    closed = defaultdict(set)
    for closure in CLOSURE_TABLE.read():
        closed[closure.market].add(closure.day)
    return MappingProxyType({market: frozenset(days) for market, days in closed.items()})


CLOSURES: Mapping[str, frozenset[date]] = _by_market()
"""The closed weekdays by market."""
