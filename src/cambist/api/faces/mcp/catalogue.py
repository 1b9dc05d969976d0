"""All tools, and calling them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cambist.api.answer.request_context import RequestContext
from cambist.api.faces.mcp.messages import INVALID_PARAMS, ProtocolError
from cambist.api.faces.mcp.protocol import ToolResult
from cambist.api.faces.mcp.tool import Tool
from cambist.api.faces.mcp.tools import (
    averages,
    convert,
    explain,
    list_codes,
    metal_price,
    prices,
    rate,
    rates_on,
    series,
    value,
)
from cambist.api.questions.code_suggestions import suggest_codes
from cambist.errors import CambistError, UnknownMetal, UnknownSymbol, shorten
from cambist.suggestions import did_you_mean

TOOLS: Mapping[str, Tool[Any, Any]] = {
    tool.name: tool
    for tool in (
        convert.tool,
        rate.tool,
        rates_on.tool,
        series.tool,
        averages.tool,
        prices.tool,
        value.tool,
        explain.tool,
        metal_price.tool,
        list_codes.tool,
    )
}

_SIMULATED = " These prices are SIMULATED by a sandbox."


@cache
def described_tools() -> Sequence[Mapping[str, Any]]:
    """Return the tools as clients list them."""
    return [tool.described() for tool in TOOLS.values()]


def find_tool(name: str) -> Tool[Any, Any]:
    """Return the tool of a name. Errors: ProtocolError."""
    tool = TOOLS.get(name)
    if tool is None:
        raise ProtocolError(INVALID_PARAMS, f"Unknown tool: [{shorten(name)}], {did_you_mean(shorten(name), TOOLS)}")
    return tool


def run_tool(tool: Tool[Any, Any], context: RequestContext, params: Struct, environment: str = "") -> ToolResult:
    """Return what a tool answers; `environment` is empty for live prices. Errors: CambistError."""
    body = tool.answer(context, params)
    if not environment:
        return ToolResult(tool.sentence(body), body)
    return ToolResult(tool.sentence(body) + _SIMULATED, replace(body, environment=environment))


def refusal(error: CambistError) -> ToolResult:
    """Return what a tool answers instead of a rate, with the codes that an unknown one was probably meant for."""
    hint = ""
    if isinstance(error, UnknownSymbol) and not isinstance(error, UnknownMetal):  # that one lists all metals
        hint = suggest_codes(error.symbol)
    return ToolResult(f"{error}{hint}", is_error=True)
