"""A quota holds for requests that are answered at the same time, whatever they ask for, in every form of an answer."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from typing import Any

import pytest
from falcon.testing import create_environ
from tests.conftest import KEY, PLANS, Client, MemoryLedger
from tests.reading import read_with

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.errors import ReceiptUnavailable
from cambist.http.delivery import DELIVERY, AnswerDelivery

QUOTA = 10
TABLE = "/time-series.csv", "from=EUR&to=USD,GBP,JPY&start=2026-11-10&end=2026-11-18"
SERIES = "/time-series", "from=EUR&to=USD,GBP,JPY&start=2026-11-10&end=2026-11-18"
MATRIX = "/fetch-matrix", "from=USD,EUR,GBP&to=JPY,CHF,SEK"
RECEIPT = "/fetch-matrix", "from=USD,EUR,GBP&to=JPY,CHF,SEK&receipt=1"


class SlowLedger(MemoryLedger):
    """Lets others in between the look at what is spent and the next step, as a busy machine does."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._choices = random.Random(seed)  # noqa: S311
        self._lock = threading.Lock()

    def spent(self, account: int, day: Any) -> int:
        found = super().spent(account, day)
        threading.Event().wait(self._choices.choice([0, 0.001, 0.003]))
        return found

    def spend(self, account: int, endpoint: str, calls: int, today: Any) -> None:
        with self._lock:
            super().spend(account, endpoint, calls, today)


def client_with(make_client: Callable[..., Client], ledger: MemoryLedger) -> Client:
    plan = {"p": PLANS["unlimited"].__class__(name="p", calls_a_month=QUOTA, tags=("currency", "admin"))}
    stored = {digest(KEY): StoredKey(1, Account(1, "shop", "p"))}
    return make_client(plans={**PLANS, **plan}, stored_keys=stored, counters=ledger)


class Signer:
    """Signs nothing, but takes its time."""

    issuer = "x"

    def prepare(self) -> None:
        threading.Event().wait(0.001)

    def sign(self, _claims: object) -> str:
        threading.Event().wait(0.001)
        return "signed"


def call(client: Client, environ: dict[str, Any]) -> list[Any]:
    """Return the status line and the headers of an answer that is read to its end."""
    started: list[Any] = []
    body = client.app(environ, lambda status, headers, *_: started.extend((status, headers)))
    b"".join(body)
    getattr(body, "close", lambda: None)()
    return started


def ask(client: Client, path: str, query: str, delivery: AnswerDelivery | None = None) -> tuple[int, dict[str, str]]:
    """Ask as a thread of the server does; without a delivery, as another server."""
    environ = create_environ(path, query_string=query, headers={"X-API-Key": KEY})
    if delivery is not None:
        environ[DELIVERY] = delivery
    started = call(client, environ)
    return int(started[0][:3]), {name.lower(): value for name, value in started[1]}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("asked", [TABLE, SERIES, MATRIX, RECEIPT], ids=["table", "series", "matrix", "receipt"])
def test_requests_at_the_same_time_spend_no_more_than_the_quota(
    make_client: Callable[..., Client], asked: tuple[str, str], seed: int
) -> None:
    ledger = SlowLedger(seed)
    client, gate = client_with(make_client, ledger), threading.Barrier(12)
    read_with(client.worker_state, receipts=Signer())
    found: list[tuple[int, int]] = []

    def run(number: int) -> None:
        gate.wait(20)
        delivery = AnswerDelivery() if number % 2 else None
        status, headers = ask(client, *asked, delivery)
        if delivery is not None:
            delivery.settle(is_sent=status == 200)
        found.append((status, int(headers.get("x-calls-cost", 0))))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    spent = sum(ledger.spent_by.values())
    assert {status for status, _ in found} <= {200, 429, 503}
    assert sum(cost for status, cost in found if status == 200) == spent
    assert 0 < spent <= QUOTA


@pytest.mark.parametrize("asked", [TABLE, SERIES, MATRIX], ids=["table", "series", "matrix"])
def test_an_answer_that_is_not_sent_costs_nothing(make_client: Callable[..., Client], asked: tuple[str, str]) -> None:
    ledger = MemoryLedger()
    client, delivery = client_with(make_client, ledger), AnswerDelivery()
    status, headers = ask(client, *asked, delivery)
    cost = int(headers["x-calls-cost"])
    assert (status, cost > 1, sum(ledger.spent_by.values())) == (200, True, 0)
    assert f"r={QUOTA - cost};" in headers["ratelimit"]
    delivery.settle(is_sent=False)
    assert sum(ledger.spent_by.values()) == 0
    status, headers = ask(client, *asked, delivery)
    delivery.settle(is_sent=True)
    assert sum(ledger.spent_by.values()) == cost
    assert f"r={QUOTA - cost};" in headers["ratelimit"]


def test_an_answer_that_cannot_be_signed_costs_nothing(make_client: Callable[..., Client]) -> None:
    ledger = MemoryLedger()
    client = client_with(make_client, ledger)

    class Broken(Signer):
        def sign(self, _claims: object) -> str:
            raise ReceiptUnavailable("no key")

    read_with(client.worker_state, receipts=Broken())
    assert ask(client, *RECEIPT)[0] == 503
    assert sum(ledger.spent_by.values()) == 0
    assert ask(client, *MATRIX)[0] == 200
    assert sum(ledger.spent_by.values()) > 0


def test_rows_and_tools_that_are_not_sent_cost_nothing(make_client: Callable[..., Client]) -> None:
    ledger = MemoryLedger()
    client = client_with(make_client, ledger)
    tool = {"name": "convert", "arguments": {"amount": "1", "from": "EUR", "to": "USD"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": tool}
    bodies = {
        "/convert/bulk": ("text/csv", b"amount,from,to\n1,EUR,USD\n2,EUR,USD\nx,EUR,USD\n"),
        "/mcp": ("application/json", json.dumps(message).encode()),
        "/value": ("application/json", b'{"positions": [{"asset": "EUR", "amount": 1}]}'),
    }
    for path, (media, body) in bodies.items():
        for is_sent, cost in ((False, 0), (True, 2 if path == "/convert/bulk" else 1)):
            before, delivery = sum(ledger.spent_by.values()), AnswerDelivery()
            headers = {"X-API-Key": KEY, "Content-Type": media, "Accept": "application/json, text/event-stream"}
            environ = create_environ(path, method="POST", headers=headers, body=body)
            environ[DELIVERY] = delivery
            assert call(client, environ)[0] == "200 OK"
            assert sum(ledger.spent_by.values()) == before
            delivery.settle(is_sent=is_sent)
            assert sum(ledger.spent_by.values()) == before + cost
