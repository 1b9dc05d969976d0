"""`GET /historical` as the API documents it."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from datetime import date, timedelta
from decimal import Context
from fractions import Fraction

import pytest

from cambist.ingest.snapshot_builder import rate_matrix_from_archive
from cambist.sources.adapters.ecb import adapter

DAYS = ["1999-01-04", "2004-02-27", "2008-10-10", "2015-01-15", "2022-03-01", "2026-10-23", "2026-10-30"]


@pytest.fixture(scope="module")
def published(bundled: bytes) -> dict[str, dict[str, Fraction]]:
    """Units per euro by day, from the ECB's published text."""
    text = zipfile.ZipFile(io.BytesIO(bundled)).read("eurofxref-hist.csv").decode()
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["Date"] in DAYS]
    return {
        row.pop("Date"): {"EUR": Fraction(1)}
        | {code: Fraction(cell) for code, cell in row.items() if code and cell != "N/A"}
        for row in rows
    }


@pytest.fixture
def small(make_client, small_store, now):
    """A client of the small file: fixings of 2025-12-31, 2026-02-27, 03-03, 03-05 and 03-06."""
    made = make_client()
    made.worker_state.apply_matrix(rate_matrix_from_archive(small_store, [adapter.source], now.date()))
    return made


def ten_digits(value: Fraction) -> str:
    rounded = format(Context(prec=10).divide(value.numerator, value.denominator), "f")
    return rounded.rstrip("0").rstrip(".") if "." in rounded else rounded


def written(text: str, code: str) -> str:
    found = re.search(rf'"{code}":([^,}}]+)', text)
    assert found, text
    return found[1]


def test_it_answers_date_base_results_and_ms_in_this_order(client):
    reply = client.get("/historical?date=2026-10-30&from=EUR&to=USD,JPY")
    assert reply.status == 200
    assert list(reply.json) == ["date", "base", "results", "fixed_on", "carried_days", "ms"]
    assert reply.json | {"ms": 0} == {
        "date": "2026-10-30",
        "base": "EUR",
        "results": {"USD": 1.1172, "JPY": 175.68},
        "fixed_on": "2026-10-30",
        "carried_days": 0,
        "ms": 0,
    }


def test_ms_is_an_integer_and_last(client):
    for _ in range(2):  # made, then kept
        assert re.search(r',"ms":[0-9]+}$', client.get("/historical?date=2026-10-30").text)


@pytest.mark.parametrize("query", ["", "from=EUR&to=USD", "date=", "date=%20&to=EUR"])
def test_a_missing_date_is_refused(client, query):
    reply = client.get(f"/historical?{query}")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert "[date]" in reply.json["error"]


@pytest.mark.parametrize("query", ["to=EUR", "from=&to=EUR"])
def test_the_source_is_the_dollar_when_left_out(client, query):
    reply = client.get(f"/historical?date=2026-10-30&{query}").json
    assert (reply["base"], reply["results"]) == ("USD", {"EUR": 0.8950948801})


@pytest.mark.parametrize("query", ["", "&to=", "&to=%20"])
def test_all_targets_are_listed_by_code_when_left_out(client, query):
    results = client.get(f"/historical?date=2026-10-30&from=EUR{query}").json["results"]
    assert list(results) == sorted(results)
    assert results == client.get("/fetch-all?from=EUR").json["results"]


@pytest.mark.parametrize("order", ["ZAR,AED,JPY,EUR", "EUR,JPY,AED,ZAR"])
def test_results_keep_the_order_of_the_request(client, order):
    assert list(client.get(f"/historical?date=2024-02-29&to={order}").json["results"]) == order.split(",")


def test_the_source_is_1_and_listed(client):
    assert written(client.get("/historical?date=2024-02-29&from=EUR&to=USD,EUR").text, "EUR") == "1"
    assert written(client.get("/historical?date=2024-02-29&from=CHF").text, "CHF") == "1"


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize("source", ["EUR", "JPY", "USD"])
def test_every_published_rate_is_its_exact_cross_to_ten_digits(client, published, day, source):
    fixed = published[day]
    text = client.get(f"/historical?date={day}&from={source}&to={','.join(fixed)}").text
    wrong = {
        code: (written(text, code), ten_digits(fixed[code] / fixed[source]))
        for code in fixed
        if written(text, code) != ten_digits(fixed[code] / fixed[source])
    }
    assert not wrong


@pytest.mark.parametrize(
    ("query", "code", "rate"),
    [
        ("date=1999-01-04&from=EUR&to=USD", "USD", "1.1789"),
        ("date=2026-10-30&from=USD&to=JPY", "JPY", "157.2502685"),
        ("date=2026-10-30&from=IDR&to=EUR", "EUR", "0.00004932141136"),
        ("date=2019-07-01&from=USD&to=AED", "AED", "3.6725"),
        ("date=2001-01-01&from=DEM&to=FRF", "FRF", "3.353854885"),
        ("date=2001-07-14&from=DEM&to=FRF", "FRF", "3.353854885"),
        ("date=2001-12-31&from=DEM&to=FRF", "FRF", "3.353854885"),
    ],
)
def test_selected_figures_are_written_digit_by_digit(client, query, code, rate):
    assert written(client.get(f"/historical?{query}").text, code) == rate


