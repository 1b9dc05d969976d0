"""`GET /coverage`: the sources of each currency, since when, and how many publish it now."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from tests.reading import read_with

from cambist.errors import RateUnavailable
from cambist.history.coverage import PairCoverage
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Vote
from cambist.reference.assets import METALS
from cambist.reference.currency_tables import CURRENCIES
from cambist.status.source_report import SourceReport, SourceReports

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
TODAY = NOW.date()
NOTHING = {"first": None, "last": None, "pairs": 0, "votes": False, "current": False, "compiled": False}


def report(key, **rest):
    facts = dict.fromkeys(("name", "home", "terms", "licence", "redistribution", "pace", "rate_type", "covers"), "")
    return SourceReport(**{"key": key, "enabled": True, "late_after": timedelta(days=5)} | facts | rest)


def covered(source, pair, first=date(1999, 1, 4), last=TODAY):
    return PairCoverage(source, Pair(*pair.split("/")), first, last)


@pytest.fixture
def shown(client):
    """Ask for the coverage of some pairs, given the reports on their sources and the votes by code."""

    def shown(*pairs, reports=(), votes=None, currency=""):
        read_with(
            client.worker_state,
            coverage=lambda: pairs,
            votes=lambda code: tuple(Vote(key, 1.0, NOW, w) for key, w in (votes or {}).get(code, ())),
        )
        client.worker_state.apply_source_reports(SourceReports(NOW, tuple(reports)))
        reply = client.get(f"/coverage?code={currency}" if currency else "/coverage")
        assert reply.status == 200, reply.text
        return reply.json["currencies"]

    return shown


def test_each_source_has_the_pairs_and_days_of_a_currency(shown):
    found = shown(
        covered("ecb", "EUR/USD"),
        covered("ecb", "EUR/JPY", date(2001, 1, 2), date(2026, 11, 18)),
        covered("ecb", "EUR/BGN", date(2000, 7, 19), date(2025, 12, 31)),
        covered("boe", "GBP/USD", date(1975, 1, 2)),
        reports=[report("ecb"), report("boe")],
    )
    one = NOTHING | {"pairs": 1, "current": True}
    assert found["EUR"] == {
        "independent": 1,
        "law": "",
        "sources": {"ecb": one | {"pairs": 3, "first": "1999-01-04", "last": "2026-11-20"}},
    }
    assert found["JPY"]["sources"] == {"ecb": one | {"first": "2001-01-02", "last": "2026-11-18"}}
    assert found["BGN"]["sources"] == {"ecb": one | {"first": "2000-07-19", "last": "2025-12-31", "current": False}}
    assert (found["USD"]["independent"], list(found["USD"]["sources"])) == (2, ["ecb", "boe"])


def test_all_currencies_and_metals_are_listed_with_or_without_a_source(shown):
    found = shown(covered("ecb", "EUR/USD"))
    assert list(found) == [*CURRENCIES, *METALS]
    assert found["KPW"] == {"independent": 0, "law": "", "sources": {}}


def test_one_currency_is_shown_alone(shown):
    found = shown(covered("nbp", "XAU/PLN"), covered("ecb", "EUR/USD"), currency="xau")
    assert {code: list(record["sources"]) for code, record in found.items()} == {"XAU": ["nbp"]}


def test_a_source_that_votes_publishes_now_even_if_nothing_of_it_is_archived(shown):
    found = shown(
        covered("ecb", "EUR/USD"),
        reports=[report("kraken"), report("ecb")],
        votes={"EUR": [("kraken", 0.7), ("far_off", 0.0)]},
        currency="EUR",
    )["EUR"]
    assert found["sources"]["kraken"] == NOTHING | {"votes": True, "current": True}
    assert list(found["sources"]) == ["kraken", "ecb"], "the best source first, and not one that was left out"
    assert found["independent"] == 2


@pytest.mark.parametrize(
    ("age", "late_after", "is_current"), [(14, 5, True), (15, 5, False), (62, 62, True), (63, 62, False)]
)
def test_a_source_publishes_now_for_a_fortnight_or_as_long_as_it_is_not_late(shown, age, late_after, is_current):
    found = shown(
        covered("imf", "CHF/USD", last=TODAY - timedelta(days=age)),
        reports=[report("imf", late_after=timedelta(days=late_after))],
        currency="CHF",
    )["CHF"]
    assert (found["sources"]["imf"]["current"], found["independent"]) == (is_current, int(is_current))


def test_a_source_that_is_off_and_one_that_compiles_others_confirm_nothing(shown):
    found = shown(
        *(covered(key, "CHF/USD") for key in ("ecb", "bis", "off")),
        reports=[report("ecb"), report("bis", compiled=True), report("off", enabled=False)],
        currency="CHF",
    )["CHF"]
    assert found["independent"] == 1
    assert {key: (each["current"], each["compiled"]) for key, each in found["sources"].items()} == {
        "ecb": (True, False),
        "bis": (True, True),
        "off": (False, False),
    }


def test_a_second_code_for_the_currency_of_a_source_is_covered_by_it(shown):
    found = shown(covered("bcb", "USD/BRL"), covered("bcb", "EUR/BRL"), reports=[report("bcb", alias="BRX")])
    assert found["BRX"]["sources"]["bcb"]["pairs"] == 2
    assert found["BRX"]["independent"] == 1


def test_a_rate_that_the_law_fixes_names_the_law(shown):
    found = shown(covered("ecb", "EUR/USD"))
    assert (found["BGN"]["law"], found["BGN"]["independent"]) == ("Regulation (EU) 2025/1409", 0)
    assert found["AED"]["law"] == "Central Bank of the United Arab Emirates"
    assert found["JPY"]["law"] == ""


def test_before_any_source_was_asked_the_archive_alone_is_shown(client):
    read_with(client.worker_state, coverage=lambda: [covered("ecb", "EUR/JPY")])
    client.worker_state.apply_source_reports(None)
    assert client.get("/coverage?code=JPY").json["currencies"]["JPY"]["independent"] == 1


def test_an_archive_that_cannot_be_read_is_503_and_free(client):
    def broken():
        raise RateUnavailable("The archive of fixings cannot be read now")

    read_with(client.worker_state, coverage=broken)
    reply = client.get("/coverage")
    assert (reply.status, reply.json["code"], reply.headers["x-calls-cost"]) == (503, "rate_unavailable", "0")


@pytest.mark.parametrize("currency", ["XXX", "BTC", "EURUSD"])
def test_an_unknown_currency_is_400(client, currency):
    reply = client.get(f"/coverage?code={currency}")
    assert reply.status == 400
    assert currency in reply.json["error"]


def test_it_costs_one_call(client):
    assert client.get("/coverage").headers["x-calls-cost"] == "1"
