"""`/convert`: an amount at the current rate."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal

from cambist.api.direct.answer import DirectBody
from cambist.api.direct.book_view import BookView
from cambist.api.direct.cross import shown
from cambist.api.direct.declined import Declined
from cambist.api.direct.legs import CODES, METAL_AND_COIN, PIVOT_CODE
from cambist.api.state.worker_state import WorkerState
from cambist.pricing.exact_midpoints import exact_midpoint
from cambist.pricing.number_format import half_up
from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook

_AMOUNT = re.compile(rb"(0|[1-9][0-9]{0,11})(?:\.[0-9]{1,8})?")
_LEAST = 0.01
_PLACES = 2
_UNITS = 10**_PLACES

_MOST_UNITS = 1e11
_ERROR = 1e-14
"""How far a product of floats may be from the exact one, relatively: amount, two midpoints, quotient and product are
each rounded by 1.1e-16 at most, and a rate that law fixes may differ from the book's by 1e-15."""


class Conversions:
    """The amount is computed in float64, and exactly only where the error could change the last digit: 3 µs."""

    names = ("from", "to", "amount")

    def __init__(self, _state: WorkerState, _max_age: timedelta) -> None:
        """Need nothing beside the rate book."""

    def answer(self, values: list[bytes], view: BookView, now: float) -> DirectBody:
        """Return an amount in another currency, with two decimals, and the rate."""
        _, base, quote, text = values
        base = base or PIVOT_CODE
        amount = float(text) if _AMOUNT.fullmatch(text) else 0.0
        if amount < _LEAST or base == quote == PIVOT_CODE:
            raise Declined
        legs = view.legs
        one, time, until, kind = legs[base]
        other, other_time, other_until, other_kind = legs[quote]
        if now >= until or now >= other_until:
            legs.renew((base, quote), now)
        if kind + other_kind == METAL_AND_COIN:
            raise Declined
        rate = one / other
        converted = _rounded(amount * rate * _UNITS) or _exactly(view.book, base, quote, text)
        return (
            b'{"base":"%b","amount":%b,"result":{"%b":%b,"rate":%b},"updated":%b,"ms":'
            % (base, _trimmed(text), quote, converted, shown(rate), view.times[min(time, other_time)]),
            *(1, b""),
        )


def _rounded(units: float) -> bytes:
    """Return an amount of hundredths rounded half up, trimmed; empty if only exact arithmetic can tell."""
    whole = int(units + 0.5)
    error = units * _ERROR
    if units >= _MOST_UNITS or not error < units + 0.5 - whole < 1 - error:
        return b""
    return _trimmed(b"%d.%02d" % divmod(whole, _UNITS))


def _exactly(book: RateBook, base: bytes, quote: bytes, text: bytes) -> bytes:
    numerator, denominator = exact_midpoint(book, Pair(CODES[base], CODES[quote]))
    amount, scale = Decimal(text.decode()).as_integer_ratio()
    return _trimmed(half_up(amount * numerator, scale * denominator, _PLACES).encode())


def _trimmed(number: bytes) -> bytes:
    return number.rstrip(b"0").rstrip(b".") if b"." in number else number
