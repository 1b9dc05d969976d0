"""`source`, `rule` and `booking`: one publisher's own numbers, the day that counts, and the rules of authorities."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from statistics import fmean

import pytest
from msgspec import structs
from tests.conftest import KEY, PLANS
from tests.contract.test_rate_types import report
from tests.reading import read_with

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.api.faces.dialects.frankfurter import dialect as frankfurter_dialect
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.source_rates import read_source_rates
from cambist.pricing.pair import Pair
from cambist.reference.booking_rules import BOOKING_RULES
from cambist.status.source_report import SourceReports
from cambist.storage.sql import SqlStore

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
YEARS = ("2012-10", "2016-07", "2022", "2023", "2024-01", "2024-02", "2024-03", "2026-10")
CODES = ("USD", "JPY", "GBP", "PLN", "CHF", "CZK", "HUF", "TRY", "RON", "AUD", "ZAR", "BRL")
FIX = [("USD/MXN", date(2012, 7, 5), "13.3508", 1), ("USD/MXN", date(2012, 7, 6), "13.4925", 1)]
NBP = [
    ("USD/PLN", date(2022, 12, 9), "4.4351", 1),
    ("JPY/PLN", date(2022, 12, 9), "3.256", 100),
    ("USD/PLN", date(2022, 12, 8), "4.4503", 1),
    ("EUR/PLN", date(2022, 12, 9), "4.6852", 1),
]


@pytest.fixture(scope="module")
def published(bundled):
    """The days of the ECB's file that the tests need, each with its rates as they were written."""
    text = zipfile.ZipFile(io.BytesIO(bundled)).read("eurofxref-hist.csv").decode()
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["Date"].startswith(YEARS)]
    return {row["Date"]: {code: row[code] for code in CODES if row[code] != "N/A"} for row in rows}


@pytest.fixture(scope="module")
def store(published, tmp_path_factory):
    store = SqlStore(f"sqlite:///{tmp_path_factory.mktemp('booking') / 'booking.db'}")
    store.migrate()
    ecb = [
        Fixing("ecb", Pair("EUR", code), date.fromisoformat(day), Decimal(value))
        for day, rates in published.items()
        for code, value in rates.items()
    ]
    nbp = [Fixing("nbp", Pair(*pair.split("/")), day, Decimal(value), nominal) for pair, day, value, nominal in NBP]
    fix = [Fixing("banxico", Pair(*pair.split("/")), day, Decimal(value), nominal) for pair, day, value, nominal in FIX]
    for key, fixings in (("ecb", ecb), ("nbp", nbp), ("banxico", fix)):
        store.archive.file(DeliveryRecord(key, NOW, "a test", key), fixings)
    yield store
    store.close()


@pytest.fixture
def booking(client, store):
    return reading(client, store)


@pytest.fixture
def frankfurter(make_client, store):
    return reading(make_client(dialects=(frankfurter_dialect,)), store)


def reading(client, store):
    state = client.worker_state
    read_with(
        state,
        fixings=store.archive.published_fixings,
        coverage=store.archive.pair_coverage,
        source_rates=lambda *asked: read_source_rates(store.archive.pair_series, *asked),
    )
    reports = (report("ecb", "EUR"), report("nbp", "PLN"), report("banxico", "MXN"), report("kraken", ""))
    state.apply_source_reports(SourceReports(NOW, reports))
    return client


def answered(client, query):
    reply = client.get(query)
    assert reply.status == 200, reply.text
    return reply.json


def refused(client, query, status=400):
    reply = client.get(query)
    assert reply.status == status, reply.text
    assert reply.headers.get("X-Calls-Cost", "0") == "0"
    return reply.json["error"]


