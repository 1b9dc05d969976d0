"""What the tests of the protocol share: a client that speaks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

STATELESS = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientInfo": {"name": "a test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass
class Speaker:
    """Sends messages to `/mcp`."""

    client: Any

    def send(self, message: object, *, key: str | None = "", **headers: str) -> Any:
        """Send a message as it is; headers are named with underscores."""
        body = message if isinstance(message, bytes) else msgspec.json.encode(message)
        sent = {"Content-Type": "application/json"} | {name.replace("_", "-"): each for name, each in headers.items()}
        return self.client.request("POST", "/mcp", key=key, headers=sent, body=body)

    def ask(self, method: str, params: dict[str, Any] | None = None, **headers: str) -> Any:
        """Send a request of a revision with a handshake."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method} | ({} if params is None else {"params": params})
        return self.send(message, **headers)

    def ask_stateless(self, method: str, params: dict[str, Any] | None = None, **headers: str) -> Any:
        """Send a request of the newest revision, with its headers."""
        params = {"_meta": META} | (params or {})
        sent = {"MCP_Protocol_Version": STATELESS, "Mcp_Method": method}
        if method == "tools/call":
            sent["Mcp_Name"] = str(params.get("name"))
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.send(message, **{name: value for name, value in (sent | headers).items() if value})

    def call(self, name: str, **arguments: Any) -> Any:
        """Call a tool and return its result; `from_` is the argument `from`."""
        given = {argument.rstrip("_"): value for argument, value in arguments.items()}
        reply = self.ask("tools/call", {"name": name, "arguments": given})
        assert reply.status == 200, reply.text
        return reply.json["result"]


@pytest.fixture
def mcp(client):
    return Speaker(client)


@pytest.fixture
def speaker() -> Callable[[Any], Speaker]:
    return Speaker
