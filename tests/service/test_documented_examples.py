"""Every example of the OpenAPI document works in a sandbox, where programs are tried."""

from __future__ import annotations

import http.client
import itertools
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from cambist.client.sandbox import SandboxAddress

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


def ask(sandbox: SandboxAddress, method: str, target: str, body: str | None = None) -> tuple[int, str]:
    connection = http.client.HTTPConnection(urlsplit(sandbox.url).netloc, timeout=20)
    try:
        as_curl = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
        connection.request(method, target, body, {"X-API-Key": sandbox.key, **as_curl})
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


def test_every_example_is_answered(sandbox_to_ask: SandboxAddress) -> None:
    document = json.loads(ask(sandbox_to_ask, "GET", "/openapi.json")[1])
    asked, failed = 0, []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            contents = operation.get("requestBody", {}).get("content", {})
            body = next((each["example"] for each in contents.values() if "example" in each), None)
            body = json.dumps(body) if isinstance(body, dict) else body
            for query in queries(operation):
                target = f"{path}?{urlencode(query)}"
                status, text = ask(sandbox_to_ask, method.upper(), target, body)
                asked += 1
                if status != 200:
                    failed.append((target, text))
    assert asked > 100
    assert failed == []


GUIDES = Path(__file__).parents[2] / "docs" / "guides"


def commands(guide: str) -> Iterator[tuple[str, str, str | None]]:
    """Yield method, target and body of each curl command of a guide; a file is what `cat` shows of it."""
    text = (GUIDES / guide).read_text(encoding="utf-8")
    files = dict(re.findall(r"^\$ cat (\S+)\n((?:[^$`\n].*\n)+)", text, re.MULTILINE))
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for command in re.findall(r"^\$ (curl (?:[^'\n]|'[^']*'|(?<=\\)\n)*)", block, re.MULTILINE):
            yield read_command(command, files)


def read_command(command: str, files: dict[str, str]) -> tuple[str, str, str | None]:
    words = shlex.split(command.replace("\\\n", " ").partition(" | ")[0])
    address = next(word for word in words if re.match(r"https?://", word))
    target = re.sub(r"^https?://[^/]+", "", address)
    given = dict(itertools.pairwise(words))
    body = given.get("-d") or (files[given["--data-binary"].lstrip("@")] if "--data-binary" in given else None)
    return "POST" if body else "GET", target, body


@pytest.mark.parametrize("guide", ["price-list.md", "jeweller.md", "desk.md", "wallet.md"])
def test_the_guide_of_each_kind_of_user_does_its_job(sandbox_to_ask: SandboxAddress, guide: str) -> None:
    found = list(commands(guide))
    assert len(found) >= 3
    refused = []
    for method, target, body in found:
        status, text = ask(sandbox_to_ask, method, target, body)
        if status != 200:
            refused.append((target, status, text))
    assert refused == []
