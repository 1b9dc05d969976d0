"""Bars that are computed: the prices of the market, hours of minutes, days of hours, and pages that end."""

from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.trading_hours import Hours, last_trading_moment
from cambist.reference.closures import CLOSURES
from cambist.sandbox.currency_bars import BarColumns, CurrencyBars
from cambist.sandbox.market import SimulatedMarket
from cambist.sandbox.quoted_hours import currency_pairs, open_hours

MINUTE, HOUR, DAY = 60, 3600, 86_400
BARS, MARKET = CurrencyBars(11), SimulatedMarket(11)
EURUSD, EURJPY, EURDKK = Pair("EUR", "USD"), Pair("EUR", "JPY"), Pair("EUR", "DKK")
PAIRS = st.sampled_from([EURUSD, EURJPY, EURDKK, Pair("USD", "KPW"), Pair("GBP", "USD"), Pair("USD", "DEM")])
WORKDAYS = st.dates(date(1970, 1, 1), date(2040, 12, 31)).filter(lambda day: day.weekday() < 4)


def seconds(moment: datetime | date) -> int:
    return int(datetime(moment.year, moment.month, moment.day, tzinfo=UTC).timestamp())


def of_day(pair: Pair, length: int, day: date, limit: int = 2000) -> BarColumns:
    return BARS.newest(pair, length, seconds(day), seconds(day) + DAY, limit)


def sides(bars: BarColumns) -> list[list[tuple[Fraction, ...]]]:
    """Return open, high, low and close of the bid, and then of the ask, the oldest bar first."""
    rows = range(0, 4 * len(bars.starts), 4)
    return [
        [tuple(side.fraction(row + place) for place in range(4)) for row in reversed(rows)]
        for side in (bars.bids, bars.asks)
    ]


def folded(bars: list[tuple[Fraction, ...]]) -> tuple[Fraction, ...]:
    return bars[0][0], max(bar[1] for bar in bars), min(bar[2] for bar in bars), bars[-1][3]


@pytest.mark.long
@settings(deadline=None, max_examples=15)
@given(PAIRS, WORKDAYS)
@example(EURUSD, date(2026, 3, 9))
@example(Pair("USD", "KPW"), date(2009, 11, 30))  # a new unit under the same code
def test_an_hour_is_made_of_its_minutes_and_a_day_of_its_hours(pair: Pair, day: date) -> None:
    minutes, hours, days = (of_day(pair, length, day) for length in (MINUTE, HOUR, DAY))
    assert len(minutes.starts) == 60 * len(hours.starts)
    for of_minutes, of_hours, of_days in zip(sides(minutes), sides(hours), sides(days), strict=True):
        assert [folded(of_minutes[first : first + 60]) for first in range(0, len(of_minutes), 60)] == of_hours
        assert of_days == ([folded(of_hours)] if of_hours else [])


@settings(deadline=None, max_examples=40)
@given(PAIRS, WORKDAYS, st.integers(0, 24 * 60 - 1), st.integers(0, 119))
def test_every_tick_of_the_market_is_within_its_bar(pair: Pair, day: date, minute: int, tick: int) -> None:
    start = seconds(day) + minute * MINUTE
    bars = BARS.newest(pair, MINUTE, start, start + 1, 9)
    if not bars.starts:
        return
    moments = [datetime.fromtimestamp(start + number / 2, UTC) for number in (0, tick, 119)]
    code = pair.quote if pair.base == PIVOT else pair.base
    quotes = [
        MARKET.quote(code, moment) if PIVOT in (pair.base, pair.quote) else MARKET.pair_quote(pair, moment)
        for moment in moments
    ]
    assert [quote.as_of for quote in quotes] == moments
    for bar, prices in zip(
        sides(bars), ([quote.bid for quote in quotes], [quote.ask for quote in quotes]), strict=True
    ):
        ((first, highest, lowest, last),) = bar
        assert (first, last) == (prices[0], prices[-1])
        assert lowest <= prices[1] <= highest


@pytest.mark.long
@settings(deadline=None, max_examples=25)
@given(PAIRS, st.dates(date(1970, 1, 2), date(2040, 12, 31)), st.sampled_from([MINUTE, HOUR, DAY]), st.integers(1, 7))
def test_pages_join_without_a_gap_and_asking_again_gives_the_same(
    pair: Pair, day: date, length: int, limit: int
) -> None:
    before = seconds(day) + 7 * MINUTE
    whole = BARS.newest(pair, length, seconds(date(1970, 1, 1)), before, 12)
    starts: list[int] = []
    prices: list[tuple[Fraction, ...]] = []
    while len(starts) < 12:
        found = CurrencyBars(11).newest(pair, length, 0, starts[-1] if starts else before, limit)
        if not found.starts:
            break
        starts += found.starts
        prices += sides(found)[0][::-1]
    assert starts[:12] == whole.starts
    assert prices[:12] == sides(whole)[0][::-1]


