"""What a source's word is worth: the names stand in settings, reports and the board, so they stay as they are."""

from cambist.pricing.consensus import FRESH_FOR
from cambist.pricing.source_kind import Pace, RateType


def test_paces_are_ordered_from_the_fastest_to_the_slowest() -> None:
    assert list(Pace) == ["real-time", "intraday", "daily", "monthly"]


def test_every_pace_but_the_monthly_has_a_class_and_the_faster_is_asked_first() -> None:
    assert list(FRESH_FOR) == [pace for pace in Pace if pace is not Pace.MONTHLY]
    assert list(FRESH_FOR.values()) == sorted(FRESH_FOR.values())


def test_every_market_has_a_type_of_rate() -> None:
    assert list(RateType) == ["official", "market", "offshore", "parallel", "simulated"]
