"""The rules that the day of a fixing and the sides of a tick must pass."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from cambist.pricing.validation import in_future, tick_refusal_reason

FRIDAY = date(2026, 11, 20)
ONE_DAY = timedelta(days=1)


def tick(bid: str, ask: str) -> str | None:
    return tick_refusal_reason(Decimal(bid), Decimal(ask))


@pytest.mark.parametrize("ahead", [-1, 0, 1, 2])
def test_a_source_may_be_two_days_ahead(ahead: int) -> None:
    assert in_future(FRIDAY + ahead * ONE_DAY, FRIDAY) is None


@pytest.mark.parametrize("ahead", [3, 365])
def test_a_fixing_of_days_to_come_is_refused_and_named(ahead: int) -> None:
    day = FRIDAY + ahead * ONE_DAY
    assert str(day) in str(in_future(day, FRIDAY))


@pytest.mark.parametrize(("bid", "ask"), [("1.10", "1.11"), ("1.10", "1.10"), ("0.98", "1.00")])
def test_a_tick_is_accepted_up_to_two_percent_wide(bid: str, ask: str) -> None:
    assert tick(bid, ask) is None


def test_a_tick_is_refused_for_what_is_wrong_with_its_sides() -> None:
    assert tick("1.1001", "1.1000") == "bid above ask"
    assert tick("0.9799", "1.0000") == "sides more than 2 % apart"
    assert tick("0", "1.1") == tick("-1", "1.1") == tick("1.1", "0") == tick("0", "0") == "zero or negative"
