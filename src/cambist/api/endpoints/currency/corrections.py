"""`GET /corrections`: the fixings of a pair that a source has corrected."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.feed_parameters import feed_position
from cambist.api.questions.parameter_types import EARLIEST_DAY, day, limit, not_after_today
from cambist.api.questions.symbol_parameters import MONEY_AND_METALS, code
from cambist.errors import BadParameter
from cambist.history.correction_record import CorrectionRecord, correction_record
from cambist.history.corrections import CorrectionQuery, FeedPosition
from cambist.pricing.pair import PIVOT, Pair

MAX_CORRECTIONS = 100

_WAITING = (
    "There is no edition yet: the first is recorded when a source has delivered daily rates, mostly within a minute of "
    "the first start. A correction is a value that is received after that for a day that has one."
)


class CorrectionsParams(Struct, frozen=True, kw_only=True):
    """A pair and a period."""

    base: Annotated[
        str | None,
        code(
            "from",
            "source",
            MONEY_AND_METALS,
            default=None,
            description="A currency or a metal, USD if left out.",
            example="EUR",
        ),
    ]
    quote: Annotated[
        str | None,
        code(
            "to",
            "target",
            MONEY_AND_METALS,
            default=None,
            description="The other currency or metal, USD if left out; without both the answer is about all pairs.",
            example="JPY",
        ),
    ]
    start: Annotated[
        date | None,
        day("start", default=None, description="First day; if left out, as far back as the plan includes."),
    ]
    end: Annotated[date | None, day("end", default=None, description="Last day, today if left out or later.")]
    limit: Annotated[
        int, limit("limit", MAX_CORRECTIONS, default=MAX_CORRECTIONS, description="The maximum number of corrections.")
    ]
    since: Annotated[
        FeedPosition | None,
        feed_position(
            "since",
            default=None,
            description="Instead of a pair: all corrections after this edition, or after the `next` of an answer.",
            example="17-4f2a9c01d7be-9d0c33a1e8f25b70",
        ),
    ] = None


class CorrectionsResponse(Struct, frozen=True):
    """The corrections, newest day first; with `since` in the order in which they were learnt.

    `next` is the `since` that continues the feed: an edition, or a place before one if there are more corrections.
    `waiting` is present before the first edition: there can be no corrections yet, and it says what is missing.
    """

    start: date
    end: date
    corrections: list[CorrectionRecord]
    next: str | UnsetType = UNSET
    waiting: str | UnsetType = UNSET


def answer(context: RequestContext, params: CorrectionsParams) -> CorrectionsResponse:
    """Return what sources corrected of the fixings behind a pair, newest day first; without a pair the newest of all.

    These are fixings of the pair itself, and of each code against the dollar or against the currency that the source
    quotes it in, such as the euro at the ECB. A sandbox has none. A past day of which another source's fixing is
    published than before is there too, of `kind` verdict, with its `cause`. With `since` it is a feed of all
    corrections of all sources, oldest first; `/corrections.atom` is the same as an Atom feed.
    """
    if params.since is not None or params.base is params.quote is None:
        return read_feed(context, params, params.since)
    start, end = _period(context, params)
    pair = Pair(params.base or PIVOT, params.quote or PIVOT)
    found = context.state.readers.corrections(CorrectionQuery(pair, start, end, params.limit))
    return CorrectionsResponse(start, end, [correction_record(each) for each in found], waiting=_waiting(context))


def read_feed(context: RequestContext, params: CorrectionsParams, since: FeedPosition | None) -> CorrectionsResponse:
    """Return the corrections after a position, or the newest, of the days that the plan includes."""
    start, end = _period(context, params)
    delivery = context.delivery or 0
    found = context.state.readers.feed(since, delivery, params.limit)
    is_complete = len(found) < params.limit
    records = [correction_record(each.correction, each) for each in found if start <= each.correction.day <= end]
    following = context.matrix.edition if is_complete else str(found[-1].position)
    return CorrectionsResponse(start, end, records, following or UNSET, _waiting(context))


def _waiting(context: RequestContext) -> str | UnsetType:
    return UNSET if context.matrix.edition else _WAITING


def _period(context: RequestContext, params: CorrectionsParams) -> tuple[date, date]:
    today = context.today
    end = min(params.end or today, today)
    start = not_after_today("start", params.start or max(EARLIEST_DAY, min(context.reach, end)), today)
    if start > end:
        raise BadParameter(f"Invalid start: [{start}] is after end [{end}]")
    return start, end


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
