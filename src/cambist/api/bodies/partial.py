"""Lists that can be answered only in part: refused as a whole, or answered as far as possible with `partial`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Annotated, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.agreement import agreed_now
from cambist.api.questions import parameter_types
from cambist.api.questions.agreement_parameters import MinSources
from cambist.api.questions.freshness_parameters import FreshnessParameters
from cambist.api.questions.symbol_parameters import Codes
from cambist.errors import NoRate, RateUnavailable, RequestRefused, UnknownSymbol
from cambist.pricing.pair import PIVOT

T = TypeVar("T")
V = TypeVar("V")

Unavailable = Annotated[
    list[str] | UnsetType,
    Meta(description="With `partial`: what was requested and cannot be answered, in the order of the request."),
]


Partial = Annotated[
    bool,
    parameter_types.flag(
        "partial", description="With true, 1, yes or y answer what can be answered, and name the rest in `unavailable`."
    ),
]


class ListParameters(Struct, frozen=True, kw_only=True):
    """Parameters of an endpoint that accepts a list. Without `partial` one unknown code refuses the request."""

    partial: Partial

    def __post_init__(self) -> None:
        """Refuse unknown codes, except with `partial`. Errors: UnknownSymbol."""
        _check_known(self, partial=self.partial)


class LiveListParameters(FreshnessParameters, frozen=True, kw_only=True):
    """Parameters of an endpoint that accepts a list and answers from the current rate book."""

    partial: Partial

    def __post_init__(self) -> None:
        """Refuse unknown codes, except with `partial`. Errors: UnknownSymbol."""
        _check_known(self, partial=self.partial)


class AgreedListParameters(LiveListParameters, frozen=True, kw_only=True):
    """Parameters of an endpoint that accepts a list and can check how many sources agree on each rate."""

    min_sources: MinSources = None


def _check_known(params: Struct, *, partial: bool) -> None:
    for name in params.__struct_fields__:
        codes = getattr(params, name)
        if isinstance(codes, Codes) and codes.unknown and not partial:
            raise codes.unknown[0]


def answer_each(
    items: Iterable[T], answer: Callable[[T], V], *, partial: bool, unknown: Iterable[UnknownSymbol] = ()
) -> tuple[dict[T, V], list[str] | UnsetType]:
    """Answer each item of a list. With `partial`, return also the items that cannot be answered.

    Errors: that of the first item that cannot be answered, without `partial` or if none can.
    """
    found: dict[T, V] = {}
    refused: dict[str, RequestRefused] = {}
    for item in items:
        try:
            found[item] = answer(item)
        except (NoRate, RateUnavailable, UnknownSymbol) as error:
            if not partial:
                raise
            refused[str(item)] = error
    if not found and refused:
        raise next(iter(refused.values()))
    return found, [*refused, *(error.symbol for error in unknown)] if partial else UNSET


def select_priced(
    context: RequestContext, codes: Iterable[str], params: LiveListParameters
) -> tuple[tuple[str, ...], list[str] | UnsetType]:
    """Return the codes of a list that have a price now, and with `partial` also the others.

    Errors: RateUnavailable with `partial`, if no code has a price. Without it nothing is checked here.
    """
    if not params.partial:
        return tuple(codes), UNSET
    found, missing = answer_each(
        codes,
        lambda code: _check_usable(context, code, params),
        partial=True,
        unknown=codes.unknown if isinstance(codes, Codes) else (),
    )
    return tuple(found), missing


def _check_usable(context: RequestContext, code: str, params: LiveListParameters) -> None:
    check_priced(context, code, params.max_age)
    if isinstance(params, AgreedListParameters):
        agreed_now(context, [code], params.min_sources)


def check_priced(context: RequestContext, code: str, max_age: timedelta | None = None) -> None:
    """Refuse a code without a price now, or without one younger than `max_age`. Errors: RateUnavailable."""
    if code != PIVOT:
        context.check_fresh([code], max_age)
        context.check_age(context.book.leg(code).as_of, max_age)