PROVEN = [
    ("eu-customs", "2016-08-10", {"USD": 1.1013, "JPY": 117.33, "GBP": 0.83605, "PLN": 4.3758}),
    ("at-vat", "2023-03-01", {"AUD": 1.5529, "CHF": 0.9885, "GBP": 0.88825, "JPY": 143.05, "HUF": 380.58}),
    ("eu-tariff", "2023-01-31", {"RON": 4.9493}),
    ("eu-tariff", "2023-02-01", {"RON": 4.8965}),
    ("eu-tariff", "2023-03-15", {"RON": 4.9195}),
    ("eu-tariff", "2023-04-15", {"RON": 4.95}),
    ("eu-tariff", "2023-05-15", {"RON": 4.9301}),
    ("eu-excise", "2013-06-30", {"RON": 4.5223}),
    (
        "de-vat",
        "2023-03-15",
        {"USD": 1.0706, "GBP": 0.88192, "CHF": 0.9908, "JPY": 143.01, "CZK": 23.683, "HUF": 385.01, "TRY": 20.3491},
    ),
    ("de-vat", "2023-09-30", {"JPY": 157.8}),
    ("de-vat", "2024-01-01", {"USD": 1.0905, "CZK": 24.716}),
    (
        "it-income",
        "2023-12-05",
        {"USD": 1.0903, "GBP": 0.86168, "JPY": 157.2126, "CZK": 24.4776, "HUF": 381.8032, "ZAR": 20.3373},
    ),
    ("mx-tax", "2012-07-09", {"MXN": 13.3508}),
]
"""What authorities published; the addresses are the examples in the table of booking rules."""


@pytest.mark.parametrize(("rule", "day", "figures"), PROVEN)
def test_the_published_figures_of_an_authority_are_reproduced(booking, rule, day, figures):
    base = "USD" if rule == "mx-tax" else "EUR"
    answer = answered(booking, f"/historical?from={base}&to={','.join(figures)}&date={day}&booking={rule}")
    assert answer["results"] == figures
    assert answer["source"] == BOOKING_RULES[rule].publisher
    assert (answer["booking"]["key"], answer["booking"]["proven"]) == (rule, True)
    assert BOOKING_RULES[rule].example


def test_exactly_the_rules_with_a_reproduced_figure_are_called_proven():
    assert {key for key, rule in BOOKING_RULES.items() if rule.proven == "yes"} == {rule for rule, _, _ in PROVEN}


@pytest.mark.parametrize(
    ("code", "unified"), [("EUR", "24.5377"), ("USD", "23.4157"), ("GBP", "28.7188")]
)  # the Czech unified rates of 2022, from the crosses of the ECB
def test_a_mean_of_month_ends_counts_the_last_of_each_month(booking, published, code, unified):
    ends = {day[:7]: rates for day, rates in sorted(published.items()) if day.startswith("2022")}
    crossed = [float(each["CZK"]) / float(each.get(code, 1)) for each in ends.values()]
    assert f"{fmean(crossed):.4f}" == unified
    if code == "EUR":
        query = "/historical?from=EUR&to=CZK&date=2022-05-05&source=ecb&rule=mean-of-month-ends"
        assert f"{answered(booking, query)['results']['CZK']:.4f}" == unified


def test_a_publishers_number_is_shown_as_it_was_published(booking):
    answer = answered(booking, "/historical?from=JPY&to=PLN&date=2022-12-11&source=nbp")
    assert answer["results"] == {"PLN": 0.03256}
    assert (answer["source"], answer["rule"], answer["fixed_on"]) == ("nbp", "day", "2022-12-09")
    leg = {"base": "JPY", "quote": "PLN", "value": "3.256", "date": "2022-12-09", "nominal": 100}
    assert answer["published"] == {"PLN": [leg]}


def test_a_cross_is_made_within_the_publishers_table(booking):
    answer = answered(booking, "/convert?from=USD&to=EUR&amount=1000&date=2022-12-09&source=nbp&precision=6")
    assert answer["result"]["EUR"] == round(1000 * 4.4351 / 4.6852, 6)
    assert [leg["base"] for leg in answer["published"]["EUR"]] == ["USD", "EUR"]
    assert answer["fixed_on"] == "2022-12-09"


@pytest.mark.parametrize(
    ("rule", "day", "counts"),
    [
        ("day", "2022-12-09", "2022-12-09"),
        ("day", "2022-12-11", "2022-12-09"),
        ("before", "2022-12-09", "2022-12-08"),
        ("before", "2022-12-12", "2022-12-09"),
        # Printed on the 8th, the 9th and the 12th: each on the day of the next fixing.
        ("gazette-before", "2022-12-09", "2022-12-07"),
        ("gazette-before", "2022-12-10", "2022-12-08"),
        ("gazette-before", "2022-12-12", "2022-12-08"),
        ("gazette-before", "2022-12-13", "2022-12-09"),
        ("next", "2022-12-10", "2022-12-12"),
        ("next", "2022-12-09", "2022-12-09"),
        ("month-end", "2022-12-05", "2022-12-30"),
        ("previous-month-end", "2022-12-31", "2022-11-30"),
        ("penultimate-wednesday", "2022-12-15", "2022-11-23"),
        ("previous-mid-month", "2022-12-20", "2022-11-15"),
        ("year-end", "2022-02-01", "2022-12-30"),
    ],
)
def test_a_rule_says_which_publication_counts(booking, published, rule, day, counts):
    answer = answered(booking, f"/historical?from=EUR&to=USD&date={day}&source=ecb&rule={rule}")
    assert (answer["fixed_on"], answer["results"]["USD"]) == (counts, float(published[counts]["USD"]))
    agreed = answered(booking, f"/historical?from=EUR&to=USD&date={day}&rule={rule}")
    assert (agreed["fixed_on"], agreed["results"]) == (counts, answer["results"])
    assert "source" not in agreed


