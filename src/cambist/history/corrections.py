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
