"""`GET /fx/pairs`: all pairs of currencies."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from typing import Annotated

import msgspec
from msgspec import Meta, Raw, Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.freshness_parameters import BookParameters

_RECORD = {
    "type": "object",
    "required": ["base", "quote", "alt"],
    "properties": {name: {"type": "string"} for name in ("base", "quote", "alt")},
}
PairsJson = Annotated[Raw, Meta(extra_json_schema={"type": "object", "additionalProperties": _RECORD})]
"""A JSON object of pair, `BASE/QUOTE`, to its base, its quote and its other name, `BASEQUOTE`."""


class FxPairsResponse(Struct, frozen=True):
    """Pairs by name."""

    pairs: PairsJson


def answer(context: RequestContext, _params: BookParameters) -> FxPairsResponse:
    """Return every pair of currencies that have a rate now, in both directions.

    A pair that is not traded itself is crossed through the US dollar.
    """
    return FxPairsResponse(_encode_pairs(context.book.listed))


@lru_cache(maxsize=4)
def _encode_pairs(listed: tuple[str, ...]) -> Raw:
    """Encode all pairs. The result is cached: there are about 20,000, and they rarely change."""
    pairs = {
        f"{base}/{quote}": {"base": base, "quote": quote, "alt": base + quote}
        for base, quote in permutations(listed, 2)
    }
    return Raw(msgspec.json.encode(pairs))


endpoint: Endpoint[BookParameters, FxPairsResponse] = Endpoint(
    path="/fx/pairs",
    tag="fx",
    summary="All pairs of currencies",
    params=BookParameters,
    body=FxPairsResponse,
    answer=answer,
    is_list=True,
)
