"""`GET /crypto/currencies` and `GET /crypto/pairs` as the API documents them, and whence their coins come.

Part of it goes the whole way: from a venue's own list through the feed, the tape and the book to the wire.
"""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from importlib import import_module, resources
from pathlib import Path

import pytest
from msgspec import structs

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.plan import default_plans, read_plans
from cambist.ingest.price_pipeline import PricePipeline
from cambist.ingest.streamer import supported_pairs
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.tick import Tick
from cambist.reference.assets import COINS, METALS
from cambist.reference.currency_tables import CURRENCIES
from cambist.registry.sandbox.sandbox_snapshots import COINS_BY_SIZE
from cambist.sandbox.pairs import direct_pairs

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
TODAY = date(2026, 11, 20)
LISTS = ["/crypto/currencies", "/crypto/pairs"]
ALL = [*LISTS, "/crypto/fetch-prices?pairs=BTC/USD"]
PLANS = read_plans(default_plans(), "plans.toml")
RECORDED = Path(__file__).parents[3] / "shared" / "payloads"
RECORDED_LISTS = {
    "binance": "cryptofeed_rest_api_v3_exchangeInfo.json",
    "bitstamp": "cryptofeed_rest_api_v2_trading_pairs_info.json",
    "coinbase": "cryptofeed_rest_products.json",
    "kraken": "cryptofeed_rest_0_public_AssetPairs.json",
    "okx": "cryptofeed_rest_api_v5_public_instruments_instType_SPOT.json",
}
CLASHES = list(
    csv.DictReader((resources.files("cambist.reference") / "coin_clashes.csv").read_text("utf-8").splitlines())
)
OF_COINS = ["BTC_USD", "BTC_EUR", "ETH_USD", "ETH_BTC", "USDT_USD", "SOL_USDT", "SOL_EUR", "DOGE_USD"]
CODES = ["BTC", "ETH", "USDT", "SOL", "DOGE"]


def is_unavailable(reply) -> bool:
    assert (reply.status, reply.json["code"]) == (503, "rate_unavailable"), reply.text
    assert int(reply.headers["retry-after"]) > 0
    assert reply.headers["x-calls-cost"] == "0"
    return True


# What is listed


def test_coins_are_listed_with_their_names(client_dealing):
    reply = client_dealing.get("/crypto/currencies")
    assert (reply.status, list(reply.json)) == (200, ["currencies", "ms"])
    assert reply.json["currencies"] == {
        "BTC": "Bitcoin",
        "DOGE": "Dogecoin",
        "ETH": "Ethereum",
        "SOL": "Solana",
        "USDT": "Tether",
    }


def test_pairs_are_listed_with_their_sides_the_silent_ones_too_and_only_those_with_a_coin(client_dealing):
    reply = client_dealing.get("/crypto/pairs")
    assert (reply.status, list(reply.json)) == (200, ["pairs", "ms"])
    assert reply.json["pairs"] == {
        "BTC/USD": {"base": "BTC", "quote": "USD"},
        "BTC/EUR": {"base": "BTC", "quote": "EUR"},
        "DOGE/USD": {"base": "DOGE", "quote": "USD"},
        "ETH/USD": {"base": "ETH", "quote": "USD"},
        "ETH/BTC": {"base": "ETH", "quote": "BTC"},
        "SOL/EUR": {"base": "SOL", "quote": "EUR"},
        "SOL/USDT": {"base": "SOL", "quote": "USDT"},
        "USDT/USD": {"base": "USDT", "quote": "USD"},
    }


def test_a_coin_that_money_is_priced_in_is_listed_as_the_venue_lists_it(dealing, quote_of):
    client = dealing(EUR_USDC=quote_of("EUR/USDC", "1.16", "1.17"))
    assert client.get("/crypto/pairs").json["pairs"]["EUR/USDC"] == {"base": "EUR", "quote": "USDC"}
    coins = client.get("/crypto/currencies").json["currencies"]
    assert (coins["USDC"], "EUR" in coins) == ("USD Coin", False)


