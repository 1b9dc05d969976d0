"""`GET /time-series` as the API documents it."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest

from cambist.ingest.snapshot_builder import rate_matrix_from_archive
from cambist.sources.adapters.ecb import adapter


@pytest.fixture
def small(make_client, small_store, now):
    """A client of the small file: fixings of 2025-12-31, 2026-02-27, 03-03, 03-05 and 03-06."""
    made = make_client()
    made.worker_state.apply_matrix(rate_matrix_from_archive(small_store, [adapter.source], now.date()))
    return made


def calendar(first: str, last: str) -> list[str]:
    start, end = date.fromisoformat(first), date.fromisoformat(last)
    return [str(start + timedelta(days=offset)) for offset in range((end - start).days + 1)]


def test_it_answers_start_end_interval_base_results_and_ms_in_this_order(client):
    reply = client.get("/time-series?from=EUR&to=USD&start=2026-10-29&end=2026-10-30")
    assert reply.status == 200
    assert list(reply.json) == ["start", "end", "interval", "base", "results", "ms"]
    assert reply.json | {"ms": 0} == {
        "start": "2026-10-29",
        "end": "2026-10-30",
        "interval": "P1D",
        "base": "EUR",
        "results": {"USD": {"2026-10-29": 1.113, "2026-10-30": 1.1172}},
        "ms": 0,
    }


def test_ms_is_an_integer_and_last(client):
    for _ in range(2):  # made, then kept
        reply = client.get("/time-series?to=EUR&start=2026-10-01&end=2026-10-30")
        assert re.search(r',"ms":[0-9]+}$', reply.text)


@pytest.mark.parametrize("query", ["", "from=EUR", "to=", "to=%20&from=EUR"])
def test_a_missing_target_is_refused(client, query):
    reply = client.get(f"/time-series?{query}")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert "[to]" in reply.json["error"]


@pytest.mark.parametrize("query", ["to=EUR", "from=&to=EUR"])
def test_the_source_is_the_dollar_when_left_out(client, query):
    assert client.get(f"/time-series?{query}&start=2026-10-30").json["base"] == "USD"


@pytest.mark.parametrize("query", ["", "&start=&end=", "&interval=", "&interval=P1D"])
def test_without_a_period_the_last_30_days_are_returned(client, query):
    reply = client.get(f"/time-series?from=USD&to=AED{query}").json
    assert (reply["start"], reply["end"], reply["interval"]) == ("2026-10-22", "2026-11-20", "P1D")
    assert list(reply["results"]["AED"]) == calendar("2026-10-22", "2026-11-20")


def test_with_only_an_end_the_30_days_up_to_it_are_returned(client):
    reply = client.get("/time-series?from=EUR&to=USD&end=2024-03-15").json
    assert (reply["start"], reply["end"]) == ("2024-02-15", "2024-03-15")
    assert list(reply["results"]["USD"]) == calendar("2024-02-15", "2024-03-15")


def test_with_only_a_start_the_end_is_today(client):
    reply = client.get("/time-series?from=USD&to=AED&start=2026-11-18").json
    assert (reply["start"], reply["end"]) == ("2026-11-18", "2026-11-20")


def test_every_calendar_day_is_listed_in_ascending_order(client):
    reply = client.get("/time-series?from=EUR&to=USD&start=2019-12-01&end=2020-03-15").json
    assert list(reply["results"]) == ["USD"]
    assert list(reply["results"]["USD"]) == calendar("2019-12-01", "2020-03-15")


def test_a_weekend_reads_the_fixing_of_friday(client):
    results = client.get("/time-series?from=EUR&to=USD&start=2026-10-23&end=2026-10-26").json["results"]
    assert list(results["USD"].values()) == [1.1193, 1.1193, 1.1193, 1.1188]


@pytest.mark.parametrize(
    ("source", "target", "first", "last"),
    [
        ("EUR", "USD", "2026-10-15", "2026-11-20"),
        ("IDR", "EUR", "2026-10-23", "2026-10-30"),
        ("EUR", "RUB", "2022-02-25", "2022-03-20"),
        ("EUR", "HRK", "2022-12-28", "2023-01-05"),
        ("GBP", "TRY", "2004-12-28", "2005-01-10"),
        ("USD", "EUR", "1998-12-30", "1999-01-11"),
    ],
)
def test_each_day_reads_as_historical_reads_it(client, source, target, first, last):
    series = client.get(f"/time-series?from={source}&to={target}&start={first}&end={last}").text
    for day in calendar(first, last):
        reply = client.get(f"/historical?date={day}&from={source}&to={target}")
        shown = re.search(rf'"{day}":([0-9.]+)[,}}]', series[series.index("results") :])
        if reply.status == 404:
            assert shown is None, day
        else:
            assert shown, day
            assert f'"{target}":{shown[1]}}}' in reply.text


def test_a_currency_in_itself_is_1_on_every_day(client):
    text = client.get("/time-series?from=EUR&to=EUR&start=2026-10-29&end=2026-10-30").text
    assert '"EUR":{"2026-10-29":1,"2026-10-30":1}' in text


def test_a_fixing_is_carried_14_days_and_then_absent(small):
    results = small.get("/time-series?from=EUR&to=USD&start=2025-12-25&end=2026-03-08").json["results"]["USD"]
    assert list(results) == [*calendar("2025-12-31", "2026-01-14"), *calendar("2026-02-27", "2026-03-08")]
    assert set(list(results.values())[:15]) == {1.16}


def test_days_between_fixings_read_the_last_one(small):
    results = small.get("/time-series?from=EUR&to=USD&start=2026-02-27&end=2026-03-07").json["results"]["USD"]
    assert list(results.values()) == [1.1, 1.1, 1.1, 1.1, 1.2, 1.2, 1.24, 1.25, 1.25]


def test_a_day_before_the_first_fixing_is_absent(small):
    results = small.get("/time-series?from=EUR&to=ISK&start=2026-03-01&end=2026-03-07").json["results"]
    assert results == {"ISK": {"2026-03-06": 150.1, "2026-03-07": 150.1}}


def test_days_after_the_last_fixing_are_absent(client):
    results = client.get("/time-series?from=EUR&to=USD").json["results"]["USD"]
    assert list(results) == calendar("2026-10-22", "2026-11-13")


def test_the_rouble_ends_14_days_after_its_last_fixing(client):
    results = client.get("/time-series?from=EUR&to=RUB&start=2022-03-01&end=2022-06-01").json["results"]["RUB"]
    assert list(results) == calendar("2022-03-01", "2022-03-15")


@pytest.mark.parametrize(
    "query",
    [
        "from=EUR&to=RUB&start=2022-03-16&end=2022-04-01",
        "from=EUR&to=USD&start=1990-01-01&end=1998-12-31",
        "from=EUR&to=USD&start=2026-11-14",
        "from=EUR&to=XDR",
    ],
)
def test_a_series_with_no_day_at_all_is_404(client, query):
    reply = client.get(f"/time-series?{query}")
    assert (reply.status, reply.json["code"]) == (404, "no_rate")


def test_the_marks_in_francs_are_the_ratio_of_their_fixed_rates_throughout_2001(client):
    text = client.get("/time-series?from=DEM&to=FRF&start=2001-01-01&end=2001-12-31").text
    assert re.findall(r'-\d\d":([0-9.]+)', text) == ["3.353854885"] * 365


def test_the_kuna_becomes_its_fixed_rate_on_the_day_the_euro_came(client):
    results = client.get("/time-series?from=EUR&to=HRK&start=2022-12-30&end=2023-01-02").json["results"]["HRK"]
    assert list(results.values()) == [7.5365, 7.5365, 7.5345, 7.5345]


def test_weak_currencies_are_written_in_plain_notation(client):
    text = client.get("/time-series?from=IDR&to=EUR&start=2026-10-29&end=2026-10-30").text
    assert '"2026-10-30":0.00004932141136}' in text


def test_the_whole_history_is_one_answer(client):
    results = client.get("/time-series?from=EUR&to=USD&start=1970-01-01&end=2026-10-30").json["results"]["USD"]
    assert list(results) == calendar("1999-01-04", "2026-10-30")
    assert results["1999-01-04"] == 1.1789


@pytest.mark.parametrize("text", ["P2D", "PT1H", "day", "1"])
def test_an_interval_that_is_not_offered_names_what_is(client, text):
    reply = client.get(f"/time-series?to=EUR&interval={text}")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert f"[{text}]" in reply.json["error"]
    assert "Options are [P1D" in reply.json["error"]


def test_a_start_after_the_end_is_refused(client):
    reply = client.get("/time-series?to=EUR&start=2026-10-02&end=2026-10-01")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert "[2026-10-02]" in reply.json["error"]


@pytest.mark.parametrize("end", ["2026-11-22", "2026-12-25", "9999-12-31"])
def test_an_end_in_the_future_is_today(client, end):
    assert without_ms(client.get(f"/time-series?to=EUR&end={end}")) == without_ms(client.get("/time-series?to=EUR"))
    reply = client.get(f"/time-series?to=EUR&start=2026-11-22&end={end}")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert "start: [2026-11-22] is in the future" in reply.json["error"]


def without_ms(reply):
    return {name: value for name, value in reply.json.items() if name != "ms"}


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("to=ZZZ", "Invalid/unsupported target currency: [ZZZ]"),
        ("to=EUR&from=ZZZ", "Invalid/unsupported source currency: [ZZZ]"),
    ],
)
def test_an_unknown_code_is_named_with_its_side(client, query, sentence):
    reply = client.get(f"/time-series?{query}")
    assert (reply.status, reply.json["error"]) == (400, sentence)


def test_a_series_costs_one_call(client):
    assert client.get("/time-series?to=EUR&start=2000-01-01").headers["x-calls-cost"] == "1"


def test_a_verbose_series_lists_the_days_that_are_carried(client):
    target = "/time-series?from=EUR&to=USD&start=2026-10-23&end=2026-10-27"
    assert "carried" not in client.get(target).json
    answer = client.get(f"{target}&verbose=true").json
    assert answer["carried"] == ["2026-10-24", "2026-10-25"]
    assert answer["fixed_on"] == {"2026-10-24": "2026-10-23", "2026-10-25": "2026-10-23"}
    assert list(answer) == ["start", "end", "interval", "base", "results", "carried", "fixed_on", "ms"]
    assert client.get("/time-series?from=EUR&to=USD&start=2026-10-23&end=2026-10-23&verbose=1").json["carried"] == []


def test_several_targets_are_answered_in_the_order_of_the_request_and_charged_each(client):
    period = "start=2026-10-29&end=2026-10-30"
    reply = client.get(f"/time-series?from=EUR&to=USD,gbp,USD,JPY&{period}")
    assert list(reply.json["results"]) == ["USD", "GBP", "JPY"]
    assert reply.headers["x-calls-cost"] == "3"
    for code, series in reply.json["results"].items():
        assert {code: series} == client.get(f"/time-series?from=EUR&to={code}&{period}").json["results"]


def test_ten_targets_are_answered_and_more_refused(client):
    codes = ["EUR", "JPY", "GBP", "CHF", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK", "PLN"]
    assert client.get(f"/time-series?to={','.join(codes[:10])}").headers["x-calls-cost"] == "10"
    reply = client.get(f"/time-series?to={','.join(codes)}")
    assert (reply.status, reply.json["error"]) == (400, "Too many currencies in [to]: [11], at most 10")


def test_one_target_without_any_day_fails_the_series_unless_part_of_it_will_do(client):
    target = "/time-series?from=EUR&to=XDR,USD,ZZZ&start=2026-10-29&end=2026-10-30"
    assert client.get(target).status == 400
    assert client.get(target.replace(",ZZZ", "")).status == 404
    for _ in range(2):
        reply = client.get(f"{target}&partial=1")
        assert list(reply.json["results"]) == ["USD"]
        assert reply.json["unavailable"] == ["XDR", "ZZZ"]
        assert reply.headers["x-calls-cost"] == "1"


@pytest.mark.parametrize("query", ["end=2026-11-21", "start=2026-10-22&end=2026-11-21", "start=2026-10-22"])
def test_an_end_of_tomorrow_reads_as_today(client, query):
    body = client.get(f"/time-series?from=EUR&to=USD&{query}").json
    assert (body["start"], body["end"]) == ("2026-10-22", "2026-11-20")


def test_a_start_of_tomorrow_reads_as_today(client):
    body = client.get("/time-series?from=EUR&to=XOF&start=2026-11-21&end=2026-11-21").json
    assert (body["start"], body["end"], list(body["results"]["XOF"])) == ("2026-11-20", "2026-11-20", ["2026-11-20"])


def test_a_verbose_answer_about_several_targets_lists_carried_days_by_target(client):
    body = client.get("/time-series?from=EUR&to=USD,XOF&start=2026-10-23&end=2026-10-25&verbose=1").json
    assert body["carried"] == {"USD": ["2026-10-24", "2026-10-25"], "XOF": []}