def test_an_amount_is_converted_by_the_rule_that_rounds_the_mean_in_its_own_direction(booking):
    answer = answered(booking, "/convert?from=USD&to=EUR&amount=1000&date=2023-03-15&booking=de-vat&precision=6")
    assert answer["result"]["EUR"] == float(round(Fraction(1000) / Fraction("1.0706"), 6))


def test_a_series_of_one_source_has_only_its_own_days(booking, published):
    query = "/time-series?from=EUR&to=USD&start=2023-04-05&end=2023-04-12&source=ecb"
    days = [day for day in sorted(published) if "2023-04-05" <= day <= "2023-04-12"]
    answer = answered(booking, query)
    assert answer["results"]["USD"] == {day: float(published[day]["USD"]) for day in days}
    assert answer["source"] == "ecb"


def test_frankfurter_2_has_the_rates_of_one_provider(frankfurter, published):
    row = {"date": "2022-12-09", "base": "USD", "quote": "PLN"}
    assert answered(frankfurter, "/v2/rate/USD/PLN?date=2022-12-11&providers=NBP") == row | {"rate": 4.4351}
    of_ecb = answered(frankfurter, "/v2/rate/USD/PLN?date=2022-12-11&providers=ecb")
    legs = published["2022-12-09"]
    assert of_ecb == row | {"rate": pytest.approx(float(legs["PLN"]) / float(legs["USD"]), rel=1e-9)}
    all_of_nbp = answered(frankfurter, "/v2/rates?base=PLN&date=2022-12-09&providers=nbp")
    assert [each["quote"] for each in all_of_nbp] == ["EUR", "JPY", "USD"]
    period = "/v2/rates?base=EUR&quotes=USD&from=2023-04-05&to=2023-04-12&providers=ecb"
    days = [day for day in sorted(published) if "2023-04-05" <= day <= "2023-04-12"]
    assert answered(frankfurter, period) == [
        {"date": day, "base": "EUR", "quote": "USD", "rate": float(published[day]["USD"])} for day in days
    ]
    assert len(answered(frankfurter, f"{period}&group=month")) == 1
    listed = answered(frankfurter, "/v2/providers")
    assert [(each["key"], each["base"]) for each in listed] == [("BANXICO", "MXN"), ("ECB", "EUR"), ("NBP", "PLN")]


@pytest.mark.parametrize(
    "query", ["/v2/rates?providers=ecb,nbp", "/v2/rates?providers=kraken", "/v2/rates?providers=nobody"]
)
def test_frankfurter_2_refuses_providers_that_it_cannot_answer_from(frankfurter, query):
    reply = frankfurter.get(query)
    assert (reply.status, reply.json["status"]) == (422, 422)
    assert "rovider" in reply.json["message"] or "source" in reply.json["message"]


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    "choice",
    ["source=ecb&rule=day", "source=ecb&rule=before", "source=nbp&rule=before", "rule=next", "booking=eu-customs",
     "booking=de-vat", "booking=eu-oss", "source=ecb&rule=month-end"],
)  # fmt: skip
def test_a_series_by_a_rule_has_what_counts_for_each_day(booking, choice):
    pair = "from=USD&to=PLN" if "nbp" in choice else "from=EUR&to=USD"
    period = [str(day) for day in (date(2022, 12, number) for number in range(1, 32))]
    found = answered(booking, f"/time-series?{pair}&start={period[0]}&end={period[-1]}&verbose=1&{choice}")
    target, single = pair[-3:], {}
    for day in period:
        reply = booking.get(f"/historical?{pair}&date={day}&{choice}")
        if reply.status == 200:
            single[day] = reply.json
    assert found["results"][target] == {day: each["results"][target] for day, each in single.items()}
    fixed_on = {day: each["fixed_on"] for day, each in single.items() if each["fixed_on"] != day}
    assert found.get("fixed_on", {}) == fixed_on
    assert single
    assert (found["rule"], found.get("source"), found.get("booking")) == tuple(
        single[max(single)].get(name) for name in ("rule", "source", "booking")
    )
    table = booking.get(f"/time-series.csv?{pair}&start={period[0]}&end={period[-1]}&{choice}").text.splitlines()[1:]
    assert [line.split(",")[0] for line in table] == [*single]
    assert [line.split(",")[-1] for line in table] == [each["fixed_on"] for each in single.values()]


