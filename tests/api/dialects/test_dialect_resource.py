"""What all dialects have in common, shown with one that nobody speaks."""

from __future__ import annotations

from datetime import date

import msgspec
import pytest

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.keyless_access import DIALECTS, with_account
from cambist.api.faces.dialects.dialect import Dialect, DialectAnswer, DialectRequest, DialectRoute
from cambist.api.faces.dialects.rates import latest_rates, rates_on

CLIENTS = Account(9, "clients", "one")


def latest(request: DialectRequest) -> DialectAnswer:
    rates = latest_rates(request.context, request.query.get("base", "EUR"))
    return DialectAnswer(msgspec.json.encode({"address": request.address, "rates": rates.values}))


def on_day(request: DialectRequest) -> DialectAnswer:
    day = date.fromisoformat(request.path["day"])
    rates = rates_on(request.context, "EUR", None, day)
    return DialectAnswer(msgspec.json.encode(rates.values), cost=3, earliest_day=day, is_cacheable=True)


def broken(_request: DialectRequest) -> DialectAnswer:
    raise RuntimeError("a secret")


def shaped(status: int, code: str, sentence: str, error: Exception | None) -> tuple[int, bytes]:
    return 418 if code == "not_in_plan" else status, msgspec.json.encode([code, sentence, type(error).__name__])


NOBODYS = Dialect(
    name="nobodys",
    title="Nobody's",
    guide="dialects.md",
    routes=(
        DialectRoute("/n1/latest", latest, ("base",)),
        DialectRoute("/n1/{day}", on_day),
        DialectRoute("/n1/x/broken", broken),
    ),
    write_error=shaped,
    key_parameters=("app_id",),
    key_schemes=("token",),
)


@pytest.fixture
def speaking(make_client):
    return make_client(dialects=(NOBODYS,))


@pytest.fixture
def paying(make_client, key):
    keys = {digest(key): StoredKey(1, Account(1, "owner", "unlimited"))}
    return make_client(dialects=(NOBODYS,), stored_keys=with_account(keys, DIALECTS, CLIENTS))


def calls_of(client, account):
    return sum(calls for (who, _, _), calls in client.ledger.spent_by.items() if who == account)


@pytest.mark.parametrize("bring", ["header", "parameter", "scheme", "own parameter"])
def test_the_key_is_read_where_the_original_has_it_and_in_our_own_places(speaking, key, bring):
    target, headers = "/n1/latest", {}
    if "parameter" in bring:
        target += f"?{'api_key' if 'own' in bring else 'app_id'}={key}"
    elif bring == "scheme":
        headers = {"Authorization": f"Token {key}"}
    else:
        headers = {"X-API-Key": key}
    reply = speaking.get(target, key=None, headers=headers)
    assert (reply.status, reply.headers["x-calls-cost"]) == (200, "1")
    assert speaking.ledger.spent_by == {(1, "dialect nobodys", date(2026, 11, 20)): 1}


def test_without_a_key_and_an_account_the_error_has_the_shape_of_the_original(speaking):
    reply = speaking.get("/n1/latest", key=None)
    assert reply.status == 401
    assert reply.json[0] == "key_missing"
    assert speaking.get("/n1/latest?app_id=wrong", key=None).json[0] == "key_malformed"


def test_without_a_key_the_named_account_pays_under_its_own_limits(paying, key):
    reply = paying.get("/n1/latest", key=None)
    assert reply.status == 200
    assert calls_of(paying, CLIENTS.number) == 1
    assert '"quota"' in reply.headers["ratelimit-policy"]
    paying.get("/n1/latest", key=key)
    assert (calls_of(paying, CLIENTS.number), calls_of(paying, 1)) == (1, 1)
    assert paying.get("/fetch-one?to=EUR", key=None).json["code"] == "key_missing"


def test_an_answer_costs_what_it_says_and_nothing_when_the_client_has_it(speaking):
    first = speaking.get("/n1/2024-02-29")
    assert (first.status, first.headers["x-calls-cost"]) == (200, "3")
    again = speaking.get("/n1/2024-02-29", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.content, again.headers["x-calls-cost"]) == (304, b"", "0")
    assert calls_of(speaking, 1) == 3
    assert "etag" not in speaking.get("/n1/latest").headers


def test_history_is_limited_by_the_plan(make_client, key):
    client = make_client(dialects=(NOBODYS,), stored_keys={digest(key): StoredKey(1, Account(1, "a", "one"))})
    old = client.get("/n1/2001-03-01")
    plan_days = client.get("/historical?date=2001-03-01&from=EUR").status
    assert (old.status == 418) == (plan_days == 403)


def test_errors_have_the_shape_of_the_original(speaking, caplog):
    failed = speaking.get("/n1/x/broken")
    assert (failed.status, failed.json[0]) == (500, "internal")
    assert b"secret" not in failed.content
    assert "a secret" in caplog.text
    assert (speaking.get("/n1/other/path").status, speaking.get("/n1/other/path").json[0]) == (404, "unknown_path")
    refused = speaking.request("POST", "/n1/latest")
    assert (refused.status, refused.json[0], refused.headers["allow"]) == (405, "wrong_method", "GET, HEAD, OPTIONS")
    assert (speaking.request("POST", "/n1/other/path").status, speaking.request("POST", "/nothing").status) == (
        404,
        404,
    )
    assert speaking.get("/n1/latest?base=XXQ").json[::2] == ["rate_unavailable", "RateUnavailable"]
    assert speaking.get("/nothing").json["code"] == "unknown_path"


def test_head_and_gzip_are_answered(speaking):
    assert speaking.request("HEAD", "/n1/latest").status == 200
    reply = speaking.get("/n1/2024-02-29", headers={"Accept-Encoding": "gzip"})
    assert reply.status == 200


def test_the_root_lists_the_dialects_for_programs(speaking, client):
    listed = speaking.get("/", key=None)
    assert listed.status == 200
    assert [(one["name"], one["paths"][0]) for one in listed.json["dialects"]] == [("nobodys", "/n1/latest")]
    assert client.get("/", key=None).status == 404


def test_the_digits_are_those_of_our_own_endpoints(speaking):
    day = speaking.get("/n1/2024-02-29").json
    assert day == speaking.get("/historical?date=2024-02-29&from=EUR").json["results"]
    for base in ("EUR", "JPY", "USD", "IDR"):
        assert (
            speaking.get(f"/n1/latest?base={base}").json["rates"]
            == speaking.get(f"/fetch-all?from={base}").json["results"]
        )