@settings(deadline=None, max_examples=60)
@given(st.dates(date(1970, 1, 1), date(2090, 12, 31)))
def test_the_market_opens_and_closes_on_the_hour(day: date) -> None:
    for minute in (0, 1, 59):
        is_open = [
            start
            for start in range(seconds(day), seconds(day) + DAY, HOUR)
            if (moment := datetime.fromtimestamp(start + minute * MINUTE + 1, UTC))
            == last_trading_moment(Hours.CURRENCIES, moment).as_of
        ]
        assert is_open == list(open_hours(seconds(day) // DAY))


@pytest.mark.parametrize("length", [MINUTE, HOUR, DAY])
def test_weekends_and_closures_have_no_bars(length: int) -> None:
    assert of_day(EURUSD, length, date(2026, 11, 21)).starts == []
    christmas = date(2025, 12, 25)
    assert christmas in CLOSURES[Hours.CURRENCIES]
    assert [start for start in of_day(EURUSD, length, christmas).starts if start < seconds(christmas) + 22 * HOUR] == (
        [seconds(christmas)] if length == DAY else []
    )


def test_a_week_has_the_hours_from_sunday_to_friday_evening() -> None:
    winter = BARS.newest(EURUSD, HOUR, seconds(date(2026, 11, 14)), seconds(date(2026, 11, 22)), 1000).starts
    assert (winter[-1], winter[0]) == (seconds(date(2026, 11, 15)) + 22 * HOUR, seconds(date(2026, 11, 20)) + 21 * HOUR)
    assert len(winter) == 5 * 24
    summer = BARS.newest(EURUSD, HOUR, seconds(date(2026, 7, 4)), seconds(date(2026, 7, 12)), 1000).starts
    assert (summer[-1], summer[0]) == (seconds(date(2026, 7, 5)) + 21 * HOUR, seconds(date(2026, 7, 10)) + 20 * HOUR)


def test_bars_begin_and_end_with_the_currency() -> None:
    far = seconds(date(2090, 1, 1))
    for pair in (EURUSD, Pair("USD", "DEM"), Pair("USD", "JPY")):
        first = BARS.first_starts(HOUR)[pair]
        assert BARS.newest(pair, HOUR, -1e12, first + 1, 9).starts == [first]
        assert BARS.newest(pair, HOUR, -1e12, first, 9).starts == []
    assert BARS.first_starts(DAY)[EURUSD] == seconds(date(1999, 1, 1))
    assert BARS.first_starts(MINUTE)[Pair("USD", "JPY")] == seconds(date(1970, 1, 1))
    assert BARS.newest(Pair("USD", "DEM"), DAY, 0, far, 1).starts == [seconds(date(1998, 12, 31))]


def test_only_pairs_that_are_quoted_directly_have_bars() -> None:
    moment = datetime(2026, 11, 20, 12, tzinfo=UTC)
    for pair in (Pair("USD", "EUR"), Pair("SEK", "NOK"), Pair("USD", "AED"), Pair("XAU", "USD"), Pair("BTC", "USD")):
        assert BARS.newest(pair, HOUR, 0 if pair.quote != "AED" else 1e9, moment.timestamp(), 9).starts == []


@pytest.mark.parametrize("limits", [(-1e300, 1e300), (float("-inf"), float("inf"))])
def test_limits_may_be_far_away(limits: tuple[float, float]) -> None:
    assert len(BARS.newest(EURUSD, DAY, *limits, 3).starts) == 3


def test_each_pair_is_there_once() -> None:
    pairs = list(currency_pairs())
    assert len(pairs) == len(set(pairs))
    assert {EURUSD, EURJPY, Pair("USD", "DEM")} <= set(pairs)


def test_seeds_differ() -> None:
    day = date(2026, 11, 20)
    other = CurrencyBars(12).newest(EURUSD, HOUR, seconds(day), seconds(day) + timedelta(days=1).total_seconds(), 9)
    mine = of_day(EURUSD, HOUR, day, 9)
    assert other.starts == mine.starts
    assert sides(other) != sides(mine)
