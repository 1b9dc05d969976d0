"""`GET /explain`: the sources of a rate, now and on a day."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from msgspec import structs
from tests.reading import read_with

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.plan import default_plans, read_plans
from cambist.api.state.worker_state import Choices
from cambist.errors import RateUnavailable
from cambist.history.edition import with_edition
from cambist.history.fixing import Fixing, ReceivedFixing
from cambist.history.typed_series import CLOSES
from cambist.ingest.snapshot_builder import rate_matrix_from_archive
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote, Vote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.pricing.unavailable import SIMULATED
from cambist.reference.assets import AssetKind
from cambist.sources.adapters.ecb import adapter

PLANS = read_plans(default_plans(), "plans.toml")
FIXED_AT = "2026-10-30T13:15:00Z"
"""14:15 in Frankfurt on the day of the newest fixing, in winter time."""

EUR_IS_1_1172_USD = {
    "base": "EUR",
    "quote": "USD",
    "rate": "1.1172",
    "made": "published",
    "sources": ["ecb"],
    "as_of": FIXED_AT,
    "age": 1809900,  # twenty days, 22 hours and 45 minutes
    "received_at": "2026-11-20T12:00:00Z",
    "votes": [{"source": "ecb", "mid": "1.1172", "as_of": FIXED_AT, "age": 1809900, "weight": 1.0}],
}
DIRHAM = {
    "base": "USD",
    "quote": "AED",
    "rate": "3.6725",
    "made": "pegged",
    "law": "Central Bank of the United Arab Emirates",
}
CFA_FRANC = {
    "base": "EUR",
    "quote": "XAF",
    "rate": "655.957",
    "made": "pegged",
    "law": "Bank of Central African States",
}


def explained(client, query):
    reply = client.get(f"/explain?{query}")
    assert reply.status == 200, reply.text
    return reply.json


# Now


@pytest.fixture
def client(client, real_quotes):
    read_with(client.worker_state, votes=lambda code: real_quotes.quotes[code].origin.votes)
    return client


def test_it_answers_base_date_result_updated_legs_and_ms_in_this_order(client):
    answer = explained(client, "from=EUR&to=USD")
    assert list(answer) == ["base", "date", "result", "updated", "legs", "ms"]
    assert answer | {"ms": 0} == {
        "base": "EUR",
        "date": None,
        "result": {"USD": 1.1172},
        "updated": FIXED_AT,
        "legs": [EUR_IS_1_1172_USD],
        "ms": 0,
    }


def test_a_cross_rate_has_both_legs_in_the_order_of_the_request(client):
    legs = explained(client, "from=JPY&to=EUR")["legs"]
    assert [(leg["base"], leg["quote"], leg["made"]) for leg in legs] == [
        ("USD", "JPY", "crossed"),
        ("EUR", "USD", "published"),
    ]
    assert legs[0]["through"] == ["EUR/USD", "EUR/JPY"]
    assert legs[0]["rate"] == "157.2502685"  # 175.68 / 1.1172


def test_the_source_is_the_dollar_when_left_out_and_has_no_leg(client):
    answer = explained(client, "to=eur")
    assert (answer["base"], answer["result"], len(answer["legs"])) == ("USD", {"EUR": 0.8950948801}, 1)
    assert explained(client, "to=USD")["legs"] == []


def test_a_peg_is_explained_by_its_law_alone(client):
    answer = explained(client, "from=USD&to=AED")
    assert (answer["result"], answer["legs"]) == ({"AED": 3.6725}, [DIRHAM])


def test_two_pegs_are_explained_by_two_laws_and_what_lies_between_them(client):
    answer = explained(client, "from=AED&to=XAF")
    assert answer["result"] == {"XAF": 159.8757664}  # 655.957 / (1.1172 * 3.6725)
    assert answer["legs"] == [DIRHAM, CFA_FRANC, EUR_IS_1_1172_USD]


def test_an_ended_currency_is_explained_by_what_it_was_converted_at(client):
    answer = explained(client, "from=EUR&to=HRK")
    assert answer["result"] == {"HRK": 7.5345}
    law = {"base": "EUR", "quote": "HRK", "rate": "7.5345", "made": "converted", "law": "Regulation (EU) 2022/1208"}
    assert answer["legs"] == [EUR_IS_1_1172_USD, law]


def test_a_rate_that_is_no_longer_published_is_not_explained_as_today(client):
    reply = client.get("/explain?to=RUB")
    assert (reply.status, reply.json["code"]) == (503, "rate_unavailable")
    assert "[2022-03-01]" in reply.json["error"]


def test_younger_rates_than_there_are_cannot_be_explained(client):
    reply = client.get("/explain?to=EUR&max_age=PT1S")
    assert (reply.status, reply.json["code"]) == (503, "rate_unavailable")


@pytest.mark.parametrize("code", ["XAU", "BTC", "xau", "btc", "XCU"])
@pytest.mark.parametrize("side", ["from={}&to=EUR", "from=EUR&to={}"])
def test_metals_and_coins_without_a_price_are_503(client, code, side):
    reply = client.get(f"/explain?{side.format(code)}")
    assert (reply.status, reply.json) == (
        503,
        {
            "error": f"No source has delivered a rate for [{code.upper()}] yet; {SIMULATED}",
            "code": "rate_unavailable",
        },
    )
    assert reply.headers["x-calls-cost"] == "0"


# On a day


def test_a_day_that_its_source_fixed_names_source_and_day(client):
    answer = explained(client, "from=EUR&to=HRK&date=2022-06-15")
    assert list(answer) == ["base", "date", "result", "updated", "legs", "ms"]
    assert (answer["date"], answer["updated"], answer["result"]) == ("2022-06-15", None, {"HRK": 7.5245})
    published = {"base": "USD", "made": "published", "sources": ["ecb"], "fixed_on": "2022-06-15"}
    assert answer["legs"] == [  # the ECB fixed the dollar at 1.0431 and the kuna at 7.5245
        published | {"quote": "EUR", "rate": "0.9586808551"},
        published | {"quote": "HRK", "rate": "7.213594095"},
    ]


def test_after_the_end_of_a_currency_its_rate_is_the_conversion_by_law(client):
    answer = explained(client, "from=EUR&to=HRK&date=2024-02-02")
    assert answer["result"] == {"HRK": 7.5345}
    euro, kuna = answer["legs"]
    assert (euro["quote"], euro["fixed_on"]) == ("EUR", "2024-02-02")
    assert kuna == {
        "base": "EUR",
        "quote": "HRK",
        "rate": "7.5345",
        "made": "converted",
        "law": "Regulation (EU) 2022/1208",
    }


def test_pegs_of_a_day_are_explained_by_their_laws(client):
    assert explained(client, "to=AED&date=2024-06-14")["legs"] == [DIRHAM]
    assert [leg.get("law") for leg in explained(client, "from=AED&to=XAF&date=2024-06-14")["legs"]] == [
        DIRHAM["law"],
        CFA_FRANC["law"],
        None,
    ]


@pytest.mark.parametrize(
    ("day", "fixed_on", "days", "because"),
    [
        ("2024-06-15", "2024-06-14", 1, "weekend"),
        ("2024-06-16", "2024-06-14", 2, "weekend"),
        ("2024-12-25", "2024-12-24", 1, "holiday"),
        ("2024-12-26", "2024-12-24", 2, "holiday"),
        ("2024-03-29", "2024-03-28", 1, "holiday"),
        ("2024-04-01", "2024-03-28", 4, "holiday"),
        ("2024-03-30", "2024-03-28", 2, "weekend"),
        ("2026-11-02", "2026-10-30", 3, "late"),
        ("2026-11-13", "2026-10-30", 14, "late"),
    ],
)
def test_a_day_without_a_fixing_has_the_day_that_it_uses_and_the_reason(client, day, fixed_on, days, because):
    for query in (f"to=EUR&date={day}", f"to=JPY&date={day}"):
        (leg,) = explained(client, query)["legs"]
        assert (leg["fixed_on"], leg["carried_days"], leg["because"]) == (fixed_on, days, because)


def test_a_currency_that_its_source_left_out_that_day_is_missing(client):
    # The ECB has fixed no rouble since 2022-03-01, and everything else on 03-08.
    (leg,) = explained(client, "to=RUB&date=2022-03-08")["legs"]
    assert (leg["fixed_on"], leg["carried_days"], leg["because"]) == ("2022-03-01", 7, "missing")


@pytest.mark.parametrize("query", ["to=JPY&date=2026-11-20", "to=EUR&date=2026-11-14", "to=RUB&date=2022-03-16"])
def test_a_fixing_is_too_old_to_explain_a_day_after_14_days(client, query):
    reply = client.get(f"/explain?{query}")
    assert (reply.status, reply.json["code"]) == (404, "no_rate")


def test_today_is_a_day_like_others_and_late_until_it_is_fixed(client, make_client, clock):
    clock.set(2026, 11, 2, 9, 0)
    (leg,) = explained(make_client(clock=clock), "to=EUR&date=2026-11-02")["legs"]
    assert (leg["fixed_on"], leg["because"]) == ("2026-10-30", "late")
    assert client.get("/explain?to=EUR&date=2026-11-20").status == 404  # nothing for three weeks


def test_a_rate_fixed_by_law_has_no_market_leg(client):
    answer = explained(client, "from=DEM&to=FRF&date=2001-06-02")
    assert answer["result"] == {"FRF": 3.353854885}
    by_law = [leg for leg in answer["legs"] if leg["made"] == "converted"]
    assert [(leg["quote"], leg["rate"]) for leg in by_law] == [("DEM", "1.95583"), ("FRF", "6.55957")]
    assert [leg["because"] for leg in answer["legs"] if leg["made"] == "published"] == ["weekend"]


def test_a_new_rate_matrix_is_explained_at_once(client, small_store, now):
    assert client.get("/explain?to=EUR&date=2026-03-04").json["legs"][0]["fixed_on"] == "2026-03-04"
    client.worker_state.apply_matrix(rate_matrix_from_archive(small_store, [adapter.source], now.date()))
    client.worker_state.tick()
    leg = client.get("/explain?to=EUR&date=2026-03-04").json["legs"][0]
    assert (leg["fixed_on"], leg["because"]) == ("2026-03-03", "holiday")


@pytest.mark.parametrize("code", ["XAU", "BTC"])
def test_a_day_without_metals_and_coins_has_no_rate_of_them(client, code):
    reply = client.get(f"/explain?to={code}&date=2024-06-14")
    assert (reply.status, reply.json["code"]) == (404, "no_rate")


# Closes of coins


JUNE, MIDNIGHT = date(2022, 6, 15), datetime(2022, 6, 16, 0, 0, 0, 412345, tzinfo=UTC)
"""A day on which the ECB fixed the dollar at 1.0431, and when closes of it were received."""


def known(coin, value, day=JUNE, origin="okx"):
    return ReceivedFixing(Fixing(CLOSES, Pair(coin, "USD"), day, Decimal(value)), MIDNIGHT, origin)


@pytest.fixture
def closing(client):
    """Give a client whose archive holds some closes."""

    def closing(*closes):
        held = {(close.fixing.pair.base, close.fixing.day): close for close in closes}
        read_with(client.worker_state, closes=lambda coin, day: held.get((coin, day)))
        return client

    return closing


BITCOIN, ETHER = known("BTC", "22500"), known("ETH", "1234.5678901234567891", origin="crossed from binance, okx")
BITCOIN_IS_22500_USD = {
    "base": "BTC",
    "quote": "USD",
    "rate": "22500",
    "made": "published",
    "sources": ["okx"],
    "received_at": "2022-06-16T00:00:00.412345Z",
    "fixed_on": "2022-06-15",
}
ETHER_IS_1234_USD = BITCOIN_IS_22500_USD | {
    "base": "ETH",
    "rate": "1234.56789",
    "made": "crossed",
    "sources": ["binance", "okx"],
}
EURO_OF_JUNE = {
    "base": "USD",
    "quote": "EUR",
    "rate": "0.9586808551",
    "made": "published",
    "sources": ["ecb"],
    "fixed_on": "2022-06-15",
}


@pytest.mark.parametrize(
    ("query", "rate", "legs"),
    [
        ("from=BTC&to=USD", 22500, [BITCOIN_IS_22500_USD]),
        ("from=ETH&to=USD", 1234.56789, [ETHER_IS_1234_USD]),
        ("from=USD&to=BTC", 0.00004444444444, [BITCOIN_IS_22500_USD]),
        ("from=BTC&to=EUR", 21570.31924, [BITCOIN_IS_22500_USD, EURO_OF_JUNE]),  # 22500 / 1.0431
        ("from=EUR&to=BTC", 0.00004636, [EURO_OF_JUNE, BITCOIN_IS_22500_USD]),
        ("from=ETH&to=BTC", 0.05486968401, [ETHER_IS_1234_USD, BITCOIN_IS_22500_USD]),
        ("from=btc&to=eth", 18.22500016, [BITCOIN_IS_22500_USD, ETHER_IS_1234_USD]),
        ("from=BTC&to=AED", 82631.25, [BITCOIN_IS_22500_USD, DIRHAM]),
        ("from=BTC&to=BTC", 1, [BITCOIN_IS_22500_USD]),
    ],
)
def test_a_coin_is_explained_by_what_it_closed_at(closing, query, rate, legs):
    client = closing(BITCOIN, ETHER)
    answer = explained(client, f"{query}&date=2022-06-15")
    assert list(answer) == ["base", "date", "result", "updated", "legs", "ms"]
    assert (answer["date"], answer["updated"]) == ("2022-06-15", None)
    assert list(answer["result"].values()) == [rate]
    assert answer["legs"] == legs


def test_a_coin_of_little_worth_is_never_0_and_has_no_exponent(closing):
    client = closing(known("SHIB", "9.87654321012345E-9"))
    reply = client.get("/explain?from=SHIB&to=USD&date=2022-06-15")
    assert '"result":{"USD":0.00000000987654321}' in reply.text
    assert reply.json["legs"][0]["rate"] == "0.00000000987654321"


def test_a_currency_beside_a_coin_is_carried_over_the_weekend_and_the_coin_is_not(closing):
    client = closing(known("BTC", "22500", date(2022, 6, 18)))
    coin, euro = explained(client, "from=BTC&to=EUR&date=2022-06-18")["legs"]
    assert (coin["fixed_on"], "carried_days" in coin) == ("2022-06-18", False)
    assert (euro["fixed_on"], euro["carried_days"], euro["because"]) == ("2022-06-17", 1, "weekend")


@pytest.mark.parametrize("query", ["from={}&to=USD", "from=USD&to={}", "from={}&to=EUR", "from=ETH&to={}"])
@pytest.mark.parametrize("day", ["2022-06-14", "2022-06-16", "2026-11-19"])
def test_a_close_of_another_day_is_no_price_of_this_one(closing, query, day):
    client = closing(BITCOIN, *[known("ETH", 1, date.fromisoformat(each)) for each in (day, "2022-06-15")])
    reply = client.get(f"/explain?{query.format('BTC')}&date={day}")
    sentence = f"No close of [BTC] was archived for [{day}]"
    assert (reply.status, reply.json) == (404, {"error": sentence, "code": "no_rate"})
    assert reply.headers["x-calls-cost"] == "0"


def test_today_has_no_close_before_it_has_ended(closing):
    reply = closing(BITCOIN).get("/explain?from=BTC&to=USD&date=2026-11-20")
    sentence = (
        "No close of [BTC] was archived for [2026-11-20] yet: closes are archived when their day ends, at midnight UTC"
    )
    assert (reply.status, reply.json) == (404, {"error": sentence, "code": "no_rate"})


def test_yesterday_has_one_from_midnight_on(closing, make_client, clock):
    clock.set(2022, 6, 16, 0, 0)
    client = make_client(clock=clock)
    read_with(client.worker_state, closes=closing(BITCOIN).worker_state.readers.closes)
    assert explained(client, "from=BTC&to=USD&date=2022-06-15")["result"] == {"USD": 22500}
    clock.set(2022, 6, 15, 23, 59)
    client = make_client(clock=clock)
    assert "at midnight UTC" in client.get("/explain?from=BTC&to=USD&date=2022-06-15").json["error"]


def test_a_coin_beside_a_currency_without_a_rate_has_none_either(closing):
    client = closing(known("BTC", "60000", date(2026, 11, 19)))
    assert explained(client, "from=BTC&to=USD&date=2026-11-19")["result"] == {"USD": 60000}
    reply = client.get("/explain?from=BTC&to=EUR&date=2026-11-19")  # nothing was fixed for twenty days
    assert (reply.status, reply.json["code"]) == (404, "no_rate")
    assert "[EUR]" in reply.json["error"]


def test_a_metal_beside_a_coin_is_refused_on_a_day_as_it_is_now(closing):
    reply = closing(BITCOIN).get("/explain?from=BTC&to=XAU&date=2022-06-15")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")


def test_closes_that_cannot_be_read_now_are_503_with_retry_after(client):
    def broken(_coin, _day):
        raise RateUnavailable("The archive of closes cannot be read now")

    read_with(client.worker_state, closes=broken)
    reply = client.get("/explain?from=BTC&to=USD&date=2022-06-15")
    assert (reply.status, reply.json["code"]) == (503, "rate_unavailable")
    assert "retry-after" in reply.headers
    assert client.get("/explain?from=EUR&to=USD&date=2022-06-15").status == 200


def test_a_plan_sees_no_close_before_its_history(make_client, key, closing):
    stored_keys = {digest(key): StoredKey(1, Account(1, "one", "p"))}
    plans = PLANS | {"p": structs.replace(PLANS["unlimited"], name="p", history_days=30)}
    client = make_client(stored_keys=stored_keys, plans=plans)
    read_with(client.worker_state, closes=closing(BITCOIN).worker_state.readers.closes)
    reply = client.get("/explain?from=BTC&to=USD&date=2022-06-15")
    assert (reply.status, reply.json["code"]) == (403, "not_in_plan")


# What is refused, and what it costs


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("to=ZZZ", "Invalid/unsupported target currency: [ZZZ]"),
        ("from=zzz&to=EUR", "Invalid/unsupported source currency: [zzz]"),
        ("to=EUR,USD", "Invalid/unsupported target currency: [EUR,USD]"),
        ("to=EUR&date=2026-11-22", "Invalid date: [2026-11-22] is in the future, today is 2026-11-20 (UTC)"),
        ("to=EUR&date=1969-12-31", "Invalid date: [1969-12-31], history begins on 1970-01-01"),
        ("to=EUR&date=2024-02-30", "Invalid date: [2024-02-30], it takes a day as YYYY-MM-DD, such as 2024-02-29"),
    ],
)
def test_a_bad_request_is_refused_in_one_sentence(client, query, sentence):
    reply = client.get(f"/explain?{query}")
    code = "unknown_currency" if "currency" in sentence else "bad_parameter"
    assert (reply.status, reply.json) == (400, {"error": sentence, "code": code})
    assert reply.headers["x-calls-cost"] == "0"


def test_the_target_is_needed(client):
    reply = client.get("/explain?from=EUR")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert "[to]" in reply.json["error"]


@pytest.mark.parametrize("query", ["from=AED&to=XAF", "from=AED&to=XAF&date=2024-06-15"])
def test_an_answer_costs_one_call_and_is_not_cacheable(client, query):
    for _ in range(2):  # made, then kept
        reply = client.get(f"/explain?{query}")
        assert (reply.headers["x-calls-cost"], reply.headers["cache-control"]) == ("1", "no-store")
        assert "etag" not in reply.headers
    assert client.ledger.spent(1, date(2026, 11, 20)) == 2


def test_a_plan_sees_no_day_before_its_history(make_client, key):
    plan = structs.replace(PLANS["unlimited"], name="p", history_days=30)
    stored_keys = {digest(key): StoredKey(1, Account(1, "one", "p"))}
    client = make_client(stored_keys=stored_keys, plans=PLANS | {"p": plan})
    for query in ("to=EUR", "to=EUR&date=2026-10-30"):
        assert client.get(f"/explain?{query}").status == 200
    reply = client.get("/explain?to=EUR&date=2026-09-30")
    assert (reply.status, reply.json["code"]) == (403, "not_in_plan")
    assert reply.headers["x-calls-cost"] == "0"


# Prices that trade: a book made by hand


NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
"""A Friday: metals trade until 22:00 UTC."""

SATURDAY, SUNDAY_EVENING = datetime(2026, 11, 21, 12, 0, tzinfo=UTC), datetime(2026, 11, 22, 23, 30, tzinfo=UTC)
QUARTER = timedelta(minutes=15)
SECOND = timedelta(seconds=1)


def traded(code, as_of, pace=Pace.REALTIME, price=100):
    votes = (
        Vote("kraken", 99.0, as_of - SECOND, 0.25),
        Vote("okx", 100.0, as_of, 0.6666666667),
        Vote("sina", 180.0, as_of, 0.0),
    )
    origin = Origin(Derivation.PUBLISHED, ("okx",), (), votes, pace)
    return Quote(Pair(code, "USD"), Fraction(price), Fraction(price), as_of, as_of, origin)


AGES = {AssetKind.COIN: QUARTER, AssetKind.METAL: QUARTER}


@pytest.fixture
def dealing(make_client, clock):
    """Make a client on a book of some quotes, at a moment, with the limits that come with the service."""

    def dealing(now, *quotes, ages=AGES):
        clock.now = now.timestamp()
        client = make_client(clock=clock, choices=Choices(ages=ages))
        book = QuotedBook(2, NOON, {quote.pair.base: quote for quote in quotes}, ())
        client.worker_state.apply_book(RateBook.of(book))
        read_with(client.worker_state, votes=lambda code: book.quotes[code].origin.votes if code in book.quotes else ())
        return client

    return dealing


def test_the_votes_are_shown_the_heaviest_first_and_an_outlier_with_none(dealing):
    (leg,) = explained(dealing(NOON, traded("BTC", NOON)), "from=BTC&to=USD")["legs"]
    assert leg["votes"] == [
        {"source": "okx", "mid": "100", "as_of": "2026-11-20T12:00:00Z", "age": 0, "weight": 0.666667},
        {"source": "kraken", "mid": "99", "as_of": "2026-11-20T11:59:59Z", "age": 1, "weight": 0.25},
        {"source": "sina", "mid": "180", "as_of": "2026-11-20T12:00:00Z", "age": 0, "weight": 0.0},
    ]
    assert (leg["sources"], leg["rate"]) == (["okx"], "100")


def test_a_quote_of_the_dollar_in_another_currency_is_shown_as_it_is_quoted(dealing):
    origin = Origin(Derivation.FORWARD_ADJUSTED, ("okx",), (Pair("USD", "JPY"),), (), Pace.REALTIME)
    quote = Quote(Pair("USD", "JPY"), Fraction(149), Fraction(151), NOON, NOON, origin)
    client = dealing(NOON)
    client.worker_state.apply_book(RateBook.of(QuotedBook(3, NOON, {"JPY": quote}, ())))
    answer = explained(client, "to=JPY")
    assert answer["result"] == {"JPY": 150}
    assert answer["legs"] == [
        {
            "base": "USD",
            "quote": "JPY",
            "rate": "150",
            "made": "moved",
            "sources": ["okx"],
            "through": ["USD/JPY"],
            "as_of": "2026-11-20T12:00:00Z",
            "age": 0,
            "received_at": "2026-11-20T12:00:00Z",
        }
    ]


@pytest.mark.parametrize(
    ("code", "now", "age", "status"),
    [
        ("BTC", NOON, QUARTER, 200),
        ("BTC", NOON, QUARTER + SECOND, 503),
        ("BTC", SATURDAY, QUARTER + SECOND, 503),
        ("XAU", NOON, QUARTER, 200),
        ("XAU", NOON, QUARTER + SECOND, 503),
        ("XAU", SATURDAY, timedelta(hours=14), 200),
        ("XAU", SUNDAY_EVENING, timedelta(hours=49), 503),
        ("CHF", NOON, timedelta(hours=3), 200),
    ],
    ids=[
        "a coin",
        "an old one",
        "an old one on a Saturday",
        "a metal",
        "an old one while it trades",
        "an old one while its market is closed",
        "an old one once its market is open again",
        "a currency",
    ],
)
@pytest.mark.parametrize("query", ["from={}&to=USD", "from=USD&to={}"])
def test_what_should_trade_and_was_not_heard_of_lately_is_refused(dealing, query, code, now, age, status):
    client = dealing(now, traded(code, now - age))
    reply = client.get(f"/explain?{query.format(code)}")
    assert reply.status == status
    if status == 503:
        assert reply.json["code"] == "rate_unavailable"
        sentence = f"The newest price of [{code}] is of [{now - age:%Y-%m-%dT%H:%M:%SZ}] ("
        assert reply.json["error"].startswith(sentence)
        assert reply.json["error"].endswith(f"), older than allowed; {SIMULATED}")


def test_a_price_that_is_fixed_once_a_day_has_no_such_limit(dealing):
    client = dealing(NOON, traded("XAU", NOON - timedelta(days=2), Pace.DAILY))
    assert client.get("/explain?from=XAU&to=USD").status == 200


def test_a_fresh_leg_does_not_cover_for_an_old_one(dealing):
    client = dealing(NOON, traded("BTC", NOON), traded("ETH", NOON - timedelta(hours=1)))
    assert client.get("/explain?from=BTC&to=USD").status == 200
    assert client.get("/explain?from=BTC&to=ETH").status == 503
    assert client.get("/explain?from=ETH&to=BTC").status == 503


def test_an_operator_who_sets_no_limit_gets_whatever_there_is(dealing):
    client = dealing(NOON, traded("BTC", NOON - timedelta(days=3)), ages={})
    assert client.get("/explain?from=BTC&to=USD").status == 200


# The words as they were published


@pytest.fixture
def audited(client, real_archive):
    read_with(client.worker_state, fixings=real_archive.published_fixings)
    return client


def test_a_past_day_shows_what_the_source_published(audited):
    answer = explained(audited, "from=EUR&to=USD&date=2026-10-30")
    assert answer["updated"] == "2026-10-30T13:15:00Z"
    assert answer["legs"] == [
        {
            "base": "EUR",
            "quote": "USD",
            "rate": "1.1172",
            "made": "published",
            "sources": ["ecb"],
            "as_of": "2026-10-30T13:15:00Z",
            "received_at": "2026-11-20T12:00:00Z",
            "published": "1.1172",
            "fixed_on": "2026-10-30",
        }
    ]


def test_a_crossed_rate_of_a_past_day_shows_both_fixings_and_how_far_they_were_carried(audited):
    legs = explained(audited, "from=USD&to=JPY&date=2026-11-01")["legs"]
    told = [(leg["base"], leg["quote"], leg["published"], leg["fixed_on"], leg["carried_days"]) for leg in legs]
    assert told == [("EUR", "JPY", "175.68", "2026-10-30", 2), ("EUR", "USD", "1.1172", "2026-10-30", 2)]
    assert {leg["because"] for leg in legs} == {"weekend"}


def test_a_leg_that_both_sides_share_is_shown_once(audited):
    legs = explained(audited, "from=JPY&to=EUR&date=2026-10-30")["legs"]
    assert [f"{leg['base']}/{leg['quote']}" for leg in legs] == ["EUR/JPY", "EUR/USD"]


def test_what_the_law_alone_decides_has_no_time(audited):
    answer = explained(audited, "to=AED&date=2024-06-14")
    assert (answer["legs"], answer["updated"]) == ([DIRHAM], None)


def test_a_law_leads_to_the_fixing_of_what_it_ties_to(audited):
    answer = explained(audited, "from=USD&to=XAF&date=2026-10-30")
    assert answer["legs"][0] == CFA_FRANC
    assert [leg["published"] for leg in answer["legs"][1:]] == ["1.1172"]
    assert answer["updated"] == "2026-10-30T13:15:00Z"


def test_a_rate_that_is_not_in_the_archive_is_not_shown_as_published(client):
    read_with(client.worker_state, fixings=lambda _source, _code, _day: [])
    (leg,) = explained(client, "from=EUR&to=USD&date=2026-10-30")["legs"]
    assert (leg["made"], leg["rate"]) == ("crossed", "0.8950948801")


def test_the_answer_names_the_rate_book_or_the_state_of_the_history(client):
    book, matrix = client.worker_state.caches._book, client.worker_state.matrix
    object.__setattr__(book, "edition", "book-1-0123456789ab-01234567")
    try:
        client.worker_state.apply_matrix(with_edition(matrix, 7, "0123456789ab"))
        live, past = client.get("/explain?to=JPY"), client.get("/explain?to=JPY&date=2026-03-05")
    finally:
        object.__setattr__(book, "edition", "")
    assert live.json["edition"] == live.headers["cambist-edition"] == "book-1-0123456789ab-01234567"
    assert past.json["edition"] == past.headers["cambist-edition"]
    assert past.json["edition"].startswith("7-0123456789ab-")


@pytest.mark.parametrize(
    "pair",
    [
        "from=EUR&to=USD",
        "from=GBP&to=JPY",
        "from=DEM&to=EUR",
        "from=EUR&to=EUR",
        "from=EUR&to=USD&date=2024-03-03",
        "from=EUR&to=JPY&date=2024-03-04",
    ],
)
@pytest.mark.parametrize("amount", ["100", "-12.505", "0.0001", "98765432109876543210.98765"])
@pytest.mark.parametrize("precision", ["", "&precision=7"])
def test_an_amount_is_worth_what_convert_says(kept_client, pair, amount, precision):
    found = exact(kept_client.get(f"/explain?{pair}&amount={amount}{precision}"))
    plain = exact(kept_client.get(f"/explain?{pair}"))
    rows = kept_client.request(
        "POST",
        f"/convert/bulk?decimal=point{precision}",
        body=f"amount,from,to,date\n{amount},{pair[5:8]},{pair[12:15]},{pair[21:]}\n".encode(),
        headers={"Content-Type": "text/csv"},
    )
    *_, result, rate, _, error = rows.text.splitlines()[1].split(",")
    assert (found["converted"]["result"], found["converted"]["rate"], error) == (result, rate, "")
    assert found["converted"].get("fixed_on") == (
        kept_client.get(f"/historical?{pair}").json["fixed_on"] if "date" in pair else None
    )
    assert found["legs"] == plain["legs"]
    sources = {key for leg in found["legs"] for key in leg.get("sources", ())}
    assert found["publishers"].keys() <= sources
    assert "publishers" not in plain


def exact(reply):
    assert (reply.status, reply.headers["x-calls-cost"]) == (200, "1"), reply.text
    found = json.loads(reply.text, parse_float=str, parse_int=str)
    return {name: value for name, value in found.items() if name != "ms"}


def test_decimals_of_nothing_are_refused(kept_client):
    reply = kept_client.get("/explain?from=EUR&to=USD&precision=2")
    assert (reply.status, "[precision] needs an [amount]" in reply.json["error"]) == (400, True)
