"""`GET /fx/currencies`: the currencies that have pairs."""

from __future__ import annotations

from msgspec import Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.freshness_parameters import BookParameters
from cambist.reference.currency_tables import CURRENCIES


class FxCurrenciesResponse(Struct, frozen=True):
    """Names by code."""

    currencies: dict[str, str]


def answer(context: RequestContext, _params: BookParameters) -> FxCurrenciesResponse:
    """Return the currencies that have a rate now."""
    return FxCurrenciesResponse({code: CURRENCIES[code].name for code in context.book.listed})


endpoint: Endpoint[BookParameters, FxCurrenciesResponse] = Endpoint(
    path="/fx/currencies",
    tag="fx",
    summary="All currencies that pairs are made of",
    params=BookParameters,
    body=FxCurrenciesResponse,
    answer=answer,
    is_list=True,
)
