"""`/fetch-all`, `/fetch-multi` and `/fetch-matrix`: many midpoints at once."""

from __future__ import annotations

from datetime import timedelta

import numpy as np

from cambist.api.answer.long_answers import MOST_AT_ONCE
from cambist.api.answer.rendering import rates
from cambist.api.direct.answer import DirectBody
from cambist.api.direct.book_view import BookView
from cambist.api.direct.declined import Declined
from cambist.api.direct.legs import CODES, CURRENCY, METAL, NO_TIME, PIVOT_CODE
from cambist.api.state.worker_state import WorkerState
from cambist.pricing.cross_rates import listed_midpoints
from cambist.pricing.metals.instrument import crosses
from cambist.pricing.number_format import TIES_UP, without_exponents
from cambist.pricing.unix_time import unix_us

_MOST_CODES = 200


class AllRates:
    """An answer is made once a book for each base, in 25 µs: it has a number for every currency."""

    names = ("from",)

    def __init__(self, _state: WorkerState, _max_age: timedelta) -> None:
        """Need nothing beside the rate book."""

    def answer(self, values: list[bytes], view: BookView, now: float) -> DirectBody:
        """Return the rates from a currency to all that are listed."""
        base = values[1] or PIVOT_CODE
        text, until = view.memo(AllRates).get(base) or self._made(view, base)
        if now >= until:
            raise Declined
        return text, 1, b""

    def _made(self, view: BookView, base: bytes) -> tuple[bytes, float]:
        if view.legs[base][3] != CURRENCY:
            raise Declined
        found = listed_midpoints(view.book, CODES[base])
        numbers, time = bytes(rates(found.quotes, found.values)), unix_us(found.as_of)
        text = b'{"base":"%b","results":%b,"updated":%b,"ms":' % (base, numbers, view.times[time])
        made = view.memo(AllRates)[base] = text, time / 1e6 + view.legs.longest_age
        return made


class SeveralRates:
    """A look-up, a division and a part of one format operation for each target: 0.4 µs."""

    names = ("from", "to")

    def __init__(self, _state: WorkerState, _max_age: timedelta) -> None:
        """Need nothing beside the rate book."""

    def answer(self, values: list[bytes], view: BookView, now: float) -> DirectBody:
        """Return the rates from a currency or a metal to several. Those from a metal cost more."""
        base, quotes = values[1] or PIVOT_CODE, _codes(values[2])
        (one, *mids), oldest = _priced(view, (base, *quotes), now, METAL)
        numbers = _filled(_row(quotes), [one / mid * TIES_UP for mid in mids])
        cost = 1
        if view.legs[base][3] == METAL:
            cost += len(quotes) + crosses(view.book, base.decode(), (quote.decode() for quote in quotes))
        return b'{"base":"%b","results":%b,"updated":%b,"ms":' % (base, numbers, view.times[oldest]), cost, b""


class RateMatrices:
    """As for several rates; the template of a row is used for each source."""

    names = ("from", "to")

    def __init__(self, _state: WorkerState, _max_age: timedelta) -> None:
        """Need nothing beside the rate book."""

    def answer(self, values: list[bytes], view: BookView, now: float) -> DirectBody:
        """Return every rate between two lists of currencies."""
        bases, quotes = _codes(values[1]), _codes(values[2])
        cost = len(bases) * len(quotes)
        if cost > MOST_AT_ONCE:
            raise Declined
        mids, oldest = _priced(view, (*bases, *quotes), now, CURRENCY)
        row = _row(quotes)
        template = b'{"%b":%b}' % ((b'":%b,"' % row).join(bases), row)
        crossed = np.divide.outer(mids[: len(bases)], mids[len(bases) :]) * TIES_UP
        numbers = _filled(template, crossed.ravel().tolist())
        return (
            b'{"from":["%b"],"to":["%b"],"matrix":%b,"updated":%b,"calls":%d,"ms":'
            % (b'","'.join(bases), b'","'.join(quotes), numbers, view.times[oldest], cost),
            *(cost, b""),
        )


def _codes(text: bytes) -> list[bytes]:
    """Return the codes of a list. Errors: Declined for repeats and for many; an empty one is unknown to the legs."""
    codes = text.split(b",")
    if len(codes) > _MOST_CODES or len({*codes}) < len(codes):
        raise Declined
    return codes


def _priced(view: BookView, codes: tuple[bytes, ...], now: float, last_kind: int) -> tuple[list[float], int]:
    """Return the midpoints of codes, and the oldest market time. Errors: Declined, KeyError."""
    legs = view.legs
    mids, times, untils, kinds = zip(*[legs[code] for code in codes], strict=True)
    oldest = min(times)
    if max(kinds) > last_kind or oldest == NO_TIME:
        raise Declined
    if now >= min(untils):
        legs.renew(codes, now)
    return list(mids), oldest


def _row(codes: list[bytes]) -> bytes:
    return b'{"%b":%%.10g}' % b'":%.10g,"'.join(codes)


def _filled(template: bytes, lifted: list[float]) -> bytes:
    """Write rates that were multiplied by `TIES_UP`."""
    numbers = template % tuple(lifted)
    return without_exponents(numbers) if b"e" in numbers else numbers
