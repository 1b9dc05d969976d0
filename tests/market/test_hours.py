"""Trading hours: New York's clock, in winter and in summer."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.market.hours import Hours, hours_of, is_open, last_traded
from cambist.market.pair import Pair

FRIDAY_CLOSE = datetime(2026, 11, 20, 22, tzinfo=UTC)
SUNDAY_OPEN = datetime(2026, 11, 22, 22, tzinfo=UTC)
SECOND = timedelta(seconds=1)
EURO = Pair("EUR", "USD")
MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("moment", "as_of"),
    [
        (FRIDAY_CLOSE - SECOND, FRIDAY_CLOSE - SECOND),
        (FRIDAY_CLOSE, FRIDAY_CLOSE),
        (FRIDAY_CLOSE + SECOND, FRIDAY_CLOSE),
        (datetime(2026, 11, 21, 12, tzinfo=UTC), FRIDAY_CLOSE),
        (SUNDAY_OPEN - SECOND, FRIDAY_CLOSE),
        (SUNDAY_OPEN, SUNDAY_OPEN),
        (datetime(2026, 7, 4, 12, tzinfo=UTC), datetime(2026, 7, 3, 21, tzinfo=UTC)),
        # The clocks go back between this close and the next opening.
        (datetime(2026, 11, 1, 21, 59, 59, tzinfo=UTC), datetime(2026, 10, 30, 21, tzinfo=UTC)),
        (datetime(2026, 11, 1, 22, tzinfo=UTC), datetime(2026, 11, 1, 22, tzinfo=UTC)),
    ],
)
def test_currencies_trade_from_sunday_to_friday_at_five_in_new_york(moment: datetime, as_of: datetime) -> None:
    assert last_traded(Hours.CURRENCIES, moment).as_of == as_of


@pytest.mark.parametrize(
    ("moment", "as_of"),
    [
        (SUNDAY_OPEN, FRIDAY_CLOSE),
        (SUNDAY_OPEN + timedelta(hours=1), SUNDAY_OPEN + timedelta(hours=1)),
        (datetime(2026, 11, 18, 22, 30, tzinfo=UTC), datetime(2026, 11, 18, 22, tzinfo=UTC)),
        (datetime(2026, 11, 18, 23, tzinfo=UTC), datetime(2026, 11, 18, 23, tzinfo=UTC)),
    ],
)
def test_metals_pause_for_an_hour_every_day(moment: datetime, as_of: datetime) -> None:
    assert last_traded(Hours.METALS, moment).as_of == as_of


@given(MOMENTS)
def test_coins_always_trade(moment: datetime) -> None:
    assert last_traded(Hours.ALWAYS, moment) == (moment, moment.timestamp())


@given(st.sampled_from(Hours), MOMENTS)
def test_the_last_moment_of_trade_is_one_of_trade_and_lies_near(hours: Hours, moment: datetime) -> None:
    as_of = last_traded(hours, moment).as_of
    assert last_traded(hours, as_of).as_of == as_of
    assert timedelta(0) <= moment - as_of <= timedelta(hours=50)


def test_a_moment_without_its_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no zone"):
        last_traded(Hours.ALWAYS, datetime(2026, 11, 20))  # noqa: DTZ001
    with pytest.raises(ValueError, match="no zone"):
        is_open(EURO, datetime(2026, 11, 20))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("pair", "hours"),
    [
        ("EUR/USD", Hours.CURRENCIES),
        ("USD/CNH", Hours.CURRENCIES),
        ("DEM/FRF", Hours.CURRENCIES),
        ("BTC/USD", Hours.ALWAYS),
        ("USD/BTC", Hours.ALWAYS),
        ("USDT/TRY", Hours.ALWAYS),
        ("ETH/BTC", Hours.ALWAYS),
        ("XAU/USD", Hours.METALS),
        ("EUR/XAU", Hours.METALS),
        ("XAU/XAG", Hours.METALS),
        ("XCU/USD", Hours.METALS),
        ("XCU-3M/USD", Hours.METALS),
        ("USD/XAL-3M", Hours.METALS),
    ],
)
def test_what_is_in_a_pair_says_when_it_trades(pair: str, hours: Hours) -> None:
    assert hours_of(Pair(*pair.split("/"))) is hours


@pytest.mark.parametrize(
    ("moment", "euro", "gold"),
    [
        (datetime(2026, 11, 18, 12, tzinfo=UTC), True, True),
        (datetime(2026, 11, 18, 22, 30, tzinfo=UTC), True, False),
        (datetime(2026, 11, 18, 23, tzinfo=UTC), True, True),
        (FRIDAY_CLOSE - SECOND, True, True),
        (FRIDAY_CLOSE + SECOND, False, False),
        (datetime(2026, 11, 21, 12, tzinfo=UTC), False, False),
        (SUNDAY_OPEN - SECOND, False, False),
        (SUNDAY_OPEN, True, False),
        (SUNDAY_OPEN + timedelta(hours=1), True, True),
        # In summer New York is an hour nearer, so the same hours of UTC are others of the market's.
        (datetime(2026, 7, 3, 20, 59, 59, tzinfo=UTC), True, True),
        (datetime(2026, 7, 3, 21, 30, tzinfo=UTC), False, False),
        (datetime(2026, 7, 5, 20, 59, 59, tzinfo=UTC), False, False),
        (datetime(2026, 7, 5, 21, 30, tzinfo=UTC), True, False),
    ],
)
def test_a_market_is_open_in_its_hours_and_coins_are_always(moment: datetime, *, euro: bool, gold: bool) -> None:
    assert is_open(EURO, moment) is euro
    assert is_open(Pair("XAU", "USD"), moment) is gold
    assert is_open(Pair("BTC", "USD"), moment) is True


def test_a_market_is_open_within_a_second_too() -> None:
    noon = datetime(2026, 11, 18, 12, 0, 0, 250_000, tzinfo=UTC)
    assert is_open(EURO, noon)
    assert not is_open(EURO, SUNDAY_OPEN - timedelta(milliseconds=1))


def test_a_moment_is_the_same_by_any_clock() -> None:
    new_york = timezone(timedelta(hours=-5))
    assert is_open(EURO, (FRIDAY_CLOSE - SECOND).astimezone(new_york))
    assert not is_open(EURO, (FRIDAY_CLOSE + SECOND).astimezone(new_york))


@given(MOMENTS)
def test_while_metals_trade_currencies_do(moment: datetime) -> None:
    assert is_open(EURO, moment) or not is_open(Pair("XAU", "USD"), moment)
