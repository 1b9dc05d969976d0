"""`min_sources` and `agreement`: how many independent sources a rate rests on."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from tests.reading import read_with

from cambist.api.bodies import agreement
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.source_rates import read_source_rates
from cambist.pricing.pair import Pair
from cambist.status.source_report import SourceReport, SourceReports

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
FRIDAY = date(2026, 10, 30)
"""The newest day of the ECB's file: one euro is 1.1172 dollars."""


def report(key, anchor="USD", pace="daily", rate_type="official", **rest):
    facts = dict.fromkeys(("name", "home", "terms", "licence", "redistribution", "covers"), "")
    facts |= {"key": key, "anchor": anchor, "pace": pace, "rate_type": rate_type, "enabled": True}
    return SourceReport(**facts | rest)


def said(source, pair, rate, day=FRIDAY):
    """Return the series of a source that has published one rate."""
    rows = np.array([(day - FIRST_DAY).days], np.int64)
    return source, PairSeries(Pair(*pair.split("/")), rows, np.array([rate]))


@pytest.fixture
def resting(client):
    """Let the answers rest on these series and reports."""

    def resting(*series, reports=()):
        def pair_series(wanted, first, last):
            days = (first - FIRST_DAY).days, (last - FIRST_DAY).days
            return [each for each in series if wanted(each[0], each[1].pair) and days[0] <= each[1].rows[0] <= days[1]]

        state = client.worker_state
        read_with(
            state,
            fixings=lambda _source, _code, _day: [],
            source_rates=lambda *asked: read_source_rates(pair_series, *asked),
        )
        state.apply_source_reports(SourceReports(NOW, tuple(reports)))
        return client

    return resting


REPORTS = (
    report("ecb", "EUR"),
    report("boe", "GBP"),
    report("fed"),
    report("copy", compiled=True),
    report("month", pace="monthly"),
    report("street", rate_type="parallel"),
)
EUROS = (said("fed", "EUR/USD", 1.1170), said("ecb", "EUR/USD", 1.1172), said("copy", "USD/EUR", 0.9))
ON_FRIDAY = "date=2026-10-30"


@pytest.fixture
def euros(resting):
    return resting(*EUROS, reports=REPORTS)


def test_a_rate_that_enough_sources_agree_on_is_answered_with_their_number_and_spread(euros):
    reply = euros.get(f"/historical?to=EUR&{ON_FRIDAY}&min_sources=2")
    assert reply.status == 200, reply.text
    assert reply.json["agreement"] == {"EUR": {"sources": 2, "pair": "USD/EUR", "deviation": "0.0001602676598"}}


def test_a_rate_that_too_few_agree_on_is_refused_with_their_number(euros):
    reply = euros.get(f"/historical?to=EUR&{ON_FRIDAY}&min_sources=3")
    assert (reply.status, reply.json) == (
        503,
        {"error": "Too few sources agree: [EUR] has [2]; the request asks for 3", "code": "too_few_sources"},
    )
    assert reply.headers["retry-after"] == "60"
    assert reply.headers["x-calls-cost"] == "0"


def test_a_compiler_is_no_further_word_but_one_where_there_is_no_other(resting):
    client = resting(said("copy", "USD/JPY", 180.0), said("copy", "USD/EUR", 0.895), reports=REPORTS)
    reply = client.get(f"/historical?to=EUR&{ON_FRIDAY}&min_sources=1")
    assert reply.json["agreement"] == {"EUR": {"sources": 1, "pair": "USD/EUR"}}


@pytest.mark.parametrize(
    "word",
    [
        said("boe", "EUR/GBP", 0.9),  # without a rate of the pivot it says nothing about the euro in dollars
        said("month", "EUR/USD", 1.117),
        said("street", "EUR/USD", 1.117),
        said("fed", "EUR/USD", 1.2),  # 7 % away
        said("fed", "EUR/USD", 1.117, FRIDAY - timedelta(days=15)),
        said("unknown", "EUR/USD", 1.117),
    ],
)
def test_who_says_something_else_is_not_counted(resting, word):
    client = resting(said("ecb", "EUR/USD", 1.1172), word, reports=REPORTS)
    reply = client.get(f"/historical?to=EUR&{ON_FRIDAY}&min_sources=1")
    assert reply.json["agreement"]["EUR"]["sources"] == 1


def test_a_stored_rate_is_of_one_source_while_none_has_been_asked(resting):
    client = resting(said("ecb", "EUR/USD", 1.1172))
    client.worker_state.apply_source_reports(None)
    assert client.get(f"/historical?to=EUR&{ON_FRIDAY}&min_sources=1").json["agreement"]["EUR"]["sources"] == 1
    assert client.get(f"/historical?to=EUR&{ON_FRIDAY}&min_sources=2").status == 503