def test_the_lists_of_currencies_hold_no_coin(client_dealing):
    assert not client_dealing.get("/currencies").json["currencies"].keys() & COINS.keys()


@pytest.mark.parametrize("path", LISTS)
def test_a_list_costs_one_call_and_has_no_parameters(client_dealing, path):
    plain = client_dealing.get(path)
    assert (plain.headers["x-calls-cost"], plain.headers["cache-control"]) == ("1", "private, max-age=60")
    other = client_dealing.get(f"{path}/?pairs=ZZZ&from=ZZZ")
    assert (other.status, other.json | {"ms": 0}) == (200, plain.json | {"ms": 0})
    assert client_dealing.ledger.spent(1, TODAY) == 2


def recorded_pairs() -> set[Pair]:
    if not RECORDED.exists():
        pytest.skip("the recorded lists are not here")
    content = {venue: (RECORDED / venue / name).read_bytes() for venue, name in RECORDED_LISTS.items()}
    names = {
        venue: import_module(f"cambist.sources.adapters.{venue}").adapter.parse_pair_names(text)
        for venue, text in content.items()
    }
    return {pair for venue, listed in names.items() for pair in supported_pairs(venue, listed).values()}


@pytest.mark.parametrize("pairs", [recorded_pairs, lambda: set(direct_pairs(COINS_BY_SIZE))], ids=["venues", "sandbox"])
def test_there_are_500_coins_and_750_pairs_with_a_name_and_a_coin_each(client, pairs):
    client.worker_state.apply_book(a_book_of({"venue": dict.fromkeys(map(str, pairs()), "1")}))
    coins, listed = client.get("/crypto/currencies").json["currencies"], client.get("/crypto/pairs").json["pairs"]
    assert len(coins) >= 500
    assert len(listed) >= 750
    assert not coins.keys() & (CURRENCIES.keys() | METALS.keys())
    assert [coin for coin, name in coins.items() if not name.strip()] == []
    assert {name: f"{pair['base']}/{pair['quote']}" for name, pair in listed.items()} == {name: name for name in listed}
    assert [name for name, pair in listed.items() if not coins.keys() & {pair["base"], pair["quote"]}] == []
    sides = {side for pair in listed.values() for side in pair.values()}
    assert sides - coins.keys() <= CURRENCIES.keys()
    assert coins.keys() <= sides


# Where nobody was heard, and who may ask


def test_as_long_as_no_venue_was_heard_the_lists_are_those_of_the_reference_table(client, dealing):
    silent = dealing(**dict.fromkeys([*OF_COINS, *CODES]))
    assert silent.get("/fetch-one?from=XAU&to=EUR").status == 200, "currencies and metals are dealt"
    for each in (client, silent):
        assert each.get("/crypto/currencies").json["currencies"].keys() == COINS.keys()
        pairs = each.get("/crypto/pairs").json["pairs"]
        assert pairs["BTC/USD"] == {"base": "BTC", "quote": "USD"}
        assert len(pairs) == len(COINS)
        reply = each.get("/crypto/fetch-prices?pairs=BTC/USD")
        assert is_unavailable(reply)
        assert reply.json["error"].startswith("No venue has been heard of yet; ")


@pytest.mark.parametrize("text", ["BTCUSD", "BTC/", ",", ""])
def test_what_is_no_pair_is_400_also_then(client, text):
    assert client.get(f"/crypto/fetch-prices?pairs={text}").status == 400


@pytest.mark.parametrize("path", ALL)
def test_the_plan_one_includes_coins(dealing, key, path):
    client = dealing(options={"plans": PLANS, "stored_keys": {digest(key): StoredKey(1, Account(1, "one", "one"))}})
    client.clock.read = (NOON + timedelta(minutes=1)).timestamp
    client.worker_state.tick()  # it sees a new book each minute
    reply = client.get(path)
    assert (reply.status, reply.headers["x-calls-cost"]) == (200, "1")


