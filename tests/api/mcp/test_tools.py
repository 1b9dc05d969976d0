"""What the tools answer: the digits of the endpoints, with date, age and source, in few bytes."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from tests.reading import read_with

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.plan import read_plans
from cambist.api.faces.mcp import tools
from cambist.api.faces.mcp.catalogue import TOOLS
from cambist.api.faces.mcp.tool import MAX_ANSWER_BYTES, MAX_LIST_BYTES
from cambist.history.code_verdict import CodeVerdict, JudgedFixing
from cambist.history.fixing import Fixing, ReceivedFixing
from cambist.pricing.pair import Pair
from cambist.pricing.parity import parities_on
from cambist.pricing.quote import Derivation, Origin, Quote, Vote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.reference.assets import COINS
from cambist.verdicts.verdict import DayStatus, FixingStatus, Reason

MANY = tuple(f"exchange-number-{number}" for number in range(20))
COIN = max(COINS, key=lambda code: (len(code), len(COINS[code].name)))
TWELVE = ["USD", "EUR", "JPY", "GBP", "CHF", "CZK", "HUF", "SEK", "NOK", "DKK", "KRW", "IDR"]


def dealt(pair: Pair, now: datetime, sources: tuple[str, ...]) -> Quote:
    """Return a quote of many digits, with a vote of each source."""
    mid = 1234.567890123
    votes = tuple(Vote(source, mid, now, 0.123456) for source in sources)
    origin = Origin(Derivation.CROSSED, sources, (Pair(pair.base, "EUR"), Pair("EUR", "USD")), votes, Pace.REALTIME)
    moment = now - timedelta(seconds=90)
    return Quote(pair, Fraction("1234.567890122"), Fraction("1234.567890124"), moment, now, origin)


def stock(client: Any, now: datetime, sources: tuple[str, ...] = ("a venue",)) -> Any:
    """Add metals and coins to a client's book, and replace some currencies."""
    state = client.worker_state
    codes = ["XAU", "XCU", "XAG", "BTC", "ETH", COIN, "GBP", "JPY", "CHF"]
    quotes = {code: dealt(Pair(code, "USD"), now, sources) for code in codes}
    pairs = {quote.pair: quote for quote in quotes.values()}
    book = state.caches.for_view((0.0, "iso")).state[0]
    state.apply_book(RateBook.of(replace(book.quoted(), quotes={**book.quotes, **quotes}, pairs=pairs)))
    euro = (Vote("ecb", 1.1172, now, 1.0),)
    read_with(state, votes=lambda code: quotes[code].origin.votes if code in quotes else euro)
    return client


@pytest.fixture
def mcp(client, now, speaker):
    return speaker(stock(client, now))


def test_every_tool_is_in_the_catalogue():
    assert {file.stem for file in Path(tools.__file__).parent.glob("[a-z]*.py")} == TOOLS.keys()


def exact(reply: Any) -> Any:
    """Return an answer of an endpoint, its numbers as texts."""
    return msgspec.json.decode(re.sub(rb"(?<=[:\[,])(-?[0-9][0-9.]*)(?=[,}\]])", rb'"\1"', reply.content))


@pytest.mark.parametrize(
    ("base", "quote"), [("EUR", "USD"), ("GBP", "JPY"), ("XAU", "EUR"), ("BTC", "ETH"), ("DEM", "AED")]
)
def test_a_rate_has_the_digits_of_fetch_one(mcp, base, quote):
    answer = exact(mcp.client.get(f"/fetch-one?from={base}&to={quote}"))
    found = mcp.call("rate", from_=base, to=quote)
    assert found["structuredContent"]["rate"] == answer["result"][quote]
    assert found["structuredContent"]["as_of"] == answer["updated"]
    assert answer["result"][quote] in found["content"][0]["text"]


@pytest.mark.parametrize("day", ["2024-03-03", "2010-06-01", "1999-01-04"])
def test_a_rate_of_a_day_has_the_digits_of_historical(mcp, day):
    answer = exact(mcp.client.get(f"/historical?date={day}&from=GBP&to=JPY,USD"))
    for quote in ("JPY", "USD"):
        body = mcp.call("rate", from_="GBP", to=quote, date=day)["structuredContent"]
        assert (body["rate"], body["date"], body["fixed_on"]) == (answer["results"][quote], day, answer["fixed_on"])
    body = mcp.call("rates_on", from_="GBP", to=["JPY", "USD"], date=day)["structuredContent"]
    assert (body["rates"], body["fixed_on"], body["sources"]) == (answer["results"], answer["fixed_on"], ["ecb"])


