"""`cambist mcp`: tools over pipes, from the data folder and from a service."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import KEY, Client

from cambist.api.faces.mcp.catalogue import described_tools
from cambist.api.faces.mcp.protocol import ToolResult
from cambist.cli.message_pipe import MAX_LINE_BYTES, answer_lines

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

COMMAND = str(Path(sys.executable).parent / "cambist")
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
PAST = [
    ("rate", {"from": "GBP", "to": "JPY", "date": "2026-03-05"}),
    ("convert", {"from": "GBP", "to": "JPY", "amount": "19.99", "date": "2026-03-07"}),
    ("rates_on", {"date": "2026-03-05", "from": "EUR", "to": ["USD", "GBP"]}),
    ("series", {"from": "EUR", "to": "JPY", "start": "2026-02-01", "end": "2026-03-06"}),
    ("explain", {"from": "EUR", "to": "JPY", "date": "2026-03-04"}),
    ("list_codes", {"search": "yen"}),
    ("rate", {"from": "EUR", "to": "USX"}),
    ("rate", {"from": "EUR", "to": "USD", "amount": "1"}),
    ("metal_price", {}),
]


def asked(name: str, arguments: Mapping[str, Any], number: int = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def lines(*messages: object) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def calls(said: list[Any]) -> bytes:
    return lines(*(asked(name, arguments, number) for number, (name, arguments) in enumerate(said)))


def run(sent: bytes, *arguments: str, **variables: str) -> list[Any]:
    """Run the command until its input ends; each line of its output must be a message."""
    ended = subprocess.run(
        [COMMAND, "mcp", *arguments],
        input=sent,
        capture_output=True,
        timeout=60,
        check=False,
        env={"PATH": "/usr/bin:/bin", "CAMBIST_PORT": "1", **variables},
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == b""
    return [json.loads(line) for line in ended.stdout.splitlines()]


# The pipe


def piped(sent: bytes, call: Any = None) -> list[Any]:
    output = io.BytesIO()
    answer_lines(io.BytesIO(sent), output, described_tools(), call or (lambda name, _: ToolResult(name)))
    return [json.loads(line) for line in output.getvalue().splitlines()]


def test_each_line_is_a_message_and_each_answer_a_line():
    sent = lines(PING, {"jsonrpc": "2.0", "method": "notifications/initialized"}, asked("rate", {}, 2)) + b"\n  \n"
    first, second = piped(sent)
    assert first == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert second["result"]["content"] == [{"type": "text", "text": "rate"}]


def test_both_kinds_of_revisions_are_spoken_over_one_pipe():
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    discover = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}}
    initialize = {"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {"protocolVersion": "2024-11-05"}}
    discovered, initialized, listed = piped(lines(discover, initialize, [PING, asked("rate", {}, 2)]))
    assert discovered["result"]["supportedVersions"][0] == "2026-07-28"
    assert initialized["result"]["protocolVersion"] == "2024-11-05"
    assert [each["id"] for each in listed] == [1, 2]


def test_what_is_no_message_is_answered_and_the_next_one_too():
    broken = b"{\n" + b"[1]\n" + b" " * (3 * MAX_LINE_BYTES) + b"\n" + b'{"a":"' + b"x" * (3 * MAX_LINE_BYTES) + b'"}\n'
    answers = piped(broken + lines(PING) + b'{"jsonrpc": "2.0", "id": 2, "method": "ping"}')
    assert [each["error"]["code"] if isinstance(each, dict) and "error" in each else each for each in answers] == [
        -32700,
        [{"jsonrpc": "2.0", "id": None, "error": answers[1][0]["error"]}],
        -32700,
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 2, "result": {}},
    ]


def test_a_tool_that_fails_does_not_end_the_program(caplog):
    def fail(_name: str, _arguments: Mapping[str, Any]) -> ToolResult:
        raise RuntimeError("a secret")

    failed, pinged = piped(lines(asked("rate", {}, 5), PING), fail)
    assert (failed["id"], failed["error"]["code"], pinged["id"]) == (5, -32603, 1)
    assert "secret" not in failed["error"]["message"]
    assert "a secret" in caplog.text


def test_a_reader_that_has_gone_ends_it():
    class Gone(io.BytesIO):
        def flush(self) -> None:
            raise BrokenPipeError

    answer_lines(io.BytesIO(lines(PING, PING)), Gone(), [], lambda name, _: ToolResult(name))


# From the folder


@pytest.mark.long
def test_tools_answer_from_the_folder(finished: Path):
    rate, ended = run(calls([PAST[0], ("rates", {})]), "--data", str(finished))
    assert rate["result"]["structuredContent"] == {
        "sources": ["ecb"],
        "date": "2026-03-05",
        "fixed_on": "2026-03-05",
        "from": "GBP",
        "to": "JPY",
        "rate": "225.9675406",
    }
    assert ended["error"]["code"] == -32602


@pytest.mark.long
def test_without_a_service_and_a_folder_the_tool_says_what_to_do(tmp_path: Path):
    (answer,) = run(calls([PAST[0]]), "--data", str(tmp_path / "none"))
    assert answer["result"]["isError"]
    assert "run [cambist serve] once" in answer["result"]["content"][0]["text"]


@pytest.mark.long
def test_it_ends_without_a_word_when_it_is_interrupted(finished: Path):
    with subprocess.Popen(
        [COMMAND, "mcp", "--data", str(finished)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(lines(PING))
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(signal.SIGINT)
        assert (process.wait(20), process.stdout.read(), process.stderr.read()) == (0, b"", b"")


# From a service


@pytest.mark.long
def test_a_service_and_its_folder_answer_the_same(finished: Path, address: str, wsgi_client: Client):
    assert wsgi_client.worker_state is not None
    stored = run(calls(PAST), "--data", str(finished))
    served = run(calls(PAST), CAMBIST_URL=address, CAMBIST_KEY=KEY)
    assert [each["result"]["isError"] for each in served] == [False] * 6 + [True] * 3
    today = re.compile(r"\(as of .*?;|\"as_of\": \"[-0-9]*\"")
    assert [today.sub("", json.dumps(each)) for each in served] == [today.sub("", json.dumps(each)) for each in stored]


@pytest.mark.long
def test_a_call_costs_at_the_service_what_it_costs_there(address: str, wsgi_client: Client):
    run(lines(PING, {**PING, "method": "tools/list"}) + calls(PAST[:2]), CAMBIST_URL=address, CAMBIST_KEY=KEY)
    assert {label: spent for (_, label, _), spent in wsgi_client.ledger.spent_by.items()} == {"mcp": 2}


@pytest.mark.long
def test_a_refusal_of_the_service_is_the_answer_of_the_tool(address: str, tmp_path: Path):
    (answer,) = run(calls([PAST[0]]), "--url", address, CAMBIST_KEY=f"{KEY[:-1]}x", CAMBIST_DATA=str(tmp_path))
    assert answer["result"]["isError"]
    assert "key" in answer["result"]["content"][0]["text"]
    (nobody,) = run(calls([PAST[0]]), CAMBIST_URL="http://127.0.0.1:1", CAMBIST_KEY=KEY)
    assert "No service answers at http://127.0.0.1:1" in nobody["result"]["content"][0]["text"]