def test_a_series_by_a_rule_is_refused_where_a_day_would_be(booking):
    month = "from=EUR&to=USD&start=2022-12-01&end=2022-12-31"
    assert "booking-rules" in refused(booking, f"/time-series?{month}&booking=nope")
    assert "[booking] names the source" in refused(booking, f"/time-series?{month}&booking=de-vat&rule=day")
    assert "cannot be combined" in refused(booking, f"/time-series?{month}&rule=before&rate_type=parallel")
    assert "[EUR] to [SEK]" in refused(
        booking, "/time-series?from=EUR&to=SEK&start=2022-12-01&source=ecb&rule=day", 404
    )
    eleven_years = "from=EUR&to=USD&start=2012-01-01&end=2023-01-01&booking=eu-customs"
    assert "[4019]" in refused(booking, f"/time-series?{eleven_years}")
    assert "[4018]" in refused(booking, "/time-series?from=EUR&to=USD,GBP&start=2017-07-02&end=2022-12-31&rule=before")


@pytest.mark.parametrize("by", ["week", "month", "quarter", "year"])
def test_averages_are_those_of_an_independent_computation(booking, published, by):
    query = f"/averages?from=EUR&to=JPY&start=2022-02-07&end=2023-10-20&by={by}&source=ecb"
    found = answered(booking, query)["results"]["JPY"]
    for period in found:
        rates = {
            day: float(published[day]["JPY"]) for day in sorted(published) if period["start"] <= day <= period["end"]
        }
        values = list(rates.values())
        assert period["mean"] == pytest.approx(fmean(values), rel=1e-9)
        assert (period["open"], period["close"]) == (values[0], values[-1])
        assert (period["low"], period["high"], period["days"]) == (min(values), max(values), len(values))
        assert (period["opened"], period["closed"]) == (min(rates), max(rates))
    assert len(found) == {"week": 89, "month": 21, "quarter": 8, "year": 2}[by]
    assert found[0]["start"] == {"week": "2022-02-07", "month": "2022-02-01"}.get(by, "2022-01-01")


def test_a_year_may_begin_on_another_day(booking, published):
    query = "/averages?from=EUR&to=GBP&start=2022-04-06&end=2023-04-05&by=year&year_start=04-06&source=ecb"
    (year,) = answered(booking, query)["results"]["GBP"]
    values = [float(rates["GBP"]) for day, rates in published.items() if "2022-04-06" <= day <= "2023-04-05"]
    assert (year["start"], year["end"], year["days"]) == ("2022-04-06", "2023-04-05", len(values))
    assert year["mean"] == pytest.approx(fmean(values), rel=1e-9)


def test_calendar_days_are_counted_with_the_rates_carried_forward(booking):
    (month,) = answered(booking, "/averages?from=EUR&to=USD&start=2023-04-01&end=2023-04-30&method=calendar")[
        "results"
    ]["USD"]
    series = answered(booking, "/time-series?from=EUR&to=USD&start=2023-04-01&end=2023-04-30")["results"]["USD"]
    assert (month["days"], month["mean"]) == (30, pytest.approx(fmean(series.values()), rel=1e-9))