def test_a_sentence_names_rate_date_age_and_source(mcp):
    live = mcp.call("rate", from_="XAU", to="USD")["content"][0]["text"]
    assert live == "1 XAU (troy ounce) = 1234.56789 USD as of 2026-11-20T11:58:30Z (90 seconds old); source: a venue."
    past = mcp.call("rate", from_="GBP", to="JPY", date="2024-03-03")["content"][0]["text"]
    assert past == "1 GBP = 190.2369491 JPY on 2024-03-03 (fixing of 2024-03-01, 2 days before); source: ecb."
    law = mcp.call("rate", from_="EUR", to="DEM", date="2024-03-03")["content"][0]["text"]
    assert law == "1 EUR = 1.95583 DEM on 2024-03-03 (fixed by law); source: Regulation (EC) No 2866/98."


@pytest.mark.parametrize("amount", ["100", 100, 99.9, 1234567890.125, "98765432109876543210.98765"])
def test_an_amount_is_converted_as_the_endpoint_does(mcp, amount):
    for rest in ({}, {"date": "2024-03-03"}, {"precision": 9}):
        query = "".join(f"&{name}={value}" for name, value in ({"precision": "currency"} | rest).items())
        answer = exact(mcp.client.get(f"/convert?from=EUR&to=JPY&amount={amount}{query}"))
        body = mcp.call("convert", from_="EUR", to="JPY", amount=amount, **rest)["structuredContent"]
        assert (body["amount"], body["result"], body["rate"]) == (
            answer["amount"],
            answer["result"]["JPY"],
            answer["result"]["rate"],
        )


def test_digits_of_an_amount_that_is_a_number_are_kept(mcp):
    body = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"convert","arguments":'
        b'{"from":"EUR","to":"USD","amount":1234567890.123456789012345}}}'
    )
    assert mcp.send(body).json["result"]["structuredContent"]["amount"] == "1234567890.123456789012345"


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ({"from": "BTC", "to": "USD", "amount": "0.0000001"}, "0.00012"),
        ({"from": "BTC", "to": "USD", "amount": 1e-7}, "0.00012"),
        ({"from": "BTC", "to": "USD", "amount": "0.0000001", "precision": 2}, "0"),
        ({"from": "USD", "to": "USD", "amount": "0.01"}, "0.01"),
        ({"from": "USD", "to": "USD", "amount": "0.00123456"}, "0.00123456"),
        ({"from": "USD", "to": "USD", "amount": "1E-30"}, "0.000000000000000000000000000001"),
    ],
)
def test_small_amounts_have_results(mcp, arguments, result):
    found = mcp.call("convert", **arguments)
    assert not found["isError"], found
    assert found["structuredContent"]["result"][: len(result)] == result


@pytest.mark.parametrize("amount", ["1e-400", "x", "1,5", "--1"])
def test_what_is_no_amount_is_refused(mcp, amount):
    found = mcp.call("convert", from_="EUR", to="USD", amount=amount)
    assert "it takes a decimal such as 1234.56, -0.5 or 1.5E7" in found["content"][0]["text"]


