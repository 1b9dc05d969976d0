"""Which requests may send a body: judged by the head, and without counting a failed key."""

from __future__ import annotations

from typing import Any

import pytest
from tests.conftest import KEY, Client

from cambist.accounts.api_key import mint
from cambist.api.request_bodies import MAX_QUESTION_BYTES
from cambist.http.request_parser import MAX_BODY_BYTES

UNKNOWN_KEY = mint(lambda alphabet: alphabet[9])


def limit_of(client: Client, path: str, key: str | None = KEY, method: str = "POST", **rest: str) -> int:
    app: Any = client.app
    headers = {} if key is None else {"HTTP_X_API_KEY": key}
    base = {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": "", "REMOTE_ADDR": "10.0.0.1"}
    limit: int = app.body_limit({**base, **headers, **rest})
    return limit


@pytest.mark.parametrize("path", ["/convert/bulk", "/mcp", "/mcp/"])
def test_a_body_is_read_for_a_key_that_works(client: Client, path: str) -> None:
    assert limit_of(client, path) == MAX_BODY_BYTES
    assert limit_of(client, path, None, QUERY_STRING=f"a=b&api_key={KEY}") == MAX_BODY_BYTES
    assert limit_of(client, path, None, HTTP_AUTHORIZATION=f"Bearer {KEY}") == MAX_BODY_BYTES


@pytest.mark.parametrize("key", [None, "", "hunter2", UNKNOWN_KEY])
@pytest.mark.parametrize("path", ["/convert/bulk", "/mcp"])
def test_no_body_is_read_for_any_other(client: Client, path: str, key: str | None) -> None:
    assert limit_of(client, path, key) == 0
    assert limit_of(client, path, key, HTTP_CAMBIST_PAGE="1") == 0


def test_no_body_is_read_where_none_belongs(client: Client) -> None:
    assert limit_of(client, "/fetch-one") == 0
    assert limit_of(client, "/nowhere") == 0
    assert limit_of(client, "/convert/bulk", method="PUT") == 0
    assert limit_of(client, "/convert/bulk", method="GET") == 0


def test_a_question_for_a_receipt_may_bring_its_key_itself_and_is_short(client: Client) -> None:
    assert limit_of(client, "/receipts", None) == MAX_QUESTION_BYTES


def test_judging_a_head_counts_no_failed_key(client: Client) -> None:
    for _ in range(100):
        assert limit_of(client, "/mcp", UNKNOWN_KEY) == 0
    assert limit_of(client, "/mcp") == MAX_BODY_BYTES
    assert client.get("/currencies", key=UNKNOWN_KEY).status == 401
