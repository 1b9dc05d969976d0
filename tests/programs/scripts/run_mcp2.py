"""Call every tool with the official SDK, second generation; write what it found as JSON.

Usage: run_mcp2.py http ADDRESS KEY MODE | run_mcp2.py stdio COMMAND [ARGUMENT…]
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

CALLS: list[tuple[str, dict[str, Any]]] = json.loads(os.environ["CALLS"])


async def used(client: Any) -> dict[str, Any]:
    listed = (await client.list_tools()).tools
    results = [await client.call_tool(name, arguments) for name, arguments in CALLS]
    try:
        await client.call_tool("nonsense", {})
        refusal = None
    except MCPError as error:
        refusal = error.error.code
    return {
        "tools": [tool.name for tool in listed],
        "read_only": [bool(tool.annotations and tool.annotations.read_only_hint) for tool in listed],
        "revision": client.protocol_version,
        "server": client.server_info and client.server_info.name,
        "refusal": refusal,
        "results": [
            {
                "text": result.content[0].text,
                "structured": result.structured_content,
                "is_error": bool(result.is_error),
            }
            for result in results
        ],
    }


async def over_http(address: str, key: str, mode: str) -> dict[str, Any]:
    async with (
        httpx2.AsyncClient(headers={"X-API-Key": key}, trust_env=False) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        return await used(client)


async def over_stdio(command: str, *arguments: str, mode: str = "auto") -> dict[str, Any]:
    variables = {name: value for name, value in os.environ.items() if name.startswith(("CAMBIST_", "PATH"))}
    parameters = StdioServerParameters(command=command, args=list(arguments), env=variables)
    async with Client(stdio_client(parameters), mode=mode) as client:
        return await used(client)


if __name__ == "__main__":
    kind, *rest = sys.argv[1:]
    print(json.dumps(asyncio.run(over_http(*rest) if kind == "http" else over_stdio(*rest))))
