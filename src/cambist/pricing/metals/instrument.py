"""Instruments: what is quoted of metals. A spot one is a metal in a currency, a ratio one metal in another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.rate_book import RateBook
from cambist.reference.assets import METALS, Metal, MetalKind
from cambist.reference.tables import CURRENCIES

RATIOS = (Pair("XAU", "XAG"), Pair("XAU", "XPT"), Pair("XAU", "XPD"), Pair("XPT", "XPD"))
"""The ratios that dealers watch: ounces of the second metal for an ounce of the first."""


@dataclass(frozen=True, slots=True)
class Instrument:
    """One instrument: so much of `target`, a currency or a metal, for the metal's own unit of it (or for itself)."""

    metal: Metal
    target: str

    @property
    def pair(self) -> Pair:
        """The pair that it is quoted as."""
        return Pair(self.metal.code, self.target)

    @property
    def symbol(self) -> str:
        """Its name without a slash."""
        return f"{self.metal.code}{self.target}"

    @property
    def is_ratio(self) -> bool:
        """Whether it is one metal in another."""
        return self.target in METALS

    @property
    def is_precious(self) -> bool:
        """Whether it has a purity; else it has a grade."""
        return self.metal.kind is MetalKind.PRECIOUS


def instruments(book: RateBook) -> Mapping[str, Instrument]:
    """Give all instruments by symbol: every metal in the pivot and in what it is dealt in directly; then the ratios."""
    return {instrument.symbol: instrument for instrument in _instruments(book)}


def find_instrument(book: RateBook, symbol: str) -> Instrument | None:
    """Give the instrument of a symbol; None where there is none."""
    metal, target = METALS.get(symbol[:3]), symbol[3:]
    if metal is None:
        return None
    pair = Pair(metal.code, target)
    is_there = target == PIVOT or pair in RATIOS or (target in CURRENCIES and pair in book.pairs)
    return Instrument(metal, target) if is_there else None


def _instruments(book: RateBook) -> Iterator[Instrument]:
    dealt: dict[str, list[str]] = {code: [] for code in METALS}
    for pair in book.pairs:
        if pair.base in METALS and pair.quote in CURRENCIES and pair.quote != PIVOT:
            dealt[pair.base].append(pair.quote)
    for metal in METALS.values():
        for target in (PIVOT, *sorted(dealt[metal.code])):
            yield Instrument(metal, target)
    for pair in RATIOS:
        yield Instrument(METALS[pair.base], pair.quote)
