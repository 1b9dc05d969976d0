"""Trading hours: New York's clock, in winter and in summer."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.market.hours import Hours, last_traded

FRIDAY_CLOSE = datetime(2026, 11, 20, 22, tzinfo=UTC)
SUNDAY_OPEN = datetime(2026, 11, 22, 22, tzinfo=UTC)
SECOND = timedelta(seconds=1)
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
