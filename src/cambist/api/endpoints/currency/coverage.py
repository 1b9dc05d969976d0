"""`GET /coverage`: the sources of each currency, since when, and how many publish it now."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.symbol_parameters import MONEY_AND_METALS
from cambist.api.questions.symbol_parameters import code as asset_code
from cambist.pricing.parity import parity_on
from cambist.reference.assets import METALS
from cambist.reference.currency_tables import CURRENCIES
from cambist.status.currency_coverage import BySource, PublishedCurrency, currency_coverage, independent_sources

_Count = Annotated[int, Meta(ge=0)]


class CoverageParams(Struct, frozen=True, kw_only=True):
    """One currency or metal, or all of them."""

    code: Annotated[
        str | None,
        asset_code(
            "code",
            "target",
            MONEY_AND_METALS,
            default=None,
            description="A currency or a metal; all of them if left out.",
            example="CHF",
        ),
    ]


class CoverageRecord(Struct, frozen=True):
    """The sources of one currency or metal, best first.

    `independent` counts those that publish it now and do not compile the rates of others: with 1, nobody confirms its
    rate. `law` names who fixes its rate by law today; it is empty if nobody does. Of each source `pairs` counts the
    pairs in the archive with this code, `first` and `last` are the first and last day of them, `votes` is true if its
    price is behind the rate of now, `current` if it publishes now, and `compiled` if it compiles the rates of others.
    """

    independent: _Count
    law: str
    sources: dict[str, PublishedCurrency]


class CoverageResponse(Struct, frozen=True):
    """The coverage by code."""

    currencies: dict[str, CoverageRecord]


def answer(context: RequestContext, params: CoverageParams) -> CoverageResponse:
    """Return which sources publish each currency and metal, since which day, and how many independent ones do now."""
    codes = [params.code] if params.code is not None else [*CURRENCIES, *METALS]
    reports = context.source_reports.reports if context.source_reports else ()
    found = currency_coverage(codes, context.state.coverage(), context.votes, reports, context.today)
    return CoverageResponse({code: _record(context, code, by_source) for code, by_source in found.items()})


def _record(context: RequestContext, code: str, by_source: BySource) -> CoverageRecord:
    parity = parity_on(context.today, code)
    return CoverageRecord(independent_sources(by_source), parity.authority if parity else "", dict(by_source))


endpoint: Endpoint[CoverageParams, CoverageResponse] = Endpoint(
    path="/coverage",
    tag="currency",
    summary="The sources of each currency",
    params=CoverageParams,
    body=CoverageResponse,
    answer=answer,
)
