"""The protocol over HTTP: what each message is answered with, by revision."""

from __future__ import annotations

import base64

import pytest

from cambist.api.faces.mcp.messages import decode, read_request
from cambist.api.faces.mcp.revisions import REVISIONS

LEGACY = REVISIONS[1:]


@pytest.mark.parametrize("revision", LEGACY)
def test_a_handshake_agrees_on_the_revision_that_the_client_asks_for(mcp, revision):
    reply = mcp.ask("initialize", {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "a"}})
    result = reply.json["result"]
    assert (reply.status, result["protocolVersion"]) == (200, revision)
    assert (result["serverInfo"]["name"], result["capabilities"]) == ("cambist", {"tools": {}})
    assert "mcp-session-id" not in reply.headers


@pytest.mark.parametrize("requested", ["2099-01-01", "2026-07-28", None, 5])
def test_a_handshake_for_another_revision_agrees_on_the_newest_that_has_one(mcp, requested):
    assert mcp.ask("initialize", {"protocolVersion": requested}).json["result"]["protocolVersion"] == "2025-11-25"


def test_messages_that_need_no_answer_get_none(mcp):
    for message in (
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "id": 3, "result": {}},
    ):
        reply = mcp.send(message)
        assert (reply.status, reply.content) == (202, b""), message


def test_ping_and_the_list_of_tools_cost_nothing(mcp):
    assert mcp.ask("ping").json == {"jsonrpc": "2.0", "id": 1, "result": {}}
    reply = mcp.ask("tools/list")
    names = [tool["name"] for tool in reply.json["result"]["tools"]]
    assert names == [
        "convert",
        "rate",
        "rates_on",
        "series",
        "averages",
        "prices",
        "value",
        "explain",
        "metal_price",
        "list_codes",
    ]
    assert reply.headers["x-calls-cost"] == "0"
    assert not mcp.client.ledger.spent_by


def test_the_newest_revision_needs_no_handshake(mcp):
    found = mcp.ask_stateless("server/discover").json["result"]
    assert found["supportedVersions"] == list(REVISIONS)
    assert (found["resultType"], found["cacheScope"]) == ("complete", "public")
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "cambist"
    listed = mcp.ask_stateless("tools/list").json["result"]
    assert listed["ttlMs"] > 0
    assert listed["tools"] == mcp.ask("tools/list").json["result"]["tools"]
    called = mcp.ask_stateless("tools/call", {"name": "rate", "arguments": {"from": "EUR", "to": "USD"}})
    assert (called.status, called.json["result"]["resultType"]) == (200, "complete")


def test_the_name_of_a_tool_may_be_encoded_in_its_header(mcp):
    params = {"name": "rate", "arguments": {"from": "EUR", "to": "USD"}}
    encoded = f"=?base64?{base64.b64encode(b'rate').decode()}?="
    assert mcp.ask_stateless("tools/call", params, Mcp_Name=encoded).status == 200
    other = f"=?base64?{base64.b64encode(b'convert').decode()}?="
    assert mcp.ask_stateless("tools/call", params, Mcp_Name=other).json["error"]["code"] == -32020
    assert mcp.ask_stateless("tools/call", params, Mcp_Name="=?base64?%%?=").json["error"]["code"] == -32020


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"MCP_Protocol_Version": ""}, -32020),
        ({"MCP_Protocol_Version": "2025-11-25"}, -32020),
        ({"Mcp_Method": ""}, -32020),
        ({"Mcp_Method": "tools/list"}, -32020),
        ({"Mcp_Name": ""}, -32020),
        ({"Mcp_Name": "convert"}, -32020),
    ],
)
def test_headers_that_differ_from_the_body_are_refused_and_nothing_is_charged(mcp, headers, code):
    params = {"name": "rate", "arguments": {"from": "EUR", "to": "USD"}}
    reply = mcp.ask_stateless("tools/call", params, **headers)
    assert (reply.status, reply.json["error"]["code"], reply.json["id"]) == (400, code, 1)
    assert not mcp.client.ledger.spent_by


def test_a_request_of_the_newest_revision_says_what_it_must(mcp):
    key = "io.modelcontextprotocol/protocolVersion"
    incomplete = mcp.ask_stateless("tools/list", {"_meta": {key: "2026-07-28"}})
    assert (incomplete.status, incomplete.json["error"]["code"]) == (400, -32602)
    assert "clientCapabilities" in incomplete.json["error"]["message"]
    assert mcp.ask_stateless("tools/list", {"_meta": {}}).json["error"]["code"] == -32602


def test_an_unsupported_revision_is_told_which_there_are(mcp):
    by_header = mcp.ask("tools/list", MCP_Protocol_Version="1900-01-01")
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    in_body = mcp.ask_stateless("tools/list", {"_meta": meta}, MCP_Protocol_Version="2099-01-01")
    notified = mcp.send({"jsonrpc": "2.0", "method": "notifications/x"}, MCP_Protocol_Version="1900-01-01")
    for reply, requested in ((by_header, "1900-01-01"), (in_body, "2099-01-01"), (notified, "1900-01-01")):
        assert (reply.status, reply.json["error"]["code"]) == (400, -32022)
        assert reply.json["error"]["data"] == {"supported": list(REVISIONS), "requested": requested}


