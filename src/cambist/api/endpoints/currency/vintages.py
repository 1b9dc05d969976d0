"""`GET /vintages`: everything that was received for a day about a pair, and when."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from msgspec import Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.parameter_types import day, not_after_today
from cambist.api.questions.symbol_parameters import MONEY_AND_METALS, code
from cambist.history.fixing import ReceivedFixing
from cambist.pricing.pair import PIVOT, Pair


class VintagesParams(Struct, frozen=True, kw_only=True):
    """A pair and a day."""

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
    day: Annotated[date, day("date", description="The day, UTC.", example="2026-03-06")]


class VintageRecord(Struct, frozen=True, kw_only=True):
    """What a source published for the day: `nominal` units of the base cost `value`; and when it was learnt.

    `delivery` is the number of the delivery, which the first part of an edition counts. `corrects` says whether the
    source had published another value before. A metal's `unit` is the gram if it is priced by the gram.
    """

    source: str
    base: str
    quote: str
    unit: str
    value: str
    nominal: int
    published_at: datetime | None
    received_at: datetime
    delivery: int
    corrects: bool


class VintagesResponse(Struct, frozen=True, rename={"day": "date"}):
    """Everything that was received for the day, in the order in which it was learnt."""

    day: date
    base: str
    quote: str
    vintages: list[VintageRecord]


def answer(context: RequestContext, params: VintagesParams) -> VintagesResponse:
    """Return all that sources published for a day about a pair, the corrections too, and when each was received.

    These are fixings of the pair itself, and of each code against the dollar or against the currency that the source
    quotes it in. Nothing is carried forward from another day. A sandbox has none.
    """
    on = not_after_today("date", params.day, context.today)
    received = context.state.readers.vintages(Pair(params.base, params.quote), on, context.delivery)
    seen: set[tuple[str, Pair]] = set()
    records = []
    for each in received:
        series = each.fixing.source, each.fixing.pair
        records.append(_record(each, corrects=series in seen))
        seen.add(series)
    return VintagesResponse(on, params.base, params.quote, records)


def _record(received: ReceivedFixing, *, corrects: bool) -> VintageRecord:
    fixing = received.fixing
    return VintageRecord(
        source=fixing.source,
        base=fixing.pair.base,
        quote=fixing.pair.quote,
        unit=fixing.unit,
        value=str(fixing.value),
        nominal=fixing.nominal,
        published_at=fixing.published_at,
        received_at=received.received_at,
        delivery=received.delivery,
        corrects=corrects,
    )


def earliest_day(_context: RequestContext, params: VintagesParams) -> date:
    """The day of the request."""
    return params.day


endpoint: Endpoint[VintagesParams, VintagesResponse] = Endpoint(
    path="/vintages",
    tag="currency",
    summary="All fixings received for a day",
    params=VintagesParams,
    body=VintagesResponse,
    answer=answer,
    earliest_day=earliest_day,
)
