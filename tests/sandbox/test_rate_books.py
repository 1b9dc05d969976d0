"""Rate books in columns: they are those that are made of quotes, one by one."""

from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.pricing.book_columns import COLUMNS, BookColumns
from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook
from cambist.pricing.rate_book_assembly import assemble_rate_book
from cambist.sandbox.decimals import Decimals, midpoints
from cambist.sandbox.faults import Faults, with_faults
from cambist.sandbox.market import Market, SimulatedMarket
from cambist.sandbox.quoting import rounded_together
from cambist.sandbox.rate_books import SimulatedRateBooks

COINS = ["BTC", "ETH", "USDT", "SOL", *(f"C{number}" for number in range(160))]
MARKET = SimulatedMarket(11, COINS)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SATURDAY = NOON + timedelta(days=1)
SECOND = timedelta(seconds=1)
MICROSECOND = timedelta(microseconds=1)
OLD = NOON - timedelta(days=15)


def books_of(market: Market, today: date) -> SimulatedRateBooks:
    moment = datetime(today.year, today.month, today.day, tzinfo=UTC)
    return SimulatedRateBooks(market.quotes(today, moment, moment).listings, today)


def built(books: SimulatedRateBooks, market: Market, now: datetime, before: RateBook | None = None) -> RateBook:
    version = before.version + 1 if before else 1
    return books.build(market.quotes(now.date(), now, now), version, now, before)


def made_of_quotes(market: Market, now: datetime) -> RateBook:
    """Return the book that is made of the quotes that the market returns one by one, in columns."""
    codes = market.codes(now.date())
    alive = {*codes, "USD"}
    pairs = [pair for pair in market.pairs() if {pair.base, pair.quote} <= alive]
    quotes = {code: market.quote(code, now) for code in codes}
    book = assemble_rate_book(quotes, 1, now, {pair: market.pair_quote(pair, now) for pair in pairs})
    return RateBook.of(book)


def slots(columns: BookColumns) -> dict[object, tuple[object, ...]]:
    """Return the values of each slot by its name, with lists in place of their indexes."""
    found: dict[object, tuple[object, ...]] = {}
    for slot, (name, pair) in enumerate(columns.names.instruments):
        values = {column: getattr(columns, column)[slot] for column, _ in COLUMNS}
        values |= {"sources": columns.origins.sources[values["sources"]], "legs": columns.origins.legs[values["legs"]]}
        found[name] = (pair, *values.values())
    return found


@pytest.mark.long(every=2)
@pytest.mark.parametrize("now", [NOON, SATURDAY, datetime(2010, 5, 6, 7, 8, 9, 123_456, tzinfo=UTC)])
@pytest.mark.parametrize(
    "faults",
    [Faults(), Faults(stale=("EUR", "BTC", "JPY"), since=OLD), Faults(slow=2.5, outlier={"XAU": 1.5, "GBP": 3.0})],
)
def test_a_book_in_columns_is_the_one_that_is_made_of_quotes(now: datetime, faults: Faults) -> None:
    market = with_faults(MARKET, faults)
    book, expected = built(books_of(market, now.date()), market, now), made_of_quotes(market, now)
    assert slots(book.columns) == slots(expected.columns)
    assert (book.as_of, book.listed, book.mids) == (expected.as_of, expected.listed, expected.mids)
    assert (dict(book.quotes), dict(book.pairs)) == (dict(expected.quotes), dict(expected.pairs))


def test_books_that_follow_each_other_are_those_that_are_made_of_quotes() -> None:
    books, before = books_of(MARKET, NOON.date()), None
    for number in range(5):
        now = NOON + number * SECOND / 2
        before = built(books, MARKET, now, before)
        expected = made_of_quotes(MARKET, now)
        assert (before.version, dict(before.quotes), dict(before.pairs)) == (
            number + 1,
            dict(expected.quotes),
            dict(expected.pairs),
        )


def test_an_earlier_book_does_not_change() -> None:
    books = books_of(MARKET, NOON.date())
    first = built(books, MARKET, NOON)
    block = bytes(first.columns.block)
    second = built(books, MARKET, NOON + SECOND, first)
    assert bytes(first.columns.block) == block
    assert second.columns.names is first.columns.names
    assert second.columns.origins is first.columns.origins


@pytest.mark.parametrize("is_same_process", [True, False])
def test_a_quote_that_has_not_changed_keeps_its_time_of_receiving(*, is_same_process: bool) -> None:
    books = books_of(MARKET, SATURDAY.date())
    before = built(books, MARKET, SATURDAY)
    after = built(books if is_same_process else books_of(MARKET, SATURDAY.date()), MARKET, SATURDAY + SECOND, before)
    for code in ("EUR", "XAU", "BGN"):
        assert after.quotes[code] == before.quotes[code]
        assert after.quotes[code].received_at == SATURDAY
    assert after.pairs[Pair("EUR", "GBP")].received_at == SATURDAY
    assert after.quotes["BTC"].received_at == after.pairs[Pair("BTC", "EUR")].received_at == SATURDAY + SECOND


@given(st.lists(st.floats(1e-30, 1e20), min_size=1, max_size=20))
def test_columns_of_decimals_are_the_floats_of_their_fractions(prices: list[float]) -> None:
    bids, asks = (rounded_together(np.array(prices) * factor) for factor in (0.9995, 1.0005))
    rows = range(len(prices))
    assert bids.floats().tolist() == [float(bids.fraction(row)) for row in rows]
    exactly = [(bids.fraction(row) + asks.fraction(row)) / 2 for row in rows]
    assert midpoints(bids, asks).tolist() == [float(each) for each in exactly]
    shortened = bids.shortened()
    assert [shortened.fraction(row) for row in rows] == [bids.fraction(row) for row in rows]


def test_zeros_after_the_last_decimal_place_are_left_out() -> None:
    numbers = Decimals(np.array([10_850_000, 12_000_000, 12_345_678]), np.array([-7, -3, 2]))
    shortened = numbers.shortened()
    assert (shortened.digits.tolist(), shortened.exponents.tolist()) == ([1085, 12_000, 1_234_567_800], [-3, 0, 0])
    assert shortened.fraction(0) == Fraction("1.085")
