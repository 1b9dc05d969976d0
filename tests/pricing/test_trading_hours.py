"""Trading hours: New York's clock and London's, in winter and in summer."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.pricing.pair import Pair
from cambist.pricing.trading_hours import Hours, hours_of, is_open, last_trading_moment, trading_age
from cambist.reference.closures import CLOSURES

FRIDAY_CLOSE = datetime(2026, 11, 20, 22, tzinfo=UTC)
SUNDAY_OPEN = datetime(2026, 11, 22, 22, tzinfo=UTC)
SECOND = timedelta(seconds=1)
LME_FRIDAY_CLOSE, LME_MONDAY_OPEN = datetime(2026, 11, 20, 19, tzinfo=UTC), datetime(2026, 11, 23, 1, tzinfo=UTC)
BEFORE_EASTER, AFTER_EASTER = datetime(2026, 4, 2, 18, tzinfo=UTC), datetime(2026, 4, 7, 0, tzinfo=UTC)
"""19:00 in London on Maundy Thursday, 01:00 on the Tuesday after Easter: in summer time."""

LONDON = ZoneInfo("Europe/London")
EURO, GOLD, COPPER, BITCOIN = (Pair(code, "USD") for code in ("EUR", "XAU", "XCU", "BTC"))
PAIR_OF = {Hours.CURRENCIES: EURO, Hours.METALS: GOLD, Hours.LME: COPPER, Hours.ALWAYS: BITCOIN}
LONGEST_PAUSE = {
    Hours.CURRENCIES: timedelta(hours=73),
    Hours.METALS: timedelta(hours=74),
    Hours.LME: timedelta(days=4, hours=6),
    Hours.ALWAYS: timedelta(0),
}
CLOSED_DAYS = sorted(CLOSURES["lme"])
ANY_CLOSED_DAY = sorted({day for days in CLOSURES.values() for day in days})
CHRISTMAS_EVE, CHRISTMAS = datetime(2026, 12, 24, 22, tzinfo=UTC), datetime(2026, 12, 25, 22, tzinfo=UTC)
"""17:00 in New York on both days: a Thursday and a Friday."""

MIDWEEK_CHRISTMAS = datetime(2029, 12, 25, 22, tzinfo=UTC)
"""17:00 in New York on a Tuesday."""

NEW_YEARS_EVE, NEW_YEARS_DAY = datetime(2028, 12, 29, 22, tzinfo=UTC), datetime(2029, 1, 1, 22, tzinfo=UTC)
"""17:00 in New York on the Friday before a New Year's Day that is a Monday, and on that day."""

GOOD_FRIDAY, EASTER_SUNDAY = datetime(2026, 4, 3, 12, tzinfo=UTC), datetime(2026, 4, 5, 22, tzinfo=UTC)
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
    assert last_trading_moment(Hours.CURRENCIES, moment).as_of == as_of


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
    assert last_trading_moment(Hours.METALS, moment).as_of == as_of


