"""What is refused first when several things are wrong: one order for every face, and none of it costs anything.

The order: the key, the rate limit, the group of endpoints, the question, the history of the plan, no rate, the quota.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
from msgspec import structs
from tests.banks import ask_banks
from tests.conftest import KEY, OWNER, PLANS
from tests.reading import read_with

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest, mint
from cambist.registry.signing.node_signer import NodeSigner
from cambist.registry.wiring.components import DIALECTS, dialects
from cambist.settings import Settings
from cambist.storage.key_folder import KeyFolder

LIMIT = 30
OLD, RECENT = "2026-03-06", "2026-10-29"
SAID = {
    "key": "API key",
    "rate": "Rate limit exceeded",
    "tag": "does not include the group",
    "question": "nvalid",
    "history": f"limited to {LIMIT} days",
    "no rate": "o rate",
    "quota": "Quota spent",
    "nothing": "",
}
"""What an answer says, by the first thing that is wrong; the order is that of the refusals."""

FAULTS = tuple(SAID)
STATUSES = {"key": 401, "rate": 429, "tag": 403, "question": 400, "history": 403, "no rate": 404, "quota": 429}
NO_KEYS = {
    "missing": None,
    "unknown": mint(lambda alphabet: alphabet[11]),
    "revoked": mint(lambda alphabet: alphabet[12]),
}
MIXED = mint(lambda alphabet: alphabet[9])


@dataclass(frozen=True)
class Face:
    """One way to ask: the target and the body of the question, with places for a day and a code."""

    name: str
    target: str
    body: str = ""
    kind: str = ""
    may_say_otherwise: bool = False
    no_rate: str = SAID["no rate"]

    def fill(self, text: str, fault: str) -> str:
        day = {"question": "2026-13-45", "history": OLD}.get(fault, RECENT)
        code = "AFN" if fault in ("history", "no rate") else "USD"
        series = {"AFN": "XUDLBK25", "USD": "XUDLUSS"}[code]  # nothing is archived of the first
        worded = f"{day[-2:]}/{'Oct' if day == RECENT else 'Mar'}/{day[:4]}"
        text = text.replace("SLASHED", day.replace("-", "/")).replace("WORDED", worded).replace("SERIES", series)
        return text.replace("DAY", day).replace("CODE", code)


def tool(name: str, **arguments: str) -> str:
    """Return the message that calls a tool of the rate from EUR."""
    params = {"name": name, "arguments": {"from": "EUR", "to": "CODE", **arguments}}
    return msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).decode()


JSON = "application/json"
FACES = (
    Face("historical", "/historical?date=DAY&from=EUR&to=CODE"),
    Face("time-series", "/time-series?from=EUR&to=CODE&start=DAY&end=DAY"),
    Face("convert", "/convert?amount=1&from=EUR&to=CODE&date=DAY"),
    Face("csv", "/time-series.csv?from=EUR&to=CODE&start=DAY&end=DAY"),
    Face("xlsx", "/historical.xlsx?date=DAY&from=EUR&to=CODE"),
    Face("frankfurter 1", "/v1/DAY?base=EUR&symbols=CODE", may_say_otherwise=True),
    Face("frankfurter 2", "/v2/rates?date=DAY&base=EUR&quotes=CODE", may_say_otherwise=True),
    Face("frankfurter pair", "/v2/rate/EUR/CODE?date=DAY", may_say_otherwise=True),
    Face("openexchangerates", "/api/time-series.json?start=DAY&end=DAY&symbols=CODE&base=EUR", may_say_otherwise=True),
    Face("fixer", "/fixer/timeseries?start_date=DAY&end_date=DAY&symbols=CODE&base=EUR", may_say_otherwise=True),
    Face("fixer convert", "/fixer/convert?from=EUR&to=CODE&amount=1&date=DAY", may_say_otherwise=True),
    Face("currencylayer", "/timeframe?start_date=DAY&end_date=DAY&currencies=CODE&source=EUR", may_say_otherwise=True),
    Face("v6 history", "/v6-of-key/history/CODE/SLASHED", may_say_otherwise=True),
    Face("layer convert", "/currencylayer/convert?from=EUR&to=CODE&amount=1&date=DAY", may_say_otherwise=True),
    Face("nbp", "/api/exchangerates/rates/a/CODE/DAY", no_rate="Brak danych"),
    Face("boe", "/boeapps/database/_iadb-fromshowcolumns.asp?SeriesCodes=SERIES&Datefrom=WORDED&Dateto=WORDED"),
    Face("receipt", "/receipts", '{"get": "/historical?date=DAY&from=EUR&to=CODE"}', "application/json"),
    Face("bulk", "/convert/bulk", "amount,from,to,date\n1,EUR,CODE,DAY\n", "text/csv"),
    Face("value", "/value", '{"currency": "CODE", "date": "DAY", "positions": [{"asset": "EUR", "amount": 1}]}', JSON),
    Face("tool rate", "/mcp", tool("rate", date="DAY"), "application/json"),
    Face("tool convert", "/mcp", tool("convert", amount="1", date="DAY"), "application/json"),
    Face("tool series", "/mcp", tool("series", start="DAY", end="DAY"), "application/json"),
)
WRAPPED = ("bulk", "tool rate", "tool convert", "tool series")
"""Faces whose answer has status 200 and says in a row, or in the result of a tool, what is wrong with it."""


@dataclass
class Service:
    client: Any

    def ask(self, face: Face, fault: str, key: str | None) -> Any:
        target = face.fill(face.target, fault)
        if not face.body:
            return self.client.get(target, key=key)
        body = face.fill(face.body, fault).encode()
        return self.client.request("POST", target, key=key, body=body, headers={"Content-Type": face.kind})

    @property
    def spent(self) -> int:
        return sum(self.client.ledger.spent_by.values())


@pytest.fixture
def service_with(
    make_client: Callable[..., Any], small_store: Any, bank_store: Any, tmp_path: Any
) -> Callable[[str], Service]:
    """Make a service with a key, MIXED, for which everything is wrong from a fault on."""

    def make(first: str) -> Service:
        wrong = FAULTS[FAULTS.index(first) :]
        plan = structs.replace(
            PLANS["unlimited"],
            name="mixed",
            history_days=LIMIT,
            tags=("admin",) if "tag" in wrong else PLANS["unlimited"].tags,
            calls_a_month=0 if "quota" in wrong else 1000,
            rate=0.001 if "rate" in wrong else 1000,
            burst=1 if "rate" in wrong else 1000,
        )
        revoked = StoredKey(3, Account(3, "gone", "unlimited"), revoked=True)
        keys = {digest(KEY): OWNER, digest(MIXED): StoredKey(9, Account(9, "mixed", "mixed"))}
        keys[digest(str(NO_KEYS["revoked"]))] = revoked
        spoken = dialects(Settings(dialects=",".join(DIALECTS)))
        client = make_client(stored_keys=keys, plans=PLANS | {"mixed": plan}, dialects=spoken)
        ask_banks(client, bank_store)
        read_with(client.worker_state, receipts=NodeSigner(KeyFolder(tmp_path / "keys"), small_store.public_keys))
        if "rate" in wrong:
            client.get("/usage", key=MIXED)  # the one request that it may send
        return Service(client)

    return make


def question_for(first: str) -> str:
    """Return what is wrong with the question itself when everything is wrong from a fault on."""
    return next(
        (fault for fault in ("question", "history", "no rate") if FAULTS.index(fault) >= FAULTS.index(first)), ""
    )


@pytest.mark.long(every=4)
@pytest.mark.parametrize("is_cached", [False, True], ids=["computed", "cached"])
@pytest.mark.parametrize("first", FAULTS)
@pytest.mark.parametrize("face", FACES, ids=[face.name for face in FACES])
def test_the_first_fault_is_said_and_costs_nothing(
    service_with: Callable[[str], Service], face: Face, first: str, *, is_cached: bool
) -> None:
    service, fault = service_with(first), question_for(first)
    if is_cached:
        for _ in range(2):
            service.ask(face, fault, KEY)
    before = service.spent
    for key in NO_KEYS.values() if first == "key" else [MIXED]:
        reply = service.ask(face, fault, key)
        text = reply.content.decode(errors="replace")
        words = {**SAID, "no rate": face.no_rate}
        said = [one for one in FAULTS[:-1] if words[one] in text]
        assert said[:1] == ([] if first == "nothing" else [first]), text[:300]
        if first == "nothing":
            assert (reply.status, service.spent) == (200, before + 1)
            assert reply.headers["x-calls-cost"] == "1"
            return
        if face.name not in WRAPPED or first in ("key", "rate") or (face.name == "bulk" and first == "tag"):
            assert reply.status == STATUSES[first] or face.may_say_otherwise
            assert reply.status >= 400
        assert service.spent == before
        if first != "key":
            assert reply.headers["x-calls-cost"] == "0"
