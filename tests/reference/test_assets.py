"""Coins and metals are exact, never in a currency's way, and enough for what the venues really list."""

import csv
import json
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import pytest

from cambist.reference import assets
from cambist.reference.assets import (
    COIN_BY_VENUE_SYMBOL,
    COINS,
    METALS,
    AssetKind,
    MetalKind,
    coin_for_symbol,
    kind_of,
    name_of,
)
from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.table_loader import Table

RECORDED = Path(__file__).parents[3] / "shared" / "payloads"
LISTS = {
    "binance": "cryptofeed_rest_api_v3_exchangeInfo.json",
    "bitstamp": "cryptofeed_rest_api_v2_trading_pairs_info.json",
    "coinbase": "cryptofeed_rest_products.json",
    "kraken": "cryptofeed_rest_0_public_AssetPairs.json",
    "okx": "cryptofeed_rest_api_v5_public_instruments_instType_SPOT.json",
}
# The money that the venues deal in; any other code of a currency that they list is a coin's symbol.
MONEY = {"AUD", "BRL", "CAD", "CHF", "EUR", "GBP", "JPY", "NGN", "RUB", "TRY", "UAH", "USD", "ZAR"}


def raw(file: str) -> list[dict[str, str]]:
    text = (resources.files("cambist.reference") / file).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


CLASHES = {row["symbol"]: row for row in raw("coin_clashes.csv")}


# Coins


def test_there_are_coins_enough() -> None:
    assert len(COINS) == len(raw("coins.csv")) >= 650


@pytest.mark.parametrize(
    ("file", "keys"),
    [
        ("coins.csv", ["symbol"]),
        ("coin_aliases.csv", ["venue", "symbol"]),
        ("coin_clashes.csv", ["symbol"]),
    ],
)
def test_the_rows_are_unique_and_sorted(file: str, keys: list[str]) -> None:
    rows = [tuple(row[key] for key in keys) for row in raw(file)]
    assert rows == sorted(set(rows))


def test_no_coin_has_the_code_of_a_currency_or_a_metal() -> None:
    assert not COINS.keys() & (CURRENCIES.keys() | METALS.keys())


def test_names_are_unique() -> None:
    names = [coin.name for coin in COINS.values()]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_names_are_of_one_line_without_blanks_around() -> None:
    for coin in COINS.values():
        assert coin.name.isprintable(), coin
        assert coin.name == " ".join(coin.name.split()), coin


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("BTC", "Bitcoin"),
        ("ETH", "Ethereum"),
        ("ADA", "Cardano"),
        ("USDT", "Tether"),
        ("LUNA", "Terra"),
        ("LUNC", "Terra Classic"),
        ("T", "Threshold"),
    ],
)
def test_coins_have_their_names(symbol: str, name: str) -> None:
    assert COINS[symbol].name == name


def test_coins_listed_since_the_recordings_are_here() -> None:
    assert {
        "ARB",
        "OP",
        "SUI",
        "APT",
        "TIA",
        "PEPE",
        "WIF",
        "JUP",
        "TON",
        "ENA",
        "SEI",
        "WLD",
        "HYPE",
        "POL",
    } <= COINS.keys()


@pytest.mark.parametrize("venue", LISTS)
def test_what_a_venue_lists_is_in_the_table_or_on_the_record_of_clashes(venue: str) -> None:
    path = RECORDED / venue / LISTS[venue]
    if not path.exists():
        pytest.skip("the recorded lists are not here")
    pairs = import_module(f"cambist.sources.adapters.{venue}").adapter.parse_pair_names(path.read_bytes()).values()
    listed = {code for pair in pairs for code in (pair.base, pair.quote)} - MONEY
    unknown = {code for code in listed if coin_for_symbol(venue, code) is None and code not in CLASHES}
    assert len(listed) >= 50
    assert len(unknown) <= 0.03 * len(listed), sorted(unknown)


# Clashes


def test_a_clash_names_what_has_the_code() -> None:
    assert {symbol: row["code_of"] for symbol, row in CLASHES.items()} == {
        symbol: (METALS.get(symbol) or CURRENCIES[symbol]).name for symbol in CLASHES
    }
    assert all(row["name"] == row["name"].strip() != "" for row in CLASHES.values())


