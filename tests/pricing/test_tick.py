from decimal import Decimal

import pytest

from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick

TICK = Tick("kraken", Pair("EUR", "USD"), Decimal("1.08510"), Decimal("1.0853"))


def test_a_tick_keeps_the_digits_and_the_direction_that_were_sent() -> None:
    assert (str(TICK.bid), str(TICK.ask), str(TICK.pair)) == ("1.08510", "1.0853", "EUR/USD")


def test_a_source_need_tell_neither_the_time_nor_the_place_in_its_count() -> None:
    assert (TICK.as_of, TICK.sequence) == (None, 0)


def test_a_tick_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        TICK.bid = Decimal(1)  # type: ignore[misc]