@pytest.mark.parametrize(
    ("pair", "moment", "as_of"),
    [
        (EURO, CHRISTMAS_EVE - SECOND, CHRISTMAS_EVE - SECOND),
        (EURO, CHRISTMAS_EVE + SECOND, CHRISTMAS_EVE),
        (EURO, CHRISTMAS - SECOND, CHRISTMAS_EVE),
        (EURO, CHRISTMAS + timedelta(days=1), CHRISTMAS_EVE),  # the weekend follows
        (GOLD, CHRISTMAS_EVE + timedelta(hours=1), CHRISTMAS_EVE),
        (EURO, NEW_YEARS_DAY - SECOND, NEW_YEARS_EVE),
        (EURO, NEW_YEARS_DAY, NEW_YEARS_DAY),
        (GOLD, NEW_YEARS_DAY + timedelta(hours=1) - SECOND, NEW_YEARS_EVE),
        (GOLD, NEW_YEARS_DAY + timedelta(hours=1), NEW_YEARS_DAY + timedelta(hours=1)),
        # Good Friday is one of metals alone.
        (EURO, GOOD_FRIDAY, GOOD_FRIDAY),
        (GOLD, GOOD_FRIDAY, datetime(2026, 4, 2, 21, tzinfo=UTC)),
        (GOLD, EASTER_SUNDAY - SECOND, datetime(2026, 4, 2, 21, tzinfo=UTC)),
        (GOLD, EASTER_SUNDAY, EASTER_SUNDAY),
        # Easter Monday is none but of base metals.
        (GOLD, GOOD_FRIDAY + timedelta(days=3), GOOD_FRIDAY + timedelta(days=3)),
        # A Christmas on Sunday: metals keep it on Monday, currencies do not.
        (EURO, datetime(2033, 12, 26, 12, tzinfo=UTC), datetime(2033, 12, 26, 12, tzinfo=UTC)),
        (GOLD, datetime(2033, 12, 26, 12, tzinfo=UTC), datetime(2033, 12, 23, 22, tzinfo=UTC)),
    ],
)
def test_on_christmas_new_year_and_good_friday_the_last_close_stands(
    pair: Pair, moment: datetime, as_of: datetime
) -> None:
    assert last_trading_moment(hours_of(pair), moment).as_of == as_of
    assert is_open(pair, moment) is (moment == as_of)


@pytest.mark.parametrize(
    ("moment", "as_of"),
    [
        (LME_FRIDAY_CLOSE - SECOND, LME_FRIDAY_CLOSE - SECOND),
        (LME_FRIDAY_CLOSE, LME_FRIDAY_CLOSE),
        (LME_FRIDAY_CLOSE + SECOND, LME_FRIDAY_CLOSE),
        (datetime(2026, 11, 21, 12, tzinfo=UTC), LME_FRIDAY_CLOSE),
        (LME_MONDAY_OPEN - SECOND, LME_FRIDAY_CLOSE),
        (LME_MONDAY_OPEN, LME_MONDAY_OPEN),
        # A night within the week.
        (datetime(2026, 11, 18, 0, 59, 59, tzinfo=UTC), datetime(2026, 11, 17, 19, tzinfo=UTC)),
        # In summer London is an hour before UTC.
        (datetime(2026, 7, 1, 18, 0, 1, tzinfo=UTC), datetime(2026, 7, 1, 18, tzinfo=UTC)),
        (datetime(2026, 7, 1, 23, 59, 59, tzinfo=UTC), datetime(2026, 7, 1, 18, tzinfo=UTC)),
        (datetime(2026, 7, 2, 0, 0, tzinfo=UTC), datetime(2026, 7, 2, 0, 0, tzinfo=UTC)),
        # The clocks go forward and back between a close and the next opening.
        (datetime(2026, 3, 29, 23, 59, 59, tzinfo=UTC), datetime(2026, 3, 27, 19, tzinfo=UTC)),
        (datetime(2026, 3, 30, 0, 0, tzinfo=UTC), datetime(2026, 3, 30, 0, 0, tzinfo=UTC)),
        (datetime(2026, 10, 26, 0, 59, 59, tzinfo=UTC), datetime(2026, 10, 23, 18, tzinfo=UTC)),
        (datetime(2026, 10, 26, 1, tzinfo=UTC), datetime(2026, 10, 26, 1, tzinfo=UTC)),
        # While New York has summer time and London has not, London decides.
        (datetime(2026, 3, 18, 18, 59, 59, tzinfo=UTC), datetime(2026, 3, 18, 18, 59, 59, tzinfo=UTC)),
        (datetime(2026, 3, 18, 19, 0, 1, tzinfo=UTC), datetime(2026, 3, 18, 19, tzinfo=UTC)),
        # Easter, and a Christmas whose two days are made up for on Monday and Tuesday.
        (datetime(2026, 4, 3, 12, tzinfo=UTC), BEFORE_EASTER),
        (AFTER_EASTER - SECOND, BEFORE_EASTER),
        (AFTER_EASTER, AFTER_EASTER),
        (datetime(2027, 12, 28, 12, tzinfo=UTC), datetime(2027, 12, 24, 19, tzinfo=UTC)),
        # A holiday of New York alone.
        (datetime(2026, 11, 26, 12, tzinfo=UTC), datetime(2026, 11, 26, 12, tzinfo=UTC)),
    ],
)
def test_base_metals_trade_by_londons_clock_but_for_closures(moment: datetime, as_of: datetime) -> None:
    assert last_trading_moment(Hours.LME, moment).as_of == as_of
    assert is_open(COPPER, moment) is (moment == as_of)