@pytest.mark.parametrize("method", ["initialize", "ping", "resources/list", "subscriptions/listen", "nonsense"])
def test_methods_that_there_are_not_in_the_newest_revision(mcp, method):
    reply = mcp.ask_stateless(method)
    assert (reply.status, reply.json["error"]["code"]) == (404, -32601)


@pytest.mark.parametrize("method", ["server/discover", "prompts/list", "nonsense"])
def test_methods_that_there_are_not_in_earlier_revisions(mcp, method):
    reply = mcp.ask(method)
    assert (reply.status, reply.json["error"]["code"]) == (200, -32601)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"{", -32700),
        (b"", -32700),
        (b"\xff", -32700),
        (b'"\\ud800"', -32700),
        (b"[" * 30_000, -32700),
        (b"[]", -32600),
        (b"5", -32600),
        ({"id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, -32600),
        (b'{"jsonrpc": "2.0", "method": "ping", "id": ' + b"1" * 5000 + b"}", -32700),
        ([{"jsonrpc": "2.0", "id": 1, "method": "ping"}] * 21, -32600),
    ],
)
def test_what_is_no_message_is_refused(mcp, message, code):
    reply = mcp.send(message)
    assert (reply.status, reply.json["error"]["code"]) == (400, code), reply.text


@pytest.mark.parametrize(
    "params",
    [[], "rate", {"name": 5}, {}, {"name": "rate", "arguments": []}, {"name": "rates"}],
)
def test_a_call_that_names_no_tool_or_has_no_arguments_is_refused(mcp, params):
    message = {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params}
    reply = mcp.send(message)
    assert (reply.status, reply.json["id"], reply.json["error"]["code"]) == (200, "a", -32602)


@pytest.mark.parametrize("identifier", ["", "a", 0, -1, 123456789012345678901234567890])
def test_an_answer_has_the_id_of_its_request(mcp, identifier):
    assert mcp.send({"jsonrpc": "2.0", "id": identifier, "method": "ping"}).json["id"] == identifier


def test_a_mistyped_tool_is_recognised(mcp):
    message = mcp.ask("tools/call", {"name": "rates"}).json["error"]["message"]
    assert message == "Unknown tool: [rates], did you mean [rate]?"


def test_there_is_one_page_of_tools(mcp):
    assert mcp.ask("tools/list", {"cursor": None}).status == 200
    assert mcp.ask("tools/list", {"cursor": "x"}).json["error"]["code"] == -32602


def test_a_list_of_messages_is_answered_where_the_revision_has_lists(mcp):
    ask = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "rate", "arguments": {"to": "EUR"}}}
    messages = [ask | {"id": 1}, {"jsonrpc": "2.0", "method": "notifications/x"}, ask | {"id": 2}, {"id": 3}]
    for headers in ({}, {"MCP_Protocol_Version": "2025-03-26"}):
        reply = mcp.send(messages, **headers)
        assert [(each["id"], "result" in each) for each in reply.json] == [(1, True), (2, True), (3, False)]
        assert reply.headers["x-calls-cost"] == "2"
    assert mcp.send([messages[1]]).status == 202
    for revision in ("2025-06-18", "2025-11-25", "2026-07-28"):
        reply = mcp.send(messages, MCP_Protocol_Version=revision)
        assert (reply.status, reply.json["error"]["code"]) == (400, -32600)


def test_other_methods_are_refused(mcp):
    for method in ("GET", "HEAD", "PUT", "PATCH", "DELETE"):
        reply = mcp.client.request(method, "/mcp")
        assert (reply.status, reply.headers["allow"]) == (405, "POST, OPTIONS"), method


def test_browsers_may_ask_whether_they_may_post(mcp):
    headers = {"Origin": "http://localhost:6274", "Access-Control-Request-Headers": "content-type,mcp-method,x-api-key"}
    reply = mcp.client.request("OPTIONS", "/mcp", key=None, headers=headers)
    assert (reply.status, reply.headers["access-control-allow-methods"]) == (204, "POST, OPTIONS")
    assert "mcp-method" in reply.headers["access-control-allow-headers"]
    other = mcp.client.request("OPTIONS", "/fetch-one", key=None, headers=headers)
    assert other.headers["access-control-allow-methods"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize(
    "origin", ["http://localhost:6274", "http://127.0.0.1", "https://[::1]:8443", "https://own.example"]
)
def test_pages_of_this_machine_and_the_named_one_may_call(make_client, speaker, origin):
    mcp = speaker(make_client(cors_origin="https://own.example"))
    assert mcp.ask("ping", Origin=origin).status == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1.evil.example", "http://[", "*"],
)
def test_pages_of_others_may_not_even_under_a_name_that_leads_here(mcp, origin):
    reply = mcp.ask("ping", Origin=origin, Host=origin.removeprefix("http://"))
    assert (reply.status, reply.json["code"]) == (403, "foreign_origin")


def test_a_body_of_another_kind_or_size_is_refused(mcp):
    form = mcp.ask("ping", Content_Type="text/plain")
    assert (form.status, form.json["code"]) == (415, "not_json")
    assert mcp.ask("ping", Content_Type="application/json; charset=utf-8").status == 200
    large = mcp.send(b" " * (64 * 1024 + 1))
    assert (large.status, large.json["code"]) == (413, "too_large")


def test_digits_of_an_amount_survive_the_reading():
    message = decode(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1234567890.123456789012345}}')
    assert str(read_request(message).params["a"]) == "1234567890.123456789012345"
