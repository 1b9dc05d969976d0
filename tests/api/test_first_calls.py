"""The first call of a period on one of several nodes: it awaits a grant in the event loop, and counts as one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from falcon.testing import create_environ
from tests.accounts.test_node_meter import NOVEMBER, Leases, lease
from tests.api.direct.two_ways import Way
from tests.conftest import KEY, NOW, Client, MemoryLedger

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.node_meter import NodeMeter
from cambist.accounts.plan import default_plans, read_plans
from cambist.http.request_parser import RequestParser
from cambist.http.waiting_answers import AWAITED

PLAN = """
[slow]
calls_a_month = 100
rate = 1
burst = 1
tags = ["currency"]
"""
QUESTION = {"query_string": "from=EUR&to=USD", "headers": {"X-API-Key": KEY}}


@pytest.fixture
def leases() -> Leases:
    return Leases()


@pytest.fixture
def client(make_client: Callable[..., Client], ledger: MemoryLedger, leases: Leases) -> Client:
    meter = NodeMeter(ledger, {}, leases, lambda _account, _since: {})
    meter.spare_this_thread()
    plans = read_plans(default_plans() + PLAN, "plans.toml")
    keys = {digest(KEY): StoredKey(1, Account(1, "shop", "slow", anchor_day=1))}
    return make_client(meter=meter, counters=ledger, plans=plans, stored_keys=keys)


def test_a_call_that_awaited_a_grant_is_one_of_the_rate_and_of_the_quota(
    client: Client, leases: Leases, ledger: MemoryLedger
) -> None:
    app: Any = client.app
    environ = create_environ("/fetch-one", **QUESTION) | {"REMOTE_ADDR": "192.0.2.1"}
    assert app.at_once(environ) is None
    is_over = environ.pop(AWAITED)
    assert not is_over()
    assert leases.requests == [(1, 1, 0)]
    assert ledger.admitted(1) == 1
    leases.held[1, NOVEMBER] = lease(50)
    assert is_over()
    answer = app.at_once(environ)
    assert answer.startswith(b"HTTP/1.1 200 "), answer
    assert ledger.admitted(1) == 1, "the plan has one call a second, and this is one"
    assert ledger.spent(1, NOW.date()) == 1
    assert leases.own == 0, "nothing stays reserved"


@pytest.mark.parametrize("is_known", [False, True])
def test_a_direct_answer_that_awaited_a_grant_is_one_of_the_rate_and_of_the_quota(
    client: Client, leases: Leases, ledger: MemoryLedger, *, is_known: bool
) -> None:
    server, head = Way(client, is_direct=True), f"Host: x\r\nX-API-Key: {KEY}\r\n\r\n".encode()
    question = b"GET /fetch-one?from=EUR&to=USD HTTP/1.1\r\n" + head
    if is_known:
        (read,) = RequestParser("").read(question)
        client.app.direct.__self__.learn(question, read.environ)
    connection, transport = server.connect()
    connection.data_received(question)
    ((request, _),) = server._waiting
    assert leases.requests[-1] == (1, 1, 0)
    assert (transport.sent, ledger.admitted(1)) == ([], 0)
    is_over = request.environ.pop(AWAITED)
    assert not is_over()
    leases.held[1, NOVEMBER] = lease(50)
    assert is_over()
    connection.finish(server.answer(request), request)
    (answer,) = transport.sent
    assert answer.startswith(b"HTTP/1.1 200 "), answer
    assert answer.count(b"x-request-id: ") == 1
    assert (ledger.admitted(1), ledger.spent(1, NOW.date()), leases.own) == (1, 1, 0)


def test_while_no_grant_can_come_the_call_is_refused_at_once(client: Client, leases: Leases) -> None:
    app: Any = client.app
    leases.is_reachable = False
    answer = app.at_once(create_environ("/fetch-one", **QUESTION) | {"REMOTE_ADDR": "192.0.2.1"})
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b'"quota_unknown"' in answer
