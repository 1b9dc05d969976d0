"""Whatever is sent, it is answered as the protocol says, and never with a failure of the service."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cambist.api.faces.mcp.catalogue import TOOLS
from cambist.api.faces.mcp.tool import MAX_ANSWER_BYTES

SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)
METHODS = st.sampled_from(
    ["initialize", "ping", "tools/list", "tools/call", "server/discover", "notifications/initialized", "x", ""]
)
META = st.fixed_dictionaries(
    {},
    optional={
        "io.modelcontextprotocol/protocolVersion": st.sampled_from(["2026-07-28", "2025-11-25", "x"]) | JSON,
        "io.modelcontextprotocol/clientCapabilities": JSON,
    },
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": st.integers(0, 9) | JSON,
        "method": METHODS | JSON,
        "params": st.fixed_dictionaries(
            {},
            optional={"name": st.sampled_from(list(TOOLS)) | JSON, "arguments": JSON, "cursor": JSON, "_meta": META},
        )
        | JSON,
        "result": JSON,
    },
)
REVISIONS = st.none() | st.sampled_from(["2026-07-28", "2025-11-25", "2025-03-26", "x", ""])
WORDS = st.sampled_from(
    ["EUR", "USD", "XAU", "BTC", "DEM", "eur", "", " ", "2024-02-29", "PT2H", "0", "1e9", "gram", "coin"]
)


@pytest.mark.long
@SHARED
@given(sent=MESSAGES | st.lists(MESSAGES, max_size=3) | JSON, revision=REVISIONS)
def test_any_message_is_answered(mcp, sent, revision):
    reply = mcp.send(msgspec.json.encode(sent), **({} if revision is None else {"MCP_Protocol_Version": revision}))
    assert reply.status in (200, 202, 400, 404), reply.text
    assert (reply.status == 202) == (reply.content == b"")
    answers = reply.json if reply.content else []
    for answer in answers if isinstance(answers, list) else [answers]:
        assert answer["jsonrpc"] == "2.0"
        assert ("result" in answer) != ("error" in answer)


@SHARED
@given(content=st.binary(max_size=60))
def test_any_bytes_are_answered(mcp, content):
    assert mcp.send(content).status in (200, 202, 400, 404)


@pytest.mark.long(every=7)
@pytest.mark.parametrize("name", TOOLS)
@SHARED
@given(data=st.data())
def test_any_arguments_are_answered_in_few_bytes(mcp, name, data):
    values: Any = WORDS | st.text(max_size=300) | st.lists(WORDS, max_size=30) | JSON
    arguments = dict.fromkeys(TOOLS[name].arguments(), values)
    sent = data.draw(st.fixed_dictionaries({}, optional={**arguments, "nonsense": JSON}))
    reply = mcp.ask("tools/call", {"name": name, "arguments": sent})
    assert reply.status == 200, reply.text
    assert len(reply.content) <= MAX_ANSWER_BYTES
    result = reply.json["result"]
    assert result["isError"] != ("structuredContent" in result)
    assert result["content"][0]["text"]
