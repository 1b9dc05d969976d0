"""`rate_type`: rates of one type, asked for by name."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from tests.reading import read_with

from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.source_rates import read_source_rates
from cambist.pricing.pair import Pair
from cambist.status.source_report import SourceReport, SourceReports
from cambist.storage.sql import SqlStore

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
TODAY = NOW.date()
FRIDAY = date(2026, 10, 30)
"""The newest day of the ECB's file: one euro is 1.1172 dollars."""

DAY = timedelta(days=1)


def report(key, anchor="USD", rate_type="official", **rest):
    facts = dict.fromkeys(("name", "home", "terms", "licence", "redistribution", "covers"), "")
    facts |= {"key": key, "anchor": anchor, "pace": "daily", "rate_type": rate_type, "enabled": True}
    return SourceReport(**facts | rest)


REPORTS = (
    report("ecb", "EUR"),
    report("bcc", "CUP", rate_types=("segment_2", "segment_3")),
    report("street", rate_type="parallel"),
    report("cafe", rate_type="parallel"),
)
ECB = "ecb"
FIXINGS = {
    "bcc": [("USD/CUP", FRIDAY, "24"), ("USD/CUP", TODAY, "24")],
    "bcc:segment_3": [
        ("USD/CUP", FRIDAY, "410.5"),
        ("EUR/CUP", FRIDAY, "459.2"),
        ("USD/CUP", TODAY - DAY, "420"),
    ],
    "street": [("USD/CUP", FRIDAY, "450"), ("USD/NGN", TODAY, "1600")],
    "cafe": [("USD/CUP", FRIDAY, "455")],
}


@pytest.fixture
def typed(client, tmp_path):
    """A service over an archive with several rates of the peso."""
    store = SqlStore(f"sqlite:///{tmp_path / 'types.db'}")
    store.migrate()
    for source, rows in FIXINGS.items():
        fixings = [Fixing(source, Pair(*pair.split("/")), day, Decimal(value)) for pair, day, value in rows]
        store.archive.file(DeliveryRecord(source, NOW, "a test", source), fixings)
    state = client.worker_state
    read_with(
        state,
        fixings=store.archive.published_fixings,
        coverage=store.archive.pair_coverage,
        source_rates=lambda *asked: read_source_rates(store.archive.pair_series, *asked),
    )
    state.apply_source_reports(SourceReports(NOW, REPORTS))
    yield client
    store.close()


def answered(client, query):
    reply = client.get(query)
    assert reply.status == 200, reply.text
    return reply.json


def test_a_past_rate_of_a_type_is_the_fixing_of_that_type(typed):
    answer = answered(typed, "/historical?to=CUP&date=2026-10-30&rate_type=segment_3")
    assert answer["results"] == {"CUP": 410.5}
    assert (answer["fixed_on"], answer["carried_days"]) == ("2026-10-30", 0)


def test_without_a_type_nothing_changes(typed):
    assert typed.get("/historical?to=CUP&date=2026-10-30").json["code"] == "no_rate"  # the matrix has no Cuban source
    assert answered(typed, "/historical?to=EUR&date=2026-10-30")["results"] == {"EUR": 0.8950948801}


def test_the_other_side_has_its_ordinary_rate(typed):
    answer = answered(typed, "/historical?from=EUR&to=CUP&date=2026-10-30&rate_type=segment_3")
    assert answer["results"] == {"CUP": 458.6106}  # 410.5 * 1.1172, not the bank's own 459.2


def test_it_works_both_ways(typed):
    answer = answered(typed, "/historical?from=CUP&to=USD&date=2026-10-30&rate_type=segment_3")
    assert answer["results"] == {"USD": 0.002436053593}


def test_a_fixing_of_a_type_is_carried_forward_for_two_weeks(typed):
    answer = answered(typed, "/historical?to=CUP&date=2026-11-13&rate_type=segment_3&verbose=true")
    assert (answer["fixed_on"], answer["carried_days"]) == ("2026-10-30", 14)
    assert answer["fixings"] == {"CUP": "2026-10-30"}
    reply = typed.get("/historical?to=CUP&date=2026-11-14&rate_type=segment_3")
    assert (reply.status, reply.json["code"]) == (404, "no_rate_of_type")


def test_the_current_rate_of_a_type_is_its_newest_fixing(typed):
    answer = answered(typed, "/fetch-one?to=CUP&rate_type=segment_3")
    assert answer["result"] == {"CUP": 420}
    assert answer["updated"] == "2026-11-19T00:00:00Z"
    assert answered(typed, "/fetch-multi?to=CUP&rate_type=segment_3")["results"] == {"CUP": 420}


def test_an_amount_is_converted_at_the_rate_of_a_type(typed):
    now = answered(typed, "/convert?to=CUP&amount=2&rate_type=segment_3")
    assert now["result"] == {"CUP": 840, "rate": 420}
    past = answered(typed, "/convert?to=CUP&amount=2&date=2026-10-31&rate_type=parallel")
    assert past["result"] == {"CUP": 900, "rate": 450}
    assert past["fixed_on"] == "2026-10-30"


