"""A plan with limited history, at every door that takes a day: none shows a day that the plan does not include.

`test_as_of_of_plans.py` has the same for past editions, warm and cold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

import msgspec
import pytest
from msgspec import structs
from tests.conftest import KEY, OWNER, PLANS
from tests.reading import read_with

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest, mint
from cambist.api.faces.mcp import catalogue
from cambist.api.faces.tables.formats import FORMATS
from cambist.api.questions.parameters import declared_params
from cambist.registry.signing.node_signer import NodeSigner
from cambist.registry.wiring.components import DIALECTS, dialects, endpoints
from cambist.settings import Settings
from cambist.storage.key_folder import KeyFolder

LIMIT = 30
OLD, RECENT = date(2026, 3, 6), date(2026, 10, 29)
AS_OF = "2026-03-08T18:00:00Z"

ENDPOINTS = {
    "/historical": "date={day}&from=EUR&to=USD",
    "/time-series": "from=EUR&to=USD&start={day}&end={day}",
    "/price-list": "amount=12.50&from=EUR&to=USD&date={day}",
    "/averages": "from=EUR&to=USD&start={day}&end={day}&by=week",
    "/convert": "amount=1&from=EUR&to=USD&date={day}",
    "/explain": "from=EUR&to=USD&date={day}",
    "/vintages": "date={day}&from=EUR&to=USD",
    "/corrections": "from=EUR&to=USD&start={day}&end={day}",
    "/fx/quote/time-series": "pair=EURUSD&start={day}",
    "/fx/ohlc/time-series": "pair=EURUSD&start={day}",
}
OTHERS = (
    "/corrections.atom?from=EUR&to=USD&start={day}",
    "/corrections?since=1.1.2026-03-06&start={day}",
    *(
        f"{path}.{one.suffix}?{query}"
        for path, query in ENDPOINTS.items()
        if path not in ("/convert", "/explain", "/vintages", "/corrections")
        for one in FORMATS
    ),
)
IN_DIALECTS = (
    "/v1/{day}?base=EUR&symbols=USD",
    "/v1/{day}..{day}?base=EUR&symbols=USD",
    "/{day}?base=EUR&symbols=USD",
    "/{day}..{day}?base=EUR&symbols=USD",
    "/v2/rates?date={day}&base=EUR&quotes=USD",
    "/v2/rates?from={day}&to={day}&base=EUR&quotes=USD",
    "/v2/rates.csv?date={day}&base=EUR&quotes=USD",
    "/v2/rate/EUR/USD?date={day}",
    "/api/historical/{day}.json?symbols=EUR",
    "/api/time-series.json?start={day}&end={day}&symbols=EUR",
    "/fixer/{day}?symbols=USD",
    "/fixer/timeseries?start_date={day}&end_date={day}&symbols=USD",
    "/fixer/fluctuation?start_date={day}&end_date={day}&symbols=USD",
    "/fixer/convert?from=EUR&to=USD&amount=1&date={day}",
    "/service/data/EXR/D.USD.EUR.SP00.A?startPeriod={day}&endPeriod={day}",
    "/service/data/EXR/D.USD.EUR.SP00.A?startPeriod={day}&endPeriod={day}&format=csvdata",
)
WHOLE_FILES = ("eurofxref-hist.csv", "eurofxref-hist.xml", "eurofxref-hist.zip", "eurofxref-hist-90d.xml")
TOOLS: dict[str, dict[str, Any]] = {
    "rate": {"from": "EUR", "to": "USD", "date": "{day}"},
    "convert": {"from": "EUR", "to": "USD", "amount": "1", "date": "{day}"},
    "explain": {"from": "EUR", "to": "USD", "date": "{day}"},
    "rates_on": {"from": "EUR", "to": "USD,GBP", "date": "{day}"},
    "series": {"from": "EUR", "to": "USD", "start": "{day}", "end": "{day}"},
    "averages": {"from": "EUR", "to": "USD", "by": "week", "start": "{day}", "end": "{day}"},
    "prices": {"from": "EUR", "to": "USD", "amount": "1", "date": "{day}"},
    "value": {"positions": "1 USD,2 GBP", "currency": "EUR", "date": "{day}"},
}
FILES = {
    "/price-list/bulk?from=EUR&to=USD&date={day}": "sku,price\nA,1\n",
    "/value?currency=EUR&date={day}": "asset,amount\nUSD,1\n",
    "/value?currency=EUR&since={day}": "asset,amount\nUSD,1\n",
    "/value?currency=EUR": "asset,amount,bought\nUSD,1,{day}\n",
}
GETS = (*(f"{path}?{query}" for path, query in ENDPOINTS.items()), *OTHERS)


@dataclass
class Asking:
    """Two accounts of a service: that of a plan with limited history, and one without limits."""

    client: Any
    keys: dict[str, str] = field(default_factory=dict)

    def get(self, who: str, target: str, **headers: str) -> Any:
        return self.client.get(target, key=self.keys[who], headers=headers)

    def post(self, who: str, path: str, body: bytes, kind: str) -> Any:
        return self.client.request("POST", path, key=self.keys[who], body=body, headers={"Content-Type": kind})


@pytest.fixture
def asking(make_client, small_store, tmp_path):
    plan = structs.replace(PLANS["unlimited"], name="limited", history_days=LIMIT)
    limited = mint(lambda alphabet: alphabet[9])
    keys = {digest(KEY): OWNER, digest(limited): StoredKey(9, Account(9, "limited", "limited"))}
    spoken = dialects(Settings(dialects=",".join(DIALECTS)))
    client = make_client(stored_keys=keys, plans=PLANS | {"limited": plan}, dialects=spoken)
    read_with(client.worker_state, receipts=NodeSigner(KeyFolder(tmp_path / "keys"), small_store.public_keys))
    return Asking(client, {"unlimited": KEY, "limited": limited})


def is_refused(reply: Any) -> bool:
    """Return whether an answer, in whatever shape, says that the plan does not reach so far and nothing else."""
    return f"limited to {LIMIT} days".encode() in reply.content and "cambist-first-edition" not in reply.headers


def has_as_of(target: str) -> bool:
    path = target.partition("?")[0].partition(".")[0]
    return any(one.path == path and "as_of" in declared_names(one.params) for one in endpoints())


@pytest.mark.long(every=4)
@pytest.mark.parametrize("ask", ["", "&receipt=1", f"&as_of={AS_OF}"], ids=["plain", "receipt", "as_of"])
@pytest.mark.parametrize("target", GETS)
def test_an_old_day_is_refused(asking: Asking, target: str, ask: str) -> None:
    old, recent = target.format(day=OLD) + ask, target.format(day=RECENT) + ask
    for headers in ({}, {"If-None-Match": "*"}, {"If-None-Match": '"x"'}):
        reply = asking.get("limited", old, **headers)
        if "as_of" in ask and not has_as_of(target):
            assert (reply.status, "as_of" in reply.json["error"]) == (400, True)
            return
        assert (reply.status, is_refused(reply)) == (403, True)
    assert not is_refused(asking.get("unlimited", old))
    assert is_refused(asking.get("limited", old))
    assert not is_refused(asking.get("limited", recent))


@pytest.mark.long(every=4)
@pytest.mark.parametrize("target", [*GETS, *IN_DIALECTS])
def test_an_old_day_is_refused_in_a_receipt(asking: Asking, target: str) -> None:
    for day, is_over in ((OLD, True), (RECENT, False)):
        body = msgspec.json.encode({"get": target.format(day=day)})
        assert is_refused(asking.post("limited", "/receipts", body, "application/json")) is is_over
        assert asking.post("unlimited", "/receipts", body, "application/json").status != 503


@pytest.mark.parametrize("target", IN_DIALECTS)
def test_an_old_day_is_refused_in_a_dialect(asking: Asking, target: str) -> None:
    allowed = asking.get("unlimited", target.format(day=OLD))
    assert allowed.status == 200
    for headers in ({}, {"If-None-Match": "*"}, {"If-None-Match": allowed.headers.get("etag", '"x"')}):
        assert is_refused(asking.get("limited", target.format(day=OLD), **headers))
    assert asking.get("limited", target.format(day=RECENT)).status == 200


@pytest.mark.parametrize("name", WHOLE_FILES)
def test_a_file_with_old_days_is_refused(asking: Asking, name: str) -> None:
    assert asking.get("unlimited", f"/stats/eurofxref/{name}").status == 200
    assert is_refused(asking.get("limited", f"/stats/eurofxref/{name}"))


@pytest.mark.parametrize("more", [{}, {"as_of": AS_OF}], ids=["plain", "as_of"])
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_refuses_an_old_day(asking: Asking, tool: str, more: dict[str, str]) -> None:
    def call(who: str, day: date) -> Any:
        given = {name: text.format(day=day) for name, text in TOOLS[tool].items()} | more
        params = {"name": tool, "arguments": given}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return asking.post(who, "/mcp", msgspec.json.encode(message), "application/json")

    old = call("limited", OLD)
    assert old.json["result"]["isError"] is True
    if more:
        assert b"Unknown argument: [as_of]" in old.content
        return
    assert is_refused(old)
    assert not call("unlimited", OLD).json["result"].get("isError")
    assert not is_refused(call("limited", RECENT))


@pytest.mark.parametrize("target", FILES)
def test_a_list_in_a_file_is_refused_for_its_day(asking: Asking, target: str) -> None:
    def post(who: str, day: date) -> Any:
        return asking.post(who, target.format(day=day), FILES[target].format(day=day).encode(), "text/csv")

    assert is_refused(post("limited", OLD))
    assert post("unlimited", OLD).status == 200
    assert not is_refused(post("limited", RECENT))


def test_a_row_of_a_file_is_refused_for_its_day(asking: Asking) -> None:
    rows = f"amount,from,to,date\n1,EUR,USD,{OLD}\n1,EUR,USD,{RECENT}\n".encode()
    _, old, recent = asking.post("limited", "/convert/bulk", rows, "text/csv").text.splitlines()
    assert f"limited to {LIMIT} days" in old
    assert f"1,EUR,USD,{OLD},,,," in old
    assert "limited" not in recent
    _, old, _ = asking.post("unlimited", "/convert/bulk", rows, "text/csv").text.splitlines()
    assert "limited" not in old


def test_each_endpoint_and_tool_that_takes_a_day_is_tested_here() -> None:
    taking = {one.path for one in endpoints() if {"date", "start", "end", "as_of"} & declared_names(one.params)}
    assert taking == ENDPOINTS.keys()
    assert {one.name for one in catalogue.TOOLS.values() if {"date", "start"} & one.arguments().keys()} == TOOLS.keys()


def declared_names(params: Any) -> set[str]:
    return {param.name for param in declared_params(params).values()}
