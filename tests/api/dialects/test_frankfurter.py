"""Frankfurter's interface, version 1 and 2."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from cambist.api.faces.dialects.frankfurter import dialect

SATURDAY = datetime(2026, 10, 31, 12, tzinfo=UTC)


@pytest.fixture
def frankfurter(make_client):
    return make_client(dialects=(dialect,))


@pytest.fixture
def on_saturday(make_client):
    return make_client(dialects=(dialect,), clock=SATURDAY.timestamp)


def test_the_latest_rates_are_those_of_fetch_one_under_the_day_of_their_fixings(frankfurter):
    reply = frankfurter.get("/v1/latest").json
    assert {name: reply[name] for name in ("amount", "base", "date")} == {
        "amount": 1.0,
        "base": "EUR",
        "date": "2026-10-30",
    }
    assert "EUR" not in reply["rates"]
    assert len(reply["rates"]) > 25
    for code in ("USD", "JPY", "IDR"):
        assert reply["rates"][code] == frankfurter.get(f"/fetch-one?from=EUR&to={code}").json["result"][code]


@pytest.mark.parametrize("names", [("base", "symbols"), ("from", "to")])
def test_both_names_of_the_parameters_are_read(frankfurter, names):
    reply = frankfurter.get(f"/v1/latest?{names[0]}=usd&{names[1]}=GBP,chf&unknown=1").json
    assert (reply["base"], list(reply["rates"])) == ("USD", ["GBP", "CHF"])
    assert all(isinstance(rate, float) for rate in reply["rates"].values())


def test_an_amount_multiplies_the_rates(frankfurter):
    one = frankfurter.get("/v1/2024-02-29?symbols=USD").json["rates"]["USD"]
    reply = frankfurter.get("/v1/2024-02-29?symbols=USD&amount=10").json
    assert (reply["amount"], reply["rates"]["USD"]) == (10.0, pytest.approx(one * 10, rel=1e-9))
    assert frankfurter.get("/v1/latest?amount=abc").status == 422


def test_a_day_in_a_weekend_has_fridays_rates_under_fridays_date(frankfurter, on_saturday):
    friday = frankfurter.get("/v1/2024-03-01")
    for day in ("2024-03-02", "2024-03-03"):
        assert frankfurter.get(f"/v1/{day}").content == friday.content
    assert friday.json["date"] == "2024-03-01"
    expected = frankfurter.get("/historical?date=2024-03-01&from=EUR").json["results"]
    assert friday.json["rates"] == {code: rate for code, rate in expected.items() if code != "EUR"}
    assert on_saturday.get("/v1/latest").json["date"] == "2026-10-30"
    assert on_saturday.get("/v1/latest").json["rates"] == on_saturday.get("/v1/2026-10-31").json["rates"]


def test_a_weekend_without_rates_of_friday_has_the_newest_ones_under_their_day(make_client, frankfurter):
    later = make_client(dialects=(dialect,), clock=(SATURDAY + timedelta(days=28)).timestamp)
    reply = later.get("/v1/latest?base=USD")
    assert (reply.status, reply.json["date"]) == (200, "2026-10-30")
    assert reply.json["rates"] == frankfurter.get("/v1/latest?base=USD").json["rates"]
    assert later.get("/v1/latest?base=XXX").status == 404


def test_a_period_has_business_days_only_and_costs_a_call_a_target(frankfurter):
    reply = frankfurter.get("/v1/2024-02-28..2024-03-05?symbols=USD,GBP")
    body = reply.json
    assert list(body["rates"]) == ["2024-02-28", "2024-02-29", "2024-03-01", "2024-03-04", "2024-03-05"]
    assert (body["start_date"], body["end_date"], reply.headers["x-calls-cost"]) == ("2024-02-28", "2024-03-05", "2")
    series = frankfurter.get("/time-series?from=EUR&to=USD,GBP&start=2024-02-28&end=2024-03-05").json["results"]
    assert {day: rates["USD"] for day, rates in body["rates"].items()}.items() <= series["USD"].items()
    starts_in_a_weekend = frankfurter.get("/v1/2024-03-02..2024-03-05?to=USD").json
    assert starts_in_a_weekend["start_date"] == "2024-03-04"
    newest = frankfurter.worker_state.matrix.last_fixing
    open_end = frankfurter.get(f"/v1/{newest - timedelta(days=9)}..?to=USD")
    assert open_end.content == frankfurter.get(f"/v1/{newest - timedelta(days=9)}..2026-11-20?to=USD").content
    assert len(open_end.json["rates"]) >= 5


def test_the_currencies_have_names(frankfurter):
    names = frankfurter.get("/v1/currencies").json
    assert names["JPY"]
    assert set(frankfurter.get("/v1/latest").json["rates"]) < set(names)


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/v1/latest?base=XXQ", 404),
        ("/v1/latest?symbols=XXQ", 404),
        ("/v1/latest?base=BTC", 404),
        ("/v1/latest?base=USD&symbols=USD", 422),
        ("/v1/1969-12-31", 422),
        ("/v1/2024-02-30", 422),
        ("/v1/nonsense", 422),
        ("/v1/2024-02-29..2024-02-28?to=USD", 422),
        ("/v1/1970-01-01..2026-01-01", 422),
        ("/v1/a/b", 404),
        ("/v2/rates?to=2024-01-01", 422),
        ("/v2/rates?providers=ecb,boc", 422),
        ("/v2/rates?providers=nobody", 422),
        ("/v2/rates?expand=providers", 422),
        ("/v2/rates?base=XXQ", 422),
        ("/v2/rates?group=month", 422),
        ("/v2/rates?from=2024-03-01&group=year", 422),
        ("/v2/rates?from=2024-03-01&date=2024-03-01", 422),
        ("/v2/rate/eur/xxq", 404),
        ("/v2/nothing", 404),
    ],
)
def test_errors_have_a_message(frankfurter, target, status):
    reply = frankfurter.get(target)
    assert reply.status == status
    assert reply.json["message"]


def test_without_a_key_and_an_account_there_is_a_message(frankfurter):
    reply = frankfurter.get("/v1/latest", key=None)
    assert (reply.status, set(reply.json)) == (401, {"status", "message"})


def test_version_2_lists_rows(frankfurter):
    rows = frankfurter.get("/v2/rates?base=usd&quotes=gbp,jpy").json
    assert [(row["date"], row["base"], row["quote"]) for row in rows] == [
        ("2026-10-30", "USD", "GBP"),
        ("2026-10-30", "USD", "JPY"),
    ]
    assert rows[1]["rate"] == frankfurter.get("/fetch-one?from=USD&to=JPY").json["result"]["JPY"]
    assert len(frankfurter.get("/v2/rates").json) > 25
    one = frankfurter.get("/v2/rate/EUR/usd?date=2024-03-02").json
    assert one == {
        "date": "2024-03-01",
        "base": "EUR",
        "quote": "USD",
        "rate": frankfurter.get("/historical?date=2024-03-02&from=EUR&to=USD").json["results"]["USD"],
    }


def test_version_2_has_periods_in_three_forms(frankfurter):
    target = "/v2/rates?from=2024-03-01&to=2024-03-04&quotes=USD"
    rows = frankfurter.get(target).json
    assert [row["date"] for row in rows] == ["2024-03-01", "2024-03-04"]
    lines = frankfurter.get(target, headers={"Accept": "application/x-ndjson"}).text.splitlines()
    table = frankfurter.get(target.replace("rates?", "rates.csv?")).text.splitlines()
    assert (len(lines), table[0], len(table)) == (2, "date,base,quote,rate", 3)
    assert table[1] == f"2024-03-01,EUR,USD,{rows[0]['rate']}"


def test_version_2_describes_currencies(frankfurter):
    listed = frankfurter.get("/v2/currencies").json
    assert {"iso_code", "name", "start_date", "end_date"} <= set(listed[0])
    assert frankfurter.get("/v2/currency/usd").json in listed


def test_the_paths_without_a_version_are_those_of_version_1(frankfurter):
    for path in ("latest?symbol=CHF", "2024-03-02", "2024-03-01..2024-03-04?to=USD"):
        assert frankfurter.get(f"/{path}").content == frankfurter.get(f"/v1/{path}").content
    assert frankfurter.get("/nothing").json["code"] == "unknown_path"


@pytest.mark.parametrize(("group", "first"), [("week", "2024-02-26"), ("MONTH", "2024-03-01")])
def test_groups_are_means_of_the_days_with_a_fixing(frankfurter, group, first):
    target = "/v2/rates?from=2024-03-01&to=2024-03-15&quotes=USD"
    days = frankfurter.get(target).json
    grouped = frankfurter.get(f"{target}&group={group}").json
    assert grouped[0]["date"] == first
    chosen = [row["rate"] for row in days if group == "MONTH" or row["date"] < "2024-03-04"]
    assert grouped[0]["rate"] == pytest.approx(sum(chosen) / len(chosen), rel=1e-9)
    assert len(grouped) == (3 if group == "week" else 1)
    assert (
        frankfurter.get(f"/v2/rates.csv?{target.partition('?')[2]}&group={group}").text.count("\n") == len(grouped) + 1
    )
