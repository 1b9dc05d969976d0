"""A metal's rates by the weight and purity that are asked for."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from cambist.api.answer.request_context import RequestContext
from cambist.errors import BadParameter
from cambist.pricing.metals.fineness import PURE, parse_purity
from cambist.pricing.metals.spot import own_unit, weight_ratio
from cambist.reference.assets import METALS, MetalKind

WeightName = str | UnsetType
"""The unit or the purity of the rates in an answer, if one was asked for."""


def weight_factor(context: RequestContext, params: Any) -> float:
    """Return by what the rates of a metal's own unit are multiplied. Errors: BadParameter."""
    if params.unit is None and params.purity is None:
        return 1.0
    metal, name = METALS.get(params.base), "unit" if params.unit else "purity"
    if metal is None:
        raise BadParameter(f"Invalid {name}: it is that of a metal, and [from] is [{params.base}]")
    if params.purity is not None and metal.kind is MetalKind.BASE:
        raise BadParameter(f"Invalid purity: [{metal.code}] is sold pure")
    if getattr(params, "booking", None) is not None:
        raise BadParameter(f"Invalid {name}: [booking] {params.booking} is about money")
    purity = PURE if params.purity is None else parse_purity(metal.code, params.purity)
    return float(weight_ratio(context.units[params.unit or metal.unit], own_unit(metal), purity.fineness))


def weight_names(params: Any) -> tuple[WeightName, WeightName]:
    """Return the unit and the purity that an answer names: those that were asked for."""
    if params.unit is None and params.purity is None:
        return UNSET, UNSET
    metal = METALS[params.base]
    purity = UNSET if metal.kind is MetalKind.BASE else params.purity or PURE.code
    return params.unit or metal.unit, purity