@pytest.mark.parametrize("day", CLOSED_DAYS, ids=str)
def test_on_a_closure_the_close_of_an_open_day_before_stands_all_day(day: date) -> None:
    """Also the nights around it belong to no trade: the same close stands from the day before to the day after."""
    for clock in (time(0), time(1), time(12), time(19), time(23, 59)):
        as_of = last_trading_moment(Hours.LME, datetime.combine(day, clock, LONDON)).as_of.astimezone(LONDON)
        assert as_of.time() == time(19)
        assert as_of.date() < day
        assert as_of.weekday() < 5
        assert as_of.date() not in CLOSURES["lme"]
        between = {as_of.date() + timedelta(days=after) for after in range(1, (day - as_of.date()).days)}
        assert all(other.weekday() >= 5 or other in CLOSURES["lme"] for other in between)


@given(MOMENTS)
def test_coins_always_trade(moment: datetime) -> None:
    assert last_trading_moment(Hours.ALWAYS, moment) == (moment, moment.timestamp())


AROUND_CLOSURES = st.builds(
    lambda day, seconds: datetime.combine(day, time(), UTC) + timedelta(seconds=seconds),
    st.sampled_from(ANY_CLOSED_DAY),
    st.integers(-2 * 86_400, 3 * 86_400),
)


@given(st.sampled_from(Hours), MOMENTS | AROUND_CLOSURES)
def test_the_last_moment_of_trade_is_one_of_trade_and_lies_near(hours: Hours, moment: datetime) -> None:
    as_of = last_trading_moment(hours, moment).as_of
    assert last_trading_moment(hours, as_of).as_of == as_of
    assert timedelta(0) <= moment - as_of <= LONGEST_PAUSE[hours]


@given(st.sampled_from(Hours), MOMENTS | AROUND_CLOSURES)
def test_a_market_is_open_exactly_where_the_last_moment_of_trade_is_now(hours: Hours, moment: datetime) -> None:
    second = moment.replace(microsecond=0)
    assert is_open(PAIR_OF[hours], second) is (last_trading_moment(hours, second).as_of == second)


def test_a_moment_without_a_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        last_trading_moment(Hours.ALWAYS, datetime(2026, 11, 20))  # noqa: DTZ001
    with pytest.raises(ValueError, match="no time zone"):
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
        ("XPD/JPY", Hours.METALS),
        ("XCU/USD", Hours.LME),
        ("EUR/XNI", Hours.LME),
        ("XCU-3M/USD", Hours.LME),
        ("USD/XAL-3M", Hours.LME),
        ("XAU/XCU", Hours.LME),
        ("XZN/XPT", Hours.LME),
        ("XPB/BTC", Hours.ALWAYS),
    ],
)
def test_the_sides_of_a_pair_decide_its_trading_hours(pair: str, hours: Hours) -> None:
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
    assert is_open(GOLD, moment) is gold
    assert is_open(BITCOIN, moment) is True


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
    assert is_open(EURO, moment) or not is_open(GOLD, moment)


@given(MOMENTS | AROUND_CLOSURES)
def test_while_base_metals_trade_precious_ones_do(moment: datetime) -> None:
    assert is_open(GOLD, moment) or not is_open(COPPER, moment)


# Ages


