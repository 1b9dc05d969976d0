"""Parities: currencies whose worth in another is fixed by law, as pegs or by conversion at their end.

A peg holds between its first and last day. A conversion (the euro's irrevocable rates, a redenomination
under a new code) holds from its first day for ever: an old amount can always be converted, and the old
currency never floats again (ADR 5). It ends only where the successor was abandoned and its code later given to other
money: nobody may convert a dollar of Zimbabwe of 2008 into one of 2019.
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
from cambist.reference.tables import CURRENCIES, EURO_RATES, PEGS, REDENOMINATIONS, Redenomination


@dataclass(frozen=True, slots=True)
class Parity:
    """One unit of `anchor` is `factor` units of `code`, by the word of `authority`."""

    code: str
    anchor: str
    factor: Fraction
    made: Derivation
    authority: str

    @property
    def pair(self) -> Pair:
        """The pair that is fixed: one anchor in units of the code."""
        return Pair(self.anchor, self.code)

    def quote(self, anchor: Quote, pivot: str) -> Quote:
        """Derive the code's quote against the pivot from its anchor's."""
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
    """Give the parities that hold on `day`, each after the one that its anchor depends on."""
    return _parities_since(CHANGE_DAYS[bisect_right(CHANGE_DAYS, day) - 1])


@cache
def _parities_since(change: date) -> tuple[Parity, ...]:
    holding = {parity.code: parity for parity in (*_pegs(change), *_conversions(change))}
    return tuple(_anchors_first(holding))


def legal_rate(base: str, quote: str, day: date) -> Fraction | None:
    """Give what one `base` is in `quote` where law alone decides it, needing no market; None elsewhere."""
    held = {parity.code: parity for parity in parities_on(day)}
    (base_root, base_units), (quote_root, quote_units) = _root(base, held), _root(quote, held)
    if base_root != quote_root or not (base in held or quote in held or _lives(base, day)):
        return None
    return quote_units / base_units


def _lives(code: str, day: date) -> bool:
    return code in CURRENCIES and CURRENCIES[code].lives_on(day)


def _root(code: str, held: dict[str, Parity]) -> tuple[str, Fraction]:
    """Follow a currency to what it is tied to in the end, and give its units per one of that."""
    units = Fraction(1)
    while code in held:
        units *= held[code].factor
        code = held[code].anchor
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


def _converts(change: Redenomination, day: date) -> bool:
    """Say whether a conversion holds: for ever, unless the successor's code was given to other money since."""
    end = CURRENCIES[change.new].next_reuse(change.first_day)
    return change.first_day <= day and (end is None or day < end)


def _factor(change: Redenomination, day: date) -> Fraction:
    """Carry the conversion through what its successor has since lost under the same code."""
    return change.factor * prod(
        later.factor
        for later in REDENOMINATIONS
        if later.old == later.new == change.new and change.first_day < later.first_day <= day
    )


def _anchors_first(holding: dict[str, Parity]) -> Iterator[Parity]:
    given: set[str] = set()

    def give(parity: Parity) -> Iterator[Parity]:
        if parity.code in given:
            return
        given.add(parity.code)
        if parity.anchor in holding:
            yield from give(holding[parity.anchor])
        yield parity

    for parity in holding.values():
        yield from give(parity)


def _change_days() -> Iterator[date]:
    yield date.min
    for peg in PEGS:
        yield peg.first_day
        if peg.last_day is not None:
            yield peg.last_day + timedelta(days=1)
    yield from (euro.fixed_on for euro in EURO_RATES.values())
    yield from (change.first_day for change in REDENOMINATIONS)
    yield from (life.first_day for currency in CURRENCIES.values() for life in currency.lives[1:])


CHANGE_DAYS = sorted(set(_change_days()))
"""The days on which what holds becomes another; between two of them nothing changes."""


def parity_periods(first: date, days: int) -> Iterator[tuple[int, int]]:
    """Divide `days` days from `first` on where what holds changes; give each part as start and end offset."""
    changes = [offset for day in CHANGE_DAYS if 0 < (offset := (day - first).days) < days]
    return pairwise([0, *changes, days])
