"""`/fetch-one`: the midpoint of one pair."""

from __future__ import annotations

from datetime import timedelta

from cambist.api.direct.answer import DirectBody
from cambist.api.direct.book_view import BookView
from cambist.api.direct.declined import Declined
from cambist.api.direct.legs import METAL_AND_COIN, PIVOT_CODE
from cambist.api.state.worker_state import WorkerState
from cambist.pricing.number_format import TIES_UP, without_exponents

_LEAST, _MOST = 1e-4, 9.9e9
"""Between these `%.10g` writes no exponent."""


class CrossRates:
    """Two look-ups, a division and a format operation: 1 µs."""

    names = ("from", "to")

    def __init__(self, _state: WorkerState, _max_age: timedelta) -> None:
        """Need nothing beside the rate book."""

    def answer(self, values: list[bytes], view: BookView, now: float) -> DirectBody:
        """Return the rate of a pair; a side that is left out is the dollar."""
        _, base, quote = values
        base, quote = base or PIVOT_CODE, quote or PIVOT_CODE
        if base == quote == PIVOT_CODE:
            raise Declined
        legs = view.legs
        one, time, until, kind = legs[base]
        other, other_time, other_until, other_kind = legs[quote]
        if now >= until or now >= other_until:
            legs.renew((base, quote), now)
        if kind + other_kind == METAL_AND_COIN:
            raise Declined
        rate, updated = one / other * TIES_UP, view.times[min(other_time, time)]
        if _LEAST <= rate < _MOST:
            return b'{"base":"%b","result":{"%b":%.10g},"updated":%b,"ms":' % (base, quote, rate, updated), 1, b""
        return b'{"base":"%b","result":{"%b":%b},"updated":%b,"ms":' % (base, quote, _lifted(rate), updated), 1, b""


def shown(rate: float) -> bytes:
    """Write a rate as `number_format.plain_float` does."""
    return _lifted(rate * TIES_UP)


def _lifted(rate: float) -> bytes:
    number = b"%.10g" % rate
    return without_exponents(b":" + number)[1:] if b"e" in number else number