@pytest.mark.parametrize(
    ("pair", "as_of", "now", "age"),
    [
        # While the market is open: now.
        (COPPER, LME_FRIDAY_CLOSE - 600 * SECOND, LME_FRIDAY_CLOSE, 600 * SECOND),
        (EURO, FRIDAY_CLOSE - 600 * SECOND, FRIDAY_CLOSE, 600 * SECOND),
        # What stood at the last close is as old as it was then, however long that is ago …
        (COPPER, LME_FRIDAY_CLOSE, LME_FRIDAY_CLOSE + SECOND, timedelta(0)),
        (COPPER, LME_FRIDAY_CLOSE - 20 * SECOND, LME_MONDAY_OPEN - SECOND, 20 * SECOND),
        (COPPER, BEFORE_EASTER - 20 * SECOND, AFTER_EASTER - SECOND, 20 * SECOND),
        (GOLD, FRIDAY_CLOSE - 20 * SECOND, SUNDAY_OPEN + 1800 * SECOND, 20 * SECOND),
        # … and what was old then stays old.
        (COPPER, LME_FRIDAY_CLOSE - 3600 * SECOND, LME_MONDAY_OPEN - SECOND, 3600 * SECOND),
        (COPPER, BEFORE_EASTER - timedelta(days=3), AFTER_EASTER - SECOND, timedelta(days=3)),
        # From the opening on it ages again, the pause left out.
        (COPPER, LME_FRIDAY_CLOSE - 20 * SECOND, LME_MONDAY_OPEN, 20 * SECOND),
        (COPPER, LME_FRIDAY_CLOSE - 20 * SECOND, LME_MONDAY_OPEN + 600 * SECOND, 620 * SECOND),
        (COPPER, BEFORE_EASTER - 20 * SECOND, AFTER_EASTER + 600 * SECOND, 620 * SECOND),
        (GOLD, FRIDAY_CLOSE - 20 * SECOND, SUNDAY_OPEN + 4200 * SECOND, 620 * SECOND),
        (GOLD, FRIDAY_CLOSE - 86400 * SECOND, FRIDAY_CLOSE - 82000 * SECOND, 4400 * SECOND - 3600 * SECOND),
        (EURO, FRIDAY_CLOSE - 20 * SECOND, SUNDAY_OPEN + 86400 * SECOND, 86420 * SECOND),
        (EURO, SUNDAY_OPEN, SUNDAY_OPEN + 86400 * SECOND, 86400 * SECOND),
        # A closure within the week is a pause like any other, also for a market that has none from day to day.
        (EURO, CHRISTMAS_EVE - 20 * SECOND, CHRISTMAS - SECOND, 20 * SECOND),
        (GOLD, CHRISTMAS_EVE - 20 * SECOND, CHRISTMAS, 20 * SECOND),
        (EURO, MIDWEEK_CHRISTMAS - 86_420 * SECOND, MIDWEEK_CHRISTMAS, 20 * SECOND),
        (EURO, MIDWEEK_CHRISTMAS - 86_420 * SECOND, MIDWEEK_CHRISTMAS + 86_400 * SECOND, 86_420 * SECOND),
        # Each goes by its own market.
        (GOLD, LME_FRIDAY_CLOSE, LME_FRIDAY_CLOSE + 3600 * SECOND, 3600 * SECOND),
        (BITCOIN, FRIDAY_CLOSE, SUNDAY_OPEN, timedelta(days=2)),
        # It is never below zero.
        (COPPER, LME_FRIDAY_CLOSE + SECOND, LME_MONDAY_OPEN - SECOND, timedelta(0)),
        (EURO, FRIDAY_CLOSE - SECOND, FRIDAY_CLOSE - 2 * SECOND, timedelta(0)),
        (BITCOIN, SUNDAY_OPEN + SECOND, SUNDAY_OPEN, timedelta(0)),
    ],
)
def test_an_age_is_that_when_the_market_was_open_last(
    pair: Pair, as_of: datetime, now: datetime, age: timedelta
) -> None:
    assert trading_age(pair, as_of, now) == age


@given(st.sampled_from(Hours), MOMENTS, st.timedeltas(timedelta(0), timedelta(days=30)))
def test_nothing_is_older_than_it_is_now(hours: Hours, as_of: datetime, since: timedelta) -> None:
    age = trading_age(PAIR_OF[hours], as_of, as_of + since)
    assert timedelta(0) <= age <= since
    assert since - age <= LONGEST_PAUSE[hours]
