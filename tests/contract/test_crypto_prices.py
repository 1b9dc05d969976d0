"""`GET /crypto/fetch-prices` as the API documents it, on a book of round figures (see `dealing`)."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Context
from fractions import Fraction
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cambist.pricing.unavailable import SIMULATED

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
QUARTER = 15 * MINUTE
PRICES = "/crypto/fetch-prices"
# The book's midpoints in dollars, reckoned from its sides by hand.
BTC, ETH, SOL, USDT, EUR = map(Fraction, ("90005", "3000.5", "139.916", "0.9991", "1.16"))
STALE_SOL = "100.5"  # what nobody has dealt for two hours
COINS = ("ADA", "AVAX", "BCH", "DOT", "LINK", "LTC", "NEAR", "TRX", "UNI", "XLM", "XRP")


def ten_digits(value: Fraction) -> str:
    rounded = format(Context(prec=10, rounding=ROUND_HALF_UP).divide(value.numerator, value.denominator), "f")
    return rounded.rstrip("0").rstrip(".") if "." in rounded else rounded


def prices(reply) -> dict[str, str]:
    """Give the prices as they are written, digit by digit and in their order."""
    assert reply.status == 200, reply.text
    found = re.fullmatch(r'\{"prices":\{(.*)\},"ms":[0-9]+\}', reply.text)
    assert found, reply.text
    pairs = re.findall(r'"([^"]+)":([^,]+)', found[1])
    assert ",".join(f'"{name}":{price}' for name, price in pairs) == found[1]
    return dict(pairs)


def ask(client, *pairs: str, rest: str = "", **more):
    return client.get(f"{PRICES}?pairs={','.join(pairs)}{rest}", **more)


def is_unavailable(reply) -> str:
    assert (reply.status, reply.json["code"]) == (503, "rate_unavailable"), reply.text
    assert list(reply.json) == ["error", "code"]
    assert int(reply.headers["retry-after"]) > 0
    assert reply.headers["x-calls-cost"] == "0"
    return reply.json["error"]


@pytest.fixture
def eleven(dealing, quote_of):
    """A client of a service on which eleven coins more are dealt, the first at 1, the last at 11 dollars."""
    return dealing(**{f"{coin}_USD": quote_of(f"{coin}/USD", str(at), str(at)) for at, coin in enumerate(COINS, 1)})


# What is answered


def test_it_answers_prices_and_ms_and_nothing_else(client_dealing):
    reply = ask(client_dealing, "BTC/USD")
    assert (reply.status, list(reply.json)) == (200, ["prices", "ms"])
    assert reply.json["prices"] == {"BTC/USD": 90005}
    assert re.fullmatch(r'\{"prices":\{"BTC/USD":90005\},"ms":[0-9]+\}', reply.text)


def test_it_is_live_and_costs_one_call_also_when_cached(client_dealing):
    for calls in (1, 2, 3):  # made, then kept
        reply = ask(client_dealing, "BTC/USD", "ETH/USD")
        assert (reply.headers["x-calls-cost"], reply.headers["cache-control"]) == ("1", "no-store")
        assert client_dealing.ledger.spent(1, date(2026, 11, 20)) == calls


@pytest.mark.parametrize(
    ("pair", "price"),
    [
        ("BTC/USD", "90005"),
        ("BTC/EUR", "77590"),
        ("ETH/USD", "3000.5"),
        ("ETH/BTC", "0.03334"),
        ("USDT/USD", "0.9991"),
        ("SOL/USDT", "140.05"),
    ],
)
def test_a_pair_that_is_quoted_now_is_at_the_midpoint_of_its_own_quote(client_dealing, pair, price):
    assert prices(ask(client_dealing, pair)) == {pair: price}


def test_a_pair_with_the_coin_on_its_quote_side_is_one_too(dealing, quote_of):
    client = dealing(EUR_USDT=quote_of("EUR/USDT", "1.1610", "1.1612"))
    assert prices(ask(client, "EUR/USDT")) == {"EUR/USDT": "1.1611"}


def test_ten_pairs_are_answered_in_the_order_of_the_request(eleven):
    pairs = [f"{coin}/USD" for coin in COINS[:10]]
    asked = pairs[::-2] + pairs[::2]
    answered = prices(ask(eleven, *asked))
    assert list(answered.items()) == [(pair, str(pairs.index(pair) + 1)) for pair in asked]


def test_a_repeat_counts_and_is_charged_once(client_dealing):
    reply = ask(client_dealing, "ETH/USD", "BTC/USD", "eth/usd", "ETH/USD")
    assert list(prices(reply)) == ["ETH/USD", "BTC/USD"]
    assert reply.headers["x-calls-cost"] == "1"


def test_eleven_of_which_two_are_the_same_are_ten(eleven):
    asked = [f"{coin}/USD" for coin in (*COINS[:10], COINS[0].lower())]
    assert len(prices(ask(eleven, *asked))) == 10


@pytest.mark.parametrize(
    "query",
    [
        "pairs=BTC/USD,ETH/BTC",
        "pairs=btc/usd,eth/btc",
        "pairs=BTC%2FUSD,ETH%2FBTC",
        "pairs=BTC%2fUSD%2CETH%2fBTC",
        "pairs=BTC/USD,%20ETH/BTC",
        "pairs=%20BTC/USD%20%2C%20ETH/BTC%20",
        "pairs=BTC/USD,+ETH/BTC",
        "pairs=BTC/USD, ETH/BTC",
        "pairs=BTC%20/%20USD,ETH+/+BTC",
        "pairs=,BTC/USD,,%20,ETH/BTC,",
        "pairs=BTC/USD,ETH/BTC,BTC/USD,btc/usd",
        "pairs=&pairs=BTC/USD,ETH/BTC",
        "pairs=BTC/USD,ETH/BTC&pairs=",
        "pairs=DOGE/USD&pairs=BTC/USD,ETH/BTC",
        "pairs=BTC/USD,ETH/BTC&colour=1&callback=show",
        "p%61irs=%42TC/USD,ETH/BTC&max_age=",
    ],
)
def test_these_all_ask_the_same(client_dealing, query):
    assert list(prices(client_dealing.get(f"{PRICES}?{query}")).items()) == [
        ("BTC/USD", "90005"),
        ("ETH/BTC", "0.03334"),
    ]


def test_a_trailing_slash_and_head_are_fine(client_dealing):
    assert client_dealing.get(f"{PRICES}/?pairs=BTC/USD").json["prices"] == {"BTC/USD": 90005}
    reply = client_dealing.request("HEAD", f"{PRICES}?pairs=BTC/USD")
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")


# What is crossed


def test_a_listed_pair_that_nobody_deals_now_is_crossed_through_its_coins_legs(client_dealing):
    assert prices(ask(client_dealing, "SOL/EUR")) == {"SOL/EUR": ten_digits(SOL / EUR)} == {"SOL/EUR": "120.6172414"}


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("BTC/EUR", BTC / EUR),
        ("ETH/BTC", ETH / BTC),
        ("SOL/USDT", SOL / USDT),
        ("SOL/USD", SOL),
        ("EUR/USDT", EUR / USDT),
        ("BTC/AED", BTC * Fraction("3.6725")),
        ("BTC/JPY", BTC * Fraction("150.25")),
    ],
)
def test_a_pair_whose_own_quote_is_old_is_its_exact_cross(dealing, quote_of, pair, expected):
    client = dealing(**{pair.replace("/", "_"): quote_of(pair, "7", "7", as_of=NOON - QUARTER - SECOND)})
    assert prices(ask(client, pair)) == {pair: ten_digits(expected)}


def test_a_tether_is_not_a_dollar(dealing, quote_of):
    """In dollars a coin is worth what it is in tether, times what a tether is."""
    old = {"as_of": NOON - QUARTER - SECOND}
    sol = quote_of("SOL/USD", "139.874", "139.874")  # 140 tethers at 0.9991 dollars
    pairs = {"SOL_USDT": quote_of("SOL/USDT", "7", "7", **old), "SOL_USD": quote_of("SOL/USD", "7", "7", **old)}
    found = prices(ask(dealing(SOL=sol, **pairs), "SOL/USDT", "SOL/USD"))
    assert found == {"SOL/USDT": "140", "SOL/USD": "139.874"}


@pytest.mark.parametrize(
    ("age", "price"),
    [(timedelta(0), "77590"), (QUARTER, "77590"), (QUARTER + SECOND, ten_digits(BTC / EUR))],
    ids=["now", "a quarter of an hour", "a second more"],
)
def test_a_quote_is_fresh_for_a_quarter_of_an_hour(dealing, quote_of, age, price):
    client = dealing(BTC_EUR=quote_of("BTC/EUR", "77580", "77600", as_of=NOON - age))
    assert prices(ask(client, "BTC/EUR")) == {"BTC/EUR": price}


@pytest.mark.parametrize(("limit", "price"), [(3 * 60 * MINUTE, STALE_SOL), (60 * MINUTE, ten_digits(SOL / EUR))])
def test_the_operator_sets_how_long_a_price_is_fresh(dealing, limit, price):
    client = dealing(ages=dict.fromkeys(dealing().worker_state.choices.ages, limit))
    assert prices(ask(client, "SOL/EUR")) == {"SOL/EUR": price}


def test_where_the_currencys_leg_is_a_fixing_it_is_crossed_through_that_however_old(dealing, quote_of):
    client = dealing(BTC_PLN=quote_of("BTC/PLN", "7", "7", as_of=NOON - QUARTER - SECOND))
    assert prices(ask(client, "BTC/PLN")) == {"BTC/PLN": ten_digits(BTC * Fraction("3.65"))}
    assert is_unavailable(ask(client, "BTC/PLN", rest="&max_age=PT1H"))


# What cannot be answered now


def test_a_price_that_is_stale_at_every_venue_is_503_with_retry_after(client_dealing):
    sentence = is_unavailable(ask(client_dealing, "DOGE/USD"))
    assert sentence.startswith("The newest price of [DOGE] is of [2026-11-20T10:00:00Z] (")
    assert sentence.endswith(f"), older than allowed; {SIMULATED}")


def test_one_stale_pair_among_fresh_ones_is_503_for_all(client_dealing):
    assert is_unavailable(ask(client_dealing, "BTC/USD", "DOGE/USD", "ETH/USD"))


@pytest.mark.parametrize("coin", ["ETH", "BTC"])
def test_an_old_pair_with_an_old_leg_on_either_side_is_503(dealing, quote_of, coin):
    old = {"as_of": NOON - QUARTER - SECOND}
    pair = quote_of("ETH/BTC", "0.03333", "0.03335", **old)
    client = dealing(ETH_BTC=pair, **{coin: quote_of(f"{coin}/USD", "3000", "3001", **old)})
    assert f"[{coin}]" in is_unavailable(ask(client, "ETH/BTC"))


def test_an_old_pair_of_a_coin_that_is_in_nothing_else_is_503(dealing):
    assert "[SOL]" in is_unavailable(ask(dealing(SOL=None), "SOL/EUR"))


def test_a_cached_answer_expires_when_its_sources_fall_silent(dealing):
    client = dealing()
    for minutes, status in ((0, 200), (14, 200), (15, 503), (60, 503)):
        client.clock.read = (NOON + minutes * MINUTE).timestamp
        client.worker_state.tick()  # as every second
        assert ask(client, "BTC/USD").status == status


# How young it has to be


@pytest.mark.parametrize(
    ("max_age", "price"),
    [("PT15M", "77590"), ("PT10M", "77590"), ("PT9M59S", ten_digits(BTC / EUR)), ("PT2S", ten_digits(BTC / EUR))],
)
def test_who_wants_it_younger_than_the_quote_gets_the_cross_if_that_is_younger(dealing, quote_of, max_age, price):
    client = dealing(BTC_EUR=quote_of("BTC/EUR", "77580", "77600", as_of=NOON - 10 * MINUTE))
    assert prices(ask(client, "BTC/EUR", rest=f"&max_age={max_age}")) == {"BTC/EUR": price}


@pytest.mark.parametrize("pair", ["BTC/EUR", "BTC/USD", "SOL/EUR"])
def test_who_wants_it_younger_than_the_cross_is_refused(dealing, pair):
    assert is_unavailable(ask(dealing(), pair, rest="&max_age=PT1S"))


@pytest.mark.parametrize(("max_age", "status"), [("PT3M", 200), ("PT2M59S", 503)])
@pytest.mark.parametrize("leg", ["SOL", "EUR"])
def test_a_cross_is_as_old_as_its_oldest_leg(dealing, quote_of, leg, max_age, status):
    old = quote_of(f"{leg}/USD", "1.1599", "1.1601", as_of=NOON - 3 * MINUTE)
    assert ask(dealing(**{leg: old}), "SOL/EUR", rest=f"&max_age={max_age}").status == status


def test_max_age_holds_for_every_pair_of_a_list(dealing, quote_of):
    client = dealing(SOL=quote_of("SOL/USD", "139", "140", as_of=NOON - 3 * MINUTE))
    assert ask(client, "BTC/USD", "ETH/USD", rest="&max_age=PT1M").status == 200
    assert ask(client, "BTC/USD", "SOL/EUR", "ETH/USD", rest="&max_age=PT3M").status == 200
    assert is_unavailable(ask(client, "BTC/USD", "SOL/EUR", "ETH/USD", rest="&max_age=PT1M"))


def test_max_age_is_checked_also_for_a_cached_answer(client_dealing):
    statuses = [ask(client_dealing, "BTC/USD", rest=rest).status for rest in ("", "&max_age=PT1S", "", "&max_age=PT2S")]
    assert statuses == [200, 503, 200, 200]


# How it is written


@pytest.mark.parametrize(
    ("bid", "ask_", "written"),
    [
        ("0.00000001233", "0.00000001235", "0.00000001234"),
        ("0.00000000000000000001", "0.00000000000000000003", "0.00000000000000000002"),
        ("0.000000012345678901", "0.000000012345678903", "0.0000000123456789"),
        ("0.0000000123456789049", "0.0000000123456789051", "0.00000001234567891"),
        ("1/3", "1/3", "0.3333333333"),
        ("1234567890.12", "1234567890.34", "1234567890"),
        ("98765432109876", "98765432109876", "98765432110000"),
        ("99999.99999", "99999.99999", "99999.99999"),
        ("99999.999999", "99999.999999", "100000"),
    ],
)
def test_a_price_has_ten_significant_digits_and_never_an_exponent(dealing, quote_of, bid, ask_, written):
    client = dealing(SHIB_USD=quote_of("SHIB/USD", bid, ask_))
    assert prices(ask(client, "SHIB/USD")) == {"SHIB/USD": written}


def test_a_tiny_price_that_is_crossed_keeps_its_digits_too(dealing, quote_of):
    shib = quote_of("SHIB/USD", "0.00000001233", "0.00000001235")
    client = dealing(SHIB=shib, SHIB_EUR=quote_of("SHIB/EUR", "7", "7", as_of=NOON - QUARTER - SECOND))
    assert prices(ask(client, "SHIB/EUR")) == {"SHIB/EUR": "0.00000001063793103"}


# What is refused


def refused(client, query: str, code: str = "bad_parameter") -> str:
    reply = client.get(f"{PRICES}{query}")
    assert (reply.status, reply.json["code"]) == (400, code), reply.text
    assert list(reply.json) == ["error", "code"]
    assert reply.headers["x-calls-cost"] == "0"
    assert client.ledger.spent(1, date(2026, 11, 20)) == 0
    return reply.json["error"]


@pytest.mark.parametrize("query", ["", "?", "?pairs", "?pairs=", "?pairs=%20", "?pairs=&pairs=+"])
def test_without_pairs_the_missing_parameter_is_named(client_dealing, query):
    assert refused(client_dealing, query) == "Missing parameter: [pairs], such as pairs=BTC/USD,ETH/BTC"


@pytest.mark.parametrize("name", ["Pairs", "pair", "PAIRS", "piars"])
def test_a_parameter_that_resembles_pairs_is_refused(client_dealing, name):
    assert refused(client_dealing, f"?{name}=BTC/USD") == f"Unknown parameter: [{name}], did you mean [pairs]?"
    said = refused(client_dealing, f"?pairs=BTC/USD&{name}=ETH/USD")
    assert said == f"Unknown parameter: [{name}], did you mean [pairs]?"


@pytest.mark.parametrize("text", [",", ",,%20,", "%2C"])
def test_a_list_of_nothing_holds_no_pair(client_dealing, text):
    assert "[pairs] holds no pair: [" in refused(client_dealing, f"?pairs={text}")


def test_eleven_pairs_are_refused_and_not_cut(eleven):
    asked = ",".join(f"{coin}/USD" for coin in COINS)
    assert refused(eleven, f"?pairs={asked}") == "Too many pairs in [pairs]: [11], at most 10"


NO_PAIRS = [
    ("no slash", "BTCUSD", "BTCUSD"),
    ("a dash", "BTC-USD", "BTC-USD"),
    ("no quote", "BTC/", "BTC/"),
    ("a blank quote", "BTC/%20", "BTC/"),
    ("no base", "/USD", "/USD"),
    ("a slash alone", "/", "/"),
    ("three parts", "BTC/USD/EUR", "BTC/USD/EUR"),
    ("a slash behind", "BTC/USD/", "BTC/USD/"),
    ("another separator of a list", "BTC/USD;ETH/USD", "BTC/USD;ETH/USD"),
    ("a wide slash", "BTC%EF%BC%8FUSD", "BTC\uff0fUSD"),
    ("10,000 characters", "A" * 10_000, f"{'A' * 64}… 10000 characters"),
]


@pytest.mark.parametrize(("text", "shown"), [row[1:] for row in NO_PAIRS], ids=[row[0] for row in NO_PAIRS])
def test_what_is_no_pair_is_refused_with_how_one_is_written(client_dealing, text, shown):
    for among in ("{}", "BTC/USD,{}", "{},BTC/USD"):
        sentence = refused(client_dealing, f"?pairs={among.format(text)}")
        assert sentence == f"Invalid pairs: [{shown}], a pair is written BASE/QUOTE, such as BTC/USD"


UNLISTED = [
    ("no venue lists it", "BTC/PLN", "BTC/PLN"),
    ("a coin that nobody knows", "ZZZ/USD", "ZZZ/USD"),
    ("a quote that nobody knows", "BTC/ZZZ", "BTC/ZZZ"),
    ("a coin in itself", "BTC/BTC", "BTC/BTC"),
    ("two currencies", "EUR/USD", "EUR/USD"),
    ("two currencies, reversed", "USD/EUR", "USD/EUR"),
    ("a metal", "XAU/USD", "XAU/USD"),
    ("a coin in a metal", "BTC/XAU", "BTC/XAU"),
    ("one character", "Y/USD", "Y/USD"),
    ("two characters", "YZ/USD", "YZ/USD"),
    ("seven characters", "NOTACOI/USD", "NOTACOI/USD"),
    ("a long one", f"{'A' * 90}/USD", f"{'A' * 64}… 94 characters"),
    ("a sign of money", "%E2%82%BF/USD", "\u20bf/USD"),
    ("wide letters", "%EF%BC%A2%EF%BC%B4%EF%BC%A3/USD", "\uff22\uff34\uff23/USD"),
    ("a dotless i, whose upper case is an I", "b%C4%B1t/usd", "b\u0131t/usd"),
    ("a long s, whose upper case is an S", "btc/u%C5%BFd", "btc/u\u017fd"),
    ("a NUL", "BTC%00/USD", "BTC\0/USD"),
    ("a quotation mark and a brace", "%22%7D/USD", '"}/USD'),
]


@pytest.mark.parametrize(("text", "shown"), [row[1:] for row in UNLISTED], ids=[row[0] for row in UNLISTED])
def test_a_pair_that_no_venue_lists_is_refused_with_the_endpoint_of_pairs(client_dealing, text, shown):
    for among in ("{}", "BTC/USD,{}", "{},BTC/USD"):
        sentence = refused(client_dealing, f"?pairs={among.format(text)}", "unknown_pair")
        where = "the pairs that are listed are found at /crypto/pairs"
        assert sentence == f"Invalid/unsupported crypto pair: [{shown}], {where}"


@pytest.mark.parametrize(
    ("text", "listed"),
    [("USD/BTC", "BTC/USD"), ("usd/btc", "BTC/USD"), ("BTC%2FETH", "ETH/BTC"), ("EUR/SOL", "SOL/EUR")],
)
def test_a_pair_the_other_way_round_is_refused_with_how_it_is_listed(client_dealing, text, listed):
    sentence = refused(client_dealing, f"?pairs={text}", "unknown_pair")
    asked = "/".join(reversed(listed.split("/")))
    assert sentence == f"Invalid/unsupported crypto pair: [{asked}], it is listed as [{listed}]"


@pytest.mark.parametrize("coin", ["T", "OP", "A8", "1INCH", "FARTCOIN", "1000CHEEMS", "1MBABYDOGE"])
def test_a_symbol_may_be_as_short_and_as_long_as_venues_list_it(dealing, quote_of, coin):
    client = dealing(**{f"{coin}_USD": quote_of(f"{coin}/USD", "0.5", "0.7")})
    assert prices(ask(client, f"{coin.lower()}/usd")) == {f"{coin}/USD": "0.6"}


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(text=st.one_of(st.text(), st.text(alphabet="BTCUSDEHLr/, %\0\u0131", max_size=40)))
def test_any_pairs_are_answered_or_refused_in_one_sentence(client_dealing, text):
    reply = client_dealing.get(f"{PRICES}?pairs={quote(text)}")
    assert reply.status in {200, 400, 503}
    assert list(reply.json) == (["prices", "ms"] if reply.status == 200 else ["error", "code"])
