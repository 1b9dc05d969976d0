"""The legs of a rate of one type: its fixings as they were published, and the ordinary legs of the other side."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.typed_rates import TypedRates, market_start
from cambist.history.explanation import ExplainedLeg, explain_day, explain_now
from cambist.history.fixing import ReceivedFixing
from cambist.history.published_fixings import fixings_for
from cambist.history.typed_series import parse_series_key
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation


def explain_typed(
    context: RequestContext, typed: TypedRates, pair: Pair, day: date | None
) -> Iterator[tuple[ExplainedLeg, bool]]:
    """Yield the legs of a rate of a type, now or on a day, and whether each is of the type.

    Errors: RateUnavailable, StoreBusy.
    """
    for code in dict.fromkeys((pair.base, pair.quote)):
        series = typed.series_of(code)
        if series:
            found = context.fixings(series, code, typed.last) if context.fixings else ()
            for received in fixings_for(code, found):
                yield _published(context, series, received, typed.last), True
        elif day is None:
            legs = explain_now(context.book, Pair(code, PIVOT), context.now, context.votes)
            yield from ((leg, False) for leg in legs)
        else:
            yield from ((leg, False) for leg in explain_day(context.matrix, Pair(code, PIVOT), day, context.fixings))


def _published(context: RequestContext, series: str, received: ReceivedFixing, day: date) -> ExplainedLeg:
    fixing = received.fixing
    carried = (day - fixing.day).days
    return ExplainedLeg(
        base=fixing.pair.base,
        quote=fixing.pair.quote,
        rate=fixing.rate,
        made=Derivation.PUBLISHED,
        sources=(parse_series_key(series).source,),
        as_of=min(market_start(context.matrix, series, fixing.day), received.received_at),
        received_at=received.received_at,
        published=fixing.value,
        nominal=fixing.nominal,
        unit=fixing.unit,
        published_at=fixing.published_at,
        fixed_on=fixing.day,
        carried_days=carried,
        because="weekend" if carried and day.weekday() >= 5 else "",
    )
