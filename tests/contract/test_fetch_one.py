"""`GET /fetch-one` as the API documents it."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from decimal import Context
from fractions import Fraction

import pytest

NEWEST = "2026-10-30T13:15:00Z"


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


def written(text: str, code: str) -> str:
    found = re.search(rf'"{code}":([^,}}]+)', text)
    assert found, text
    return found[1]


def test_it_answers_base_result_updated_and_ms_in_this_order(client):
    reply = client.get("/fetch-one?from=EUR&to=USD")
    assert reply.status == 200
    assert list(reply.json) == ["base", "result", "updated", "ms"]
    assert reply.json | {"ms": 0} == {"base": "EUR", "result": {"USD": 1.1172}, "updated": NEWEST, "ms": 0}


def test_ms_is_an_integer_and_last(client):
    for _ in range(2):  # made, then kept
        assert re.search(r',"ms":[0-9]+}$', client.get("/fetch-one?from=EUR&to=USD").text)


@pytest.mark.parametrize(
    ("source", "target", "rate"),
    [
        ("EUR", "USD", "1.1172"),
        ("USD", "JPY", "157.2502685"),
        ("USD", "EUR", "0.8950948801"),
        ("USD", "AED", "3.6725"),
        ("IDR", "EUR", "0.00004932141136"),
        ("USD", "USD", "1"),
    ],
)
def test_selected_figures_are_written_digit_by_digit(client, source, target, rate):
    assert written(client.get(f"/fetch-one?from={source}&to={target}").text, target) == rate


def test_every_pair_of_the_newest_fixing_is_its_exact_cross_to_ten_digits(client, per_euro):
    wrong = {}
    for source, base_units in per_euro.items():
        for target in ("EUR", "USD", "JPY", "IDR", "GBP"):
            expected = ten_digits(per_euro[target] / base_units)
            got = written(client.get(f"/fetch-one?from={source}&to={target}").text, target)
            if got != expected:
                wrong[source, target] = got, expected
    assert not wrong


def test_a_weak_currency_keeps_its_digits_in_plain_notation(client, per_euro):
    for source in ("IDR", "KRW", "HUF"):
        got = written(client.get(f"/fetch-one?from={source}&to=GBP").text, "GBP")
        assert re.fullmatch(r"0\.0*[1-9][0-9]*", got)
        assert len(got.removeprefix("0.").lstrip("0")) in {9, 10}
        assert got == ten_digits(per_euro["GBP"] / per_euro[source])


@pytest.mark.parametrize("query", ["to=EUR", "from=&to=EUR", "from=%20&to=EUR"])
def test_the_source_is_the_dollar_when_left_out(client, query):
    assert client.get(f"/fetch-one?{query}").json["base"] == "USD"


@pytest.mark.parametrize("query", ["from=EUR", "from=EUR&to=", "to=&from=EUR"])
def test_the_target_is_the_dollar_when_left_out(client, query):
    reply = client.get(f"/fetch-one?{query}").json
    assert (reply["base"], reply["result"]) == ("EUR", {"USD": 1.1172})


@pytest.mark.parametrize("query", ["", "?", "?from=&to=", "?to=", "?from=", "?x=EUR"])
def test_neither_source_nor_target_is_refused(client, query):
    reply = client.get(f"/fetch-one{query}")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert "[to]" in reply.json["error"]


@pytest.mark.parametrize("code", ["USD", "EUR", "AED", "JPY", "RUB", "DEM"])
def test_a_currency_in_itself_is_exactly_1(client, code):
    reply = client.get(f"/fetch-one?from={code}&to={code}")
    assert written(reply.text, code) == "1"
    assert list(reply.json["result"]) == [code]


def test_updated_is_the_time_of_the_market_and_not_of_the_request(client):
    for pair in ("from=EUR&to=USD", "from=AED&to=USD", "from=USD&to=USD", "from=DEM&to=FRF"):
        assert client.get(f"/fetch-one?{pair}").json["updated"] == NEWEST


@pytest.mark.parametrize(
    ("code", "units"),
    [("HRK", 7.5345), ("BGN", 1.95583), ("DEM", 1.95583), ("FRF", 6.55957), ("ITL", 1936.27), ("GRD", 340.75)],
)
def test_an_ended_currency_converts_at_its_fixed_rate(client, code, units):
    reply = client.get(f"/fetch-one?from=EUR&to={code}").json
    assert (reply["result"], reply["updated"]) == ({code: units}, NEWEST)


def test_ended_currencies_cross_at_the_ratio_of_their_fixed_rates(client):
    text = client.get("/fetch-one?from=DEM&to=FRF").text
    assert written(text, "FRF") == ten_digits(Fraction("6.55957") / Fraction("1.95583"))


def test_a_currency_that_no_source_publishes_is_503_with_retry_after(client):
    reply = client.get("/fetch-one?from=EUR&to=XDR")
    assert (reply.status, reply.json["code"]) == (503, "rate_unavailable")
    assert "[XDR]" in reply.json["error"]
    assert int(reply.headers["retry-after"]) > 0


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("from=EUR&to=ZZZ", "Invalid/unsupported target currency: [ZZZ]"),
        ("from=ZZZ&to=EUR", "Invalid/unsupported source currency: [ZZZ]"),
    ],
)
def test_an_unknown_code_is_named_with_its_side(client, query, sentence):
    reply = client.get(f"/fetch-one?{query}")
    assert (reply.status, reply.json["error"], reply.json["code"]) == (400, sentence, "unknown_currency")


def test_it_costs_one_call(client):
    assert client.get("/fetch-one?from=EUR&to=USD").headers["x-calls-cost"] == "1"


def test_rates_within_max_age_are_answered(client):
    assert client.get("/fetch-one?from=EUR&to=USD&max_age=P21D").status == 200


def test_rates_older_than_max_age_are_503(client):
    reply = client.get("/fetch-one?from=EUR&to=USD&max_age=P20D")
    assert (reply.status, reply.json["code"]) == (503, "rate_unavailable")
    assert NEWEST in reply.json["error"]
    assert int(reply.headers["retry-after"]) > 0


def test_max_age_is_checked_also_for_a_cached_answer(client):
    assert client.get("/fetch-one?from=EUR&to=USD").status == 200
    assert client.get("/fetch-one?from=EUR&to=USD&max_age=PT1H").status == 503
    assert client.get("/fetch-one?from=EUR&to=USD").status == 200
