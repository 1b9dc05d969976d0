"""Freshness: how old a price may be, by what it is of and how often it comes."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest

from cambist.pricing.freshness import MaxAges, falls_back_on_fixing, first_stale_code, is_fresh, is_tradable
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.rate_book_assembly import assemble_rate_book
from cambist.pricing.source_kind import Pace
from cambist.reference.assets import AssetKind

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
FRIDAY_CLOSE = datetime(2026, 11, 20, 22, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
AGES: MaxAges = {AssetKind.COIN: 15 * MINUTE, AssetKind.CURRENCY: 15 * MINUTE}


def book_of(quotes: dict[str, Quote], pairs: dict[Pair, Quote] | None = None) -> RateBook:
    return RateBook.of(assemble_rate_book(quotes, 1, NOON, pairs))


def quoted(name: str, as_of: datetime, pace: Pace = Pace.REALTIME, legs: tuple[str, ...] = ()) -> Quote:
    """Quote a pair such as `EUR/USD`, dealt or crossed through `legs`."""
    through = tuple(Pair(*leg.split("/")) for leg in legs)
    origin = Origin(Derivation.CROSSED if legs else Derivation.PUBLISHED, ("x",), through, (), pace)
    return Quote(Pair(*name.split("/")), Fraction(1), Fraction(2), as_of, as_of, origin)


@pytest.mark.parametrize(
    ("age", "pace", "fresh"),
    [
        (15 * MINUTE, Pace.REALTIME, True),
        (15 * MINUTE + timedelta(seconds=1), Pace.REALTIME, False),
        (2 * HOUR, Pace.INTRADAY, True),
        (timedelta(days=3), Pace.INTRADAY, False),
        (timedelta(days=400), Pace.DAILY, True),
        (timedelta(days=400), Pace.MONTHLY, True),
    ],
)
def test_a_price_may_be_as_old_as_its_kind_and_its_pace_allow(age: timedelta, pace: Pace, *, fresh: bool) -> None:
    assert is_fresh(quoted("EUR/USD", NOON - age, pace), AssetKind.CURRENCY, AGES, NOON) is fresh


def test_what_no_age_is_named_for_may_be_however_old() -> None:
    assert is_fresh(quoted("XAU/USD", NOON - timedelta(days=900)), AssetKind.METAL, AGES, NOON)


def test_the_age_of_a_currency_stands_still_while_its_market_is_closed_and_that_of_a_coin_does_not() -> None:
    sunday, last = FRIDAY_CLOSE + timedelta(hours=40), FRIDAY_CLOSE - 10 * MINUTE
    assert is_fresh(quoted("EUR/USD", last), AssetKind.CURRENCY, AGES, sunday)
    assert not is_fresh(quoted("EUR/USD", last - 6 * MINUTE), AssetKind.CURRENCY, AGES, sunday)
    assert not is_fresh(quoted("BTC/USD", last), AssetKind.COIN, AGES, sunday)


def young(quote: Quote, kind: AssetKind) -> bool:
    return is_fresh(quote, kind, AGES, NOON)


def test_what_is_crossed_by_coins_is_no_younger_than_any_of_them() -> None:
    chain = {
        "SHIB": quoted("SHIB/USD", NOON, legs=("SHIB/BTC", "BTC/USD")),
        "BTC": quoted("BTC/USD", NOON, legs=("BTC/USDT", "USDT/USD")),
        "USDT": quoted("USDT/USD", NOON),
        "EUR": quoted("EUR/USD", NOON - 9 * HOUR),
    }
    assert first_stale_code(book_of(chain), ["SHIB", "EUR"], young) is None
    chain["USDT"] = quoted("USDT/USD", NOON - HOUR)
    book = book_of(chain)
    assert [first_stale_code(book, [code], young) for code in ("SHIB", "BTC", "USDT")] == ["USDT"] * 3
    assert first_stale_code(book, ["EUR", "NOBODY"], young) is None


def test_a_currency_is_dealt_at_a_young_price_and_at_a_fixing_where_it_does_not_trade() -> None:
    fixed = {"PLN": quoted("USD/PLN", NOON - 9 * HOUR, Pace.DAILY)}
    assert is_tradable(book_of(fixed), "PLN", young)
    traded = quoted("EUR/PLN", NOON - HOUR)
    assert not is_tradable(book_of(fixed, {traded.pair: traded}), "PLN", young)
    assert is_tradable(book_of({"EUR": quoted("EUR/USD", NOON)}), "EUR", young)
    assert not is_tradable(book_of({"EUR": quoted("EUR/USD", NOON - HOUR)}), "EUR", young)
    assert not is_tradable(book_of({}), "EUR", young)


def test_a_currency_that_trades_has_fallen_back_where_it_shows_its_fixing() -> None:
    fixed = quoted("USD/PLN", NOON, Pace.DAILY)
    dealt = quoted("EUR/PLN", NOON - HOUR)
    kinds = book_of({"PLN": fixed, "EUR": quoted("EUR/USD", NOON)}, {dealt.pair: dealt})
    assert falls_back_on_fixing(kinds, "PLN", fixed)
    assert not falls_back_on_fixing(kinds, "EUR", kinds.quotes["EUR"])
    nobody_deals_it = book_of({"PLN": fixed}, {})
    assert not falls_back_on_fixing(nobody_deals_it, "PLN", fixed)


def test_a_coin_dealt_in_a_currency_makes_that_currency_no_pair_of_currencies() -> None:
    coin = quoted("BTC/PLN", NOON)
    book = book_of({"PLN": quoted("USD/PLN", NOON, Pace.DAILY)}, {coin.pair: coin})
    assert book.traded == frozenset()
