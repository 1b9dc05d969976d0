"""`GET /convert`: an amount in another currency, computed exactly and rounded once, half up."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Annotated

from msgspec import Struct

from cambist.market.cross import midpoint
from cambist.market.pair import PIVOT, Pair
from cambist.market.precision import half_up, shown_digits
from cambist.server.endpoint import Endpoint
from cambist.server.live import Live
from cambist.server.readers import amount, asset, check_crossable, places
from cambist.server.render import Number, Numbers, number, numbers
from cambist.server.view import Updated, View


class Params(Live, frozen=True, kw_only=True):
    """An amount of one currency, into another."""

    base: Annotated[
        str,
        asset(
            "from",
            "source",
            default=PIVOT,
            description="Source, USD if left out: a currency, a coin or a metal.",
            example="EUR",
        ),
    ]
    quote: Annotated[str, asset("to", "target", description="Target: a currency, a coin or a metal.", example="USD")]
    amount: Annotated[Decimal, amount("amount", description="From 0.01 up, any number of digits.", example="100")]
    precision: Annotated[int, places("precision", default=2, description="Decimals of the result.", example="2")]


class Body(Struct, frozen=True):
    """The amount asked, and in `result` the target's amount first, then the `rate`. `updated` says how old that is."""

    base: str
    amount: Number
    result: Numbers
    updated: Updated


def answer(view: View, params: Params) -> Body:
    """Convert at the unrounded cross; only what is shown of the rate is rounded."""
    check_crossable(params.base, params.quote)
    view.check_fresh((params.base, params.quote))
    rate = midpoint(view.book, Pair(params.base, params.quote))
    converted = half_up(Fraction(params.amount) * rate.value, params.precision)
    return Body(
        base=params.base,
        amount=number(params.amount),
        result=numbers({params.quote: converted, "rate": shown_digits(rate.value)}),
        updated=view.updated(rate.as_of, params.max_age),
    )


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/convert",
    tag="currency",
    summary="Convert an amount",
    params=Params,
    body=Body,
    answer=answer,
)