@pytest.mark.parametrize(
    ("tool", "named", "meant"),
    [
        ("rate", {"base": "EUR", "symbols": "USD"}, {"from": "EUR", "to": "USD"}),
        ("rate", {"base_currency": "EUR", "symbols": ["USD"]}, {"from": "EUR", "to": "USD"}),
        ("convert", {"source": "EUR", "target": "USD", "value": 5, "day": "2024-03-03"}, None),
        ("convert", {"from": "EUR", "currency": "USD", "amount": "5", "date": "2024-03-03", "base": "EUR"}, None),
        ("rates_on", {"date": "2024-03-03", "base": "EUR", "symbols": ["USD", "JPY"]}, None),
        ("series", {"base": "EUR", "quote": "USD", "start_date": "2024-03-01", "end_date": "2024-03-05"}, None),
        ("metal_price", {"from": "XAU", "to": "EUR"}, {"metal": "XAU", "currency": "EUR"}),
        ("list_codes", {"query": "euro"}, {"search": "euro"}),
    ],
)
def test_names_of_other_services_are_read(mcp, tool, named, meant):
    meant = (
        meant
        or {
            "convert": {"from": "EUR", "to": "USD", "amount": "5", "date": "2024-03-03"},
            "rates_on": {"date": "2024-03-03", "from": "EUR", "to": ["USD", "JPY"]},
            "series": {"from": "EUR", "to": "USD", "start": "2024-03-01", "end": "2024-03-05"},
        }[tool]
    )
    one, other = (mcp.ask("tools/call", {"name": tool, "arguments": each}).json["result"] for each in (named, meant))
    assert not one["isError"], one
    assert one == other


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("convert", {"to": "EUR", "amount": 5}, "5 EUR = 5 EUR at the rate 1: both are EUR, the same currency."),
        ("rate", {"to": "EUR"}, "1 EUR = 1 EUR: both are EUR, the same currency."),
        ("rate", {"to": "EUR", "date": "2024-03-03"}, "1 EUR = 1 EUR: both are EUR, the same currency."),
        ("explain", {"to": "EUR"}, "1 EUR = 1 EUR: both are EUR, the same currency."),
        ("rates_on", {"to": ["EUR"], "date": "2024-03-03"}, "1 EUR = 1 EUR: both are EUR, the same currency."),
        (
            "series",
            {"to": "EUR", "start": "2024-03-01", "end": "2024-03-03"},
            "1 EUR is 1 EUR on every day from 2024-03-01 to 2024-03-03: both are EUR, the same currency.",
        ),
    ],
)
def test_a_code_is_worth_one_of_itself(mcp, tool, arguments, sentence):
    found = mcp.call(tool, from_="EUR", **arguments)
    assert found["content"][0]["text"] == sentence
    coin = mcp.call("rate", from_="BTC", to="BTC")["content"][0]["text"]
    assert coin == "1 BTC = 1 BTC: both are BTC, the same coin."


def test_the_list_of_tools_is_short(mcp):
    content = mcp.ask("tools/list").content
    assert len(content) <= MAX_LIST_BYTES
    tools_ = {each["name"]: each for each in mcp.ask("tools/list").json["result"]["tools"]}
    assert all(each["description"].count(".") for each in tools_.values())
    for each in tools_.values():
        assert all(argument["description"] for argument in each["inputSchema"]["properties"].values())


def test_averages_are_those_of_the_endpoint(mcp):
    query = "from=EUR&to=USD&start=2023-01-01&end=2024-02-29"
    answer = exact(mcp.client.get(f"/averages?{query}"))["results"]["USD"]
    found = mcp.call("averages", from_="EUR", to="USD", start="2023-01-01", end="2024-02-29")
    body = found["structuredContent"]
    assert (len(body["periods"]), body["left_out"]) == (12, 2)
    for name in ("start", "end", "mean", "high", "low", "close"):
        assert [each[name] for each in body["periods"]] == [each[name] for each in answer[-12:]]
    assert answer[-1]["mean"] in found["content"][0]["text"]
    assert "2 earlier periods are left out" in found["content"][0]["text"]
    refused = mcp.call("averages", from_="EUR", to="USD", start="2023-01-01", booking="nothing")
    assert (refused["isError"], "/booking-rules" in refused["content"][0]["text"]) == (True, True)


def test_prices_are_those_of_the_list(mcp):
    answer = exact(mcp.client.get("/price-list?from=EUR&to=USD,JPY&amount=12.5&markup=2.5%25&rounding=up"))
    found = mcp.call("prices", from_="EUR", to=["USD", "JPY"], amount="12.5", markup="2.5%", rounding="up")
    body = found["structuredContent"]
    for code, each in answer["prices"].items():
        assert {name: body["prices"][code][name] for name in ("price", "cost", "rate")} == {
            name: each[name] for name in ("price", "cost", "rate")
        }
        assert f"{each['price']} {code}" in found["content"][0]["text"]
    many = mcp.call("prices", from_="EUR", to=[*TWELVE, "PLN"], amount="1")
    assert (many["isError"], "12 at most" in many["content"][0]["text"]) == (True, True)


