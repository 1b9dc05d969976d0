"""`GET /currencies` as the API documents it."""

from __future__ import annotations

import re

import pytest

from cambist.reference.minor_units import MINOR_UNITS


def test_it_answers_currencies_and_ms_in_this_order(client):
    reply = client.get("/currencies")
    assert reply.status == 200
    assert list(reply.json) == ["currencies", "ms"]


def test_ms_is_an_integer_and_last(client):
    assert re.search(r',"ms":[0-9]+}$', client.get("/currencies").text)


def test_all_names_160_or_more_by_code_with_a_name(client):
    currencies = client.get("/currencies?all=1").json["currencies"]
    assert len(currencies) >= 160
    assert all(re.fullmatch("[A-Z]{3}", code) for code in currencies.keys() - MINOR_UNITS.keys())
    assert all(name.strip() for name in currencies.values())
    assert list(currencies) == sorted(currencies)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("EUR", "Euro"),
        ("USD", "US Dollar"),
        ("JPY", "Japanese Yen"),
        ("CNH", "Chinese Yuan (offshore)"),
        ("BRX", "Brazilian Real (PTAX)"),
    ],
)
def test_names_are_those_of_the_currencies(client, code, name):
    assert client.get("/currencies?all=1").json["currencies"][code] == name


@pytest.mark.parametrize("code", ["HRK", "BGN", "DEM", "FRF", "XDR", "KPW", "RUB"])
def test_what_has_ended_or_has_no_rate_now_is_listed_only_with_all(client, code):
    listed = client.get("/currencies").json
    assert code not in listed["currencies"] or client.get(f"/fetch-one?to={code}").status == 200
    assert "lives" not in listed
    everything = client.get("/currencies?all=yes").json
    assert list(everything) == ["currencies", "lives", "ms"]
    assert code in everything["currencies"]


def test_all_lists_the_life_of_each_currency_and_whether_it_has_a_rate(client):
    body = client.get("/currencies?all=1").json
    assert list(body["lives"]) == list(body["currencies"])
    assert body["lives"]["HRK"] == {"first": "1994-05-30", "last": "2022-12-31", "priced": False}
    assert body["lives"]["EUR"] == {"first": "1999-01-01", "last": None, "priced": True}
    priced = [code for code, life in body["lives"].items() if life["priced"] and code not in MINOR_UNITS]
    assert priced == list(client.get("/currencies").json["currencies"])


@pytest.mark.parametrize("code", ["XTS", "XXX", "ZZZ"])
def test_what_can_never_be_answered_is_not_listed(client, code):
    assert code not in client.get("/currencies?all=1").json["currencies"]


def test_every_listed_code_can_be_requested(client):
    refused = [
        code
        for code in client.get("/currencies").json["currencies"]
        if client.get(f"/fetch-one?to={code}").status != 200
    ]
    assert not refused


def test_everything_that_fetch_all_lists_is_listed(client):
    assert set(client.get("/fetch-all").json["results"]) <= set(client.get("/currencies").json["currencies"])


def test_it_costs_one_call_like_any_other(client):
    assert client.get("/currencies").headers["x-calls-cost"] == "1"


def test_it_needs_a_key(client):
    assert client.get("/currencies", key=None).status == 401
