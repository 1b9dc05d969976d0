"""Corrections as clients get them, from the API and in the stream."""

from __future__ import annotations

from datetime import date, datetime

from msgspec import UNSET, Struct, UnsetType

from cambist.history.corrections import Correction, FeedEntry
from cambist.history.fixing import ReceivedFixing


class PublishedValue(Struct, frozen=True):
    """What a source published in its digits: `nominal` units of the base cost `value`; and when it was received."""

    value: str
    nominal: int
    received_at: datetime


class CorrectionRecord(Struct, frozen=True, kw_only=True, rename={"day": "date"}):
    """A fixing that a source published for a day, and what it replaced it with.

    A metal's `unit` is the gram if it is priced by the gram; otherwise it is empty. A fixing that was corrected twice
    is there twice. With `since`, `affected_until` is the last day whose rate it changes, `date` being the first, and
    `id` its own name.
    """

    day: date
    source: str
    base: str
    quote: str
    unit: str
    earlier: PublishedValue
    corrected: PublishedValue
    affected_until: date | UnsetType = UNSET
    id: str | UnsetType = UNSET


def correction_record(correction: Correction, entry: FeedEntry | None = None) -> CorrectionRecord:
    """Return a correction as clients get it; with its place in the feed if it comes from there."""
    fixing = correction.after.fixing
    return CorrectionRecord(
        day=fixing.day,
        source=fixing.source,
        base=fixing.pair.base,
        quote=fixing.pair.quote,
        unit=fixing.unit,
        earlier=_published(correction.before),
        corrected=_published(correction.after),
        affected_until=UNSET if entry is None else entry.affected_until,
        id=UNSET if entry is None else str(entry.position),
    )


def _published(received: ReceivedFixing) -> PublishedValue:
    fixing = received.fixing
    return PublishedValue(str(fixing.value), fixing.nominal, received.received_at)
