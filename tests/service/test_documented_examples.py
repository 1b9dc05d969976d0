"""Every example of the OpenAPI document works in a sandbox, where programs are tried."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from cambist.client.sandbox import SandboxAddress, running_sandbox

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[SandboxAddress]:
    with running_sandbox() as address:
        yield address


def ask(sandbox: SandboxAddress, method: str, target: str, body: str | None = None) -> tuple[int, str]:
    connection = http.client.HTTPConnection(urlsplit(sandbox.url).netloc, timeout=20)
    try:
        connection.request(method, target, body, {"X-API-Key": sandbox.key})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def queries(operation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the query with the examples that a reference fills in, and with each other example beside these."""
    parameters = operation["parameters"]
    filled = {each["name"]: each["example"] for each in parameters if "example" in each}
    yield filled
    for each in parameters:
        for example in each["schema"].get("examples", []):
            beside = {"from": "XAU"} if each["name"] == "purity" else {}  # a purity is that of a metal
            yield filled | beside | {each["name"]: example}
        yield {
            name: value for name, value in filled.items() if name != each["name"] or each["required"]
        }  # each that may be left out is left out


def test_every_example_is_answered(sandbox: SandboxAddress) -> None:
    document = json.loads(ask(sandbox, "GET", "/openapi.json")[1])
    asked, failed = 0, []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            contents = operation.get("requestBody", {}).get("content", {})
            body = next((each["example"] for each in contents.values() if "example" in each), None)
            body = json.dumps(body) if isinstance(body, dict) else body
            for query in queries(operation):
                target = f"{path}?{urlencode(query)}"
                status, text = ask(sandbox, method.upper(), target, body)
                asked += 1
                if status != 200:
                    failed.append((target, text))
    assert asked > 100
    assert failed == []
