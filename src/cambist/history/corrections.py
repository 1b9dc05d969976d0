"""Corrections: fixings that a source published again for the same day, with another value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date
from itertools import pairwise

from msgspec import Struct

from cambist.history.fixing import ReceivedFixing
from cambist.pricing.pair import PIVOT, Pair


class Correction(Struct, frozen=True):
    """A fixing as it was published before, and as the same source corrected it."""

    before: ReceivedFixing
    after: ReceivedFixing


class CorrectionQuery(Struct, frozen=True):
    """Which corrections to read: those about a pair from day to day, and at most so many of the newest days."""

    pair: Pair
    first: date
    last: date
    limit: int


ReadCorrections = Callable[[CorrectionQuery], Sequence[Correction]]
"""Reads corrections, newest day first. Errors: RateUnavailable, StoreBusy."""


def no_corrections(_query: CorrectionQuery) -> Sequence[Correction]:
    """Read corrections where nothing is archived."""
    return ()


_LAST_SERIES = 2**31 - 1


class FeedPosition(Struct, frozen=True, order=True):
    """A place in the order of all corrections: a delivery, a series of the archive, and a day of it."""

    receipt: int
    series: int = 0
    day: date = date.min

    @classmethod
    def behind(cls, receipt: int) -> FeedPosition:
        """Return the place behind all corrections up to a delivery."""
        return cls(receipt, _LAST_SERIES, date.max)

    def __str__(self) -> str:
        """Return it as clients write it."""
        return f"{self.receipt}.{self.series}.{self.day}"


class FeedEntry(Struct, frozen=True):
    """A correction in the order in which they were learnt.

    `affected_until` is the last day whose rate it changes: the corrected fixing is carried forward until the next one,
    at most two weeks.
    """

    position: FeedPosition
    correction: Correction
    affected_until: date


ReadFeed = Callable[[FeedPosition | None, int, int], Sequence[FeedEntry]]
"""Reads the corrections after a position up to a receipt, oldest first, and at most so many; without one the newest.

Errors: RateUnavailable, StoreBusy.
"""

ReadVintages = Callable[[Pair, date, int | None], Sequence[ReceivedFixing]]
"""Reads everything that was received for a day about a pair up to a receipt, oldest first.

Errors: RateUnavailable, StoreBusy.
"""


def no_feed(_after: FeedPosition | None, _up_to: int, _limit: int) -> Sequence[FeedEntry]:
    """Read the feed where nothing is archived."""
    return ()


def no_vintages(_pair: Pair, _day: date, _up_to: int | None) -> Sequence[ReceivedFixing]:
    """Read vintages where nothing is archived."""
    return ()


def pairs_about(asked: Pair, published: Collection[Pair]) -> list[Pair]:
    """Return the pairs of one source that a rate of `asked` can be made from, and that have one of its codes.

    These are the pair itself, each code against the pivot, and without that each code against a currency that the
    source prices in the pivot: its anchor. The directions do not matter.
    """
    known = {frozenset((pair.base, pair.quote)) for pair in published}
    codes = {asked.base, asked.quote}
    wanted = {frozenset(codes)}
    for code in codes - {PIVOT}:
        direct = frozenset((code, PIVOT))
        if direct in known:
            wanted.add(direct)
            continue
        for own in (pair for pair in known if code in pair):
            anchored = (own - {code}) | {PIVOT}
            if anchored in known:
                wanted |= {own, anchored} if PIVOT in codes else {own}
    return [pair for pair in published if frozenset((pair.base, pair.quote)) in wanted]


def find_corrections(received: Iterable[ReceivedFixing]) -> list[Correction]:
    """Return the corrections among fixings that come oldest receipt first; newest day first, then newest receipt."""
    versions: dict[tuple[str, Pair, date], list[ReceivedFixing]] = {}
    for each in received:
        fixing = each.fixing
        versions.setdefault((fixing.source, fixing.pair, fixing.day), []).append(each)
    found = [Correction(*two) for of_day in versions.values() for two in pairwise(of_day)]
    return sorted(found, key=lambda each: (each.after.fixing.day, each.after.received_at), reverse=True)