def test_positions_are_worth_what_the_endpoint_says(mcp):
    listed = [{"asset": "GBP", "amount": 2}, {"asset": "XAU", "amount": 0.5}, {"asset": "USD", "amount": -300}]
    question = {"currency": "EUR", "date": "2024-02-29", "since": "2024-01-31", "positions": listed}
    headers = {"Content-Type": "application/json"}
    reply = mcp.client.request("POST", "/value", body=msgspec.json.encode(question), headers=headers)
    answer = exact(reply)
    found = mcp.call(
        "value", positions=["2 GBP", "0.5XAU", "-300 usd"], currency="EUR", date="2024-02-29", since="2024-01-31"
    )
    body = found["structuredContent"]
    assert body["each"] == [each.get("worth", "") for each in answer["positions"]]
    assert (body["worth"], body["change"]) == (answer["totals"]["worth"], answer["totals"]["change"])
    assert f"Together worth {body['worth']} EUR on 2024-02-29" in found["content"][0]["text"]
    for positions, says in ((["XAU"], "such as 2 XAU"), (["1 ZZZ"], "ZZZ"), (["1 USD"] * 13, "from 1 to 12")):
        refused = mcp.call("value", positions=positions)
        assert (refused["isError"], says in refused["content"][0]["text"]) == (True, True)


def test_a_series_summarises_what_the_endpoint_lists(mcp):
    answer = exact(mcp.client.get("/time-series?from=EUR&to=USD&start=2024-01-01&end=2024-03-31"))["results"]["USD"]
    body = mcp.call("series", from_="EUR", to="USD", start="2024-01-01", end="2024-03-31")["structuredContent"]
    rates = {day: Decimal(rate) for day, rate in answer.items()}
    assert (body["days"], body["first"]["rate"], body["last"]["rate"]) == (
        91,
        answer["2024-01-01"],
        answer["2024-03-31"],
    )
    assert body["lowest"] == {"date": min(rates, key=rates.__getitem__), "rate": str(min(rates.values()))}
    assert body["highest"] == {"date": max(rates, key=rates.__getitem__), "rate": str(max(rates.values()))}
    assert abs(Decimal(body["mean"]) - sum(rates.values()) / 91) < Decimal("1e-9")
    assert body["points"].items() <= answer.items()
    assert (len(body["points"]), *list(body["points"])[::29]) == (30, "2024-01-01", "2024-03-31")
    change = rates["2024-03-31"] / rates["2024-01-01"] * 100 - 100
    assert abs(Decimal(body["change_percent"]) - change) <= Decimal("0.005")
    month = mcp.call("series", from_="EUR", to="USD", start="2024-02-01", end="2024-02-29")["structuredContent"]
    assert (
        month["points"]
        == exact(mcp.client.get("/time-series?from=EUR&to=USD&start=2024-02-01&end=2024-02-29"))["results"]["USD"]
    )


def test_an_explanation_has_the_legs_of_the_endpoint(mcp):
    answer = mcp.client.get("/explain?from=DEM&to=AED").json
    body = mcp.call("explain", from_="DEM", to="AED")["structuredContent"]
    assert [(leg["rate"], leg.get("law", "")) for leg in body["legs"]] == [
        (leg["rate"], leg.get("law", "")) for leg in answer["legs"]
    ]
    assert body["legs"][1]["votes"][0]["source"] == "ecb"
    past = mcp.call("explain", from_="EUR", to="USD", date="2024-03-03")
    assert "the source publishes nothing on weekends" in past["content"][0]["text"]


def test_a_metal_has_the_prices_of_the_endpoint(mcp):
    answer = mcp.client.get("/metals/spot?metal=XAU&currency=EUR&unit=gram&purity=750").json
    body = mcp.call("metal_price", metal="XAU", currency="EUR", unit="gram", purity="750")["structuredContent"]
    for name in ("bid", "ask", "mid", "spread", "unit", "purity"):
        assert body[name] == answer[name], name
    assert (body["age_seconds"], body["crossed"]) == (round(NOW_SECONDS - answer["tsp"] / 1000), True)