@pytest.mark.parametrize("source", ["HUF", "ITL", "TRL"])
def test_weak_currencies_are_written_in_plain_notation_and_never_0(client, source):
    text = client.get(f"/historical?date=2001-06-01&from={source}&to=EUR,USD,GBP,CYP").text
    for code in ("EUR", "USD", "GBP", "CYP"):
        assert re.fullmatch(r"0\.0*[1-9][0-9]{0,9}", written(text, code))


@pytest.mark.parametrize("day", ["2026-10-24", "2026-10-25"])
def test_a_weekend_reads_the_fixing_of_friday(client, day):
    assert client.get(f"/historical?date={day}&from=EUR&to=USD").json["results"] == {"USD": 1.1193}


def test_a_weekend_reads_like_friday_for_every_currency(client):
    friday, sunday = (client.get(f"/historical?date=2026-10-{day}&from=EUR").json["results"] for day in (23, 25))
    assert friday == sunday


def test_a_fixing_is_carried_14_days_and_not_15(small):
    assert written(small.get("/historical?date=2026-01-14&to=JPY").text, "JPY") == ten_digits(
        Fraction(184) / Fraction("1.16")
    )
    reply = small.get("/historical?date=2026-01-15&to=JPY")
    assert (reply.status, reply.json["code"]) == (404, "no_rate")


def test_days_between_fixings_read_the_last_one(small):
    day, rates = date(2026, 2, 27), []
    while day <= date(2026, 3, 8):
        rates.append(small.get(f"/historical?date={day}&from=EUR&to=USD").json["results"]["USD"])
        day += timedelta(days=1)
    assert rates == [1.1, 1.1, 1.1, 1.1, 1.2, 1.2, 1.24, 1.25, 1.25, 1.25]


def test_the_newest_fixing_is_carried_14_days_and_not_15(client):
    assert client.get("/historical?date=2026-11-13&from=EUR&to=USD").json["results"] == {"USD": 1.1172}
    assert client.get("/historical?date=2026-11-14&from=EUR&to=USD").status == 404


def test_today_is_allowed(client):
    assert client.get("/historical?date=2026-11-20&to=AED").json["results"] == {"AED": 3.6725}


@pytest.mark.parametrize("day", ["2023-01-01", "2023-06-30", "2026-10-25", "2026-11-13"])
def test_the_kuna_converts_at_its_fixed_rate_for_ever_but_is_listed_no_more(client, day):
    assert client.get(f"/historical?date={day}&from=EUR&to=HRK").json["results"] == {"HRK": 7.5345}
    assert "HRK" not in client.get(f"/historical?date={day}&from=EUR").json["results"]


def test_the_kuna_reads_its_last_fixing_and_is_listed_on_its_last_day(client):
    assert client.get("/historical?date=2022-12-31&from=EUR").json["results"]["HRK"] == 7.5365


def test_the_lev_converts_at_its_fixed_rate_for_ever_but_is_listed_no_more(client):
    assert client.get("/historical?date=2026-01-01&from=EUR&to=BGN").json["results"] == {"BGN": 1.95583}
    assert "BGN" not in client.get("/historical?date=2026-01-01&from=EUR").json["results"]
    assert client.get("/historical?date=2025-12-31&from=EUR").json["results"]["BGN"] == 1.9558


@pytest.mark.parametrize(
    ("query", "results"),
    [
        ("date=2026-11-20&from=EUR&to=HRK", {"HRK": 7.5345}),
        ("date=2026-11-20&from=EUR&to=XOF,USD&partial=1", {"XOF": 655.957}),
        ("date=2026-11-20&from=EUR&to=EUR", {"EUR": 1}),
        ("date=1999-01-01&from=DEM&to=FRF", {"FRF": 3.353854885}),
    ],
)
def test_what_the_law_fixed_converts_also_on_days_without_a_fixing(client, query, results):
    assert client.get(f"/historical?{query}").json["results"] == results


def test_a_day_without_a_fixing_lists_what_the_law_ties_to_the_source(client):
    results = client.get("/historical?date=2026-11-20&from=EUR").json["results"]
    assert {"EUR": 1, "XAF": 655.957, "XOF": 655.957}.items() <= results.items()
    assert "USD" not in results
    assert "HRK" not in results


def test_the_rouble_ends_14_days_after_its_last_fixing(client):
    assert client.get("/historical?date=2022-03-15&from=EUR&to=RUB").json["results"] == {"RUB": 117.201}
    assert "RUB" in client.get("/historical?date=2022-03-15&from=EUR").json["results"]
    assert client.get("/historical?date=2022-03-16&from=EUR&to=RUB").status == 404
    assert "RUB" not in client.get("/historical?date=2022-03-16&from=EUR").json["results"]