def test_where_no_day_is_known_a_published_average_is_given_as_what_it_is(booking):
    query = "/averages?from=USD&to=INR,CZK&start=1972-05-01&end=1973-02-01&by=year"
    answer = answered(booking, f"{query}&partial=true")
    first, second = answer["results"]["INR"]
    assert answer["unavailable"] == ["CZK"]
    assert (first["start"], first["mean"], first["made"]) == ("1972-01-01", 7.594468374, "published average")
    assert first["publishers"] == [
        "World Bank, World Development Indicators: official exchange rate, period average (PA.NUS.FCRF)"
    ]
    assert [first[name] for name in ("open", "high", "low", "close", "opened", "closed", "days")] == [None] * 6 + [0]
    assert second["mean"] == 7.742038562
    rows = booking.get(query.replace("?", ".csv?").replace(",CZK", "")).text.splitlines()
    assert rows[1].startswith('1972-01-01,1972-12-31,USD,INR,7.594468374,,,,,,,0,260,"published average: World Bank')
    gold = answered(booking, "/averages?from=XAU&to=USD&start=1971-08-01&end=1971-08-31")["results"]["USD"]
    assert [(each["mean"], each["made"]) for each in gold] == [(42.71, "published average")]


def test_a_published_average_is_no_rate_of_a_source_or_day(booking):
    refused = "/averages?from=USD&to=INR&start=1972-05-01&end=1972-06-01&by=year"
    assert booking.get(f"{refused}&source=ecb").status == 404
    assert booking.get(f"{refused}&year_start=04-01").status == 404
    assert booking.get("/historical?from=USD&to=INR&date=1972-05-02").status == 404


def test_averages_of_an_authority_are_its_figures(booking):
    query = "/averages?from=EUR&to=USD,CZK&start=2024-01-01&end=2024-01-31&booking=de-vat"
    answer = answered(booking, query)["results"]
    assert [answer[code][0]["mean"] for code in ("USD", "CZK")] == [1.0905, 24.716]


def test_the_close_of_a_longer_interval_is_its_last_rate(booking):
    answer = answered(booking, "/time-series?from=EUR&to=USD&start=2023-01-01&end=2023-03-31&interval=P1M")
    daily = answered(booking, "/time-series?from=EUR&to=USD&start=2023-01-01&end=2023-03-31")["results"]["USD"]
    assert answer["results"]["USD"] == {day: daily[day] for day in ("2023-01-31", "2023-02-28", "2023-03-31")}
    assert answer["interval"] == "P1M"


