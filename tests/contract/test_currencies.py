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


def test_details_are_decimals_cash_steps_and_signs(client):
    details = client.get("/currencies?details=1").json["details"]
    assert details["CHF"] == {"minor_units": 2, "cash_step": 0.05, "symbol": None}
    assert details["JPY"] == {"minor_units": 0, "cash_step": None, "symbol": "¥"}
    assert details["EUR"]["symbol"] == "€"
    assert set(details) == set(client.get("/currencies").json["currencies"])
    everything = client.get("/currencies?details=1&all=1").json
    assert everything["details"]["DEM"]["minor_units"] == 2
    assert "GBp" not in everything["details"]


@pytest.mark.parametrize(
    ("language", "name"), [("de", "Schweizer Franken"), ("fr", "franc suisse"), ("ja", "スイス フラン")]
)
def test_names_are_in_the_language_asked_for(client, language, name):
    assert client.get(f"/currencies?lang={language}").json["currencies"]["CHF"] == name
    assert client.get("/currencies").json["currencies"]["CHF"] == "Swiss Franc"


def test_signs_are_those_of_the_language(client):
    for language, sign in (("en", "CA$"), ("fr-CA", "$")):
        assert client.get(f"/currencies?details=1&lang={language}").json["details"]["CAD"]["symbol"] == sign


@pytest.mark.parametrize("language", ["xx", "deutsch", "d", "de;drop", "../de", "de_" * 20])
def test_an_unknown_language_is_refused(client, language):
    reply = client.get(f"/currencies?lang={language}")
    assert (reply.status, "it takes a language such as de or pt-BR" in reply.json["error"]) == (400, True)
