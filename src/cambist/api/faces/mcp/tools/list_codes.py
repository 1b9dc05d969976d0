"""The tool `list_codes`: the codes of currencies, coins, metals and units of mass, found by name."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from msgspec import Meta, Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.endpoints.crypto import currencies as coins
from cambist.api.endpoints.currency import currencies
from cambist.api.endpoints.metals import list as metals
from cambist.api.endpoints.metals import units
from cambist.api.faces.mcp.tool import Question, Tool, ToolBody
from cambist.api.questions.freshness_parameters import BookParameters
from cambist.api.questions.parameter_types import choice, text

MAX_LISTED = 20
_MAX_NAME = 40
_KINDS: Mapping[str, Endpoint[Any, Any]] = {
    "currency": currencies.endpoint,
    "coin": coins.endpoint,
    "metal": metals.endpoint,
    "unit": units.endpoint,
}
_PLURALS = {"currency": "currencies", "coin": "coins", "metal": "metals", "unit": "units of mass"}


class ListCodesArguments(Struct, frozen=True, kw_only=True):
    """Which codes."""

    kind: Annotated[str, choice("kind", tuple(_KINDS), default="currency", description="Codes of what.")]
    search: Annotated[
        str,
        text("search", default="", description="A part of the code or of the English name; all if left out."),
    ]


class CodesBody(ToolBody, frozen=True, kw_only=True):
    """Names by code; of many the first, and `found` says how many there are."""

    kind: str
    found: Annotated[int, Meta(description="How many codes there are.")]
    codes: Annotated[dict[str, str], Meta(description=f"Names by code, {MAX_LISTED} at most.")]
    as_of: Annotated[date, Meta(description="The day of the list.")]
    source: Annotated[str, Meta(description="The endpoint that lists them all.")]


def question(params: ListCodesArguments) -> Question:
    """Return the endpoint that lists codes of the kind."""
    if params.kind == "currency":
        return currencies.endpoint, currencies.CurrenciesParams(everything=True)
    return _KINDS[params.kind], BookParameters()


def answer(context: RequestContext, params: ListCodesArguments) -> CodesBody:
    """Return those of the endpoint's codes that match."""
    names = _names(context, params)
    wanted = params.search.strip().casefold()
    ranks = {code: _rank(code, name, wanted) for code, name in names.items()}
    found = sorted((code for code in names if ranks[code]), key=lambda code: -ranks[code])
    return CodesBody(
        kind=params.kind,
        found=len(found),
        codes={code: names[code] for code in found[:MAX_LISTED]},
        as_of=context.today,
        source=_KINDS[params.kind].path,
    )


def _names(context: RequestContext, params: ListCodesArguments) -> dict[str, str]:
    endpoint, asked = question(params)
    body = endpoint.answer(context, asked)
    if isinstance(body, currencies.CurrenciesResponse):
        lives = body.lives if isinstance(body.lives, dict) else {}
        ended = {code: life.last for code, life in lives.items() if life.last is not None and life.last < context.today}
        names = {
            code: f"{_short(name)} (until {ended[code]})" for code, name in body.currencies.items() if code in ended
        }
        return {code: _short(name) for code, name in body.currencies.items() if code not in ended} | names
    (field,) = body.__struct_fields__
    return {code: _short(name) for code, name in getattr(body, field).items()}


def _short(name: str) -> str:
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME - 1]}…"


def _rank(code: str, name: str, wanted: str) -> int:
    """Return how well a code matches: 0 not at all, 4 it is the code."""
    words = name.casefold()
    if code.casefold() == wanted:
        return 4
    if any(word.startswith(wanted) for word in words.split()):
        return 3
    return 2 if code.casefold().startswith(wanted) else int(wanted in words)


def sentence(body: CodesBody) -> str:
    """Return the codes in words."""
    if not body.found:
        return f"No code of {_PLURALS[body.kind]} matches (as of {body.as_of}; source: {body.source})."
    listed = ", ".join(f"{code} {name}" for code, name in body.codes.items())
    more = f", and {body.found - len(body.codes)} more: search for a part of the name" * (body.found > len(body.codes))
    return f"{_PLURALS[body.kind].capitalize()}: {listed}{more} (as of {body.as_of}; source: {body.source})."


tool: Tool[ListCodesArguments, CodesBody] = Tool(
    name="list_codes",
    title="Find codes",
    description=(
        "The codes of currencies (also those that have ended), coins, metals, or units of mass, by a part of their "
        f"name. Lists up to {MAX_LISTED}. Costs one call."
    ),
    params=ListCodesArguments,
    body=CodesBody,
    question=question,
    answer=answer,
    sentence=sentence,
    tags=("currency", "crypto", "metals"),
)