NOW_SECONDS = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("search", "first"), [("swiss", "CHF"), ("usd", "USD"), ("Deutsche", None), ("french", "FRF"), ("yen", "JPY")]
)
def test_codes_are_found_by_name(mcp, search, first):
    body = mcp.call("list_codes", search=search)["structuredContent"]
    assert next(iter(body["codes"]), None) == first
    assert body["found"] == len(body["codes"])


def test_codes_of_each_kind_are_those_of_the_endpoint(mcp):
    for kind, path, field in (
        ("currency", "/currencies?all=1", "currencies"),
        ("coin", "/crypto/currencies", "currencies"),
        ("metal", "/metals/list", "metals"),
        ("unit", "/metals/units", "units"),
    ):
        listed = mcp.client.get(path).json[field]
        body = mcp.call("list_codes", kind=kind)["structuredContent"]
        assert body["found"] == len(listed), kind
        assert body["codes"].keys() <= listed.keys()


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("rate", {"to": "USX"}, "Invalid/unsupported target currency: [USX]; for [USX] did you mean USD (US Dollar)"),
        ("rate", {"from": "gold", "to": "USD"}, "did you mean XAU (Gold)"),
        ("rates_on", {"date": "2024-03-03", "to": ["EUR", "GBQ"]}, "for [GBQ] did you mean GBP"),
        ("rate", {}, "Missing parameter: [to]"),
        ("rate", {"form": "EUR", "to": "USD"}, "Unknown argument: [form], did you mean [from]?"),
        ("rate", {"to": "USD", "currency": "x"}, "[currency] is read as [to], but another argument says [USD]; there"),
        ("rate", {"to": "USD", "colour": "x"}, "Unknown argument: [colour], there are date, from, max_age, to"),
        ("rate", {"to": {"code": "USD"}}, "Invalid to: [{'code': 'USD'}], it takes a text"),
        ("rate", {"to": "U" * 201}, "it takes at most 200 characters"),
        ("rate", {"to": "USD", "date": "yesterday"}, "Invalid date: [yesterday]"),
        ("rate", {"to": "EUR", "max_age": "PT1S"}, "older than allowed"),
        ("rate", {"from": "EUR", "to": "USD", "date": "1970-01-01"}, "No rate"),
        ("convert", {"to": "EUR", "amount": "five"}, "Invalid amount: [five]"),
        (
            "rates_on",
            {"date": "2024-03-03", "to": [f"A{letter}B" for letter in "ABCDEFGHIJKLMNOPQRSTUV"] + ["EUR"]},
            "Too many",
        ),
        ("series", {"to": "EUR,JPY"}, "Invalid/unsupported target currency: [EUR,JPY]"),
        ("metal_price", {"metal": "XZZ"}, "options are [XAU"),
        ("metal_price", {"metal": "XPB"}, "No source has delivered a rate for [XPB] yet"),
        ("list_codes", {"kind": "stock"}, "Options are [currency, coin, metal, unit]"),
    ],
)
def test_what_a_model_can_put_right_is_an_error_of_the_tool_and_free(mcp, tool, arguments, sentence):
    reply = mcp.ask("tools/call", {"name": tool, "arguments": arguments})
    result = reply.json["result"]
    assert (reply.status, result["isError"], reply.headers["x-calls-cost"]) == (200, True, "0")
    assert sentence in result["content"][0]["text"]
    assert "structuredContent" not in result
    assert not mcp.client.ledger.spent_by


def test_a_day_without_a_rate_for_some_targets_names_them(mcp):
    body = mcp.call("rates_on", date="1999-06-01", from_="EUR", to=["USD", "CNY"])["structuredContent"]
    assert (list(body["rates"]), body["unavailable"]) == (["USD"], ["CNY"])


EURO_LEGACY = ("DEM", "FRF", "BEF", "LUF", "NLG", "IEP", "PTE", "ESP", "FIM", "ATS", "GRD")

