"""One quote for each code against the pivot: traded where that is recent, otherwise fixed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from cambist.ingest.forward_adjusted_metals import forward_adjusted_metals
from cambist.ingest.quote_age import is_recent
from cambist.pricing.cross_rates import LEGS, cross_through, most_liquid_pair
from cambist.pricing.forward_adjusted import FORWARD
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.reference.currency_tables import CURRENCIES


@dataclass(slots=True)
class PivotQuotes:
    """Crosses each code's pair with the quote of its leg, the thing that the code is traded in."""

    _direct: dict[str, Pair] = field(default_factory=dict)
    _legs: dict[str, tuple[str, Pair]] = field(default_factory=dict)
    _crossed: dict[str, tuple[Quote, Quote, Quote]] = field(default_factory=dict)

    def select_legs(self, pairs: Mapping[Pair, Quote], now: datetime) -> None:
        """Select for each code the most liquid of its pairs that have a recent quote, else the most liquid of all.

        Currencies are priced in currencies only: the price of a coin in a currency is another market.
        """
        recent = {pair: quote for pair, quote in pairs.items() if is_recent(quote, now)}
        candidates = (recent, pairs)
        currency_candidates = tuple(map(_of_currencies, candidates))
        legs: dict[str, tuple[str, Pair]] = {}
        for code in {code for pair in pairs for code in (pair.base, pair.quote)} - {PIVOT}:
            places = currency_candidates if code in CURRENCIES else candidates
            found = next(filter(None, (most_liquid_pair(code, quotes) for quotes in places)), None)
            if found is not None:
                legs[code] = (found[0], found[1].pair)
        self._direct = {code: pair for code, (leg, pair) in legs.items() if leg == PIVOT and not code.endswith(FORWARD)}
        # A leg has to be priced before what is traded in it.
        rank = {code: place for place, code in enumerate(LEGS)}
        indirect = {code: leg for code, leg in legs.items() if leg[0] != PIVOT and not code.endswith(FORWARD)}
        self._legs = dict(sorted(indirect.items(), key=lambda item: rank.get(item[0], len(rank))))

    def build(self, fixings: Mapping[str, Quote], pairs: Mapping[Pair, Quote], now: datetime) -> dict[str, Quote]:
        """Return one quote for each code, against the pivot."""
        quotes = {code: quote for code, quote in fixings.items() if not code.endswith(FORWARD)}
        traded = {code: pairs[pair] for code, pair in self._direct.items()}
        for code in quotes.keys() & traded.keys():
            if not _replaces(traded[code], code, quotes[code], now):
                del traded[code]
        quotes |= traded
        for code in self._legs:
            quote, fixed = self._crossed_quote(code, pairs, quotes), quotes.get(code)
            if quote is not None and (fixed is None or _replaces(quote, code, fixed, now)):
                quotes[code] = quote
        return quotes | forward_adjusted_metals(fixings, pairs, now)

    def _crossed_quote(self, code: str, pairs: Mapping[Pair, Quote], quotes: Mapping[str, Quote]) -> Quote | None:
        leg, pair = self._legs[code]
        quote, leg_quote = pairs[pair], quotes.get(leg)
        if leg_quote is None:
            return None
        crossed = self._crossed.get(code)
        # The same object for the same legs: readers compare quotes by identity and skip those that are unchanged.
        if crossed is None or crossed[0] is not quote or crossed[1] is not leg_quote:
            crossed = self._crossed[code] = (quote, leg_quote, cross_through(code, leg, quote, leg_quote))
        return crossed[2]


def _replaces(quote: Quote, code: str, fixed: Quote, now: datetime) -> bool:
    """Return whether a traded quote is used. A currency falls back on its fixing, anything else on what is newer."""
    return (code not in CURRENCIES and quote.as_of > fixed.as_of) or is_recent(quote, now)


def _of_currencies(pairs: Mapping[Pair, Quote]) -> dict[Pair, Quote]:
    return {pair: quote for pair, quote in pairs.items() if {pair.base, pair.quote} <= CURRENCIES.keys()}
