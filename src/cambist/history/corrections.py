"""Corrections: fixings that a source published again for the same day, with another value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date, datetime
from itertools import pairwise

from msgspec import Struct

from cambist.history.fixing import ReceivedFixing
from cambist.pricing.pair import PIVOT, Pair


class Correction(Struct, frozen=True):
    """A fixing as it was published before, and as the same source corrected it."""

    before: ReceivedFixing
    after: ReceivedFixing

    @property
    def day(self) -> date:
        """The day that it is about."""
        return self.after.fixing.day

    @property
    def learnt_at(self) -> datetime:
        """When it was learnt."""
        return self.after.received_at


class Cause(Struct, frozen=True):
    """What a verdict has changed by: a delivery of a source, or a decision of the operator; and when it was learnt."""

    source: str
    learnt_at: datetime
    is_decision: bool = False


class PublishedVerdict(Struct, frozen=True):
    """What held for a day: the source whose fixing was published, and units per pivot.

    Without a source it was `status` held, and units are those of the day before that stood, or withdrawn, without any.
    """

    source: str
    units: float | None
    status: str = ""


class VerdictCorrection(Struct, frozen=True):
    """A past day of a code of which something else is published than before; `known_at` is when that was received."""

    code: str
    day: date
    before: PublishedVerdict
    after: PublishedVerdict
    known_at: datetime
    cause: Cause

    @property
    def learnt_at(self) -> datetime:
        """When it was learnt."""
        return self.cause.learnt_at


class CorrectionQuery(Struct, frozen=True):
    """Which corrections to read: those about a pair from day to day, and at most so many of the newest days."""

    pair: Pair
    first: date
    last: date
    limit: int


AnyCorrection = Correction | VerdictCorrection

ReadCorrections = Callable[[CorrectionQuery], Sequence[AnyCorrection]]
"""Reads corrections, newest day first. Errors: RateUnavailable, StoreBusy."""


def no_corrections(_query: CorrectionQuery) -> Sequence[AnyCorrection]:
    """Read corrections where nothing is archived."""
    return ()


LAST_SERIES = 2**31 - 1

FIRST_VERDICT = 500_000_000
"""From this number on, a series of a place is a change in the log of verdicts: they come after the fixings."""


class FeedPosition(Struct, frozen=True, order=True):
    """A place in the order of all corrections: a delivery, a series of the archive, and a day of it.

    Changes of verdicts have their number in the log in place of a series. A place behind an `edition` is behind all
    that it shows: after a decision, two editions show the same deliveries.
    """

    delivery: int
    series: int = 0
    day: date = date.min
    edition: str = ""

    @classmethod
    def behind(cls, delivery: int, edition: str = "") -> FeedPosition:
        """Return the place behind all corrections up to a delivery, or to an edition of it."""
        return cls(delivery, LAST_SERIES, date.max, edition)

    def __str__(self) -> str:
        """Return it as clients write it."""
        return f"{self.delivery}.{self.series}.{self.day}"


class FeedEntry(Struct, frozen=True):
    """A correction in the order in which they were learnt.

    `affected_until` is the last day whose rate it changes: the corrected fixing is carried forward until the next one,
    at most two weeks.
    """

    position: FeedPosition
    correction: AnyCorrection
    affected_until: date


ReadFeed = Callable[[FeedPosition | None, int, int], Sequence[FeedEntry]]
"""Reads the corrections after a position up to a delivery, oldest first, and at most so many; without one the newest.

Errors: RateUnavailable, StoreBusy.
"""

ReadVintages = Callable[[Pair, date, int | None], Sequence[ReceivedFixing]]
"""Reads everything that was received for a day about a pair up to a delivery, oldest first.

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
    """Return the corrections among fixings that come oldest delivery first; newest day first, then newest delivery."""
    versions: dict[tuple[str, Pair, date], list[ReceivedFixing]] = {}
    for each in received:
        fixing = each.fixing
        versions.setdefault((fixing.source, fixing.pair, fixing.day), []).append(each)
    found = [Correction(*two) for of_day in versions.values() for two in pairwise(of_day)]
    return sorted(found, key=lambda each: (each.after.fixing.day, each.after.received_at), reverse=True)