WORST: dict[str, list[dict[str, Any]]] = {
    "rate": [
        {"from": "XAU", "to": "DEM"},
        {"from": COIN, "to": "BTC"},
        {"from": "DEM", "to": "FRF", "date": "2001-01-07"},
    ],
    "convert": [{"from": COIN, "to": "DEM", "amount": "9." + "9" * 190 + "E308", "precision": 20}],
    "rates_on": [
        {
            "date": "2001-05-06",
            "from": "ITL",
            "to": [*EURO_LEGACY, "USD", "JPY", "AED", "GBP", "CHF", "SAR", "XOF", "BHD", "HKD"],
        }
    ],
    "series": [
        {"from": "EUR", "to": "JPY", "start": "1970-01-01"},
        {"from": "ITL", "to": "DEM", "start": "1970-01-01"},
    ],
    "explain": [
        {"from": COIN, "to": "JPY"},
        {"from": "DDM", "to": COIN},
        {"from": "XCU", "to": "ADP"},
        {"from": "FKP", "to": "ADP", "date": "2024-12-26"},
        {"from": "XAU", "to": "DEM"},
        {"from": "GBP", "to": "JPY"},
        {"from": "DEM", "to": "AED"},
    ],
    "averages": [
        {"from": "ITL", "to": "DEM", "start": "1970-01-01"},
        {"from": "EUR", "to": "JPY", "start": "2010-01-01", "by": "week"},
    ],
    "prices": [
        {"from": "XAU", "to": TWELVE, "amount": "123456789.12345", "markup": "-12.5%", "rounding": "up"},
    ],
    "value": [{"positions": [f"-12345678901234567890.123 {code}" for code in TWELVE[:6]], "currency": "JPY"}],
    "metal_price": [{"metal": "XAU", "currency": "JPY", "unit": "metric_tonne"}, {"metal": "XCU", "currency": "GBP"}],
    "list_codes": [{"search": ""}, {"search": "a"}, {"kind": "coin"}, {"search": "until"}, {"search": "dollar"}],
}


@pytest.mark.long(every=2)
@pytest.mark.parametrize("tool", TOOLS)
def test_the_longest_answers_are_short_and_follow_their_schema(make_client, now, speaker, tool):
    client = stock(make_client(environment="sandbox"), now, MANY)
    mcp = speaker(client)
    schema = next(each for each in mcp.ask("tools/list").json["result"]["tools"] if each["name"] == tool)[
        "outputSchema"
    ]
    jsonschema.Draft202012Validator.check_schema(schema)
    for arguments in WORST[tool]:
        reply = mcp.ask_stateless("tools/call", {"name": tool, "arguments": arguments})
        result = reply.json["result"]
        assert not result["isError"], result
        assert len(reply.content) <= MAX_ANSWER_BYTES, (len(reply.content), arguments)
        jsonschema.validate(result["structuredContent"], schema, format_checker=jsonschema.FormatChecker())


@pytest.mark.parametrize("base", ["USD", "EUR", "ITL"])
@pytest.mark.parametrize("day", ["2026-10-30", "2015-05-05"])
def test_the_rates_of_twenty_laws_are_short(make_client, now, speaker, base, day):
    mcp = speaker(stock(make_client(environment="sandbox"), now, MANY))
    laws = {parity.authority: parity.code for parity in parities_on(date.fromisoformat(day))}
    codes = [laws[law] for law in sorted(laws, key=len)[-20:]]
    params = {"name": "rates_on", "arguments": {"date": day, "from": base, "to": codes}}
    reply = mcp.ask_stateless("tools/call", params)
    body = reply.json["result"]["structuredContent"]
    assert len(body["rates"]) + len(body.get("unavailable", ())) == 20
    assert len(body["sources"]) > 15
    assert len(reply.content) <= MAX_ANSWER_BYTES


@pytest.mark.parametrize("tool", TOOLS)
def test_the_schema_of_the_arguments_is_that_of_the_parameters(mcp, tool):
    described = next(each for each in mcp.ask("tools/list").json["result"]["tools"] if each["name"] == tool)
    schema = described["inputSchema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert described["annotations"]["readOnlyHint"] is described["annotations"]["idempotentHint"] is True
    for arguments in WORST[tool]:
        jsonschema.validate(arguments, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"nonsense": 1}, schema)


def test_simulated_prices_are_called_simulated(make_client, now, speaker):
    found = speaker(stock(make_client(environment="sandbox"), now)).call("rate", from_="EUR", to="USD")
    assert found["structuredContent"]["environment"] == "sandbox"
    assert "SIMULATED" in found["content"][0]["text"]


