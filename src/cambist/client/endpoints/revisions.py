"""What sources have corrected, and what was known when: `/corrections` and `/vintages`."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from msgspec import Struct

from cambist.client.answers import Answer, Timestamp
from cambist.client.call import Call, Day, write_day


class PublishedValue(Struct, frozen=True):
    """What a source published in its digits: `nominal` units of the base cost `value`; and when it was received.

    Of a verdict `source` is whose fixing was published. Without one `status` is held, and `value` the rate of before
    that stood; or withdrawn: there is no rate, and `value` is the one that was or is there otherwise.
    """

    value: Decimal
    nominal: int
    received_at: Timestamp
    source: str = ""
    status: str = ""


class CauseRecord(Struct, frozen=True):
    """Why a verdict has changed: the delivery of a source, or a decision of the operator, and when it was learnt."""

    received_at: Timestamp
    source: str = ""
    decision: bool = False


class CorrectionRecord(Struct, frozen=True, kw_only=True):
    """A fixing that a source published for a day, and what it replaced it with; or what is published now instead.

    A metal's `unit` is the gram if it is priced by the gram; otherwise it is empty. `kind` is verdict if no source has
    corrected anything, but another fixing of the day is published than before: `cause` says why.
    """

    date: dt.date
    source: str
    base: str
    quote: str
    unit: str
    earlier: PublishedValue
    corrected: PublishedValue
    affected_until: dt.date | None = None
    id: str = ""
    kind: str = ""
    cause: CauseRecord | None = None


class VintageRecord(Struct, frozen=True, kw_only=True):
    """What a source published for a day in its digits, and when it was learnt; `delivery` numbers the delivery."""

    source: str
    base: str
    quote: str
    unit: str
    value: Decimal
    nominal: int
    published_at: Timestamp | None
    received_at: Timestamp
    delivery: int
    corrects: bool


class VintagesResponse(Answer, frozen=True, kw_only=True):
    """Everything that was received for a day, in the order in which it was learnt."""

    date: dt.date
    base: str
    quote: str
    vintages: list[VintageRecord]


class CorrectionsResponse(Answer, frozen=True, kw_only=True):
    """The corrections, newest day first; with `since` oldest first, and `next` is the `since` that continues.

    `waiting` says before the first edition why there are none.
    """

    start: dt.date
    end: dt.date
    corrections: list[CorrectionRecord]
    next: str = ""
    waiting: str = ""


def corrections(
    from_: str | None = None,
    to: str | None = None,
    start: Day = None,
    end: Day = None,
    *,
    limit: int | None = None,
    since: str | None = None,
) -> Call[CorrectionsResponse]:
    """Return what sources corrected of the fixings behind a pair: a page of at most 100, newest day first.

    A code that is left out is USD; without both they are the newest of all sources, in the order of learning.

    With `since`, an edition or the `next` of an answer, all that was corrected after it, oldest first, without a pair.
    """
    parameters = {
        "from": from_,
        "to": to,
        "start": write_day(start),
        "end": write_day(end),
        "limit": limit,
        "since": since,
    }
    return Call("/corrections", CorrectionsResponse, parameters)


def vintages(from_: str, to: str, date: dt.date | str) -> Call[VintagesResponse]:
    """Return all that sources published for a day about a pair, the corrections too, and when each was received."""
    return Call("/vintages", VintagesResponse, {"from": from_, "to": to, "date": write_day(date)})