def test_a_law_needs_no_sources_but_its_anchor_does(euros):
    reply = euros.get(f"/historical?to=AED&{ON_FRIDAY}&min_sources=5")
    assert reply.status == 200, reply.text
    law = {"sources": 0, "pair": "USD/AED", "law": "Central Bank of the United Arab Emirates"}
    assert reply.json["agreement"] == {"AED": law}
    reply = euros.get(f"/historical?to=XAF&{ON_FRIDAY}&min_sources=3")
    assert reply.json["error"] == "Too few sources agree: [EUR] has [2]; the request asks for 3"


def test_with_partial_what_lacks_sources_now_is_unavailable(euros):
    reply = euros.get("/fetch-multi?to=EUR,AED&min_sources=2&partial=true")
    assert reply.status == 200, reply.text
    assert reply.json["results"] == {"AED": 3.6725}
    assert reply.json["unavailable"] == ["EUR"]
    assert set(reply.json["agreement"]) == {"AED"}


def test_all_currencies_at_once_are_not_compared(euros):
    reply = euros.get(f"/historical?{ON_FRIDAY}&min_sources=2")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert "[min_sources] needs the targets in [to]" in reply.json["error"]


@pytest.mark.parametrize("number", ["0", "51", "-1", "two", "1.5"])
def test_the_number_is_a_small_whole_number(client, number):
    reply = client.get(f"/fetch-one?to=EUR&min_sources={number}")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert "from 1 to 50" in reply.json["error"]


@pytest.mark.parametrize(
    "path",
    [
        "/fetch-one?to=EUR",
        "/fetch-multi?to=EUR",
        "/fetch-many-to-one?from=EUR&to=USD",
        "/fetch-matrix?from=EUR&to=USD",
        "/convert?to=EUR&amount=1",
        f"/convert?to=EUR&amount=1&{ON_FRIDAY}",
        f"/historical?to=EUR&{ON_FRIDAY}",
    ],
)
def test_every_endpoint_of_rates_refuses_what_rests_on_too_little(euros, path):
    for number, status in ((1, 200), (20, 503)):
        reply = euros.get(f"{path}&min_sources={number}")
        assert (reply.status, reply.json.get("code")) == (status, "too_few_sources" if status == 503 else None)
        assert ("agreement" in reply.json) is (status == 200)
    assert "agreement" not in euros.get(path).json


def test_a_past_answer_that_rests_on_other_fixings_is_not_immutable(euros):
    assert "etag" in euros.get("/historical?to=EUR&date=2024-06-14").headers
    reply = euros.get(f"/historical?to=EUR&{ON_FRIDAY}&min_sources=1")
    assert reply.headers["cache-control"] == "no-store"
    assert "etag" not in reply.headers


def test_a_table_is_refused_as_well(euros):
    assert euros.get(f"/historical.csv?to=EUR&{ON_FRIDAY}&min_sources=2").status == 200
    assert euros.get(f"/historical.csv?to=EUR&{ON_FRIDAY}&min_sources=3").status == 503


def test_explain_says_how_many_agree_now_and_on_a_day(euros):
    assert euros.get(f"/explain?to=EUR&{ON_FRIDAY}&verbose=true").json["agreement"] == {
        "EUR": {"sources": 2, "pair": "USD/EUR", "deviation": "0.0001602676598"}
    }
    assert "agreement" not in euros.get(f"/explain?to=EUR&{ON_FRIDAY}").json
    assert euros.get("/explain?to=EUR&verbose=true").json["agreement"] == {"EUR": {"sources": 1, "pair": "EUR/USD"}}


def test_sources_that_agree_exactly_are_no_distance_apart(resting):
    client = resting(said("fed", "EUR/USD", 1.1172), said("ecb", "EUR/USD", 1.1172), reports=REPORTS)
    assert client.get(f"/explain?to=EUR&{ON_FRIDAY}&verbose=true").json["agreement"]["EUR"]["deviation"] == "0"


def test_too_many_currencies_of_a_past_day_are_refused(euros, monkeypatch):
    monkeypatch.setattr(agreement, "MAX_COMPARED", 2)
    query = f"/historical?{ON_FRIDAY}&min_sources=1&to="
    assert euros.get(f"{query}JPY,GBP").json["code"] == "too_few_sources"
    reply = euros.get(f"{query}JPY,GBP,EUR")
    assert (reply.status, reply.json["error"]) == (
        400,
        "[min_sources] compares at most 2 currencies of a past day: [3]",
    )


def test_sources_counts_the_sources_of_each_currency_if_asked(resting, client):
    resting(reports=REPORTS)
    assert "independent" not in client.get("/sources").json
    found = client.get("/sources?verbose=true").json["independent"]
    assert set(found.values()) == {0}
    assert {"EUR", "KPW", "XAU"} <= set(found)


def test_sources_name_their_further_types(resting):
    client = resting(reports=[report("bcc", "CUP", rate_types=("segment_3",)), report("ecb", "EUR")])
    sources = client.get("/sources").json["sources"]
    assert sources["bcc"]["rate_types"] == ["segment_3"]
    assert "rate_types" not in sources["ecb"]