@pytest.mark.parametrize("symbol", CLASHES)
def test_a_clash_is_never_a_coin(symbol: str) -> None:
    assert symbol not in COINS
    assert [coin_for_symbol(venue, symbol) for venue in LISTS] == [None] * len(LISTS)


# Venues


def test_aliases_are_of_venues_with_a_feed_and_say_why() -> None:
    assert {row["venue"] for row in raw("coin_aliases.csv")} <= LISTS.keys()
    assert all(len(row["reason"].split()) > 1 for row in raw("coin_aliases.csv"))


def test_an_alias_differs_from_the_coin_of_its_symbol() -> None:
    assert [key for key, coin in COIN_BY_VENUE_SYMBOL.items() if coin == key[1]] == []


def test_an_alias_leads_to_a_coin_whose_own_symbol_is_not_another_there() -> None:
    assert [
        key for key, coin in COIN_BY_VENUE_SYMBOL.items() if coin and coin_for_symbol(key[0], coin) not in {coin, None}
    ] == []


@pytest.mark.parametrize(
    ("venue", "symbol", "coin"),
    [
        ("kraken", "BTC", "BTC"),
        ("kraken", "NANO", "XNO"),
        ("kraken", "U", None),
        ("binance", "U", "U"),
        ("binance", "BTTC", "BTT"),
        ("coinbase", "ZETACHAIN", "ZETA"),
        ("coinbase", "ZETA", None),
        ("okx", "ZETA", "ZETA"),
        ("kraken", "USD", None),
        ("kraken", "XAU", None),
        ("okx", "RON", None),
        ("okx", "NOSUCHCOIN", None),
        ("okx", "", None),
    ],
)
def test_what_a_symbol_stands_for_depends_on_the_venue(venue: str, symbol: str, coin: str | None) -> None:
    assert coin_for_symbol(venue, symbol) == coin


def test_no_coin_is_renamed_by_the_feed_and_here_again() -> None:
    """Kraken's LUNA is the old coin and its LUNA2 the new, which the others call LUNA; its UST is the old too."""
    listed = {
        f"{base}USD": {"altname": f"{base}USD", "base": base, "quote": "ZUSD", "wsname": f"{base}/USD"}
        for base in ("LUNA", "LUNA2", "UST", "REP", "REPV2", "XBT")
    }
    content = json.dumps({"error": [], "result": listed}).encode()
    names = import_module("cambist.sources.adapters.kraken").adapter.parse_pair_names(content)
    assert {key: coin_for_symbol("kraken", names[key].base) for key in listed} == {
        "LUNAUSD": "LUNC",
        "LUNA2USD": "LUNA",
        "USTUSD": "USTC",
        "REPUSD": "REPV1",
        "REPV2USD": "REP",
        "XBTUSD": "BTC",
    }


# Metals


def test_the_metals_are_these() -> None:
    assert {metal.code: (metal.name, metal.unit, metal.kind) for metal in METALS.values()} == {
        "XAG": ("Silver", "oz_t", MetalKind.PRECIOUS),
        "XAL": ("Aluminium", "metric_tonne", MetalKind.BASE),
        "XAU": ("Gold", "oz_t", MetalKind.PRECIOUS),
        "XCU": ("Copper", "metric_tonne", MetalKind.BASE),
        "XNI": ("Nickel", "metric_tonne", MetalKind.BASE),
        "XPB": ("Lead", "metric_tonne", MetalKind.BASE),
        "XPD": ("Palladium", "oz_t", MetalKind.PRECIOUS),
        "XPT": ("Platinum", "oz_t", MetalKind.PRECIOUS),
        "XZN": ("Zinc", "metric_tonne", MetalKind.BASE),
    }


def test_the_metals_stand_in_the_order_of_the_interface_the_precious_ones_first() -> None:
    order = ["XAU", "XAG", "XPT", "XPD", "XAL", "XCU", "XPB", "XNI", "XZN"]
    assert list(METALS) == order
    assert [row["code"] for row in raw("metals.csv")] == order
    assert [metal.kind for metal in METALS.values()] == [MetalKind.PRECIOUS] * 4 + [MetalKind.BASE] * 5