@pytest.mark.parametrize("path", ALL)
@pytest.mark.parametrize(("tags", "status"), [(("currency", "fx", "metals", "admin"), 403), (("crypto",), 200)])
def test_a_plan_without_coins_is_403_and_costs_nothing(dealing, key, path, tags, status):
    plans = PLANS | {"p": structs.replace(PLANS["unlimited"], name="p", tags=tags)}
    client = dealing(options={"plans": plans, "stored_keys": {digest(key): StoredKey(1, Account(1, "one", "p"))}})
    reply = client.get(path)
    assert reply.status == status
    if status == 403:
        assert reply.json == {"error": "The plan [p] does not include the group [crypto]", "code": "not_in_plan"}
    assert client.ledger.spent(1, TODAY) == (0 if status == 403 else 1)


# From the venues' own lists


def binance(*pairs: str) -> object:
    split = {pair: pair.split("/") for pair in pairs}
    rest = {"status": "TRADING", "isSpotTradingAllowed": True}
    return {"symbols": [{"symbol": b + q, "baseAsset": b, "quoteAsset": q, **rest} for b, q in split.values()]}


def okx(*pairs: str) -> object:
    split = [pair.split("/") for pair in pairs]
    return {
        "code": "0",
        "data": [{"instId": f"{b}-{q}", "baseCcy": b, "quoteCcy": q, "state": "live"} for b, q in split],
    }


def coinbase(*pairs: str) -> object:
    split = [pair.split("/") for pair in pairs]
    return [{"id": f"{b}-{q}", "base_currency": b, "quote_currency": q, "status": "online"} for b, q in split]


def kraken(*pairs: str) -> object:
    split = [(pair, *pair.split("/")) for pair in pairs]
    return {"error": [], "result": {b + q: {"altname": b + q, "base": b, "quote": q, "wsname": n} for n, b, q in split}}


def bitstamp(*pairs: str) -> object:
    return [{"name": pair, "url_symbol": pair.lower().replace("/", ""), "trading": "Enabled"} for pair in pairs]


FORMS = {form.__name__: form for form in (binance, okx, coinbase, kraken, bitstamp)}
SEPARATORS = {"binance": "", "okx": "-", "coinbase": "-", "kraken": "", "bitstamp": "/"}


def heard(**said: dict[str, str]) -> dict[str, dict[str, str]]:
    """Read what venues list in their own form and codes; what they say of a pair stays as it is said."""
    ours: dict[str, dict[str, str]] = {}
    for venue, prices in said.items():
        names = import_module(f"cambist.sources.adapters.{venue}").adapter.parse_pair_names(
            json.dumps(FORMS[venue](*prices)).encode()
        )
        known = supported_pairs(venue, names)
        spelled = {pair: pair.replace("/", SEPARATORS[venue]) for pair in prices}
        ours[venue] = {str(known[name]): prices[pair] for pair, name in spelled.items() if name in known}
    return ours


def a_book_of(said: dict[str, dict[str, str]], fixed: str = ""):
    """Make the book of what venues say: by venue and pair a price, or bid and ask; `fixed` as `USD/MNT 3400`."""
    adapter = import_module("cambist.sources.adapters.okx").adapter
    pipeline = PricePipeline({venue: replace(adapter.source, key=venue) for venue in said})
    for venue, prices in said.items():
        for pair, sides in prices.items():
            bid, _, ask = sides.partition(" ")
            pipeline.apply_tick(Tick(venue, Pair(*pair.split("/")), Decimal(bid), Decimal(ask or bid), NOON), NOON)
    if fixed:
        name, rate = fixed.split()
        pair = Pair(*name.split("/"))
        quote = Quote(pair, Fraction(rate), Fraction(rate), NOON, NOON, Origin(Derivation.PUBLISHED, ("bank",)))
        pipeline.rate_books.apply_fixings({pair.quote: quote})
    return RateBook.of(pipeline.rate_books.build(NOON))