def test_one_target_without_a_rate_fails_the_day_and_is_named(client):
    reply = client.get("/historical?date=2026-10-30&from=EUR&to=USD,RUB,JPY")
    assert (reply.status, reply.json["code"]) == (404, "no_rate")
    assert "from [EUR] to [RUB] on [2026-10-30]" in reply.json["error"]


def test_with_partial_targets_without_a_rate_are_named_beside_the_others(client):
    for _ in range(2):
        reply = client.get("/historical?date=2026-10-30&from=EUR&to=RUB,USD,ZZZ&partial=1")
        assert reply.json["results"] == {"USD": 1.1172}
        assert reply.json["unavailable"] == ["RUB", "ZZZ"]
        assert reply.headers["x-calls-cost"] == "1"
    assert client.get("/historical?date=2026-10-30&from=EUR&to=RUB,ZZZ&partial=1").status == 404


def test_tomorrow_reads_as_today_and_later_days_are_refused(client):
    today = client.get("/historical?date=2026-11-20&to=AED").json
    for _ in range(2):
        reply = client.get("/historical?date=2026-11-21&to=AED")
        assert (reply.status, reply.json | {"ms": 0}) == (200, today | {"ms": 0})
        assert reply.headers["cache-control"] == "no-store"
    assert client.get("/historical?date=2026-11-22&to=AED").status == 400


@pytest.mark.parametrize(
    "query",
    [
        "date=1998-12-31&from=EUR&to=USD",
        "date=1999-01-03&from=EUR&to=USD",
        "date=1970-01-01&from=EUR",
        "date=2026-10-30&from=EUR&to=RUB",
        "date=2026-10-30&from=RUB",
        "date=2026-10-30&from=XDR",
        "date=2026-11-20&from=JPY",
    ],
)
def test_a_day_with_nothing_is_404_and_names_it(client, query):
    reply = client.get(f"/historical?{query}")
    assert (reply.status, reply.json["code"]) == (404, "no_rate")
    assert query[5:15] in reply.json["error"]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("to=USD,ZZZ", "Invalid/unsupported target currency: [ZZZ]"),
        ("from=ZZZ", "Invalid/unsupported source currency: [ZZZ]"),
    ],
)
def test_an_unknown_code_is_named_with_its_side(client, query, sentence):
    reply = client.get(f"/historical?date=2026-10-30&{query}")
    assert (reply.status, reply.json["error"], reply.json["code"]) == (400, sentence, "unknown_currency")


def test_it_costs_one_call(client):
    assert client.get("/historical?date=2026-10-30").headers["x-calls-cost"] == "1"


# How old it is


def test_a_carried_day_has_the_day_of_its_fixing(client):
    sunday = client.get("/historical?date=2026-10-25&from=EUR&to=USD,JPY").json
    assert (sunday["fixed_on"], sunday["carried_days"]) == ("2026-10-23", 2)


def test_several_targets_have_the_oldest_fixing_and_each_one_with_verbose(client):
    target = "/historical?date=2022-03-05&from=EUR&to=USD,RUB,XAF"
    plain = client.get(target).json
    assert (plain["fixed_on"], plain["carried_days"]) == ("2022-03-01", 4)
    assert "fixings" not in plain
    verbose = client.get(f"{target}&verbose=true").json
    assert verbose["fixings"] == {"USD": "2022-03-04", "RUB": "2022-03-01", "XAF": None}
    assert list(verbose) == ["date", "base", "results", "fixed_on", "carried_days", "fixings", "ms"]


def test_what_the_law_alone_decides_has_no_fixing(client):
    answer = client.get("/historical?date=2026-10-30&from=EUR&to=DEM").json
    assert (answer["fixed_on"], answer["carried_days"]) == (None, None)


def test_a_day_is_cacheable_once_its_sources_have_fixed_it(make_client, small_store, now):
    def kept(today, target):
        client = make_client(clock=today.timestamp)
        client.worker_state.apply_matrix(rate_matrix_from_archive(small_store, [adapter.source], now.date()))
        return "max-age" in client.get(target).headers["cache-control"]

    friday = now.replace(year=2026, month=3, day=6)
    for target in ("/historical?date=2026-03-06&to=EUR", "/time-series?start=2026-03-01&end=2026-03-06&to=EUR"):
        assert not kept(friday, target), target
        assert kept(friday + timedelta(days=1), target), target
    assert not kept(friday + timedelta(days=2), "/historical?date=2026-03-07&to=EUR")


def test_a_missing_day_names_the_last_fixing_and_no_later_day(client):
    error = client.get("/historical?date=2026-11-20&from=USD&to=EUR").json["error"]
    assert "[USD] has rates from 1970-01-01 to 2026-10-30" in error
    assert "[EUR] has rates from 1999-01-04 to 2026-10-30" in error