def test_no_metal_is_a_currency() -> None:
    assert not METALS.keys() & CURRENCIES.keys()


# Any code


@pytest.mark.parametrize(
    ("code", "kind", "name"),
    [
        ("EUR", AssetKind.CURRENCY, "Euro"),
        ("MTL", AssetKind.CURRENCY, "Maltese Lira"),
        ("XAU", AssetKind.METAL, "Gold"),
        ("XAUT", AssetKind.COIN, "Tether Gold"),
        ("NOSUCHCOIN", None, None),
    ],
)
def test_a_code_stands_for_a_currency_a_metal_a_coin_or_nothing(
    code: str, kind: AssetKind | None, name: str | None
) -> None:
    assert (kind_of(code), name_of(code)) == (kind, name)


# Reading


HEADERS = {
    "coins": "symbol,name",
    "coin_of": "venue,symbol,coin,reason",
    "metals": "code,name,unit,kind",
}
TABLES: dict[str, Table[Any]] = {
    "coins": assets.COIN_TABLE,
    "coin_of": assets.COIN_ALIAS_TABLE,
    "metals": assets.METAL_TABLE,
}


@pytest.mark.parametrize(
    ("table", "line", "error"),
    [
        ("coins", "Btc,Bitcoin", r"coins\.csv, line 2, symbol: 'Btc' is refused: "),
        ("coins", "ABCDEFGHIJKLM,Alphabet", r"coins\.csv, line 2, symbol: 'ABCDEFGHIJKLM' is refused: "),
        ("coins", "BTC,", r"coins\.csv, line 2, name: '' is refused: "),
        ("coins", "BTC,Bitcoin,Coin", r"coins\.csv, line 2, row: "),
        ("coins", "MTL,Metal DAO", r"coins\.csv, line 2, symbol: MTL is the Maltese Lira"),
        ("coins", "XAU,Gold Coin", r"coins\.csv, line 2, symbol: XAU is the Gold"),
        ("coins", "BTC,Bitcoin\nBTC,Bitcoin", r"coins\.csv, line 3, symbol: BTC stands here twice"),
        ("coin_of", ",NANO,XNO,Old symbol", r"coin_aliases\.csv, line 2, venue: "),
        ("coin_of", "okx,NANO,XNO,", r"coin_aliases\.csv, line 2, reason: "),
        ("coin_of", "okx,NANO,NOSUCHCOIN,Old symbol", r"coin_aliases\.csv, line 2, coin: 'NOSUCHCOIN' is not"),
        ("coin_of", "okx,RON,RONIN,Ronin", r"coin_aliases\.csv, line 2, symbol: RON is the Romanian Leu"),
        (
            "coin_of",
            "okx,NANO,XNO,Old\nokx,NANO,,Old",
            r"coin_aliases\.csv, line 3, symbol: okx NANO stands here",
        ),
        ("metals", "AU,Gold,oz_t,precious", r"metals\.csv, line 2, code: 'AU' is refused: "),
        ("metals", "XAF,Franc,oz_t,precious", r"metals\.csv, line 2, code: XAF is the Central African"),
        ("metals", "XAU,Gold,Ounce,precious", r"metals\.csv, line 2, unit: 'Ounce' is refused: "),
        ("metals", "XAU,Gold,oz_t,noble", r"metals\.csv, line 2, kind: 'noble' is refused: "),
        ("metals", "XAU,Gold,oz_t,base\nXAU,Gold,oz_t,base", r"metals\.csv, line 3, code: XAU stands here twice"),
    ],
)
def test_a_broken_row_names_its_file_line_and_field(table: str, line: str, error: str) -> None:
    with pytest.raises(ValueError, match=f"^{error}"):
        TABLES[table].parse(f"{HEADERS[table]}\n{line}")


@pytest.mark.parametrize("table", HEADERS)
def test_another_header_is_refused(table: str) -> None:
    with pytest.raises(ValueError, match="line 1, header: "):
        TABLES[table].parse("code\n")


def test_the_tables_cannot_be_changed() -> None:
    for table in (COINS, COIN_BY_VENUE_SYMBOL, METALS):
        with pytest.raises(TypeError):
            table["XYZ"] = None  # type: ignore[index]
