"""Metal instruments. A spot instrument is a metal priced in a currency, a ratio is one metal priced in another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.rate_book import RateBook
from cambist.reference.assets import METALS, Metal, MetalKind
from cambist.reference.currency_tables import CURRENCIES

RATIOS = (Pair("XAU", "XAG"), Pair("XAU", "XPT"), Pair("XAU", "XPD"), Pair("XPT", "XPD"))
"""The usual ratios: ounces of the second metal for one ounce of the first."""


@dataclass(frozen=True, slots=True)
class Instrument:
    """A metal priced in `target`: a currency, per the metal's own unit, or another metal."""

    metal: Metal
    target: str

    @property
    def pair(self) -> Pair:
        """The instrument as a pair."""
        return Pair(self.metal.code, self.target)

    @property
    def symbol(self) -> str:
        """The name of the instrument: the pair without a slash."""
        return f"{self.metal.code}{self.target}"

    @property
    def is_ratio(self) -> bool:
        """Whether one metal is priced in another."""
        return self.target in METALS

    @property
    def is_precious(self) -> bool:
        """Whether the metal has a purity; otherwise it has a grade."""
        return self.metal.kind is MetalKind.PRECIOUS


def instruments(book: RateBook) -> Mapping[str, Instrument]:
    """Return all instruments by symbol: each metal in the pivot and in the currencies of its pairs, then the ratios."""
    return {instrument.symbol: instrument for instrument in _instruments(book)}


def crosses(book: RateBook, metal: str, targets: Iterable[str]) -> int:
    """Return in how many of several targets a metal has no quote, so that its rate is crossed."""
    pairs = book.pairs
    return sum(target not in (PIVOT, metal) and Pair(metal, target) not in pairs for target in targets)


def find_instrument(book: RateBook, symbol: str) -> Instrument | None:
    """Return the instrument of a symbol; None if there is none."""
    metal, target = METALS.get(symbol[:3]), symbol[3:]
    if metal is None:
        return None
    pair = Pair(metal.code, target)
    exists = target == PIVOT or pair in RATIOS or (target in CURRENCIES and pair in book.pairs)
    return Instrument(metal, target) if exists else None


def _instruments(book: RateBook) -> Iterator[Instrument]:
    targets: dict[str, list[str]] = {code: [] for code in METALS}
    for pair in book.pairs:
        if pair.base in METALS and pair.quote in CURRENCIES and pair.quote != PIVOT:
            targets[pair.base].append(pair.quote)
    for metal in METALS.values():
        for target in (PIVOT, *sorted(targets[metal.code])):
            yield Instrument(metal, target)
    for pair in RATIOS:
        yield Instrument(METALS[pair.base], pair.quote)
