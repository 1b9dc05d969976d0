"""Parities: rates that are fixed by law. A parity is a peg, a conversion or a minor unit.

A peg holds between its first and its last day. A conversion (the euro's irrevocable rates, a redenomination under a new
code) holds from its first day for ever: an old amount can always be converted, and the old currency never floats again
(ADR 5). A conversion ends only if the successor was abandoned and its code was reused for another currency: a
Zimbabwean dollar of 2008 cannot be converted into one of 2019. A minor unit is a conversion that holds as long as there
is one: a penny is a hundredth of a pound.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import prod

from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.reference.currency_tables import CURRENCIES, EURO_RATES, PEGS, REDENOMINATIONS, Redenomination
from cambist.reference.minor_units import MINOR_UNITS


@dataclass(frozen=True, slots=True)
class Parity:
    """One unit of `anchor` is `factor` units of `code`, as fixed by `authority`."""

    code: str
    anchor: str
    factor: Fraction
    made: Derivation
    authority: str

    @property
    def pair(self) -> Pair:
        """The pair whose rate is `factor`: the anchor in units of the code."""
        return Pair(self.anchor, self.code)

    def quote(self, anchor: Quote, pivot: str) -> Quote:
        """Return the quote of the code against the pivot, derived from the anchor's."""
        bid, ask = (side / self.factor for side in anchor.sides(self.anchor))
        return Quote(
            pair=Pair(self.code, pivot),
            bid=bid,
            ask=ask,
            as_of=anchor.as_of,
            received_at=anchor.received_at,
            origin=Origin(self.made, (*anchor.origin.sources, self.authority), (anchor.pair, self.pair)),
        )


def parities_on(day: date) -> tuple[Parity, ...]:
    """Return the parities that hold on a day. The parity of an anchor comes before those that depend on it."""
    return tuple(_parities_since(_last_change(day)).values())


def parity_on(day: date, code: str) -> Parity | None:
    """Return the parity of a currency on a day; None if the law does not fix it."""
    return _parities_since(_last_change(day)).get(code)


def _last_change(day: date) -> date:
    return CHANGE_DAYS[bisect_right(CHANGE_DAYS, day) - 1]


@cache
def _parities_since(change: date) -> dict[str, Parity]:
    holding = {parity.code: parity for parity in (*_pegs(change), *_conversions(change), *_minor_units(change))}
    return {parity.code: parity for parity in _anchors_first(holding)}


def legal_rate(base: str, quote: str, day: date) -> Fraction | None:
    """Return the rate of a pair if parities alone determine it; None if a market rate is needed."""
    holding = _parities_since(_last_change(day))
    (base_root, base_units), (quote_root, quote_units) = _root(base, holding), _root(quote, holding)
    if base_root != quote_root or not (base in holding or quote in holding or _lives(base, day)):
        return None
    return quote_units / base_units


def _lives(code: str, day: date) -> bool:
    return code in CURRENCIES and CURRENCIES[code].lives_on(day)


def _root(code: str, holding: dict[str, Parity]) -> tuple[str, Fraction]:
    """Follow the parities of a currency to the last anchor; return it, and the units of the currency for one of it."""
    units = Fraction(1)
    while code in holding:
        units *= holding[code].factor
        code = holding[code].anchor
    return code, units


def _pegs(day: date) -> Iterator[Parity]:
    for peg in PEGS:
        if peg.holds_on(day):
            yield Parity(peg.code, peg.anchor, peg.factor, Derivation.PEGGED, peg.authority)


def _conversions(day: date) -> Iterator[Parity]:
    for euro in EURO_RATES.values():
        if day >= euro.fixed_on:
            yield Parity(euro.code, "EUR", euro.rate, Derivation.CONVERTED, euro.authority)
    for change in REDENOMINATIONS:
        if CURRENCIES[change.old].successor == change.new and _converts(change, day):
            yield Parity(change.old, change.new, _factor(change, day), Derivation.CONVERTED, change.authority)


def _minor_units(day: date) -> Iterator[Parity]:
    for unit in MINOR_UNITS.values():
        if day >= unit.first_day:
            yield Parity(unit.code, unit.currency, Fraction(unit.units), Derivation.CONVERTED, unit.name)


def _converts(change: Redenomination, day: date) -> bool:
    """Return whether a conversion holds: for ever, unless the successor's code was reused for another currency."""
    end = CURRENCIES[change.new].next_reuse(change.first_day)
    return change.first_day <= day and (end is None or day < end)


def _factor(change: Redenomination, day: date) -> Fraction:
    """Return the factor of a conversion, multiplied by later redenominations of the successor under its own code."""
    return change.factor * prod(
        later.factor
        for later in REDENOMINATIONS
        if later.old == later.new == change.new and change.first_day < later.first_day <= day
    )


def _anchors_first(holding: dict[str, Parity]) -> Iterator[Parity]:
    done: set[str] = set()

    def with_anchor(parity: Parity) -> Iterator[Parity]:
        if parity.code in done:
            return
        done.add(parity.code)
        if parity.anchor in holding:
            yield from with_anchor(holding[parity.anchor])
        yield parity

    for parity in holding.values():
        yield from with_anchor(parity)


def _change_days() -> Iterator[date]:
    yield date.min
    for peg in PEGS:
        yield peg.first_day
        if peg.last_day is not None:
            yield peg.last_day + timedelta(days=1)
    yield from (euro.fixed_on for euro in EURO_RATES.values())
    yield from (change.first_day for change in REDENOMINATIONS)
    yield from (unit.first_day for unit in MINOR_UNITS.values())
    yield from (life.first_day for currency in CURRENCIES.values() for life in currency.lives[1:])


CHANGE_DAYS = sorted(set(_change_days()))
"""The days on which a parity begins or has ended. Between two of them the same parities hold."""


def parity_periods(first: date, days: int) -> Iterator[tuple[int, int]]:
    """Divide `days` days from `first` on into periods with the same parities. Yield their start and end offsets."""
    changes = [offset for day in CHANGE_DAYS if 0 < (offset := (day - first).days) < days]
    return pairwise([0, *changes, days])


@cache
def parity_spans(first: date, days: int) -> tuple[tuple[Parity, int, int], ...]:
    """Return the parities of some days with the rows from and to which each holds, ends excluded.

    The parity of an anchor comes before those that depend on it. One that holds through many periods is there once.
    """
    spans: dict[tuple[int, Parity], list[tuple[int, int]]] = {}
    for start, end in parity_periods(first, days):
        depths: dict[str, int] = {}
        for parity in parities_on(first + timedelta(days=start)):
            depth = depths[parity.code] = depths.get(parity.anchor, -1) + 1
            found = spans.setdefault((depth, parity), [])
            begin = found.pop()[0] if found and found[-1][1] == start else start
            found.append((begin, end))
    in_order = sorted(spans.items(), key=lambda each: each[0][0])
    return tuple((parity, *rows) for (_, parity), found in in_order for rows in found)
