"""The headers of every response."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec import Struct

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.meter import Meter
from cambist.api.answer.endpoint import Endpoint
from cambist.api.application import ApiOptions, build_application

ANSWERS = ["/fetch-one?from=EUR&to=USD", "/historical?date=2026-10-30", "/usage", "/currencies"]
PAGES = ["/docs", "/docs/", "/docs/config.json", "/openapi.json"]
ERRORS = [
    "/nowhere",
    "/fetch-one",
    "/fetch-one?to=ZZZ",
    "/fetch-one?to=XDR",
    "/historical?date=1998-01-01",
    "/docs/none",
]


class Nothing(Struct, frozen=True):
    """Parameters of the broken endpoint."""


class Something(Struct, frozen=True):
    """What it never answers."""

    value: str


def is_complete(headers: dict[str, str]) -> bool:
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["server"] == "cambist"
    assert "x-powered-by" not in headers
    assert not [name for name, value in headers.items() if "granian" in value.lower() or "falcon" in value.lower()]
    return True


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("target", ANSWERS + PAGES + ERRORS)
def test_every_response_has_security_headers_and_hides_the_server_software(client, method, target):
    for _ in range(2):  # made, then kept
        assert is_complete(client.request(method, target).headers)


@pytest.mark.parametrize("method", ["POST", "OPTIONS", "TRACE", "BREW"])
@pytest.mark.parametrize("target", ["/fetch-one?to=EUR", "/docs", "/nowhere"])
def test_other_methods_have_them_too(client, method, target):
    assert is_complete(client.request(method, target).headers)


@pytest.mark.parametrize("key", [None, "cmb_wrong"])
@pytest.mark.parametrize("target", [*ANSWERS, "/nowhere"])
def test_a_request_without_a_valid_key_gets_them_too(client, target, key):
    client.get(target)  # kept from here on
    assert is_complete(client.get(target, key=key).headers)


def test_an_answer_that_is_unchanged_has_them_too(client):
    for _ in range(2):  # made, then kept
        reply = client.get("/historical?date=2026-10-30", headers={"If-None-Match": "*"})
        assert reply.status == 304
        assert is_complete(reply.headers)


def test_a_failure_inside_has_them_too(client, caplog):
    def answer(_view: Any, _params: Any) -> Something:
        raise RuntimeError("inside")

    endpoint = Endpoint("/broken", "currency", "Breaks.", Nothing, Something, answer)
    app = build_application([endpoint], client.worker_state, Meter(client.ledger, {}), ApiOptions())
    reply = replace(client, app=app).get("/broken")
    assert reply.status == 500
    assert is_complete(reply.headers)
    assert "inside" in caplog.text


@pytest.mark.parametrize("prefix", ["", "/rates/v1"])
def test_they_are_there_under_a_prefix_and_with_another_origin(make_client, prefix):
    client = make_client(path_prefix="/rates/v1", cors_origin="https://shop.example")
    for target in (*ANSWERS, *PAGES, *ERRORS):
        assert is_complete(client.get(f"{prefix}{target}").headers)


@pytest.mark.parametrize("target", ANSWERS)
def test_no_header_is_sent_twice(client, target):
    seen: list[list[str]] = []

    def app(environ, start):
        def started(status, headers, *rest):
            seen.append([name.lower() for name, _ in headers])
            return start(status, headers, *rest)

        return client.app(environ, started)

    for _ in range(2):  # made, then kept
        replace(client, app=app).get(target)
    assert seen
    assert all(len(set(names)) == len(names) for names in seen)


def test_the_headers_name_what_browsers_may_read(make_client, key):
    client = make_client(stored_keys={digest(key): StoredKey(1, Account(1, "one", "one"))})
    for _ in range(2):  # made, then kept
        headers = client.get("/fetch-one?to=EUR").headers
        exposed = {name.strip().lower() for name in headers["access-control-expose-headers"].split(",")}
        assert {"ratelimit", "ratelimit-policy", "x-calls-cost"} <= set(headers)
        assert {"etag", "ratelimit", "ratelimit-policy", "retry-after", "x-calls-cost"} <= exposed
