"""`GET /currencies`: the currencies."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.partial import check_priced
from cambist.api.questions.freshness_parameters import BookParameters
from cambist.api.questions.parameter_types import flag
from cambist.errors import RateUnavailable
from cambist.reference.currency_tables import CURRENCIES, Currency
from cambist.reference.minor_units import MINOR_UNITS


class CurrenciesParams(BookParameters, frozen=True):
    """Whether to list all currencies."""

    everything: Annotated[
        bool,
        flag(
            "all",
            description="With true, 1, yes or y include currencies that ended or have no rate now, and add `lives`.",
        ),
    ]


class CurrencyLife(Struct, frozen=True):
    """The first and last day of a currency, the last null if it has not ended; `priced`: it has a rate now."""

    first: date
    last: date | None
    priced: bool


class CurrenciesResponse(Struct, frozen=True):
    """Names by code; with `all` also `lives` by code."""

    currencies: dict[str, str]
    lives: dict[str, CurrencyLife] | UnsetType = UNSET


def answer(context: RequestContext, params: CurrenciesParams) -> CurrenciesResponse:
    """Return the currencies that have a rate now, or with `all` every currency.

    A currency that has ended keeps a rate if the law fixed one, and its past rates are at `/historical`. With `all`
    there are also the minor units that exchanges quote prices in, such as `GBp`.
    """
    priced = {code: currency.name for code, currency in CURRENCIES.items() if _is_priced(context, currency)}
    if not params.everything:
        return CurrenciesResponse(priced)
    lives = {
        code: CurrencyLife(currency.first_day, currency.last_day, code in priced)
        for code, currency in CURRENCIES.items()
    } | {unit.code: CurrencyLife(unit.first_day, None, unit.currency in priced) for unit in MINOR_UNITS.values()}
    names = {code: currency.name for code, currency in CURRENCIES.items()} | {
        unit.code: f"{unit.name}, 1/{unit.units} {unit.currency}" for unit in MINOR_UNITS.values()
    }
    return CurrenciesResponse(
        {code: names[code] for code in sorted(names)}, {code: lives[code] for code in sorted(lives)}
    )


def _is_priced(context: RequestContext, currency: Currency) -> bool:
    if not currency.lives_on(context.today):
        return False
    try:
        check_priced(context, currency.code)
    except RateUnavailable:
        return False
    return True


endpoint: Endpoint[CurrenciesParams, CurrenciesResponse] = Endpoint(
    path="/currencies",
    tag="currency",
    summary="All currencies",
    params=CurrenciesParams,
    body=CurrenciesResponse,
    answer=answer,
    is_list=True,
)
