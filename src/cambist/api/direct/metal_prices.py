"""`/metals/spot`: the price of a weight of a metal, in any currency, unit and purity."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from math import inf
from typing import NamedTuple

from msgspec import json

from cambist.api.direct.answer import DirectBody
from cambist.api.direct.book_view import BookView
from cambist.api.direct.declined import Declined
from cambist.api.direct.legs import MARGIN
from cambist.api.direct.sides import Ratio, at_one_place, exact_sides, rounded_to, written
from cambist.api.state.worker_state import WorkerState
from cambist.pricing.freshness import metal_fresh_for
from cambist.pricing.metals.fineness import PURE, parse_purity
from cambist.pricing.metals.mass import ratio
from cambist.pricing.metals.spot import own_unit, spot
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.unix_time import from_unix_us, unix_us
from cambist.reference.assets import METALS, MetalKind
from cambist.reference.currency_tables import CURRENCIES

_CURRENCIES = {code.encode(): code for code in CURRENCIES}
_METALS = {code.encode(): metal for code, metal in METALS.items()}
_GOLD, _DOLLAR = b"XAU", b"USD"
_MOST_PARTS = 2048


class _Part(NamedTuple):
    """How many of the metal's own unit one unit of a purity is, the unit, and what the answer says of the purity."""

    numerator: int
    denominator: int
    unit: bytes
    purity: bytes


class _Price(NamedTuple):
    """The price of a metal's own unit in a currency, its digits, when it is of, and what the answer says of it.

    It may be used until `until` for certain, in seconds since 1970.
    """

    bid: Ratio
    ask: Ratio
    digits: int
    time: int
    cost: int
    is_crossed: bytes
    source: bytes
    until: float


class _Leg(NamedTuple):
    """A currency in the pivot, and when it is of."""

    bid: Ratio
    ask: Ratio
    time: int


class MetalPrices:
    """The price of a metal in a currency is found once a book; unit and purity scale it in integers: 7 µs."""

    names = ("metal", "currency", "unit", "purity")

    def __init__(self, state: WorkerState, _max_age: timedelta) -> None:
        """Remember the parts of units and purities that are asked for: they do not change."""
        self._choices = state.choices
        self._parts: dict[tuple[bytes, bytes, bytes], _Part] = {}

    def answer(self, values: list[bytes], view: BookView, now: float) -> DirectBody:
        """Return the price of one unit."""
        _, metal, currency, unit, purity = values
        metal, currency = metal or _GOLD, currency or _DOLLAR
        part = self._parts.get((metal, unit, purity)) or self._part(metal, unit, purity)
        prices = view.memo(MetalPrices)
        price: _Price | None = prices.get((metal, currency))
        if price is None or now >= price.until:
            price = prices[metal, currency] = self._price(view, metal, currency, now)
        bid, ask = ((side[0] * part.numerator, side[1] * part.denominator) for side in (price.bid, price.ask))
        lower, upper, places = at_one_place(*rounded_to(bid, ask, price.digits))
        both = lower + upper
        mid = written(both * 5, places + 1) if both % 2 else written(both // 2, places)
        return (
            b'{"bid":"%b","ask":"%b","mid":"%b","spread":"%b","metal":"%b","currency":"%b","unit":"%b","tsp":%d,"dtm":%b,"cross_rate":%b,%b%b,"ms":'
            % (
                *(written(lower, places), written(upper, places), mid, written(upper - lower, places)),
                *(metal, currency, part.unit, price.time // 1000, _quoted(view.times[price.time])),
                *(price.is_crossed, price.source, part.purity),
            ),
            *(price.cost, b""),
        )

    def _part(self, code: bytes, unit_name: bytes, purity_text: bytes) -> _Part:
        """Return the part of a unit and a purity. Errors: KeyError; BadParameter for a purity that there is not."""
        metal, is_precious = _METALS[code], _METALS[code].kind is MetalKind.PRECIOUS
        unit = self._choices.units[unit_name.decode() or metal.unit]
        purity = parse_purity(metal.code, purity_text.decode()) if purity_text and is_precious else PURE
        part = ratio(unit, own_unit(metal)) * Fraction(purity.fineness) / 1000
        said = b',"purity":%b,"purity_name":%b' % (json.encode(purity.code), json.encode(purity.name))
        if len(self._parts) >= _MOST_PARTS:
            self._parts.clear()
        found = _Part(part.numerator, part.denominator, unit.handle.encode(), said if is_precious else b"")
        self._parts[code, unit_name, purity_text] = found
        return found

    def _price(self, view: BookView, metal: bytes, currency: bytes, now: float) -> _Price:
        """Return the price of a metal's own unit. Errors: Declined, KeyError; RateUnavailable if none is fresh."""
        code, book = _CURRENCIES[currency], view.book
        if code == PIVOT or Pair(metal.decode(), code) in book.pairs:
            return self._found(view, metal, currency, now)
        prices = view.memo(MetalPrices)
        own: _Price | None = prices.get((metal, _DOLLAR))
        if own is None or now >= own.until:
            own = prices[metal, _DOLLAR] = self._found(view, metal, _DOLLAR, now)
        legs = view.memo(_Leg)
        leg: _Leg = legs.get(code) or legs.setdefault(code, _leg(book, code))
        bid, ask = _product(own.bid, leg.ask[::-1]), _product(own.ask, leg.bid[::-1])
        time = min(own.time, leg.time)
        until = min(own.until, time / 1e6 + view.legs.longest_age)
        if now >= until:
            raise Declined
        return _Price(bid, ask, own.digits, time, 2, b"true", own.source, until)

    def _found(self, view: BookView, metal: bytes, currency: bytes, now: float) -> _Price:
        """Return the price that the general way finds, and until when it holds for certain."""
        shortest, moment, ages = timedelta.max, from_unix_us(int(now * 1e6)), self._choices.ages

        def is_fresh(quote: Quote) -> bool:
            nonlocal shortest
            left = metal_fresh_for(quote, ages, moment)
            if left < timedelta():
                return False
            shortest = min(shortest, left)
            return True

        found = spot(view.book, _METALS[metal], _CURRENCIES[currency], is_fresh)
        time = unix_us(found.as_of)
        left = inf if shortest == timedelta.max else shortest.total_seconds()
        until = min(now + left, time / 1e6 + view.legs.longest_age) - MARGIN
        if now >= until:
            raise Declined
        source = b'"source":%b,"source_instrument":%b' % (
            json.encode("; ".join(found.sources)),
            json.encode(str(found.instrument)),
        )
        bid, ask = found.bid.as_integer_ratio(), found.ask.as_integer_ratio()
        cost, is_crossed = (2, b"true") if found.is_crossed else (1, b"false")
        return _Price(bid, ask, found.digits, time, cost, is_crossed, source, until)


def _leg(book: RateBook, code: str) -> _Leg:
    """Return a currency in the pivot. Errors: Declined if it has no live price."""
    found = book.mid_and_time(code)
    if found is None:
        raise Declined
    return _Leg(*exact_sides(book, code), found[1])


def _product(one: Ratio, other: Ratio) -> Ratio:
    return one[0] * other[0], one[1] * other[1]


def _quoted(text: bytes) -> bytes:
    return text if text[:1] == b'"' else b'"%b"' % text
