"""`GET /convert` is exact to the last requested digit."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import pytest

from cambist.pricing.rate_book import RateBook

SIXTY_DIGITS = "123456789012345678901234567890123456789012345678901234567.891"
assert len(SIXTY_DIGITS) == 61  # and a point


@pytest.fixture(scope="module")
def worth(real_book: RateBook) -> dict[str, Fraction]:
    """The midpoint of each code in dollars, as the book has it: a crossed one is rounded to eighteen digits."""
    return {"USD": Fraction(1)} | {code: quote.worth(code) for code, quote in real_book.quotes.items()}


def half_up(value: Fraction, places: int) -> str:
    """Round by whole numbers alone, a half going up, and write it without zeros that say nothing."""
    units = int(value * 10**places + Fraction(1, 2))
    whole, decimals = divmod(units, 10**places)
    shown = f"{whole}.{decimals:0{places}}" if places else str(whole)
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def written(text: str, name: str) -> str:
    found = re.search(rf'"{name}":([^,}}]+)', text)
    assert found, text
    return found[1]


def test_it_answers_base_amount_result_and_ms_in_this_order(client):
    reply = client.get("/convert?from=USD&to=JPY&amount=100")
    assert reply.status == 200
    assert list(reply.json) == ["base", "amount", "result", "updated", "ms"]
    assert reply.json | {"ms": 0} == {
        "base": "USD",
        "amount": 100,
        "result": {"JPY": 15725.03, "rate": 157.2502685},
        "updated": "2026-10-30T13:15:00Z",
        "ms": 0,
    }


def test_ms_is_an_integer_and_last(client):
    for _ in range(2):  # made, then kept
        assert re.search(r',"ms":[0-9]+}$', client.get("/convert?to=EUR&amount=1").text)


@pytest.mark.parametrize("target", ["EUR", "USD", "AED", "ZAR"])
def test_the_target_comes_first_and_then_the_rate(client, target):
    assert list(client.get(f"/convert?from=USD&to={target}&amount=5").json["result"]) == [target, "rate"]


@pytest.mark.parametrize("query", ["", "&from=", "&from=%20"])
def test_the_source_is_the_dollar_when_left_out(client, query):
    assert client.get(f"/convert?to=EUR&amount=1{query}").json["base"] == "USD"


@pytest.mark.parametrize(
    ("query", "name"),
    [("from=EUR&amount=1", "to"), ("to=&amount=1", "to"), ("to=USD", "amount"), ("to=USD&amount=", "amount")],
)
def test_what_is_missing_is_named(client, query, name):
    reply = client.get(f"/convert?{query}")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert f"[{name}]" in reply.json["error"]


@pytest.mark.parametrize(
    ("amount", "echoed"),
    [
        ("100", "100"),
        ("0.01", "0.01"),
        ("100.50", "100.5"),
        ("1234.5678", "1234.5678"),
        ("007", "7"),
        (".5", "0.5"),
        (SIXTY_DIGITS, SIXTY_DIGITS),
    ],
)
def test_the_amount_is_echoed_as_a_number_with_all_its_digits(client, amount, echoed):
    assert written(client.get(f"/convert?from=EUR&to=USD&amount={amount}").text, "amount") == echoed


@pytest.mark.parametrize("query", ["", "&precision=", "&precision=2"])
def test_without_a_precision_two_decimals_are_shown(client, query):
    assert written(client.get(f"/convert?from=EUR&to=USD&amount=1.23{query}").text, "USD") == "1.37"


@pytest.mark.parametrize("precision", range(21))
@pytest.mark.parametrize("amount", ["0.01", "1", "99.995", "1234567.89", SIXTY_DIGITS])
def test_the_amount_is_converted_exactly_and_rounded_once(client, worth, precision, amount):
    for source, target in (("USD", "JPY"), ("IDR", "EUR"), ("GBP", "KRW"), ("EUR", "CHF")):
        query = f"from={source}&to={target}&amount={amount}&precision={precision}"
        expected = half_up(Fraction(amount) * worth[source] / worth[target], precision)
        assert written(client.get(f"/convert?{query}").text, target) == expected


@pytest.mark.parametrize(
    ("amount", "precision", "rounded"),
    [
        ("0.5", 0, "1"),
        ("1.5", 0, "2"),
        ("2.5", 0, "3"),
        ("0.125", 2, "0.13"),
        ("0.135", 2, "0.14"),
        ("1.005", 2, "1.01"),
        ("0.4999999999999999999999", 0, "0"),
        ("0.00000000000000000005" + "1", 20, None),
        ("1.000000000000000000005", 20, "1.00000000000000000001"),
    ],
)
def test_a_half_goes_up(client, amount, precision, rounded):
    reply = client.get(f"/convert?from=EUR&to=EUR&amount={amount}&precision={precision}")
    if rounded is None:
        assert reply.status == 400  # less than 0.01
    else:
        assert written(reply.text, "EUR") == rounded


def test_sixty_digits_at_twenty_places_lose_none(client, worth):
    text = client.get(f"/convert?from=USD&to=JPY&amount={SIXTY_DIGITS}&precision=20").text
    exact = Fraction(SIXTY_DIGITS) * worth["USD"] / worth["JPY"]
    assert written(text, "JPY") == half_up(exact, 20)
    assert abs(Fraction(Decimal(written(text, "JPY"))) - exact) <= Fraction(1, 2 * 10**20)


def test_the_rate_has_ten_digits_while_the_result_is_made_of_all(client, worth):
    text = client.get("/convert?from=USD&to=JPY&amount=1&precision=20").text
    assert written(text, "rate") == "157.2502685"
    assert written(text, "JPY") == half_up(worth["USD"] / worth["JPY"], 20) != "157.2502685"


def test_the_rate_of_a_weak_currency_is_plain_and_never_0(client):
    text = client.get("/convert?from=IDR&to=EUR&amount=0.01").text
    assert written(text, "rate") == "0.00004932141136"


def test_large_and_small_results_are_written_without_exponent(client):
    large = written(client.get(f"/convert?from=EUR&to=IDR&amount=1{'0' * 40}").text, "IDR")
    assert (large[:17], len(large)) == ("20275170000000000", 45)
    small = written(client.get("/convert?from=IDR&to=EUR&amount=0.01&precision=20").text, "EUR")
    assert re.fullmatch(r"0\.000000[0-9]+", small)


def test_the_same_currency_converts_at_1(client):
    text = client.get("/convert?from=EUR&to=EUR&amount=12.34").text
    assert '"result":{"EUR":12.34,"rate":1}' in text


@pytest.mark.parametrize(("code", "units"), [("HRK", "7.5345"), ("BGN", "1.95583"), ("DEM", "1.95583")])
def test_an_ended_currency_converts_at_its_fixed_rate(client, code, units):
    reply = client.get(f"/convert?from={code}&to=EUR&amount={units}&precision=20").text
    assert written(reply, "EUR") == "1"


def test_an_ended_currency_at_its_largest_old_note_is_exact(client):
    text = client.get("/convert?from=HRK&to=EUR&amount=1000&precision=2").text
    assert written(text, "EUR") == "132.72"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("from=EUR&to=ZZZ&amount=1", "Invalid/unsupported target currency: [ZZZ]"),
        ("from=ZZZ&to=EUR&amount=1", "Invalid/unsupported source currency: [ZZZ]"),
    ],
)
def test_an_unknown_code_is_named_with_its_side(client, query, sentence):
    reply = client.get(f"/convert?{query}")
    assert (reply.status, reply.json["error"]) == (400, sentence)


def test_a_conversion_costs_one_call(client):
    assert client.get("/convert?to=EUR&amount=1").headers["x-calls-cost"] == "1"


def test_rates_older_than_max_age_are_503(client):
    assert client.get("/convert?to=EUR&amount=1&max_age=PT2H").status == 503


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("2.5E7", "25000000"),
        ("1.0E+15", "1000000000000000"),
        ("1.0E%2B15", "1000000000000000"),
        ("1e+16", "10000000000000000"),
        ("1e16", "10000000000000000"),
        ("1.5e-1", "0.15"),
        ("123456.789e2", "12345678.9"),
        ("1e022", "10000000000000000000000"),
    ],
)
def test_amounts_in_exponent_form_are_read_and_echoed_plainly(client, text, amount):
    reply = client.get(f"/convert?from=EUR&to=EUR&amount={text}&precision=1")
    assert reply.status == 200, reply.text
    assert f'"amount":{amount},' in reply.text
    plain = client.get(f"/convert?from=EUR&to=EUR&amount={amount}&precision=1")
    assert reply.text.partition(',"ms"')[0] == plain.text.partition(',"ms"')[0]


def test_the_answer_has_the_time_of_its_rate(client):
    assert client.get("/convert?from=EUR&to=USD&amount=1").json["updated"] == "2026-10-30T13:15:00Z"


def test_a_date_converts_at_the_rate_of_that_day(client):
    reply = client.get("/convert?from=EUR&to=USD&amount=1e15&precision=6&date=2026-10-24")
    assert reply.status == 200
    assert (
        '"amount":1000000000000000,"result":{"USD":1119300000000000.000000,"rate":1.1193},"date":"2026-10-24","fixed_on":"2026-10-23"'
        in (reply.text.replace("1119300000000000,", "1119300000000000.000000,"))
    )


@pytest.mark.parametrize("day", ["1999-01-04", "2001-07-14", "2024-02-29", "2026-10-25", "2026-11-13"])
@pytest.mark.parametrize("source", ["EUR", "JPY", "USD"])
def test_the_rate_of_a_day_is_the_one_of_historical(client, day, source):
    rates = re.findall(r'"([A-Z]{3})":([0-9.]+)', client.get(f"/historical?date={day}&from={source}").text)
    assert len(rates) > 20
    for code, rate in rates:
        assert f'"rate":{rate}}}' in client.get(f"/convert?from={source}&to={code}&amount=1&date={day}").text


def test_a_day_without_a_rate_is_404_and_the_day_after_tomorrow_400(client):
    assert client.get("/convert?from=EUR&to=RUB&amount=1&date=2026-10-30").json["code"] == "no_rate"
    assert client.get("/convert?from=BTC&to=USD&amount=1&date=2026-10-30").json["code"] == "no_rate"
    assert client.get("/convert?from=EUR&to=XOF&amount=1&date=2026-11-22").json["code"] == "bad_parameter"
    body = client.get("/convert?from=EUR&to=XOF&amount=1&date=2026-11-21").json
    assert (body["date"], body["result"]["rate"]) == ("2026-11-20", 655.957)


def test_without_a_date_none_is_echoed(client):
    assert "date" not in client.get("/convert?from=EUR&to=USD&amount=1").json