@pytest.fixture
def hearing(dealing):
    """Make a client of a service that has heard venues, each in its own form: `hearing(okx={"BTC/USDT": "90000"})`."""

    def make(*, fixed: str = "", **said: dict[str, str]):
        client = dealing()
        client.worker_state.apply_book(a_book_of(heard(**said), fixed))
        return client

    return make


def pairs_of(client) -> list[str]:
    return list(client.get("/crypto/pairs").json["pairs"])


def coins_of(client) -> list[str]:
    return list(client.get("/crypto/currencies").json["currencies"])


LEVERAGED = {
    "binance": ["BTCUP", "BTCDOWN", "ETHUP", "ETHDOWN", "ETHBULL", "ETHBEAR", "BTC3L", "BTC3S", "ETH5L", "ETH5S"],
    "okx": ["BTC3L", "BTC3S", "BTC5L", "BTC5S", "ETH3L", "ETH3S"],
}


@pytest.mark.parametrize("venue", LEVERAGED)
def test_leveraged_tokens_are_left_out_and_what_sounds_like_them_is_not(hearing, venue):
    coins = ["BTC", "ETH", "J", "JUP", "S", "SUP", "SYRUP", "T", "TUP"]
    client = hearing(**{venue: {f"{coin}/USDT": "5" for coin in [*coins, *LEVERAGED[venue]]}})
    assert pairs_of(client) == [f"{coin}/USDT" for coin in coins]
    assert coins_of(client) == [*coins, "USDT"]
    for token in LEVERAGED[venue]:
        reply = client.get(f"/crypto/fetch-prices?pairs={token}/USDT")
        assert (reply.status, reply.json["code"]) == (400, "unknown_pair")


@pytest.mark.parametrize("venue", FORMS)
def test_a_symbol_like_the_code_of_a_currency_or_metal_is_not_a_coin(hearing, venue):
    symbols = [*(row["symbol"] for row in CLASHES), "HRK", "DEM", "SLL", "TRY", "XAU", "XPD"]
    listed = [f"{symbol}/{quote}" for symbol in symbols for quote in ("USD", "USDT", "BTC")]
    client = hearing(**{venue: {"BTC/USD": "90000"} | dict.fromkeys(listed, "1.25")})
    assert (pairs_of(client), coins_of(client)) == (["BTC/USD"], ["BTC"])
    for pair in listed:
        reply = client.get(f"/crypto/fetch-prices?pairs={pair}")
        assert (reply.status, reply.json["code"]) == (400, "unknown_pair")


@pytest.mark.parametrize("code", [row["symbol"] for row in CLASHES])
def test_such_a_symbol_stays_the_currency(hearing, code):
    """Mantle at 1.25 dollars makes no tugrik of it: that stays what a bank has fixed, or what law has."""
    listed = {f"{code}/{quote}": "1.25" for quote in ("USD", "USDT", "BTC")}
    said = {"BTC/USD": "1", "USDT/USD": "1"} | listed
    by_law = {"ESP": "133.1088", "MTL": "0.34344"}  # of four fifths of a euro
    client = hearing(okx=said, kraken=said, fixed="USD/EUR 0.8" if code in by_law else f"USD/{code} 3400")
    rate = float(by_law.get(code, 3400))
    assert client.get(f"/fetch-one?from=USD&to={code}").json["result"] == {code: rate}
    assert client.get(f"/convert?to={code}&amount=5&precision=9").json["result"] == {code: 5 * rate, "rate": rate}
    assert coins_of(client) == ["BTC", "USDT"]


