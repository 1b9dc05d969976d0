"""`GET /corrections`: the fixings of a pair that a source has corrected."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from msgspec import Struct

from cambist.api.endpoint import Endpoint
from cambist.api.parameter_types import EARLIEST_DAY, day, limit, not_after_today
from cambist.api.request_context import RequestContext
from cambist.api.symbol_parameters import MONEY_AND_METALS, code
from cambist.errors import BadParameter
from cambist.history.corrections import Correction, CorrectionQuery
from cambist.history.fixing import ReceivedFixing
from cambist.pricing.pair import PIVOT, Pair

MAX_CORRECTIONS = 100


class CorrectionsParams(Struct, frozen=True, kw_only=True):
    """A pair and a period."""

    base: Annotated[
        str,
        code(
            "from",
            "source",
            MONEY_AND_METALS,
            default=PIVOT,
            description="A currency or a metal, USD if left out.",
            example="EUR",
        ),
    ]
    quote: Annotated[
        str, code("to", "target", MONEY_AND_METALS, description="The other currency or metal.", example="JPY")
    ]
    start: Annotated[
        date | None,
        day("start", default=None, description="First day; if left out, as far back as the plan includes."),
    ]
    end: Annotated[date | None, day("end", default=None, description="Last day, today if left out.")]
    limit: Annotated[
        int, limit("limit", MAX_CORRECTIONS, default=MAX_CORRECTIONS, description="The maximum number of corrections.")
    ]


class PublishedValue(Struct, frozen=True):
    """What a source published in its digits: `nominal` units of the base cost `value`; and when it was received."""

    value: str
    nominal: int
    received_at: datetime


class CorrectionRecord(Struct, frozen=True, kw_only=True, rename={"day": "date"}):
    """A fixing that a source published for a day, and what it replaced it with.

    A metal's `unit` is the gram if it is priced by the gram; otherwise it is empty. A fixing that was corrected twice
    is there twice.
    """

    day: date
    source: str
    base: str
    quote: str
    unit: str
    earlier: PublishedValue
    corrected: PublishedValue


class CorrectionsResponse(Struct, frozen=True):
    """The corrections, newest day first."""

    start: date
    end: date
    corrections: list[CorrectionRecord]


def answer(context: RequestContext, params: CorrectionsParams) -> CorrectionsResponse:
    """Return what sources corrected of the fixings behind a pair, newest day first.

    These are fixings of the pair itself, and of each code against the dollar or against the currency that the source
    quotes it in, such as the euro at the ECB. A sandbox has none.
    """
    start, end = _period(context, params)
    found = context.state.corrections(CorrectionQuery(Pair(params.base, params.quote), start, end, params.limit))
    return CorrectionsResponse(start, end, [_record(each) for each in found])


def _period(context: RequestContext, params: CorrectionsParams) -> tuple[date, date]:
    today = context.today
    end = not_after_today("end", params.end or today, today)
    start = not_after_today("start", params.start or max(EARLIEST_DAY, min(context.reach, end)), today)
    if start > end:
        raise BadParameter(f"Invalid start: [{start}] is after end [{end}]")
    return start, end


def _record(correction: Correction) -> CorrectionRecord:
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


def earliest_day(context: RequestContext, params: CorrectionsParams) -> date:
    """The first day of the period."""
    return _period(context, params)[0]


endpoint: Endpoint[CorrectionsParams, CorrectionsResponse] = Endpoint(
    path="/corrections",
    tag="currency",
    summary="What sources have corrected",
    params=CorrectionsParams,
    body=CorrectionsResponse,
    answer=answer,
    earliest_day=earliest_day,
)
