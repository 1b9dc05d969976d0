"""Prices: the sides and digits of a pair, and when no price is sent."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from cambist.pricing.book_columns import BookColumns
from cambist.pricing.column_builder import ColumnBuilder
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.reference.assets import AssetKind
from cambist.stream.prices import Prices

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
OLD = NOW - timedelta(minutes=16)
LIMIT = timedelta(minutes=15)


def quote(base: str, other: str, bid: str, ask: str, *, as_of: datetime = NOW, pace: Pace = Pace.REALTIME) -> Quote:
    origin = Origin(Derivation.PUBLISHED, ("a",), pace=pace)
    return Quote(Pair(base, other), Fraction(bid), Fraction(ask), as_of, as_of, origin)


def quoted_book(*pairs: Quote, legs: tuple[Quote, ...] = (), version: int = 1) -> QuotedBook:
    quotes = {one.pair.other(PIVOT): one for one in (*pairs, *legs) if PIVOT in (one.pair.base, one.pair.quote)}
    return QuotedBook(version, NOW, quotes, (PIVOT, "EUR", "GBP", "IRR", "JPY"), {one.pair: one for one in pairs})


def make_book(*pairs: Quote, legs: tuple[Quote, ...] = ()) -> RateBook:
    return RateBook.of(quoted_book(*pairs, legs=legs))


def price_of(book: RateBook, name: str) -> dict[str, object]:
    prices = Prices({AssetKind.COIN: LIMIT, AssetKind.METAL: LIMIT}, lambda: NOW)
    prices.update(book)
    pairs, unknown = prices.parse_pairs([name])
    assert not unknown
    prices.track(pairs)
    (symbol,) = pairs
    frame = prices.fresh_frame(symbol)
    found = json.loads(frame[2:]) if frame else {}
    assert isinstance(found, dict)
    return found


EURUSD = quote("EUR", "USD", "1.0850", "1.0851")
GBPUSD = quote("GBP", "USD", "1.27001", "1.27004")


def test_a_quoted_pair_has_the_sides_of_its_quote() -> None:
    found = price_of(make_book(EURUSD), "eur/usd")
    assert found == {"op": "price", "sym": "EURUSD", "bid": "1.0850000", "ask": "1.0851000", "tsp": 1795003200000}


def test_an_inverted_pair_has_exchanged_and_inverted_sides() -> None:
    found = price_of(make_book(EURUSD), "USDEUR")
    assert (found["bid"], found["ask"]) == ("0.9215740484", "0.9216589862")


def test_a_crossed_pair_has_the_worse_sides_of_its_legs() -> None:
    found = price_of(make_book(EURUSD, GBPUSD), "EURGBP")
    assert Decimal(str(found["bid"])) <= Decimal("1.0850") / Decimal("1.27004")
    assert Decimal(str(found["ask"])) >= Decimal("1.0851") / Decimal("1.27001")
    assert len(str(found["bid"]).removeprefix("0.")) >= 8


def test_a_weak_currency_is_priced_by_its_size() -> None:
    found = price_of(make_book(quote("USD", "IRR", "42000", "42100")), "IRRUSD")
    assert Decimal("2.37") < Decimal(str(found["bid"])) < Decimal(str(found["ask"])) < Decimal("2.39")


def test_a_metal_is_priced_by_its_ounce() -> None:
    assert price_of(make_book(quote("XAU", "USD", "4000.1", "4000.5")), "XAUUSD")["bid"] == "4000.1000"


@pytest.mark.parametrize("code", ["BTC", "XAU", "EUR"])
def test_an_old_price_of_an_open_market_is_not_sent(code: str) -> None:
    assert price_of(make_book(quote(code, "USD", "10", "11", as_of=OLD)), f"{code}USD") == {}


def test_an_old_price_of_a_closed_market_is_sent_with_its_own_time() -> None:
    friday = datetime(2026, 11, 20, 21, 59, tzinfo=UTC)
    prices = Prices({}, lambda: datetime(2026, 11, 22, 3, tzinfo=UTC))
    prices.update(make_book(replace(EURUSD, as_of=friday)))
    prices.track({"EURUSD": Pair("EUR", "USD")})
    assert b'"tsp":1795211940000' in prices.fresh_frame("EURUSD")


def test_a_pair_that_only_has_fixings_is_sent_with_equal_sides() -> None:
    fixed = quote("EUR", "USD", "1.085", "1.085", as_of=NOW - timedelta(days=1), pace=Pace.DAILY)
    found = price_of(make_book(legs=(fixed,)), "EURUSD")
    assert found["bid"] == found["ask"] == "1.0850000"


@pytest.mark.parametrize(("days", "fixed_on"), [(1, "2026-11-17"), (14, "2026-11-04")])
def test_a_price_that_uses_a_fixing_names_its_day(days: int, fixed_on: str) -> None:
    fixing = quote("EUR", "USD", "1.15", "1.15", as_of=NOW - timedelta(days=days), pace=Pace.DAILY)
    assert price_of(make_book(GBPUSD, legs=(fixing,)), "GBPEUR")["fixed_on"] == fixed_on
    assert "fixed_on" not in price_of(make_book(GBPUSD, legs=(fixing,)), "GBPUSD")


def test_a_price_that_uses_a_fixing_older_than_two_weeks_is_not_sent() -> None:
    fixing = quote("EUR", "USD", "1.15", "1.15", as_of=NOW - timedelta(days=15), pace=Pace.DAILY)
    assert price_of(make_book(GBPUSD, legs=(fixing,)), "GBPEUR") == {}


def test_a_traded_pair_with_only_a_fixing_left_is_not_sent_while_its_market_is_open() -> None:
    traded = quote("EUR", "GBP", "0.85", "0.86", as_of=OLD)
    fixed = quote("EUR", "USD", "1.085", "1.085", as_of=NOW - timedelta(days=1), pace=Pace.DAILY)
    assert price_of(make_book(traded, legs=(fixed,)), "EURUSD") == {}


def test_neither_the_same_quotes_nor_others_with_the_same_price_are_sent_again() -> None:
    prices, builder = Prices({}, lambda: NOW), ColumnBuilder()

    def update(quote: Quote, version: int) -> set[str]:
        written = builder.write(quoted_book(quote, version=version))
        columns = BookColumns(bytes(written.block), written.capacity, written.names, written.origins)
        return prices.update(RateBook(version, NOW, columns))

    update(EURUSD, 1)
    prices.track({"EURUSD": Pair("EUR", "USD")})
    assert prices.changed_frame("EURUSD", 1)
    assert update(EURUSD, 2) == set()
    again = replace(EURUSD, received_at=NOW + timedelta(seconds=1))
    assert update(again, 3) == {"EURUSD"}
    assert prices.changed_frame("EURUSD", 3) == b""
    assert prices.changed_frame("EURUSD", 1)
    assert update(replace(EURUSD, bid=Fraction(1)), 4) == {"EURUSD"}
    assert prices.changed_frame("EURUSD", 4)


def test_without_a_book_there_are_no_pairs_and_no_prices() -> None:
    prices = Prices({}, lambda: NOW)
    assert prices.parse_pairs(["EURUSD"]) == ({}, ["EURUSD"])
    prices.track({"EURUSD": Pair("EUR", "USD")})
    assert prices.fresh_frame("EURUSD") == b""
    prices.update(make_book(EURUSD))
    assert prices.fresh_frame("EURUSD")


def test_a_ratio_of_metals_is_priced_by_its_two_metals_at_their_worse_sides() -> None:
    gold, silver = quote("XAU", "USD", "4000", "4001"), quote("XAG", "USD", "50.0", "50.1")
    found = price_of(make_book(gold, silver), "XAU/XAG")
    assert found["sym"] == "XAUXAG"
    assert Decimal("79.84031") < Decimal(str(found["bid"])) <= Decimal(4000) / Decimal("50.1")
    assert Decimal(4001) / 50 <= Decimal(str(found["ask"])) < Decimal("80.0201")


def test_a_ratio_is_as_old_as_the_older_of_its_metals_and_not_sent_if_too_old() -> None:
    gold, silver = quote("XAU", "USD", "4000", "4001"), quote("XAG", "USD", "50", "51")
    minutes = timedelta(minutes=3)
    found = price_of(make_book(gold, replace(silver, as_of=NOW - minutes)), "XAUXAG")
    assert found["tsp"] == 1795003200000 - 180_000
    assert price_of(make_book(gold, replace(silver, as_of=OLD)), "XAUXAG") == {}


def test_the_time_of_a_price_is_rounded_down_to_milliseconds() -> None:
    late = replace(EURUSD, as_of=NOW.replace(microsecond=1999) - timedelta(seconds=1))
    assert price_of(make_book(late), "EURUSD")["tsp"] == 1795003200000 - 1000 + 1


def test_a_fixing_that_is_older_than_the_operator_allows_is_not_sent() -> None:
    fixed = quote("EUR", "USD", "1.085", "1.085", as_of=NOW - timedelta(hours=2), pace=Pace.DAILY)
    for hours, frames in ((1, 0), (3, 1)):
        prices = Prices({}, lambda: NOW, timedelta(hours=hours))
        prices.update(make_book(legs=(fixed,)))
        prices.track({"EURUSD": Pair("EUR", "USD")})
        assert len(prices.fresh_frame("EURUSD")[:1]) == frames


def test_a_metal_is_priced_as_it_is_quoted_in_a_currency_and_never_crossed_instead() -> None:
    gold, in_euros = quote("XAU", "USD", "4000", "4001"), quote("XAU", "EUR", "3448", "3449")
    assert price_of(make_book(gold, EURUSD, in_euros), "XAUEUR")["bid"] == "3448.0000"
    assert price_of(make_book(gold, EURUSD, replace(in_euros, as_of=OLD)), "XAUEUR") == {}


def test_a_coin_in_a_currency_with_only_a_fixing_left_is_sent() -> None:
    coin, pound = quote("BTC", "USD", "90000", "90001"), quote("EUR", "GBP", "0.85", "0.86", as_of=OLD)
    fixed = quote("EUR", "USD", "1.085", "1.085", as_of=NOW - timedelta(days=1), pace=Pace.DAILY)
    book = RateBook.of(replace(quoted_book(coin, pound, legs=(fixed,)), venue_pairs=frozenset({Pair("BTC", "EUR")})))
    assert Decimal(str(price_of(book, "BTCEUR")["bid"])) > 80_000


def test_a_price_that_was_too_old_is_sent_again_once_its_market_has_closed() -> None:
    friday = datetime(2026, 11, 20, 21, tzinfo=UTC)
    now = friday
    pound = quote("EUR", "GBP", "0.85", "0.86", as_of=friday - timedelta(hours=1))
    fixed = quote("EUR", "USD", "1.085", "1.085", as_of=friday - timedelta(hours=5), pace=Pace.DAILY)
    prices = Prices({}, lambda: now)
    prices.update(make_book(pound, legs=(fixed,)))
    prices.track({"EURUSD": Pair("EUR", "USD")})
    assert prices.fresh_frame("EURUSD") == b""
    now = friday + timedelta(hours=2)
    assert prices.fresh_frame("EURUSD")
