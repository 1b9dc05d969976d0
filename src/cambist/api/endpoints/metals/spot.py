"""`GET /metals/spot`: the price of a unit of mass of a metal, in any currency and purity."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from msgspec import UNSET, Struct, UnsetType

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.rendering import decimal
from cambist.api.answer.request_context import RequestContext, written
from cambist.api.bodies.price_moves import Move, moves
from cambist.api.questions.freshness_parameters import FreshnessParameters
from cambist.api.questions.parameter_types import flag, text, unit
from cambist.api.questions.symbol_parameters import code, metal
from cambist.pricing.metals.fineness import PURE, parse_purity
from cambist.pricing.metals.spot import Spot, own_unit, spot
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.unix_time import unix_ms
from cambist.reference.assets import METALS, Metal, MetalKind, name_of
from cambist.reference.weights import GRADES, Purity, Unit


class MetalsSpotParams(FreshnessParameters, frozen=True, kw_only=True):
    """A metal, a currency, a unit of mass and a purity."""

    metal: Annotated[str, metal("metal", default="XAU", description="The metal, gold if left out.", example="XAU")]
    currency: Annotated[
        str, code("currency", "target", default=PIVOT, description="The currency, USD if left out.", example="USD")
    ]
    unit: Annotated[
        str | None,
        unit(
            "unit",
            default=None,
            description="The unit of mass; if left out `oz_t` for precious metals, `metric_tonne` for base metals.",
            example="oz_t",
        ),
    ]
    purity: Annotated[
        str,
        text(
            "purity",
            default="",
            description=(
                "For precious metals: a code of /metals/purities, or a fineness from 1 to 1000 parts per thousand. "
                "The pure metal if left out."
            ),
            example="750",
        ),
    ]
    verbose: Annotated[
        bool,
        flag(
            "verbose",
            description="Add display names and the moves of today, of the last day and week: true, 1, yes or y.",
        ),
    ]


class MetalsSpotResponse(Struct, frozen=True, kw_only=True):
    """The price of one unit, as decimal strings, and its sources.

    `mid` is exactly between `bid` and `ask`, `spread` their difference. `tsp` and `dtm` are the market's time of
    the oldest quote in it. `cross_rate`: it is crossed through the US dollar. `source_instrument` is what was quoted.
    """

    bid: str
    ask: str
    mid: str
    spread: str
    metal: str
    currency: str
    unit: str
    tsp: int
    dtm: str
    cross_rate: bool
    source: str
    source_instrument: str
    purity: str | UnsetType = UNSET
    purity_name: str | UnsetType = UNSET
    metal_name: str | UnsetType = UNSET
    currency_name: str | UnsetType = UNSET
    unit_name: str | UnsetType = UNSET
    grade: str | UnsetType = UNSET
    grade_name: str | UnsetType = UNSET
    grade_min_purity_pct: float | UnsetType = UNSET
    today: Move = UNSET
    last_24h: Move = UNSET
    last_7d: Move = UNSET


def cost(context: RequestContext, params: MetalsSpotParams) -> int:
    """One call; two if the price is crossed."""
    _purity(METALS[params.metal], params)  # an invalid purity is refused even if the metal has no price
    return 2 if context.once(_spot, params).is_crossed else 1


def answer(context: RequestContext, params: MetalsSpotParams) -> MetalsSpotResponse:
    """Return the price of a metal: its quote in the currency, or its quote in dollars converted.

    Unit and purity scale the price exactly. While the market is closed, the price is its last one, with its own time.
    """
    chosen, mass_unit = METALS[params.metal], _unit(context, params)
    purity = _purity(chosen, params)
    priced = context.once(_spot, params).per(mass_unit, purity, own_unit(chosen))
    context.check_age(priced.as_of, params.max_age)
    sides = priced.sides
    return MetalsSpotResponse(
        bid=decimal(sides.bid),
        ask=decimal(sides.ask),
        mid=decimal(sides.mid),
        spread=decimal(sides.spread),
        metal=chosen.code,
        currency=params.currency,
        unit=mass_unit.handle,
        tsp=unix_ms(priced.as_of),
        dtm=str(written(priced.as_of, context.form)),
        cross_rate=priced.is_crossed,
        source="; ".join(priced.sources),
        source_instrument=str(priced.instrument),
        purity=purity.code if chosen.kind is MetalKind.PRECIOUS else UNSET,
        purity_name=purity.name if chosen.kind is MetalKind.PRECIOUS else UNSET,
        **(_details(context, chosen, params.currency, mass_unit, sides.mid) if params.verbose else {}),
    )


def _spot(context: RequestContext, params: MetalsSpotParams) -> Spot:
    return spot(
        context.book,
        METALS[params.metal],
        params.currency,
        lambda quote: context.is_metal_fresh(quote, params.max_age),
    )


def _unit(context: RequestContext, params: MetalsSpotParams) -> Unit:
    return context.units[params.unit or METALS[params.metal].unit]


def _purity(chosen: Metal, params: MetalsSpotParams) -> Purity:
    if not params.purity or chosen.kind is MetalKind.BASE:
        return PURE
    return parse_purity(chosen.code, params.purity)


def _details(context: RequestContext, chosen: Metal, currency: str, mass_unit: Unit, mid: Decimal) -> dict[str, Any]:
    moved = moves(context, Pair(chosen.code, currency), mid)
    names = {
        "metal_name": chosen.name,
        "currency_name": name_of(currency),
        "unit_name": mass_unit.name,
    }
    if chosen.kind is MetalKind.PRECIOUS:
        return names | moved
    grade = GRADES[chosen.code]
    return (
        names
        | moved
        | {
            "grade": grade.handle,
            "grade_name": grade.name,
            "grade_min_purity_pct": float(grade.min_purity_pct),
        }
    )


endpoint: Endpoint[MetalsSpotParams, MetalsSpotResponse] = Endpoint(
    path="/metals/spot",
    tag="metals",
    summary="Price of a weight of metal",
    params=MetalsSpotParams,
    body=MetalsSpotResponse,
    answer=answer,
    cost=cost,
)
