"""`GET /metals/quote`: bid and ask of instruments as quoted, and the warnings."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import pytest

from cambist.accounts.account import Account, DatetimeFormat, StoredKey
from cambist.accounts.api_key import digest

TODAY = date(2026, 11, 20)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SATURDAY = datetime(2026, 11, 21, 12, tzinfo=UTC)
AT, TSP = "2026-11-20T11:59:58Z", 1795175998000
FIXED_AT, FIXED_TSP = "2026-11-19T13:15:00Z", 1795094100000
TEN = "XAUUSD,XAUEUR,XAGUSD,XPTUSD,XPDUSD,XALUSD,XCUUSD,XAUXAG,XAUXPT,XAUXPD"
SIDES = {"XAU": ("4000.12", "4000.88"), "XAG": ("50.123", "50.177"), "XPT": ("1500.5", "1502.5"), "XPD": ("1400",) * 2}

GOLD = {
    "bid": "4000.1200",
    "ask": "4000.8800",
    "mid": "4000.5000",
    "spread": "0.7600",
    "tsp": TSP,
    "dtm": AT,
    "metal": "XAU",
    "target": "USD",
    "unit": "oz_t",
    "purity": "1000",
    "cross_rate": False,
}
IN_EUROS = GOLD | {"bid": "3448.1000", "ask": "3448.9000", "mid": "3448.5000", "spread": "0.8000", "target": "EUR"}
COPPER = {
    "bid": "10800.000",
    "ask": "10802.000",
    "mid": "10801.000",
    "spread": "2.000",
    "tsp": TSP,
    "dtm": AT,
    "metal": "XCU",
    "target": "USD",
    "unit": "metric_tonne",
    "cross_rate": False,
}
PALLADIUM = {
    "bid": "1400.0000",
    "ask": "1400.0000",
    "mid": "1400.0000",
    "spread": "0.0000",
    "tsp": FIXED_TSP,
    "dtm": FIXED_AT,
    "metal": "XPD",
    "target": "USD",
    "unit": "oz_t",
    "purity": "1000",
    "cross_rate": True,
}
RATIO = {
    "bid": "79.72019052",  # 4000.12 / 50.177, down
    "ask": "79.82123976",  # 4000.88 / 50.123, up
    "mid": "79.77071514",
    "spread": "0.10104924",
    "tsp": TSP,
    "dtm": AT,
    "metal": "XAU",
    "target": "XAG",
    "purity": "1000",
    "cross_rate": True,
}


def answered(client, instruments, rest=""):
    reply = client.get(f"/metals/quote?instruments={instruments}{rest}")
    assert reply.status == 200, reply.text
    return reply.json


def is_refused(reply, status, code, *fragments):
    assert (reply.status, reply.json["code"]) == (status, code), reply.text
    assert list(reply.json) == ["error", "code"]
    assert reply.headers["x-calls-cost"] == "0"
    for fragment in fragments:
        assert fragment in reply.json["error"]
    return True


# What it answers


@pytest.mark.parametrize(
    ("symbol", "record", "source"),
    [
        ("XAUUSD", GOLD, "swissquote"),
        ("XAUEUR", IN_EUROS, "swissquote"),
        ("XCUUSD", COPPER, "lme cash via westmetall, moved by 3-month"),
        ("XPDUSD", PALLADIUM, "nbu, daily fixing"),
        ("XAUXAG", RATIO, "swissquote"),
    ],
)
def test_an_instrument_has_these_fields_in_this_order(client_dealing, symbol, record, source):
    answer = answered(client_dealing, symbol)
    assert answer | {"ms": 0} == {"quotes": {symbol: record}, "source": source, "warnings": {}, "ms": 0}
    assert list(answer) == ["quotes", "source", "warnings", "ms"]
    assert list(answer["quotes"][symbol]) == list(record)


@pytest.mark.parametrize("rest", ["&unit=gram", "&purity=750", "&currency=JPY", "&metal=XAG", "&unit=x&purity=0"])
def test_nothing_is_converted_and_what_would_convert_is_refused(client_dealing, rest):
    reply = client_dealing.get(f"/metals/quote?instruments=XAUUSD{rest}")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert "is not taken by /metals/quote, only by /metals/spot" in reply.json["error"]


@pytest.mark.parametrize("ratio", ["XAUXAG", "XAUXPT", "XAUXPD", "XPTXPD"])
def test_a_ratio_divides_bid_by_ask_and_ask_by_bid(client_dealing, ratio):
    quote = answered(client_dealing, ratio)["quotes"][ratio]
    (bid, ask), (other_bid, other_ask) = (map(Fraction, SIDES[metal]) for metal in (ratio[:3], ratio[3:]))
    assert 0 <= bid / other_ask - Fraction(quote["bid"]) < Fraction(1, 10**8)
    assert 0 <= Fraction(quote["ask"]) - ask / other_bid < Fraction(1, 10**7)
    assert Fraction(quote["mid"]) == (Fraction(quote["bid"]) + Fraction(quote["ask"])) / 2
    assert Fraction(quote["spread"]) == Fraction(quote["ask"]) - Fraction(quote["bid"])
    assert (quote["metal"], quote["target"], quote["cross_rate"]) == (ratio[:3], ratio[3:], True)
    assert quote["dtm"] == (FIXED_AT if "XPD" in ratio else AT)
    assert "unit" not in quote


def test_a_ratio_has_the_sources_of_both_metals(client_dealing):
    assert answered(client_dealing, "XAUXPD")["source"] == "swissquote; nbu, daily fixing"


def test_ten_instruments_are_answered_in_their_order_with_every_source_once(client_dealing):
    answer = answered(client_dealing, TEN)
    assert list(answer["quotes"]) == TEN.split(",")
    assert answer["warnings"] == {}
    assert answer["source"] == (
        "swissquote; nbu, daily fixing; lme cash via westmetall; lme cash via westmetall, moved by 3-month"
    )
    backwards = ",".join(reversed(TEN.split(",")))
    assert list(answered(client_dealing, backwards)["quotes"]) == backwards.split(",")


@pytest.mark.parametrize(
    ("form", "dtm"),
    [(DatetimeFormat.SPACED, "2026-11-20 11:59:58"), (DatetimeFormat.UNIX_MS, "1795175998000")],
)
def test_the_time_is_also_written_as_the_account_wants_it(dealing, key, form, dtm):
    client = dealing(options={"stored_keys": {digest(key): StoredKey(1, Account(1, "one", "unlimited", form))}})
    quote = answered(client, "XAUUSD")["quotes"]["XAUUSD"]
    assert (quote["tsp"], quote["dtm"]) == (TSP, dtm)


@pytest.mark.parametrize("instruments", ["XAUUSD", "XPDUSD", "XAUXAG", TEN, f"{TEN},XPTXPD", "XAUUSD,NOPE"])
def test_it_costs_one_call_however_many(client_dealing, instruments):
    for asked in (1, 2):  # made, then kept
        assert client_dealing.get(f"/metals/quote?instruments={instruments}").headers["x-calls-cost"] == "1"
        assert client_dealing.ledger.spent(1, TODAY) == asked


@pytest.mark.parametrize("flag", ["true", "TRUE", "1", "yes", "Y"])
@pytest.mark.parametrize(
    ("symbol", "names"),
    [
        ("XAUEUR", {"metal_name": "Gold", "target_name": "Euro", "unit_name": "Troy ounce"}),
        ("XCUUSD", {"metal_name": "Copper", "target_name": "US Dollar", "unit_name": "Metric tonne"}),
        ("XAUXAG", {"metal_name": "Gold", "target_name": "Silver"}),
    ],
)
def test_what_means_yes_adds_display_names(client_dealing, symbol, names, flag):
    plain = answered(client_dealing, symbol)["quotes"][symbol]
    assert answered(client_dealing, symbol, f"&verbose={flag}")["quotes"][symbol] == plain | names


@pytest.mark.parametrize("flag", ["", "0", "maybe", "on", "false"])
def test_what_does_not_mean_yes_adds_nothing(client_dealing, flag):
    assert answered(client_dealing, "XAUUSD", f"&verbose={flag}")["quotes"] == {"XAUUSD": GOLD}


# How the list is read


@pytest.mark.parametrize(
    "instruments",
    [
        "xauusd,xauxag",
        "XAU/USD,XAU/XAG",
        "xau%2Fusd,Xau/Xag",
        "%20XAUUSD%20,+XAUXAG",
        ",XAUUSD,,%20,XAUXAG,",
        "XAUUSD%2CXAUXAG",
        "XAUUSD,XAUXAG,XAUUSD,xau/usd",
        "&instruments=XAUUSD,XAUXAG",
        "XAGUSD&instruments=XAUUSD,XAUXAG",
        "XAUUSD,XAUXAG&instruments=",
    ],
)
def test_a_list_is_read_as_it_was_meant(client_dealing, instruments):
    answer = answered(client_dealing, instruments)
    assert list(answer["quotes"].items()) == [("XAUUSD", GOLD), ("XAUXAG", RATIO)]
    assert answer["warnings"] == {}


@pytest.mark.parametrize("query", ["", "?instruments=", "?instruments=%20", "?instruments=,,%20,", "?verbose=1"])
def test_a_list_is_needed(client_dealing, query):
    assert is_refused(client_dealing.get(f"/metals/quote{query}"), 400, "bad_parameter", "[instruments]")


# What of a request is not answered


@pytest.mark.parametrize(
    ("more", "ignored"),
    [
        ("XPTXPD", ["XPTXPD"]),
        ("XPTXPD,NOPE", ["XPTXPD", "NOPE"]),
        ("XAUUSD,XAU/USD,XPTXPD", ["XPTXPD"]),  # repeats are none of the ten
        ("XAUUSD,xauxag", []),
    ],
)
def test_beyond_ten_they_are_ignored_and_named(client_dealing, more, ignored):
    answer = answered(client_dealing, f"{TEN},{more}")
    assert list(answer["quotes"]) == TEN.split(",")
    assert answer["warnings"] == ({"ignored_instruments": ignored} if ignored else {})


def test_one_bad_among_good_is_named_and_the_rest_answered(client_dealing):
    answer = answered(client_dealing, "XAUUSD,GOLD,XAUXAG,xag/zzz,XAUBTC")
    assert list(answer["quotes"]) == ["XAUUSD", "XAUXAG"]
    assert answer["warnings"] == {"invalid_instruments": ["GOLD", "XAGZZZ", "XAUBTC"]}


def test_the_bad_ones_are_among_the_ten(client_dealing):
    answer = answered(client_dealing, f"NOPE,{TEN}")
    assert list(answer["quotes"]) == TEN.split(",")[:9]
    assert answer["warnings"] == {"invalid_instruments": ["NOPE"], "ignored_instruments": ["XAUXPD"]}


@pytest.mark.parametrize(
    "instruments",
    ["NOPE", "NOPE,GOLD", "EURUSD", "BTCUSD", "XAUGBP", "XAGXAU", "XAUXAU", "XAU", "XAUUSDX", "XCU-3MUSD", "USDXAU"],
)
def test_none_that_exists_is_refused_and_costs_nothing(client_dealing, instruments):
    reply = client_dealing.get(f"/metals/quote?instruments={instruments}")
    shown = instruments.replace(",", ", ")
    assert is_refused(reply, 400, "unknown_instrument", f"metals instrument: [{shown}]", "/metals/instruments")
    assert client_dealing.ledger.spent(1, TODAY) == 0


def test_bad_ones_are_echoed_in_short(client_dealing):
    long = "X" * 5000
    assert len(client_dealing.get(f"/metals/quote?instruments={long}").content) < 300
    (named,) = answered(client_dealing, f"XAUUSD,{long}")["warnings"]["invalid_instruments"]
    assert named.startswith("XXXX")
    assert len(named) < 100


def test_one_without_a_quote_is_named_and_the_rest_answered(client_dealing):
    answer = answered(client_dealing, "XPBUSD,XAUUSD,XNIUSD,NOPE")
    assert list(answer["quotes"]) == ["XAUUSD"]
    assert answer["source"] == "swissquote"
    assert answer["warnings"] == {"invalid_instruments": ["NOPE"], "unavailable_instruments": ["XPBUSD", "XNIUSD"]}


@pytest.mark.parametrize("instruments", ["XPBUSD", "XPBUSD,XNIUSD", "NOPE,XPBUSD"])
def test_instruments_without_a_quote_are_503_with_retry_after(client_dealing, instruments):
    reply = client_dealing.get(f"/metals/quote?instruments={instruments}")
    assert is_refused(reply, 503, "rate_unavailable", "[XPB]")
    assert int(reply.headers["retry-after"]) > 0


# How old a quote may be


@pytest.mark.parametrize(("minutes", "is_there"), [(15, True), (16, False)])
def test_a_quote_that_is_stale_while_its_market_is_open_is_unavailable(dealing, quote_of, minutes, is_there):
    client = dealing(XAU=quote_of("XAU/USD", "4000", "4001", as_of=NOON - timedelta(minutes=minutes)))
    answer = answered(client, "XAUUSD,XAGUSD,XAUXAG")
    assert list(answer["quotes"]) == (["XAUUSD", "XAGUSD", "XAUXAG"] if is_there else ["XAGUSD"])
    assert answer["warnings"] == ({} if is_there else {"unavailable_instruments": ["XAUUSD", "XAUXAG"]})


def test_at_the_weekend_the_last_close_keeps_its_time(dealing, quote_of):
    closed, earlier = (datetime(2026, 11, 20, 21, minute, tzinfo=UTC) for minute in (59, 52))
    gold, silver = quote_of("XAU/USD", "4000", "4001", as_of=closed), quote_of("XAG/USD", "50", "51", as_of=earlier)
    quotes = answered(dealing(now=SATURDAY, XAU=gold, XAG=silver), "XAUUSD,XAGUSD,XAUXAG")["quotes"]
    assert [quote["dtm"] for quote in quotes.values()] == [
        "2026-11-20T21:59:00Z",
        "2026-11-20T21:52:00Z",
        "2026-11-20T21:52:00Z",
    ]
    assert quotes["XAUUSD"]["tsp"] == closed.timestamp() * 1000


def test_what_was_stale_when_its_market_closed_stays_so(dealing, quote_of):
    gold = quote_of("XAU/USD", "4000", "4001", as_of=datetime(2026, 11, 20, 21, 44, tzinfo=UTC))
    reply = dealing(now=SATURDAY, XAU=gold).get("/metals/quote?instruments=XAUUSD,XAUXAG")
    assert is_refused(reply, 503, "rate_unavailable", "[XAU]", "[2026-11-20T21:44:00Z]")


def test_an_instrument_whose_own_quote_is_stale_is_not_crossed_instead(dealing, quote_of):
    """The interface: exactly as the feed supplies them, no conversion of the currency."""
    old = quote_of("XAU/EUR", "3448", "3449", "swissquote", as_of=NOON - timedelta(minutes=16))
    answer = answered(dealing(XAU_EUR=old), "XAUEUR,XAUUSD")
    assert list(answer["quotes"]) == ["XAUUSD"]
    assert answer["warnings"] == {"unavailable_instruments": ["XAUEUR"]}


def test_a_client_may_ask_for_younger_quotes(client_dealing):
    answer = answered(client_dealing, "XAUUSD,XPDUSD,XALUSD,XAUXPD", "&max_age=PT1H")
    assert list(answer["quotes"]) == ["XAUUSD"]
    assert answer["warnings"] == {"unavailable_instruments": ["XPDUSD", "XALUSD", "XAUXPD"]}
    reply = client_dealing.get("/metals/quote?instruments=XAUUSD&max_age=PT1S")
    assert is_refused(reply, 503, "rate_unavailable", f"[{AT}]")
