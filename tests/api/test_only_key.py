"""Which requests carry a single API key, so that a cached answer is found without entering the framework."""

from __future__ import annotations

from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest
from tests.conftest import KEY, Client

from cambist.api.fast_path import CACHED, only_key

PAIR = "from=EUR&to=USD"


def environ_of(query: str = "", **headers: str) -> dict[str, Any]:
    environ: dict[str, Any] = {}
    setup_testing_defaults(environ)
    names = {name: f"HTTP_{name.upper()}" for name in headers}
    sent = {names[name]: value for name, value in headers.items()}
    return {**environ, "REQUEST_METHOD": "GET", "PATH_INFO": "/fetch-one", "QUERY_STRING": query, **sent}


@pytest.mark.parametrize(
    "environ",
    [
        environ_of(PAIR, x_api_key=f" {KEY} "),
        environ_of(PAIR, authorization=f"Bearer {KEY}"),
        environ_of(PAIR, authorization=f"bearer  {KEY}"),
        environ_of(f"api_key={KEY}&{PAIR}"),
        environ_of(f"{PAIR}&api_key={KEY}"),
        environ_of(f"from=EUR&api_key={KEY}&to=USD"),
        environ_of(f"api_key={KEY}&{PAIR}", x_api_key=""),
    ],
)
def test_the_only_key_is_found_wherever_it_is(environ: dict[str, Any]) -> None:
    assert only_key(environ) == (KEY, PAIR)


@pytest.mark.parametrize(
    "environ",
    [
        environ_of(PAIR),
        environ_of(f"api_key={KEY}&{PAIR}", x_api_key=KEY),
        environ_of(f"api_key={KEY}&{PAIR}", authorization=f"Bearer {KEY}"),
        environ_of(f"api_key={KEY}&{PAIR}&api_key={KEY}"),
        environ_of(PAIR, x_api_key=KEY, authorization="Bearer another"),
        environ_of(PAIR, authorization="Basic a2V5Og=="),
        environ_of(f"api_key&{PAIR}"),
        environ_of(f"my_api_key={KEY}&{PAIR}"),
        environ_of(f"api_key=&{PAIR}"),
    ],
)
def test_the_framework_decides_where_there_is_no_key_or_may_be_several(environ: dict[str, Any]) -> None:
    assert only_key(environ)[0] == ""


@pytest.mark.parametrize(
    "environ",
    [
        environ_of(PAIR, x_api_key=KEY),
        environ_of(PAIR, authorization=f"Bearer {KEY}"),
        environ_of(f"{PAIR}&api_key={KEY}"),
    ],
)
def test_a_cached_answer_is_found_with_the_key_in_any_place(client: Client, environ: dict[str, Any]) -> None:
    computed = client.get(f"/fetch-one?{PAIR}")
    answered: list[str] = []
    body = b"".join(client.app(environ, lambda status, _headers: answered.append(status)))
    assert (answered, environ[CACHED]) == (["200 OK"], True)
    assert body.partition(b',"ms"')[0] == computed.content.partition(b',"ms"')[0]
    assert client.ledger.spent_by.total() == 2
