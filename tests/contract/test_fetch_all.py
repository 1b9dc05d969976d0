"""`GET /fetch-all` as the API documents it."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from decimal import Context
from fractions import Fraction

import pytest


@pytest.fixture(scope="module")
def per_euro(bundled: bytes) -> dict[str, Fraction]:
    """Units per euro of 2026-10-30, from the ECB's published text."""
    text = zipfile.ZipFile(io.BytesIO(bundled)).read("eurofxref-hist.csv").decode()
    newest = next(csv.DictReader(io.StringIO(text)))
    assert newest.pop("Date") == "2026-10-30"
    return {"EUR": Fraction(1)} | {code: Fraction(cell) for code, cell in newest.items() if code and cell != "N/A"}


def ten_digits(value: Fraction) -> str:
    rounded = format(Context(prec=10).divide(value.numerator, value.denominator), "f")
    return rounded.rstrip("0").rstrip(".") if "." in rounded else rounded


def test_it_answers_base_results_updated_and_ms_in_this_order(client):
    reply = client.get("/fetch-all?from=EUR")
    assert reply.status == 200
    assert list(reply.json) == ["base", "results", "updated", "ms"]
    assert reply.json["base"] == "EUR"
    assert reply.json["updated"] == "2026-10-30T13:15:00Z"


def test_ms_is_an_integer_and_last(client):
    for _ in range(2):  # made, then kept
        assert re.search(r',"ms":[0-9]+}$', client.get("/fetch-all").text)


@pytest.mark.parametrize("source", ["USD", "EUR", "JPY", "HRK"])
def test_results_are_sorted_by_code(client, source):
    codes = list(client.get(f"/fetch-all?from={source}").json["results"])
    assert codes == sorted(codes)


@pytest.mark.parametrize("query", ["", "?", "?from=", "?from=%20"])
def test_the_source_is_the_dollar_when_left_out(client, query):
    reply = client.get(f"/fetch-all{query}").json
    assert (reply["base"], reply["results"]["AED"], reply["results"]["USD"]) == ("USD", 3.6725, 1)


@pytest.mark.parametrize("source", ["USD", "EUR", "AED", "ZAR"])
def test_the_source_is_1_and_listed(client, source):
    assert f'"{source}":1,' in client.get(f"/fetch-all?from={source}").text.replace("}", ",")


@pytest.mark.long(every=3)
@pytest.mark.parametrize("source", ["EUR", "USD", "IDR"])
def test_every_published_currency_is_its_exact_cross_to_ten_digits(client, per_euro, source):
    text = client.get(f"/fetch-all?from={source}").text
    missing = [
        f'"{code}":{ten_digits(units / per_euro[source])}'
        for code, units in per_euro.items()
        if not re.search(rf'"{code}":{re.escape(ten_digits(units / per_euro[source]))}[,}}]', text)
    ]
    assert not missing


@pytest.mark.parametrize("source", ["USD", "IDR", "GBP"])
def test_numbers_are_plain_and_never_0(client, source):
    numbers = re.findall(r'"[A-Z]{3}":([^,}]+)', client.get(f"/fetch-all?from={source}").text)
    assert len(numbers) > 60
    assert all(re.fullmatch(r"[0-9]+(\.[0-9]*[1-9])?", number) and float(number) > 0 for number in numbers)


@pytest.mark.parametrize("code", ["HRK", "BGN", "DEM", "ANG", "XEU"])
def test_ended_currencies_are_not_listed(client, code):
    assert code not in client.get("/fetch-all?from=EUR").json["results"]


def test_a_currency_whose_newest_rate_is_years_old_is_not_listed(client):
    assert "RUB" not in client.get("/fetch-all?from=EUR").json["results"]


def test_what_is_pegged_to_a_published_currency_is_listed(client):
    results = client.get("/fetch-all?from=EUR").json["results"]
    assert results["BAM"] == 1.95583
    assert results["XAF"] == results["XOF"] == 655.957
    assert results["DKK"] == results["FOK"] == 7.4735


def test_an_ended_currency_may_be_the_source(client):
    reply = client.get("/fetch-all?from=HRK").json
    assert reply["base"] == "HRK"
    assert reply["results"]["EUR"] == 0.1327228084


def test_an_unknown_source_is_refused_by_name(client):
    reply = client.get("/fetch-all?from=ZZZ")
    assert (reply.status, reply.json["error"]) == (400, "Invalid/unsupported source currency: [ZZZ]")


def test_it_costs_one_call(client):
    assert client.get("/fetch-all").headers["x-calls-cost"] == "1"
