"""Moving copper's official cash price by the three-month price, which trades on."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest

from cambist.pricing.forward_adjusted import FORWARD, forward_adjusted
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote, Vote
from cambist.pricing.source_kind import Pace

FIXED = datetime(2026, 11, 20, 12, 35, tzinfo=UTC)
LATER = FIXED + timedelta(hours=3)
COPPER, THREE_MONTHS = Pair("XCU", "USD"), Pair("XCU-3M", "USD")
VOTES = (Vote("sina", 9191.0, LATER, 1.0),)


def price(pair: Pair, bid: str | Fraction, ask: str | Fraction, source: str = "westmetall") -> Quote:
    return Quote(pair, Fraction(bid), Fraction(ask), FIXED, FIXED, Origin(Derivation.PUBLISHED, (source,)))


def traded(bid: str | Fraction, ask: str | Fraction, pair: Pair = THREE_MONTHS, pace: Pace = Pace.REALTIME) -> Quote:
    origin = Origin(Derivation.PUBLISHED, ("sina",), votes=VOTES, pace=pace)
    return Quote(pair, Fraction(bid), Fraction(ask), LATER, LATER + timedelta(seconds=2), origin)


CASH, THEN = price(COPPER, "9000", "9000"), price(THREE_MONTHS, "9100", "9100")


def test_a_price_for_three_months_has_a_name_of_its_own() -> None:
    assert f"XCU{FORWARD}" == "XCU-3M"


def test_the_cash_price_goes_as_far_as_the_three_month_price_went() -> None:
    # 9100 went to 9191 and 9282: one and two hundredths up.
    copper = forward_adjusted(CASH, THEN, traded("9191", "9282"))
    assert (copper.pair, copper.bid, copper.ask) == (COPPER, 9090, 9180)


def test_while_nothing_has_moved_the_official_price_stands() -> None:
    assert forward_adjusted(CASH, THEN, traded("9100", "9100")).mid == 9000


def test_it_has_the_time_of_the_three_month_price_and_names_both_sources() -> None:
    copper = forward_adjusted(CASH, THEN, traded("9191", "9282"))
    assert (copper.as_of, copper.received_at) == (LATER, LATER + timedelta(seconds=2))
    legs = (COPPER, THREE_MONTHS)
    assert copper.origin == Origin(Derivation.FORWARD_ADJUSTED, ("westmetall", "sina"), legs, VOTES, Pace.REALTIME)


@pytest.mark.parametrize("pace", Pace)
def test_it_has_the_pace_of_what_trades(pace: Pace) -> None:
    assert forward_adjusted(CASH, THEN, traded("9191", "9282", pace=pace)).origin.pace is pace


def test_a_source_that_fixed_and_traded_is_named_once() -> None:
    origin = forward_adjusted(price(COPPER, "9000", "9000", "sina"), THEN, traded("9191", "9282")).origin
    assert origin.sources == ("sina",)


@pytest.mark.parametrize("turned_cash", [True, False])
@pytest.mark.parametrize("turned_then", [True, False])
@pytest.mark.parametrize("turned_now", [True, False])
def test_which_way_round_any_of_the_three_stands_does_not_matter(
    *, turned_cash: bool, turned_then: bool, turned_now: bool
) -> None:
    """A source whose anchor is not the dollar is crossed to USD/XCU."""
    cash = price(COPPER.inverse, *[Fraction(1, 9000)] * 2) if turned_cash else CASH
    then = price(THREE_MONTHS.inverse, *[Fraction(1, 9100)] * 2) if turned_then else THEN
    now = traded(Fraction(1, 9282), Fraction(1, 9191), THREE_MONTHS.inverse) if turned_now else traded("9191", "9282")
    copper = forward_adjusted(cash, then, now)
    assert (copper.sides("XCU"), copper.pair) == ((9090, 9180), COPPER)
    assert copper.origin.legs == (cash.pair, now.pair)
