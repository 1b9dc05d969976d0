"""`GET /currencies`: the currencies."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.rendering import Number, number
from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.partial import check_priced
from cambist.api.questions.freshness_parameters import BookParameters
from cambist.api.questions.parameter_types import flag
from cambist.api.questions.parameters import Param
from cambist.errors import BadParameter, RateUnavailable, shorten
from cambist.reference.cash_steps import CASH_STEPS
from cambist.reference.currency_names import ENGLISH, UnknownLanguage, names_in, signs_in
from cambist.reference.currency_tables import CURRENCIES, Currency
from cambist.reference.minor_units import MINOR_UNITS


def _parse_language(name: str, text: str) -> str:
    try:
        names_in(text)
    except UnknownLanguage:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a language such as de or pt-BR") from None
    return text


class CurrenciesParams(BookParameters, frozen=True):
    """Whether to list all currencies."""

    everything: Annotated[
        bool,
        flag(
            "all",
            description="With true, 1, yes or y include currencies that ended or have no rate now, and add `lives`.",
        ),
    ]
    with_details: Annotated[
        bool, flag("details", description="Add `details`: minor units, cash step and sign of each currency.")
    ] = False
    language: Annotated[
        str | None,
        Param(
            "lang",
            _parse_language,
            default=None,
            description="Names and signs in a language of CLDR, such as de or pt-BR; English if left out.",
            schema={"type": "string", "examples": ["de"]},
            selects_data=False,
        ),
    ] = None


class CurrencyLife(Struct, frozen=True):
    """The first and last day of a currency, the last null if it has not ended; `priced`: it has a rate now."""

    first: date
    last: date | None
    priced: bool


class CurrencyDetails(Struct, frozen=True):
    """How amounts of a currency are written and paid.

    `minor_units` is the number of decimals, `cash_step` the smallest amount that coins pay where that is more, `symbol`
    the sign that the language writes; null where there is none.
    """

    minor_units: int | None
    cash_step: Number | None
    symbol: str | None


class CurrenciesResponse(Struct, frozen=True):
    """Names by code; with `all` also `lives`, and with `details` the details by code."""

    currencies: dict[str, str]
    details: dict[str, CurrencyDetails] | UnsetType = UNSET
    lives: dict[str, CurrencyLife] | UnsetType = UNSET


def answer(context: RequestContext, params: CurrenciesParams) -> CurrenciesResponse:
    """Return the currencies that have a rate now, or with `all` every currency.

    A currency that has ended keeps a rate if the law fixed one, and its past rates are at `/historical`. With `all`
    there are also the minor units that exchanges quote prices in, such as `GBp`. With `lang` names are those of CLDR,
    where it has one.
    """
    priced = {code: currency.name for code, currency in CURRENCIES.items() if _is_priced(context, currency)}
    details = _details(params, [*CURRENCIES] if params.everything else [*priced])
    if not params.everything:
        return CurrenciesResponse(_named(priced, params), details)
    lives = {
        code: CurrencyLife(currency.first_day, currency.last_day, code in priced)
        for code, currency in CURRENCIES.items()
    } | {unit.code: CurrencyLife(unit.first_day, None, unit.currency in priced) for unit in MINOR_UNITS.values()}
    names = {code: currency.name for code, currency in CURRENCIES.items()} | {
        unit.code: f"{unit.name}, 1/{unit.units} {unit.currency}" for unit in MINOR_UNITS.values()
    }
    return CurrenciesResponse(
        _named({code: names[code] for code in sorted(names)}, params),
        details,
        {code: lives[code] for code in sorted(lives)},
    )


def _named(names: dict[str, str], params: CurrenciesParams) -> dict[str, str]:
    if params.language is None:
        return names
    translated = names_in(params.language)
    return {code: translated.get(code, name) for code, name in names.items()}


def _details(params: CurrenciesParams, codes: list[str]) -> dict[str, CurrencyDetails] | UnsetType:
    if not params.with_details:
        return UNSET
    signs = signs_in(params.language or ENGLISH)
    return {
        code: CurrencyDetails(
            CURRENCIES[code].minor_units,
            number(CASH_STEPS[code]) if code in CASH_STEPS else None,
            signs.get(code),
        )
        for code in sorted(codes)
    }


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
