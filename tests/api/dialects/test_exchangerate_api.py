"""The interface of ExchangeRate-API: version 6 with a key in the path, and the one for programs without a key."""

from __future__ import annotations

import pytest

from cambist.accounts.api_key import mint
from cambist.api.faces.dialects.exchangerate_api import dialect

OTHER = mint(lambda alphabet: alphabet[3])
"""A key that nobody has."""


@pytest.fixture
def rates(make_client, key):
    """Ask with the key in the path."""
    client = make_client(dialects=(dialect,))
    client.ask = lambda path: client.get(f"/v6/{key}/{path}", key=None)
    return client


def test_all_rates_of_a_base_are_those_of_fetch_all(rates):
    reply = rates.ask("latest/USD")
    answer = reply.json
    assert list(answer)[:7] == [
        *("result", "documentation", "terms_of_use"),
        *("time_last_update_unix", "time_last_update_utc", "time_next_update_unix", "time_next_update_utc"),
    ]
    assert (answer["result"], answer["base_code"], answer["conversion_rates"]["USD"]) == ("success", "USD", 1)
    assert answer["conversion_rates"] == {"USD": 1} | rates.get("/fetch-all?from=USD").json["results"]
    assert answer["time_last_update_utc"] == "Fri, 30 Oct 2026 13:15:00 +0000"
    assert (answer["time_next_update_utc"], reply.headers["x-calls-cost"]) == ("Sat, 21 Nov 2026 00:00:00 +0000", "1")


@pytest.mark.parametrize(("path", "field", "base"), [("/v6", "rates", "base_code"), ("/v4", "rates", "base")])
def test_programs_without_a_key_get_the_same(rates, key, path, field, base):
    assert rates.get(f"{path}/latest/eur", key=None).status == 401
    answer = rates.get(f"{path}/latest/eur", key=key).json
    assert (answer[base], answer[field]) == ("EUR", rates.ask("latest/EUR").json["conversion_rates"])


@pytest.mark.parametrize("amount", ["", "/12.5", "/0.00000001"])
def test_a_pair_and_an_amount(rates, amount):
    answer = rates.ask(f"pair/EUR/GBP{amount}").json
    rate = rates.get("/fetch-one?from=EUR&to=GBP").json["result"]["GBP"]
    assert (answer["base_code"], answer["target_code"], answer["conversion_rate"]) == ("EUR", "GBP", rate)
    if amount:
        assert answer["conversion_result"] == pytest.approx(float(amount[1:]) * rate, rel=1e-9)
    else:
        assert "conversion_result" not in answer


def test_a_pair_with_what_is_known_of_its_target(rates):
    data = rates.ask("enriched/USD/JPY").json["target_data"]
    assert (data["locale"], data["currency_name"], data["currency_name_short"]) == ("Japan", "Japanese Yen", "Yen")
    assert data["display_symbol"] == "00A5"


@pytest.mark.parametrize("day", ["2024/3/1", "2024/03/01"])
def test_a_day_of_the_past(rates, day):
    answer = rates.ask(f"history/USD/{day}").json
    assert (answer["year"], answer["month"], answer["day"]) == (2024, 3, 1)
    own = rates.get("/historical?date=2024-03-01").json["results"]
    assert answer["conversion_rates"] == {"USD": 1} | own
    amounts = rates.ask(f"history/USD/{day}/90").json
    assert amounts["conversion_amounts"]["EUR"] == pytest.approx(own["EUR"] * 90, rel=1e-9)
    assert amounts["requested_amount"] == 90


def test_the_day_that_is_shown_is_that_of_the_rates(rates):
    answer = rates.ask("history/USD/2024/3/2").json  # a Saturday
    assert (answer["year"], answer["month"], answer["day"]) == (2024, 3, 1)


def test_codes_and_what_is_left(rates):
    assert ["CHF", "Swiss Franc"] in rates.ask("codes").json["supported_codes"]
    quota = rates.ask("quota")
    assert (quota.json["plan_quota"], quota.headers["x-calls-cost"]) == (2**53 - 1, "0")


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [
        ("latest/ZZZ", 400, "unsupported-code"),
        ("pair/EUR/ZZZ", 400, "unsupported-code"),
        ("pair/EUR/USD/many", 400, "malformed-request"),
        ("history/USD/2024/13/1", 400, "malformed-request"),
        ("history/USD/2024/x/1", 400, "malformed-request"),
        ("history/USD/1950/1/1", 400, "malformed-request"),
        ("nothing/USD", 404, "malformed-request"),
    ],
)
def test_errors_have_the_type_of_the_original_and_cost_nothing(rates, path, status, kind):
    reply = rates.ask(path)
    assert (reply.status, reply.json["result"], reply.json["error-type"]) == (status, "error", kind), reply.text
    assert reply.headers.get("x-calls-cost", "0") == "0"


def test_a_wrong_key_is_refused_and_not_repeated(rates):
    for key in ("WRONG", OTHER):
        reply = rates.get(f"/v6/{key}/latest/USD", key=None)
        assert (reply.status, reply.json["error-type"]) == (401, "invalid-key")
        assert key not in reply.text


def test_a_key_in_the_path_and_another_in_the_header_are_refused(rates, key):
    reply = rates.get(f"/v6/{OTHER}/latest/USD", key=key)
    assert (reply.status, reply.json["result"]) == (401, "error")