@pytest.mark.parametrize(
    ("venue", "symbol", "coin"),
    [
        ("binance", "BEAMX", "BEAM"),
        ("binance", "BTTC", "BTT"),
        ("binance", "PAX", "USDP"),
        ("bitstamp", "PAX", "USDP"),
        ("coinbase", "CGLD", "CELO"),
        ("coinbase", "JUPITER", "JUP"),
        ("coinbase", "LIGHTER", "LIT"),
        ("coinbase", "VELO", "VELODROME"),
        ("coinbase", "ZETACHAIN", "ZETA"),
        ("kraken", "XBT", "BTC"),
        ("kraken", "LUNA", "LUNC"),
        ("kraken", "LUNA2", "LUNA"),
        ("kraken", "NANO", "XNO"),
        ("okx", "UST", "USTC"),
        ("coinbase", "LIT", None),
        ("coinbase", "ZETA", None),
        ("kraken", "U", None),
    ],
)
def test_what_a_venue_calls_otherwise_ends_as_the_coin_that_it_is(hearing, venue, symbol, coin):
    client = hearing(**{venue: {"ADA/USD": "1", f"{symbol}/USD": "5"}})
    assert pairs_of(client) == sorted({"ADA/USD", f"{coin or 'ADA'}/USD"})
    assert coins_of(client) == sorted({"ADA", coin or "ADA"})
    if coin:
        assert client.get("/crypto/currencies").json["currencies"][coin] == COINS[coin].name
        assert client.get(f"/crypto/fetch-prices?pairs={coin}/USD").json["prices"] == {f"{coin}/USD": 5}
        assert client.get(f"/fetch-one?from={coin}&to=USD").json["result"] == {"USD": 5}
    assert client.get(f"/crypto/fetch-prices?pairs={symbol}/USD").status == (200 if symbol == coin else 400)


def test_a_symbol_with_two_meanings_is_resolved_by_its_venue(hearing):
    said = {"coinbase": {"ZETA/USDT": "5", "ZETACHAIN/USDT": "0.82"}, "okx": {"ZETA/USDT": "0.80"}}
    client = hearing(binance={"ZETA/USDT": "0.81"}, **said)
    assert pairs_of(client) == ["ZETA/USDT"]
    assert client.get("/crypto/fetch-prices?pairs=ZETA/USDT").json["prices"] == {"ZETA/USDT": 0.81}


@pytest.mark.parametrize(
    ("said", "price"),
    [("90090 90110", 90100), ("90110 90090", 90200), ("89000 91200", 90200), ("0 90100", 90200)],
    ids=["a book like the others", "a crossed book", "a wide book", "half a book"],
)
def test_the_price_is_the_median_of_the_venues_with_a_liquid_order_book(hearing, said, price):
    sides = {"binance": "90190 90210", "bitstamp": "90390 90410", "okx": "89990 90010"}
    client = hearing(**{venue: {"BTC/USD": each} for venue, each in {"kraken": said, **sides}.items()})
    assert client.get("/crypto/fetch-prices?pairs=BTC/USD").json["prices"] == {"BTC/USD": price}


def test_a_pair_that_is_listed_and_was_never_quoted_is_crossed(client_dealing, book_with):
    client_dealing.worker_state.apply_book(
        RateBook.of(replace(book_with().quoted(), venue_pairs=frozenset({Pair("SOL", "ETH"), Pair("XMR", "BTC")})))
    )
    assert {"SOL/ETH", "XMR/BTC", "BTC/USD"} <= client_dealing.get("/crypto/pairs").json["pairs"].keys()
    assert "XMR" in client_dealing.get("/crypto/currencies").json["currencies"]
    prices = client_dealing.get("/crypto/fetch-prices?pairs=SOL/ETH").json["prices"]
    assert prices["SOL/ETH"] == pytest.approx(139.916 / 3000.5, rel=1e-9)
    assert client_dealing.get("/crypto/fetch-prices?pairs=XMR/BTC").status == 503
    assert client_dealing.get("/crypto/fetch-prices?pairs=ETH/SOL").json["error"].endswith("listed as [SOL/ETH]")
