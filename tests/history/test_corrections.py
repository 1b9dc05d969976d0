from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from cambist.history.corrections import find_corrections, pairs_about
from cambist.history.fixing import Fixing, ReceivedFixing
from cambist.pricing.pair import Pair

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
MON, TUE = date(2026, 3, 2), date(2026, 3, 3)


def pair(text: str) -> Pair:
    return Pair(*text.split("/"))


@pytest.mark.parametrize(
    ("asked", "published", "found"),
    [
        ("EUR/USD", "EUR/USD EUR/JPY", "EUR/USD"),
        ("USD/EUR", "EUR/USD EUR/JPY", "EUR/USD"),
        ("EUR/JPY", "EUR/USD EUR/JPY EUR/CHF", "EUR/USD EUR/JPY"),
        ("JPY/CHF", "EUR/USD EUR/JPY EUR/CHF", "EUR/JPY EUR/CHF"),
        ("EUR/USD", "EUR/PLN USD/PLN CHF/PLN", "EUR/PLN USD/PLN"),
        ("EUR/CHF", "EUR/PLN USD/PLN CHF/PLN", "EUR/PLN CHF/PLN"),
        ("EUR/USD", "USD/JPY USD/CHF", ""),
        ("EUR/USD", "EUR/PLN CHF/PLN", ""),
        ("EUR/USD", "BTC/USD", ""),
    ],
)
def test_a_rate_is_made_from_the_pair_or_from_its_codes_in_dollars_or_in_the_anchor(asked, published, found):
    assert pairs_about(pair(asked), [pair(each) for each in published.split()]) == [
        pair(each) for each in found.split()
    ]


def received(value: str, hours: int, day: date = MON, source: str = "ecb") -> ReceivedFixing:
    fixing = Fixing(source, Pair("EUR", "USD"), day, Decimal(value))
    return ReceivedFixing(fixing, NOON + timedelta(hours=hours), "a test")


def test_each_correction_follows_the_value_before_it_newest_day_first():
    found = find_corrections(
        [received("1.1", 0), received("7", 1, TUE), received("1.2", 2), received("7.5", 3, TUE), received("1.10", 4)]
    )
    assert [(str(one.before.fixing.value), str(one.after.fixing.value)) for one in found] == [
        ("7", "7.5"),
        ("1.2", "1.10"),
        ("1.1", "1.2"),
    ]


def test_the_same_day_of_another_source_is_no_correction():
    assert find_corrections([received("1.1", 0), received("1.2", 1, source="boe")]) == []