@pytest.mark.parametrize(
    ("query", "status", "says"),
    [
        ("/historical?to=PLN&date=2022-12-09&source=nbpp", 400, "did you mean [nbp]?"),
        ("/historical?to=PLN&date=2022-12-09&source=a b", 400, "Invalid source"),
        ("/historical?to=PLN&date=2022-12-09&source=kraken", 400, "prices of trades"),
        ("/historical?to=PLN&date=2022-12-09&rule=noon", 400, "Options are [day, before, gazette-before, next"),
        ("/historical?to=PLN&date=2022-12-09&booking=pl-vta", 400, "did you mean [pl-vat]?"),
        ("/historical?to=CHF&date=2022-12-09&booking=ch-vat", 400, "is not answered here: the Federal Tax"),
        ("/historical?to=PLN&date=2022-12-09&booking=pl-vat&source=ecb", 400, "leave out [source]"),
        (
            "/historical?to=PLN&date=2022-12-09&source=nbp&rate_type=official",
            400,
            "cannot be combined with [rate_type]",
        ),
        ("/historical?to=PLN&date=2022-12-09&source=nbp&as_of=2026-11-01T00:00:00Z", 400, "as_of"),
        ("/historical?date=2022-12-09&source=nbp", 400, "needs the targets in [to]"),
        ("/historical?to=THB&date=2022-12-09&source=nbp", 404, "[nbp] has no rate from [USD] to [THB]"),
        ("/historical?to=PLN&date=2022-11-01&source=nbp", 404, "nearest day with one is [2022-12-08]"),
        ("/historical?to=PLN&date=2026-11-20&source=ecb&rule=month-mean", 404, "yet"),
        ("/averages?to=EUR&start=2023-01-01&booking=pl-vat", 400, "counts the rate of one day"),
        ("/averages?to=EUR&start=2023-01-01&booking=de-vat&by=week", 400, "it takes by=month alone"),
        ("/averages?to=EUR&start=2023-01-01&year_start=02-30", 400, "Invalid year_start"),
        ("/averages?to=EUR&start=2023-01-01&source=ecb&method=calendar", 400, "only published days count"),
        ("/averages?to=EUR&start=2023-02-01&end=2023-01-01", 400, "is after end"),
        ("/averages?to=EUR", 400, "Missing parameter: [start]"),
        ("/fetch-one?to=EUR&source=ecb", 400, "is not taken by /fetch-one"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_sentence_and_costs_nothing(booking, query, status, says):
    assert says in refused(booking, query, status)


@pytest.fixture
def limited(make_client):
    plans = PLANS | {"p": structs.replace(PLANS["unlimited"], name="p", history_days=40)}
    return make_client(stored_keys={digest(KEY): StoredKey(9, Account(9, "limited", "p"))}, plans=plans)


@pytest.mark.parametrize(
    "query",
    [
        "/historical?from=EUR&to=USD&date=2026-11-20&rule=year-mean",
        "/historical?from=EUR&to=USD&date=2026-11-20&rule=previous-october",
        "/convert?from=EUR&to=USD&amount=1&date=2026-11-20&rule=previous-october",
        "/averages?from=EUR&to=USD&start=2026-11-20&by=year",
    ],
)
def test_a_plan_must_include_the_days_that_count(limited, query):
    assert (limited.get(query).status, limited.get(query).json["code"]) == (403, "not_in_plan")
    assert limited.get("/historical?from=EUR&to=USD&date=2026-11-05&rule=day").status == 200


def test_all_rules_are_listed_with_the_reason_of_those_that_are_not_answered(booking):
    rules = answered(booking, "/booking-rules")["booking-rules"]
    assert set(rules) == set(BOOKING_RULES)
    assert all((rule["unanswered"] is None) == bool(rule["source"] and rule["rule"]) for rule in rules.values())
    lines = booking.get("/booking-rules.csv").text.splitlines()
    assert len(lines) == len(rules) + 1


def test_a_file_is_converted_by_the_rule_of_an_authority(booking):
    body = b"amount,from,to,date\n1000,USD,EUR,2023-03-15\n5,THB,EUR,2023-03-15\n"
    reply = booking.request("POST", "/convert/bulk?booking=de-vat", body=body, headers={"Content-Type": "text/csv"})
    assert reply.status == 200, reply.text
    assert reply.headers["X-Calls-Cost".lower()] == "1"
    first, second = list(csv.DictReader(io.StringIO(reply.text)))
    assert (first["result"], first["rate"], first["as_of"]) == ("934.06", "0.9340556697", "2023-03-31")
    assert (second["result"], second["error"]) == ("", "[ecb] has no rate from [THB] to [EUR]")


def test_one_request_reads_only_so_many_whole_histories(booking):
    read, asked = booking.worker_state.readers.source_rates, []
    read_with(booking.worker_state, source_rates=lambda *args: asked.append(args[2:]) or read(*args))
    rows = "".join(f"1,EUR,USD,{1999 + n // 300}-{n % 12 + 1:02}-{n % 25 + 1:02}\n" for n in range(600))
    body = b"amount,from,to,date\n" + rows.encode()
    reply = booking.request("POST", "/convert/bulk?source=ecb", body=body, headers={"Content-Type": "text/csv"})
    assert reply.text.count("; the nearest day with one is [") == 50
    assert reply.text.count("was published between") == 600
    assert len(asked) <= 60


def test_a_sandbox_answers_a_booking_with_simulated_rates_and_says_so(client):
    client.worker_state.apply_source_reports(SourceReports(NOW, (report("simulated", "", "simulated"),)))
    answer = answered(client, "/historical?from=EUR&to=USD&date=2023-03-15&booking=de-vat")
    assert (answer["source"], answer["booking"]["key"], answer["published"]) == ("simulated", "de-vat", {"USD": []})
    averages = answered(client, "/averages?from=EUR&to=USD&start=2023-03-01&end=2023-03-31&booking=de-vat")
    assert (averages["source"], averages["results"]["USD"][0]["mean"]) == ("simulated", answer["results"]["USD"])
    assert "are all of [simulated]" in refused(client, "/historical?from=EUR&to=USD&date=2023-03-15&source=ecb")


def examples():
    """Return what the guide asks with curl, and what it shows as the answer."""
    text = (Path(__file__).parents[2] / "docs" / "guides" / "accounting.md").read_text(encoding="utf-8")
    return re.findall(r"^\$ curl .*? 'http://127\.0\.0\.1:8000(.*?)'\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("target", "shown"), examples(), ids=[target for target, _ in examples()])
def test_the_guide_shows_what_is_answered(booking, target, shown):
    text = re.sub(r'"ms":[0-9]+', '"ms":…', booking.get(target).text)
    assert text.split() == shown.split()
    assert len(examples()) == 2