def test_the_better_source_of_a_type_counts_and_the_others_confirm_it(typed):
    query = "/historical?to=CUP&date=2026-10-30&rate_type=parallel&min_sources="
    answer = answered(typed, f"{query}2")
    assert answer["results"] == {"CUP": 450}
    assert answer["agreement"] == {"CUP": {"sources": 2, "pair": "USD/CUP", "deviation": "5"}}
    assert typed.get(f"{query}3").json["code"] == "too_few_sources"


def test_a_series_has_the_days_of_the_type(typed):
    query = "/time-series?to=CUP&start=2026-10-29&end=2026-11-01&rate_type=segment_3&verbose=true"
    answer = answered(typed, query)
    assert answer["results"] == {"CUP": {"2026-10-30": 410.5, "2026-10-31": 410.5, "2026-11-01": 410.5}}
    assert answer["carried"] == ["2026-10-31", "2026-11-01"]


def test_a_table_of_a_type_is_the_same(typed):
    reply = typed.get("/historical.csv?to=CUP&date=2026-10-30&rate_type=segment_3")
    assert reply.text.splitlines()[1].endswith("CUP,410.5,2026-10-30")
    reply = typed.get("/time-series.csv?to=CUP&start=2026-10-30&end=2026-10-30&rate_type=segment_3")
    assert reply.text.splitlines()[1].endswith("CUP,410.5,2026-10-30")


def test_a_pair_without_a_rate_of_the_type_says_which_types_there_are(typed):
    reply = typed.get("/historical?from=CUP&to=USD&date=2026-10-30&rate_type=segment_2")
    assert (reply.status, reply.json) == (
        404,
        {
            "error": "No [segment_2] rate from [CUP] to [USD] on [2026-10-30]; "
            "[CUP] has [official, parallel, segment_3]",
            "code": "no_rate_of_type",
        },
    )


@pytest.mark.parametrize("path", ["/fetch-one?to=EUR", "/fetch-multi?to=EUR", "/convert?to=EUR&amount=1"])
def test_a_currency_of_another_source_has_no_rate_of_the_type(typed, path):
    reply = typed.get(f"{path}&rate_type=segment_3")
    assert (reply.status, reply.json["code"]) == (404, "no_rate_of_type")


def test_with_partial_the_others_are_unavailable(typed):
    answer = answered(typed, "/historical?to=CUP,EUR&date=2026-10-30&rate_type=segment_3&partial=true")
    assert (answer["results"], answer["unavailable"]) == ({"CUP": 410.5}, ["EUR"])
    answer = answered(typed, "/fetch-multi?to=EUR,CUP&rate_type=segment_3&partial=true")
    assert (answer["results"], answer["unavailable"]) == ({"CUP": 420}, ["EUR"])


def test_an_unknown_type_is_refused_with_all_there_are(typed):
    reply = typed.get("/fetch-one?to=CUP&rate_type=black")
    assert (reply.status, reply.json["error"]) == (
        400,
        "Invalid rate_type: [black]. Options are [official, parallel, segment_2, segment_3]",
    )
    assert typed.get("/fetch-one?to=CUP&rate_type=a-b").json["code"] == "bad_parameter"


def test_a_type_needs_targets(typed):
    reply = typed.get("/historical?date=2026-10-30&rate_type=parallel")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")


def test_the_official_type_leaves_the_law_and_other_markets_out(typed):
    assert answered(typed, "/fetch-one?to=CUP&rate_type=official")["result"] == {"CUP": 24}
    reply = typed.get("/fetch-one?to=NGN&rate_type=official")
    assert reply.json["code"] == "no_rate_of_type"


def test_a_rate_of_a_type_is_explained_as_it_was_published(typed):
    answer = answered(typed, "/explain?from=EUR&to=CUP&date=2026-10-30&rate_type=segment_3")
    assert answer["result"] == {"CUP": 458.6106}
    euro, peso = answer["legs"]
    assert (euro["sources"], "rate_type" in euro) == (["ecb"], False)
    assert (peso["sources"], peso["rate_type"], peso["published"]) == (["bcc"], "segment_3", "410.5")
    assert peso["fixed_on"] == "2026-10-30"
    assert (peso["verdict"]["status"], peso["verdict"]["date"]) == ("unjudged", "2026-10-30")
    assert "not judged: each is served as its source published it" in peso["verdict"]["sentence"]
    assert "verdict" not in euro
    (peso,) = answered(typed, "/explain?to=CUP&rate_type=segment_3")["legs"]
    assert (peso["rate"], peso["fixed_on"], peso["carried_days"]) == ("420", "2026-11-19", 1)


def test_before_any_source_was_asked_there_are_no_types(client):
    client.worker_state.apply_source_reports(None)
    assert client.get("/fetch-one?to=CUP&rate_type=parallel").json["code"] == "rate_unavailable"


def test_a_rate_of_a_type_can_be_too_old(typed):
    assert typed.get("/fetch-one?to=CUP&rate_type=segment_3&max_age=PT2H").json["code"] == "rate_unavailable"
