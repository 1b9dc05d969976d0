"""Call every tool with the official SDK, first generation; write what it found as JSON.

Usage: run_mcp1.py http ADDRESS KEY | run_mcp1.py stdio COMMAND [ARGUMENT…]
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

CALLS: list[tuple[str, dict[str, Any]]] = json.loads(os.environ["CALLS"])


async def used(session: ClientSession) -> dict[str, Any]:
    greeting = await session.initialize()
    await session.send_ping()
    listed = (await session.list_tools()).tools
    results = [await session.call_tool(name, arguments) for name, arguments in CALLS]
    try:
        await session.call_tool("nonsense", {})
        refusal = None
    except McpError as error:
        refusal = error.error.code
    return {
        "tools": [tool.name for tool in listed],
        "read_only": [bool(tool.annotations and tool.annotations.readOnlyHint) for tool in listed],
        "revision": greeting.protocolVersion,
        "server": greeting.serverInfo.name,
        "refusal": refusal,
        "results": [
            {"text": result.content[0].text, "structured": result.structuredContent, "is_error": result.isError}
            for result in results
        ],
    }


async def over_http(address: str, key: str) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        streamablehttp_client(address, headers=headers) as (reading, writing, _),
        ClientSession(reading, writing) as session,
    ):
        return await used(session)


async def over_stdio(command: str, *arguments: str) -> dict[str, Any]:
    variables = {name: value for name, value in os.environ.items() if name.startswith(("CAMBIST_", "PATH"))}
    parameters = StdioServerParameters(command=command, args=list(arguments), env=variables)
    async with stdio_client(parameters) as (reading, writing), ClientSession(reading, writing) as session:
        return await used(session)


if __name__ == "__main__":
    kind, *rest = sys.argv[1:]
    print(json.dumps(asyncio.run(over_http(*rest) if kind == "http" else over_stdio(*rest))))
