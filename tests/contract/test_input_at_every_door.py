"""What a question says is read by the same rules at every door: the same number, or a refusal, at all of them.

A door is one way to ask for a rate: an endpoint, a table, a dialect, a tool, a row of a file. Each answer is read for
the rate of one pair, and compared with the rate that the endpoint answers.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from tests.conftest import client_of

from cambist.registry.wiring.components import DIALECTS, dialects
from cambist.settings import Settings

TODAY, TOMORROW, LATER = "2026-11-20", "2026-11-21", "2026-11-22"
FRIDAY, SATURDAY, HOLIDAY = "2024-03-01", "2024-03-02", "2024-03-29"
BEFORE_HOLIDAY = "2024-03-28"

Read = Callable[[Any], Any]


@dataclass(frozen=True)
class Door:
    """A request with places for two codes, a day and an amount, and how the rate is read from its answer."""

    name: str
    target: str
    read: Read
    body: str = ""
    kind: str = "text/csv"
    day_of: Read | None = None

    @property
    def is_dated(self) -> bool:
        return "{day}" in self.target + self.body

    @property
    def takes_amounts(self) -> bool:
        return "{amount}" in self.target + self.body


def only(reply: Any, *path: str | int) -> Any:
    """Return what lies on a path of a JSON answer; `*` is the one value of an object."""
    found = reply.json
    for step in path:
        found = next(iter(found.values())) if step == "*" else found[step]
    return found


def at(*path: str | int) -> Read:
    return lambda reply: only(reply, *path)


def cell(row: int, column: int) -> Read:
    return lambda reply: float(list(csv.reader(io.StringIO(reply.text)))[row][column])


def text_cell(row: int, column: int) -> Read:
    return lambda reply: list(csv.reader(io.StringIO(reply.text)))[row][column]


def tool(name: str, **arguments: str) -> str:
    params = {"name": name, "arguments": {"from": "{a}", "to": "{b}", **arguments}}
    text = msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).decode()
    return text.replace("{", "{{").replace("}", "}}").replace("{{a}}", "{a}").replace("{{b}}", "{b}").replace(
        "{{day}}", "{day}"
    ).replace("{{amount}}", "{amount}")  # fmt: skip


def content(*path: str | int) -> Read:
    return lambda reply: float(only(reply, "result", "structuredContent", *path))


LIVE = (
    Door("fetch-one", "/fetch-one?from={a}&to={b}", at("result", "*")),
    Door("fetch-multi", "/fetch-multi?from={a}&to={b}", at("results", "*")),
    Door("fetch-many-to-one", "/fetch-many-to-one?from={a}&to={b}", at("from", "*")),
    Door("fetch-matrix", "/fetch-matrix?from={a}&to={b}", at("matrix", "*", "*")),
    Door("frankfurter 1", "/v1/latest?base={a}&symbols={b}", at("rates", "*"), day_of=at("date")),
    Door("frankfurter from", "/v1/latest?from={a}&to={b}", at("rates", "*"), day_of=at("date")),
    Door("frankfurter 2", "/v2/rates?base={a}&quotes={b}", at(0, "rate"), day_of=at(0, "date")),
    Door("frankfurter csv", "/v2/rates.csv?base={a}&quotes={b}", cell(1, 3), day_of=text_cell(1, 0)),
    Door("frankfurter pair", "/v2/rate/{a}/{b}", at("rate"), day_of=at("date")),
    Door("fixer", "/fixer/latest?base={a}&symbols={b}", at("rates", "*"), day_of=at("date")),
    Door("exchangerate-api", "/v6-of-key/pair/{a}/{b}", at("conversion_rate")),
    Door("currencylayer", "/live?source={a}&currencies={b}", at("quotes", "*")),
    Door("openexchangerates", "/api/latest.json?base={a}&symbols={b}", at("rates", "*")),
)
DATED = (
    Door("historical", "/historical?date={day}&from={a}&to={b}", at("results", "*")),
    Door("historical csv", "/historical.csv?date={day}&from={a}&to={b}", cell(1, 3)),
    Door("time-series", "/time-series?from={a}&to={b}&start={day}&end={day}", at("results", "*", "*")),
    Door("frankfurter 1 day", "/v1/{day}?base={a}&symbols={b}", at("rates", "*"), day_of=at("date")),
    Door("frankfurter 2 day", "/v2/rates?date={day}&base={a}&quotes={b}", at(0, "rate"), day_of=at(0, "date")),
    Door("frankfurter pair day", "/v2/rate/{a}/{b}?date={day}", at("rate"), day_of=at("date")),
    Door("fixer day", "/fixer/{day}?base={a}&symbols={b}", at("rates", "*"), day_of=at("date")),
    Door("openexchangerates day", "/api/historical/{day}.json?base={a}&symbols={b}", at("rates", "*")),
    Door(
        "openexchangerates series",
        "/api/time-series.json?start={day}&end={day}&base={a}&symbols={b}",
        at("rates", "*", "*"),
    ),
    Door(
        "fixer series",
        "/fixer/timeseries?start_date={day}&end_date={day}&base={a}&symbols={b}",
        at("rates", "*", "*"),
    ),
    Door(
        "currencylayer day",
        "/currencylayer/historical?date={day}&source={a}&currencies={b}",
        at("quotes", "*"),
        day_of=at("date"),
    ),
    Door(
        "currencylayer series",
        "/timeframe?start_date={day}&end_date={day}&source={a}&currencies={b}",
        at("quotes", "*", "*"),
    ),
    Door("tool rates_on", "/mcp", content("rates", "*"), tool("rates_on", date="{day}"), "application/json"),
)
AMOUNTS = (
    Door("convert", "/convert?amount={amount}&from={a}&to={b}", at("result", "rate")),
    Door("convert on a day", "/convert?amount={amount}&from={a}&to={b}&date={day}", at("result", "rate")),
    Door("bulk", "/convert/bulk", cell(1, 4), "amount,from,to\n{amount},{a},{b}\n"),
    Door("bulk on a day", "/convert/bulk", cell(1, 5), "amount,from,to,date\n{amount},{a},{b},{day}\n"),
    Door("fixer convert", "/fixer/convert?from={a}&to={b}&amount={amount}", at("info", "rate"), day_of=at("date")),
    Door(
        "fixer convert day",
        "/fixer/convert?from={a}&to={b}&amount={amount}&date={day}",
        at("info", "rate"),
        day_of=at("date"),
    ),
    Door("currencylayer convert", "/currencylayer/convert?from={a}&to={b}&amount={amount}", at("info", "quote")),
    Door("openexchangerates convert", "/api/convert/{amount}/{a}/{b}", at("meta", "rate")),
    Door("tool convert", "/mcp", content("rate"), tool("convert", amount="{amount}"), "application/json"),
)
DOORS = (*LIVE, *DATED, *AMOUNTS)


@dataclass
class Asking:
    """A service that speaks all dialects."""

    client: Any

    def __call__(self, door: Door, a: str, b: str, day: str = FRIDAY, amount: str = "1") -> Any:
        target = door.target.format(a=a, b=b, day=day, amount=amount)
        if not door.body:
            return self.client.get(target)
        body = door.body.format(a=a, b=b, day=day, amount=amount).encode()
        return self.client.request("POST", target, body=body, headers={"Content-Type": door.kind})

    def rate(self, a: str, b: str, day: str | None = None) -> float:
        """Return the rate that the endpoint answers."""
        if day is None:
            return only(self.client.get(f"/fetch-one?from={a}&to={b}"), "result", "*")
        return only(self.client.get(f"/historical?date={day}&from={a}&to={b}"), "results", "*")

    def expected(self, door: Door, a: str, b: str, day: str = FRIDAY) -> float:
        return self.rate(a, b, day if door.is_dated else None)


@pytest.fixture(scope="module")
def asking(real_book, real_matrix):
    """One service for all tests, of which none changes what another one sees: its routes take longer than a test."""
    return Asking(client_of(real_book, real_matrix, dialects=dialects(Settings(dialects=",".join(DIALECTS)))))


def each(doors: tuple[Door, ...]) -> Any:
    return pytest.mark.parametrize("door", doors, ids=[door.name for door in doors])


def is_refused(reply: Any) -> bool:
    """Return whether an answer has no rate, in the shape of its door."""
    if reply.status >= 400:
        return True
    if reply.headers["content-type"].startswith("text/csv"):
        return "nvalid" in reply.text
    return bool(reply.json.get("result", {}).get("isError")) if isinstance(reply.json, dict) else False


@each(DOORS)
@pytest.mark.parametrize(("a", "b"), [("eur", "usd"), ("Eur", "Usd"), ("EUR", "usd")])
def test_codes_may_be_in_lower_case_or_begin_with_a_capital(asking, door, a, b):
    assert door.read(asking(door, a, b)) == asking.expected(door, "EUR", "USD")


@each(DOORS)
@pytest.mark.parametrize(
    ("minor", "major", "units"),
    [("GBp", "GBP", 100), ("GBX", "GBP", 100), ("gbx", "GBP", 100), ("ZAc", "ZAR", 100), ("ZAC", "ZAR", 100)],
)
def test_a_minor_unit_is_a_part_of_its_currency(asking, door, minor, major, units):
    whole = asking.expected(door, major, "EUR")
    assert door.read(asking(door, minor, "EUR")) == pytest.approx(whole / units, rel=1e-9)
    assert door.read(asking(door, "EUR", minor)) == pytest.approx(units / whole, rel=1e-9)
    assert door.read(asking(door, major, minor)) == pytest.approx(units, rel=1e-9)


@each(DOORS)
@pytest.mark.parametrize("text", ["gBp", "GbP", "uSD", "USd"])
def test_mixed_case_that_may_mean_a_minor_unit_is_never_read_as_the_currency(asking, door, text):
    if text == "USd":
        assert b"1.08" not in asking(door, "EUR", text).content
    reply = asking(door, "EUR", text)
    no_rate = reply.status == 200 and reply.json == {**reply.json, "rates": {}} if door.name.startswith("openex") else 0
    assert is_refused(reply) or no_rate, reply.text


@each(DOORS)
def test_an_unknown_code_is_refused_or_left_out_and_never_means_all(asking, door):
    for text in ("XXQ", ",", "%20,"):
        if door.body and text != "XXQ":
            continue
        reply = asking(door, "EUR", text)
        assert reply.headers.get("x-calls-cost", "0") in ("0", "1")
        assert b"GBP" not in reply.content.replace(b"GBP (", b"")


@each((*DATED, *(door for door in AMOUNTS if door.is_dated)))
def test_tomorrow_is_today_and_later_days_are_refused(asking, door):
    today, tomorrow = (asking(door, "USD", "AED", day) for day in (TODAY, TOMORROW))
    assert door.read(tomorrow) == door.read(today)
    if "start" not in door.target:
        later = asking(door, "USD", "AED", LATER)
        assert is_refused(later) or "is in the future" in later.text


@pytest.mark.parametrize(
    "target",
    [
        "/time-series?from=USD&to=AED&start=2026-11-10&end={end}",
        "/time-series.csv?from=USD&to=AED&start=2026-11-10&end={end}",
        "/corrections?from=USD&to=AED&start=2026-11-10&end={end}",
        "/v1/2026-11-10..{end}?base=USD&symbols=AED",
        "/2026-11-10..{end}?from=USD&to=AED",
        "/v2/rates?base=USD&quotes=AED&from=2026-11-10&to={end}",
        "/v2/rates.csv?base=USD&quotes=AED&from=2026-11-10&to={end}",
        "/fixer/timeseries?base=USD&symbols=AED&start_date=2026-11-10&end_date={end}",
        "/fixer/fluctuation?base=USD&symbols=AED&start_date=2026-11-10&end_date={end}",
        "/api/time-series.json?base=USD&symbols=AED&start=2026-11-10&end={end}",
        "/timeframe?source=USD&currencies=AED&start_date=2026-11-10&end_date={end}",
        "/change?source=USD&currencies=AED&start_date=2026-11-10&end_date={end}",
    ],
)
def test_a_period_that_ends_in_the_future_ends_today(asking, target):
    until_today = asking.client.get(target.format(end=TODAY))
    assert until_today.status == 200, until_today.text
    for end in (TOMORROW, LATER, "2031-12-31"):
        reply = asking.client.get(target.format(end=end))
        assert [reply.status, without_ms(reply.text)] == [200, without_ms(until_today.text)]
        assert reply.headers["x-calls-cost"] == until_today.headers["x-calls-cost"]
    assert is_refused(asking.client.get(target.format(end="2031-12-31").replace("2026-11-10", "2031-01-01")))


def without_ms(text: str) -> str:
    return re.sub(r',"ms":[0-9]+', "", text)


@each(tuple(door for door in DOORS if door.day_of))
def test_the_day_that_is_shown_is_that_of_the_fixing(asking, door):
    assert door.day_of is not None
    if door.is_dated:
        assert door.day_of(asking(door, "EUR", "USD", SATURDAY)) == FRIDAY
        assert door.day_of(asking(door, "EUR", "USD", HOLIDAY)) == BEFORE_HOLIDAY
        assert door.day_of(asking(door, "EUR", "USD", FRIDAY)) == FRIDAY
    else:
        assert door.day_of(asking(door, "EUR", "USD")) == "2026-10-30"


@each(AMOUNTS)
@pytest.mark.parametrize("amount", ["0.00320194", "-5", "-0.004", "1e-7", "2.5E7"])
def test_every_amount_is_converted_but_small_ones_by_the_endpoint(asking, door, amount):
    reply = asking(door, "EUR", "USD", amount=amount)
    if door.name.startswith("convert"):
        assert reply.status == (200 if amount == "2.5E7" else 400)
    else:
        assert door.read(reply) == asking.expected(door, "EUR", "USD")
        assert not re.search(r'":[ ]?-?[0-9.]+e', reply.text)


@each(DOORS)
def test_a_currency_that_ended_has_its_legal_rate(asking, door):
    assert door.read(asking(door, "EUR", "DEM")) == pytest.approx(1.95583)
    assert door.read(asking(door, "DEM", "EUR")) == pytest.approx(1 / 1.95583, rel=1e-9)


@each(tuple(door for door in DOORS if not door.body))
@pytest.mark.parametrize(
    "more",
    [
        *("source=ecb", "provider=ecb", "providers=ecb", "markup=12", "margin=1", "frequency=monthly", "group=month"),
        *("format=xml", "rounding=up", "places=2"),
    ],
)
def test_what_would_decide_the_number_elsewhere_is_never_ignored(asking, door, more):
    if more.startswith("providers") and "/v2/rate" in door.target:
        pytest.skip("Frankfurter's version 2 has it: tests/contract/test_booking.py asks there")
    target = door.target.format(a="EUR", b="USD", day=FRIDAY, amount="1")
    before = asking.client.ledger.spent_by.copy()
    reply = asking.client.get(f"{target}{'&' if '?' in target else '?'}{more}")
    assert reply.status in (400, 422)
    assert more.partition("=")[0] in reply.text
    assert asking.client.ledger.spent_by == before


@pytest.mark.parametrize("more", ["source=ecb", "provider=ecb", "markup=12", "frequency=monthly", "places=2"])
@pytest.mark.parametrize(
    "target",
    [
        "/api/exchangerates/rates/a/usd?format=json",
        "/api/exchangerates/tables/a/2024-03-01?format=json",
        "/en/financial_markets/foreign_exchange_market/exchange_rate_fixing/daily.txt?date=01.03.2024",
        "/cs/financni_trhy/devizovy_trh/kurzy_devizoveho_trhu/rok.txt?rok=2024",
        "/cs/financni_trhy/devizovy_trh/kurzy_devizoveho_trhu/vybrane.txt?mena=USD&od=01.03.2024",
        "/api/cenyzlota/2024-03-01?format=json",
        "/boeapps/database/_iadb-fromshowcolumns.asp?SeriesCodes=XUDLUSS&Datefrom=01/Mar/2024",
    ],
)
def test_a_bank_has_one_number_for_a_day(asking, target, more):
    """The numbers of these doors are of one bank: none is converted, so their own tests read them."""
    reply = asking.client.get(f"{target}&{more}")
    assert (reply.status, reply.headers["x-calls-cost"]) == (400, "0")
    assert more.partition("=")[0] in reply.text


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("/fixer/latest?from=USD&symbols=GBP", "did you mean [base]"),
        ("/fixer/latest?base=USD&to=GBP", "did you mean [symbols]"),
        ("/fixer/latest?date=2020-01-02", "[date] is not taken"),
        ("/v2/rate/EUR/USD?dat=2024-02-29", "did you mean [date]"),
        ("/v2/rates?base=EUR&foo=1", "[foo] is not taken"),
        ("/v1/latest?date=2020-01-02", "[date] is not taken"),
        ("/api/latest.json?from=EUR", "did you mean [base]"),
        ("/api/latest.json?symbol=EUR", "did you mean [symbols]"),
        ("/fetch-one?base=EUR&to=GBP", "did you mean [from]"),
        ("/fetch-all?base=EUR", "did you mean [from]"),
        ("/time-series?from=EUR&to=USD&start_date=2024-01-01", "start"),
    ],
)
def test_the_word_of_another_service_for_a_parameter_is_recognised(asking, target, said):
    reply = asking.client.get(target)
    assert reply.status in (400, 422)
    assert said in reply.text


@pytest.mark.parametrize("order", [("fixer", "frankfurter"), ("frankfurter", "fixer")])
def test_the_dialect_is_the_one_that_is_spoken_whatever_their_order(make_client, order, key):
    client = make_client(dialects=dialects(Settings(dialects=",".join(order))))
    assert client.get("/latest?from=USD").json["base"] == "USD"
    assert client.get("/latest?from=USD&to=GBP&base=JPY&symbols=CHF").json["rates"].keys() == {"GBP"}
    assert client.get(f"/latest?access_key={key}&base=USD", key=None).json["success"] is True
    assert client.get("/2024-03-01?to=GBP").json["rates"].keys() == {"GBP"}
    assert ("success" in client.get("/latest?base=USD").json) is (order[0] == "fixer")


def test_a_filter_that_nothing_is_left_of_is_not_all(asking):
    latest = asking.client.get("/api/latest.json?symbols=XXQ")
    assert (latest.json["rates"], latest.headers["x-calls-cost"]) == ({}, "1")
    series = asking.client.get("/api/time-series.json?start=2024-03-01&end=2024-03-04&symbols=XXQ,XYQ")
    assert (series.json["rates"], series.headers["x-calls-cost"]) == ({}, "1")
    assert asking.client.get("/api/currencies.json?base=USD").status == 200  # openexchangerate asks so
    assert asking.client.get("/latest?base=USD&symbol=EUR").json["rates"].keys() == {"EUR"}  # and beanprice so
    one = asking.client.get("/v1/latest?symbols=USD,XXQ").json
    assert one["rates"].keys() == {"USD"}


def test_no_number_of_a_dialect_has_an_exponent(asking):
    for target in ("/v1/latest?base=IDR&symbols=GBP&amount=0.0001", "/api/convert/0.0001/IDR/GBP", "/v2/rate/IDR/GBP"):
        reply = asking.client.get(target)
        assert reply.status == 200
        assert not re.search(r'":[ ]?-?[0-9.]+e', reply.text)
        assert Decimal(str(msgspec.json.decode(reply.content, type=dict).get("amount", "0.0001"))) == Decimal("0.0001")


@each(AMOUNTS)
@pytest.mark.parametrize("amount", ["1e300", "123456789012345678901234567890.12"])
def test_a_huge_amount_is_converted_too(asking, door, amount):
    assert door.read(asking(door, "EUR", "USD", amount=amount)) == asking.expected(door, "EUR", "USD")


@pytest.mark.parametrize(("amount", "result"), [("1e308", Decimal("1.1172e308")), ("-1e-300", Decimal("-1.1172e-300"))])
def test_the_rate_of_an_amount_in_a_dialect_is_never_infinite_or_nothing(asking, amount, result):
    reply = asking.client.get(f"/v1/latest?symbols=USD&amount={amount}")
    assert json.loads(reply.content, parse_float=Decimal, parse_int=Decimal)["rates"]["USD"] == result


def test_an_amount_that_is_left_out_is_one(asking):
    assert asking.client.get("/fixer/convert?from=EUR&to=USD").json["query"]["amount"] == 1
    assert asking.client.get("/v1/latest?symbols=USD").json["amount"] == 1


@each((*LIVE, *AMOUNTS))
@pytest.mark.parametrize(("a", "b"), [("BUK", "MMK"), ("CUC", "CUP"), ("VES", "VED"), ("KPW", "KPW")])
def test_what_the_law_fixes_holds_live_as_on_a_day_although_no_source_has_a_rate(asking, door, a, b):
    by_date = asking.rate(a, b, "2026-11-20")
    if a == b and door.name in ("frankfurter 1", "frankfurter from"):  # the original refuses a currency in itself
        return
    assert door.read(asking(door, a, b, "2026-11-20")) == by_date