def test_a_coin_has_its_close_of_a_past_day(mcp):
    day = datetime(2026, 11, 19, tzinfo=UTC).date()
    close = ReceivedFixing(
        Fixing("closes", day=day, pair=Pair("BTC", "USD"), value=Decimal("91234.5")),
        datetime(2026, 11, 20, tzinfo=UTC),
        "",
    )
    read_with(mcp.client.worker_state, closes=lambda coin, on: close if (coin, on) == ("BTC", day) else None)
    body = mcp.call("rate", from_="BTC", to="USD", date=str(day))["structuredContent"]
    assert (body["rate"], body["date"], body["fixed_on"]) == ("91234.5", str(day), str(day))
    assert "No close of [BTC]" in mcp.call("rate", from_="BTC", to="USD", date="2020-01-01")["content"][0]["text"]


# Who pays, and for what.


@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [
        ("rate", {"to": "EUR"}, "/fetch-one?to=EUR"),
        ("rate", {"to": "EUR", "date": "2024-03-03"}, "/convert?to=EUR&amount=1&date=2024-03-03"),
        ("convert", {"to": "EUR", "amount": "5"}, "/convert?to=EUR&amount=5"),
        ("rates_on", {"date": "2024-03-03", "to": ["EUR", "JPY"]}, "/historical?date=2024-03-03&to=EUR,JPY"),
        ("series", {"to": "EUR"}, "/time-series?to=EUR"),
        ("explain", {"to": "EUR"}, "/explain?to=EUR"),
        ("averages", {"to": "EUR", "start": "2024-01-01"}, "/averages?to=EUR&start=2024-01-01"),
        ("prices", {"to": ["EUR", "JPY"], "amount": "5"}, "/price-list?to=EUR,JPY&amount=5"),
        ("metal_price", {}, "/metals/spot"),
        ("metal_price", {"currency": "EUR"}, "/metals/spot?currency=EUR"),
        ("list_codes", {}, "/currencies"),
    ],
)
def test_a_call_costs_what_the_question_costs_at_its_endpoint(mcp, tool, arguments, path):
    cost = mcp.client.get(path).headers["x-calls-cost"]
    mcp.client.ledger.spent_by.clear()
    reply = mcp.ask("tools/call", {"name": tool, "arguments": arguments})
    assert reply.headers["x-calls-cost"] == cost
    assert {label: calls for (_, label, _), calls in mcp.client.ledger.spent_by.items()} == {"mcp": int(cost)}


@pytest.mark.parametrize("headers", [{"X_API_Key": "{}"}, {"Authorization": "Bearer {}"}])
def test_the_key_is_read_where_endpoints_read_it(mcp, key, headers):
    headers = {name: value.format(key) for name, value in headers.items()}
    assert mcp.ask("tools/list", key=None, **headers).status == 200


def test_without_a_key_nothing_is_answered(mcp):
    for reply, code in (
        (mcp.ask("tools/list", key=None), "key_missing"),
        (mcp.ask("initialize", {"protocolVersion": "2025-11-25"}, key=None), "key_missing"),
        (mcp.ask("tools/list", key="wrong"), "key_malformed"),
    ):
        assert (reply.status, reply.json["code"]) == (401, code)
        assert reply.headers["www-authenticate"].startswith("Bearer")


def account_of(make_client, now, plans: str, plan: str, key: str) -> Any:
    keys = {digest(key): StoredKey(1, Account(1, "a", plan))}
    return stock(make_client(stored_keys=keys, plans=read_plans(plans, "plans.toml")), now)


PLANS = """
[unlimited]
tags = ["currency"]

[small]
tags = ["currency"]
calls_a_month = 3
history_days = 30

[slow]
tags = ["currency", "crypto", "fx", "metals", "admin"]
rate = 1
burst = 3
"""


def test_plans_limit_tools_as_endpoints(make_client, now, speaker, key):
    mcp = speaker(account_of(make_client, now, PLANS, "small", key))

    def refused(tool: str, **arguments: Any) -> str:
        result = mcp.call(tool, **arguments)
        assert result["isError"], result
        return str(result["content"][0]["text"])

    assert "does not include the group [metals]" in refused("metal_price")
    assert "does not include the group [crypto]" in refused("list_codes", kind="coin")
    assert "limited to 30 days" in refused("rate", to="EUR", date="2024-03-03")
    assert "limited to 30 days" in refused("series", to="EUR", start="2024-03-03")
    for _ in range(3):
        assert not mcp.call("rate", to="EUR")["isError"]
    assert "Quota spent" in refused("rate", to="EUR")
    assert mcp.ask("tools/list").status == 200
    assert sum(mcp.client.ledger.spent_by.values()) == 3


