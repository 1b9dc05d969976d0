"""The days on which a market stays closed although it is a weekday.

Read once at import from `closures.csv`, in the manner of the currencies. The days stand in a table because a library of
calendars would cost every worker 20 MB of memory; a market has none before its first day there and after its last.

- `currencies`: Christmas Day and New Year's Day, the two days on which no dealer quotes.
- `metals`: those two and Good Friday, as CME Group's calendar of holidays has them; one on a Sunday is kept on Monday.
- `lme`: the bank holidays of England, but for the day of Queen Elizabeth II's funeral, when the London Metal Exchange
  gave its official prices as on any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from importlib import resources
from types import MappingProxyType

from cambist.reference.rows import Row, read_rows

_MARKETS = ("currencies", "metals", "lme")
_SATURDAY = 5


def _closures(text: str) -> Mapping[str, frozenset[date]]:
    closed: dict[str, set[date]] = {market: set() for market in _MARKETS}
    for row in read_rows("closures.csv", text, "market,day,name"):
        market, day = _market(row), row.day("day")
        row.text("name")
        if day.weekday() >= _SATURDAY:
            raise row.broken("day", f"{day} lies in a weekend")
        if day in closed[market]:
            raise row.broken("day", f"{day} of {market} stands here twice")
        closed[market].add(day)
    return MappingProxyType({market: frozenset(days) for market, days in closed.items()})


def _market(row: Row) -> str:
    market = row.text("market")
    if market not in _MARKETS:
        raise row.broken("market", f"{market!r} is not one of {', '.join(_MARKETS)}")
    return market


CLOSURES: Mapping[str, frozenset[date]] = _closures(
    resources.files(__package__).joinpath("closures.csv").read_text(encoding="utf-8")
)
"""The closed weekdays by market."""
