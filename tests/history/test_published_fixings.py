"""Which fixings a rate of a day was made of."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

from cambist.history.fixing import Fixing, ReceivedFixing
from cambist.history.published_fixings import fixings_for
from cambist.pricing.pair import Pair

DAY = date(2026, 3, 6)


def known(pair: str) -> ReceivedFixing:
    return ReceivedFixing(
        Fixing("x", Pair(*pair.split("/")), DAY, Decimal(2)), datetime(2026, 3, 6, 15, tzinfo=UTC), "a test"
    )


def chosen(code: str, *pairs: str) -> list[str]:
    return [str(one.fixing.pair) for one in fixings_for(code, map(known, pairs))]


def test_a_fixing_in_the_pivot_is_used_in_either_direction() -> None:
    assert chosen("EUR", "EUR/JPY", "EUR/USD") == ["EUR/USD"]
    assert chosen("JPY", "USD/CHF", "USD/JPY") == ["USD/JPY"]


def test_a_fixing_in_the_anchor_is_shown_with_the_anchors_own() -> None:
    assert chosen("JPY", "EUR/USD", "EUR/JPY") == ["EUR/JPY", "EUR/USD"]
    assert chosen("CHF", "USD/PLN", "CHF/PLN") == ["CHF/PLN", "USD/PLN"]


def test_half_of_a_cross_is_nothing() -> None:
    assert chosen("JPY", "EUR/JPY") == []
    assert chosen("JPY", "EUR/USD") == []
    assert chosen("JPY") == []
