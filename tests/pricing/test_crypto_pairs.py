"""Which pairs and coins a book lists."""

from datetime import UTC, datetime
from fractions import Fraction

import pytest

from cambist.pricing.crypto_pairs import is_coin_pair, listed_coins, listed_pairs
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def dealt(name: str) -> Quote:
    pair = Pair(*name.split("/"))
    return Quote(pair, Fraction(1), Fraction(2), NOON, NOON, Origin(Derivation.PUBLISHED, ("venue",)))


def book(*pairs: str, priced: tuple[str, ...] = ()) -> RateBook:
    """Make a book of pairs, in which these codes are priced in dollars."""
    quotes = {code: dealt(f"{code}/USD") for code in priced}
    return RateBook.of(QuotedBook(1, NOON, quotes, ("USD",), {quote.pair: quote for quote in map(dealt, pairs)}))


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("BTC/USD", True),
        ("USD/BTC", True),
        ("EUR/USDT", True),
        ("ETH/BTC", True),
        ("XAUT/USD", True),
        ("T/USD", True),
        ("1MBABYDOGE/USDT", True),
        ("EUR/USD", False),
        ("XAU/USD", False),
        ("XAU/XAG", False),
        ("XCU-3M/USD", False),
        ("MNT/USD", False),
        ("NOSUCHCOIN/USD", False),
        ("btc/usd", False),
        ("/", False),
    ],
)
def test_a_pair_with_a_coin_on_a_side_is_one_of_coins(pair: str, expected: bool) -> None:  # noqa: FBT001  a row's cell
    assert is_coin_pair(Pair(*pair.split("/"))) is expected


def test_pairs_of_coins_are_listed_by_name_and_no_others() -> None:
    found = listed_pairs(book("SOL/USDT", "EUR/USD", "BTC/USD", "XAU/USD", "BTC/EUR", "ADA/BTC", "EUR/USDT"))
    assert [str(pair) for pair in found] == ["ADA/BTC", "BTC/EUR", "BTC/USD", "EUR/USDT", "SOL/USDT"]


def test_a_pair_is_listed_the_way_round_that_it_is_dealt() -> None:
    assert listed_pairs(book("USDT/DAI")) == [Pair("USDT", "DAI")]


def test_coins_on_either_side_of_a_pair_are_listed_once_and_by_symbol() -> None:
    assert listed_coins(book("SOL/USDT", "BTC/USDT", "EUR/USDC", "BTC/EUR")) == ["BTC", "SOL", "USDC", "USDT"]


def test_a_coin_that_is_priced_is_listed_also_where_no_pair_is() -> None:
    assert listed_coins(book("BTC/USD", priced=("ETH", "EUR", "XAU"))) == ["BTC", "ETH"]


@pytest.mark.parametrize("pairs", [(), ("EUR/USD", "XAU/USD", "XAU/EUR", "MNT/USD")])
def test_without_coins_nothing_is_listed(pairs: tuple[str, ...]) -> None:
    empty = book(*pairs, priced=("EUR", "XAU", "MNT"))
    assert (listed_pairs(empty), listed_coins(empty)) == ([], [])
