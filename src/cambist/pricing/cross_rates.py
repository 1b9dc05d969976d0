"""Cross rates: the price of any pair through the pivot.

Every code has one quote against the pivot, its *leg*. The cross rate of a pair is the base's price in the pivot divided
by the quote currency's. Because all pairs use the same legs, A to B is exactly the inverse of B to A, and A to B times
B to C is exactly A to C. A cross rate with bid and ask multiplies bids with bids and asks with asks, so its spread is
never narrower than a leg's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from msgspec import structs

from cambist.errors import BadParameter
from cambist.pricing.exact import quotient
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.parity import legal_rate
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.unix_time import EPOCH
from cambist.reference.assets import COINS, METALS

LEGS = (PIVOT, "USDT", "EUR", "USDC", "BTC", "GBP", "ETH", "BNB", "JPY", "AUD", "TRY", "KRW")
"""The codes through which others reach the pivot, the most liquid first. A stablecoin is a coin: USDT is not USD."""

_ONE = Fraction(1)

IsFreshQuote = Callable[[Quote], bool]
"""Return whether a quote may still be used."""


class Rate(NamedTuple):
    """The midpoint of one pair, with the market time of the oldest quote in it."""

    value: float
    as_of: datetime


class Rates(NamedTuple):
    """Midpoints of every base in every quote currency, with the market time of the oldest quote.

    `values` has those of the first base in the order of `quotes`, then those of the second base, and so on.
    """

    bases: Sequence[str]
    quotes: Sequence[str]
    values: list[float]
    as_of: datetime


def check_crossable(base: str, quote: str) -> None:
    """Refuse a coin priced in a metal, or a metal in a coin: no market trades them. Errors: BadParameter."""
    if (base in METALS and quote in COINS) or (base in COINS and quote in METALS):
        raise BadParameter(f"Coins are not priced in metals: [{base}] to [{quote}]; go through a currency, such as USD")


def midpoint(book: RateBook, pair: Pair) -> Rate:
    """Return the midpoint of a pair, crossed through the pivot, or as the law fixes it where a leg is missing.

    Errors: RateUnavailable if a leg is missing that is needed.
    """
    base, quote, mids, times = pair.base, pair.quote, book.mids, book.times
    try:
        value = mids[base] / mids[quote]
    except KeyError as missing:
        fixed = legal_rate(base, quote, book.as_of.date())
        if fixed is None:
            raise book.unavailable(missing.args[0]) from None
        return Rate(float(fixed), book.as_of)
    if PIVOT in (base, quote):
        return Rate(value, _oldest(book, [times[code] for code in (base, quote) if code != PIVOT]))
    return Rate(value, _moment(min(times[base], times[quote])))


def midpoints(book: RateBook, bases: Sequence[str], quotes: Sequence[str]) -> Rates:
    """Return the midpoints of every base in every quote currency, each as `midpoint` does. Errors: RateUnavailable."""
    mids, times = book.mids, book.times
    try:
        base_mids, quote_mids = [mids[code] for code in bases], [mids[code] for code in quotes]
    except KeyError:
        rates = [midpoint(book, Pair(base, quote)) for base in bases for quote in quotes]
        return Rates(bases, quotes, [rate.value for rate in rates], min(rate.as_of for rate in rates))
    as_of = _oldest(book, [times[code] for codes in (bases, quotes) for code in codes if code != PIVOT])
    return Rates(bases, quotes, [base / quote for base in base_mids for quote in quote_mids], as_of)


def listed_midpoints(book: RateBook, base: str) -> Rates:
    """Return the midpoints of a base in all listed codes and in itself, sorted. Errors: RateUnavailable."""
    listed = book.listed_mids
    if base not in listed:
        return midpoints(book, [base], sorted((*listed, base)))
    one = listed[base]
    return Rates([base], book.listed, [one / mid for mid in listed.values()], book.listed_since)


def _oldest(book: RateBook, times: list[int]) -> datetime:
    return _moment(min(times)) if times else book.as_of


@lru_cache(maxsize=4096)
def _moment(microseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=microseconds)


def pair_quote(book: RateBook, pair: Pair, is_fresh: IsFreshQuote = lambda _quote: True) -> Quote:
    """Return bid and ask of a pair: its direct quote, or the inverse pair's, while that is fresh; else the cross rate.

    Errors: RateUnavailable if a leg of the cross rate is missing.
    """
    direct = book.pairs.get(pair)
    if direct is not None and is_fresh(direct):
        return direct
    inverse = book.pairs.get(pair.inverse)
    if inverse is not None and is_fresh(inverse):
        return replace(inverse, pair=pair, bid=1 / inverse.ask, ask=1 / inverse.bid)
    return crossed_quote(book, pair)


def crossed_quote(book: RateBook, pair: Pair) -> Quote:
    """Return bid and ask of a pair, crossed through the pivot. Errors: RateUnavailable if a leg is missing."""
    legs = [book.leg(code) for code in (pair.base, pair.quote) if code != PIVOT]
    (base_bid, base_ask), (quote_bid, quote_ask) = _sides_in_pivot(book, pair.base), _sides_in_pivot(book, pair.quote)
    return Quote(
        pair=pair,
        bid=quotient(base_bid, quote_ask),
        ask=quotient(base_ask, quote_bid),
        as_of=min((leg.as_of for leg in legs), default=book.as_of),
        received_at=max((leg.received_at for leg in legs), default=book.as_of),
        origin=Origin(Derivation.CROSSED, _sources(*legs), tuple(leg.pair for leg in legs)),
    )


def _sides_in_pivot(book: RateBook, code: str) -> tuple[Fraction, Fraction]:
    """Return bid and ask of a code in the pivot, computed once for each book."""
    if code == PIVOT:
        return _ONE, _ONE
    sides = book.sides.get(code)
    if sides is None:
        sides = book.sides[code] = book.leg(code).sides(code)
    return sides


def most_liquid_pair(code: str, pairs: Mapping[Pair, Quote]) -> tuple[str, Quote] | None:
    """Return the code of `LEGS` through which `code` reaches the pivot, with their quote; None if no pair has both."""
    for leg in LEGS:
        if leg == code:
            continue
        quote = pairs.get(Pair(code, leg)) or pairs.get(Pair(leg, code))
        if quote is not None:
            return leg, quote
    return None


def cross_through(code: str, leg: str, quote: Quote, leg_quote: Quote) -> Quote:
    """Return the quote of `code` in the pivot, from its `quote` in the code `leg` and the leg's own in the pivot.

    The votes behind `quote` are converted to the pivot too, so that they can be shown beside the price.
    """
    bid, ask = quote.sides(code)
    leg_bid, leg_ask = leg_quote.sides(leg)
    votes = tuple(
        structs.replace(vote, mid=_vote_in_pivot(vote.mid, quote, code, leg_quote, leg)) for vote in quote.origin.votes
    )
    return Quote(
        pair=Pair(code, PIVOT),
        bid=bid * leg_bid,
        ask=ask * leg_ask,
        as_of=min(quote.as_of, leg_quote.as_of),
        received_at=max(quote.received_at, leg_quote.received_at),
        origin=Origin(
            Derivation.CROSSED, _sources(quote, leg_quote), (quote.pair, leg_quote.pair), votes, quote.origin.pace
        ),
    )


def _vote_in_pivot(mid: float, quote: Quote, code: str, leg_quote: Quote, leg: str) -> float:
    mid_in_leg = mid if quote.pair.base == code else 1 / mid
    leg_mid = (float(leg_quote.bid) + float(leg_quote.ask)) / 2
    return mid_in_leg * (leg_mid if leg_quote.pair.base == leg else 1 / leg_mid)


def _sources(*legs: Quote) -> tuple[str, ...]:
    return tuple(dict.fromkeys(source for leg in legs for source in leg.origin.sources))
