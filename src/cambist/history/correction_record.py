"""Corrections as clients get them, from the API and in the stream."""

from __future__ import annotations

from datetime import date, datetime

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from cambist.history.corrections import AnyCorrection, Correction, FeedEntry, PublishedVerdict, VerdictCorrection
from cambist.history.fixing import ReceivedFixing
from cambist.pricing.number_format import plain_float
from cambist.pricing.pair import PIVOT


class PublishedValue(Struct, frozen=True, omit_defaults=True):
    """What a source published in its digits: `nominal` units of the base cost `value`; and when it was received.

    Of a verdict `source` is whose fixing was published. Without one `status` is held, and `value` the rate of before
    that stood; or withdrawn: there is no rate, and `value` is the one that was or is there otherwise.
    """

    value: str
    nominal: int
    received_at: datetime
    source: str = ""
    status: str = ""


class CauseRecord(Struct, frozen=True, omit_defaults=True):
    """Why a verdict has changed: the delivery of a source, or a decision of the operator, and when it was learnt."""

    received_at: datetime
    source: str = ""
    decision: bool = False


class CorrectionRecord(Struct, frozen=True, kw_only=True, rename={"day": "date"}):
    """A fixing that a source published for a day, and what it replaced it with; or what is published now instead.

    A metal's `unit` is the gram if it is priced by the gram; otherwise it is empty. A fixing that was corrected twice
    is there twice. With `since`, `affected_until` is the last day whose rate it changes, `date` being the first, and
    `id` its own name. `kind` is verdict if no source has corrected anything, but another fixing of the day is published
    than before: `cause` says why.
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
    kind: str | UnsetType = UNSET
    cause: CauseRecord | UnsetType = UNSET


def correction_record(correction: AnyCorrection, entry: FeedEntry | None = None) -> CorrectionRecord:
    """Return a correction as clients get it; with its place in the feed if it comes from there."""
    found = _of_verdict(correction) if isinstance(correction, VerdictCorrection) else _of_source(correction)
    if entry is None:
        return found
    return replace(found, affected_until=entry.affected_until, id=str(entry.position))


def _of_source(correction: Correction) -> CorrectionRecord:
    fixing = correction.after.fixing
    return CorrectionRecord(
        day=fixing.day,
        source=fixing.source,
        base=fixing.pair.base,
        quote=fixing.pair.quote,
        unit=fixing.unit,
        earlier=_published(correction.before),
        corrected=_published(correction.after),
    )


def _published(received: ReceivedFixing) -> PublishedValue:
    fixing = received.fixing
    return PublishedValue(str(fixing.value), fixing.nominal, received.received_at)


def _of_verdict(correction: VerdictCorrection) -> CorrectionRecord:
    before, after, cause = correction.before, correction.after, correction.cause
    return CorrectionRecord(
        day=correction.day,
        source=after.source or before.source or cause.source,
        base=PIVOT,
        quote=correction.code,
        unit="",
        earlier=_value(before, after, correction.known_at),
        corrected=_value(after, before, cause.learnt_at),
        kind="verdict",
        cause=CauseRecord(cause.learnt_at, cause.source, cause.is_decision),
    )


def _value(shown: PublishedVerdict, instead: PublishedVerdict, received_at: datetime) -> PublishedValue:
    """Return what held; programs read a number in any case: where there is no rate, the one of the other side."""
    units = shown.units if shown.units is not None else instead.units
    return PublishedValue("" if units is None else plain_float(units), 1, received_at, shown.source, shown.status)