def test_requests_and_calls_in_lists_count_against_the_rate_limit(make_client, now, speaker, key):
    mcp = speaker(account_of(make_client, now, PLANS, "slow", key))
    ask = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "rate", "arguments": {"to": "EUR"}}}
    reply = mcp.send([ask | {"id": number} for number in range(5)])
    assert [each["result"]["isError"] for each in reply.json] == [False, False, False, True, True]
    limited = mcp.ask("ping")
    assert (limited.status, limited.json["code"]) == (429, "rate_limited")
    assert "retry-after" in limited.headers


def judged(code: str, day: date, sources: tuple[str, ...] = MANY) -> CodeVerdict:
    """Return a verdict by which all sources but the last are held, each with a reason of its own."""
    *held, last = sources
    reasons = [reason for reason in Reason if reason not in (Reason.NONE, Reason.UNIT)]
    fixings = [
        JudgedFixing(source, 1234.567890123, 0.123456, 0.0123, FixingStatus.HELD, reasons[number % len(reasons)])
        for number, source in enumerate(held)
    ]
    fixings.append(JudgedFixing(last, 1234.567890123, 1.0, 0.0, FixingStatus.AGREED, Reason.NONE))
    return CodeVerdict(
        code, day, DayStatus.HELD, 1234.567890123, 1334.567890123, sources[0], tuple(fixings), day, 2, is_newest=True
    )


def test_an_explanation_says_how_many_agree_and_why_the_others_are_held(make_client, now, speaker):
    client = stock(make_client(environment="sandbox"), now, MANY)
    read_with(client.worker_state, verdicts=lambda _edition, _mark, code, day: judged(code, day))
    mcp = speaker(client)
    for arguments in ({"from": "EUR", "to": "BGN"}, {"from": "PLN", "to": "TRY"}, {"to": "PLN", "date": "2024-03-01"}):
        reply = mcp.ask_stateless("tools/call", {"name": "explain", "arguments": arguments})
        assert len(reply.content) <= MAX_ANSWER_BYTES, (len(reply.content), arguments)
        result = reply.json["result"]
        found = next(leg["verdict"] for leg in result["structuredContent"]["legs"] if "verdict" in leg)
        assert (found["status"], found["more_fixings"]) == ("held", len(MANY) - 2)
        assert f"two more originals that say {found['other']}" in result["content"][0]["text"]


OLD_DAY = "2024-03-01"
WITH_DAY = {
    "rate": {"to": "EUR", "date": OLD_DAY},
    "convert": {"to": "EUR", "amount": "1", "date": OLD_DAY},
    "rates_on": {"to": "EUR", "date": OLD_DAY},
    "explain": {"to": "EUR", "date": OLD_DAY},
    "series": {"to": "EUR", "start": OLD_DAY},
    "averages": {"to": "EUR", "start": OLD_DAY},
    "prices": {"to": "EUR", "amount": "1", "date": OLD_DAY},
    "value": {"positions": ["1 GBP"], "date": OLD_DAY},
}


def test_every_tool_that_takes_a_day_refuses_older_ones_than_the_plan_has(make_client, now, speaker, key):
    plans = "[unlimited]\ntags = ['currency']\n[month]\ntags = ['currency']\nhistory_days = 30\n"
    free, limited = (speaker(account_of(make_client, now, plans, plan, key)) for plan in ("unlimited", "month"))
    listed = msgspec.json.decode(limited.ask("tools/list").content)["result"]["tools"]
    with_day = {each["name"] for each in listed if {"date", "start", "end"} & each["inputSchema"]["properties"].keys()}
    assert with_day == WITH_DAY.keys()
    for name, arguments in WITH_DAY.items():
        assert not free.call(name, **arguments)["isError"]
        result = limited.call(name, **arguments)
        assert result["isError"]
        assert f"limited to 30 days: [{OLD_DAY}] is older" in result["content"][0]["text"]
