"""Closes: what coins were worth when a UTC day ended; in the archive under a source key of our own (ADR 16).

A close is of its day alone: none is carried to another, and the image has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from fractions import Fraction

from cambist.history.as_of import DayRates, rates_on
from cambist.history.explanation import ExplainedLeg, explain_day
from cambist.history.fixing import ReceivedFixing
from cambist.history.published_fixings import FixingLookup
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin

CLOSES = "closes"
"""The source key of closes in the archive. No feed has it, and none may."""

_CROSSED = "crossed from "
_BETWEEN = ", "


def written_origin(origin: Origin) -> str:
    """Write who a close is from, as its receipt keeps it: `okx`, or `crossed from kraken, okx`."""
    sources = _BETWEEN.join(origin.sources)
    return sources if origin.made is Derivation.PUBLISHED else _CROSSED + sources


def find_close(trail: Iterable[ReceivedFixing]) -> ReceivedFixing | None:
    """Give the close in the trail of a coin's pair and day, the last received of several; None where there is none."""
    closes = [known for known in trail if known.fixing.source == CLOSES]
    return closes[-1] if closes else None


def cross_on_day(matrix: RateMatrix, pair: Pair, day: date, closes: Mapping[str, ReceivedFixing]) -> DayRates:
    """Cross a pair on a day, coins by their `closes`, currencies as the image reads the day.

    Errors: NoRate where the day has no rate for a currency.
    """
    if not closes:
        return rates_on(matrix, day, pair.base, [pair.quote])
    rate = _worth(matrix, pair.base, day, closes) / _worth(matrix, pair.quote, day, closes)
    return DayRates((pair.quote,), [float(rate)])


def _worth(matrix: RateMatrix, code: str, day: date, closes: Mapping[str, ReceivedFixing]) -> Fraction:
    if code in closes:
        return closes[code].fixing.rate
    return Fraction(rates_on(matrix, day, code, [PIVOT]).values[0])


def explain_coin_day(
    matrix: RateMatrix, pair: Pair, day: date, closes: Mapping[str, ReceivedFixing], words: FixingLookup | None = None
) -> list[ExplainedLeg]:
    """Account for a rate of a day: a coin's leg from its close, a currency's as `past_grounds` does."""
    if not closes:
        return explain_day(matrix, pair, day, words)
    found = {ground.base + ground.quote: ground for ground in _grounds(matrix, pair, day, closes, words)}
    return list(found.values())


def _grounds(
    matrix: RateMatrix, pair: Pair, day: date, closes: Mapping[str, ReceivedFixing], words: FixingLookup | None
) -> Iterator[ExplainedLeg]:
    for code in (pair.base, pair.quote):
        if code in closes:
            yield _ground(closes[code])
        else:
            yield from explain_day(matrix, Pair(code, PIVOT), day, words)


def _ground(close: ReceivedFixing) -> ExplainedLeg:
    return ExplainedLeg(
        base=close.fixing.pair.base,
        quote=close.fixing.pair.quote,
        rate=close.fixing.rate,
        made=Derivation.CROSSED if close.origin.startswith(_CROSSED) else Derivation.PUBLISHED,
        sources=tuple(close.origin.removeprefix(_CROSSED).split(_BETWEEN)),
        fixed_on=close.fixing.day,
        received_at=close.received_at,
    )
