from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial

import pytest

from cambist.errors import RateUnavailable
from cambist.history.fixing import GRAM, Fixing, ReceivedFixing
from cambist.history.latest_fixings import latest_quotes
from cambist.pricing.cross_rates import midpoint
from cambist.pricing.exact_midpoints import exact_midpoint
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.rate_book import RateBook

DAY, EARLIER = date(2026, 3, 6), date(2026, 3, 5)
RECEIVED = datetime(2026, 3, 6, 15, tzinfo=UTC)
TODAY = date(2026, 3, 7)


def market_time(day: date) -> datetime:
    return datetime.combine(day, time(14, 15), UTC)


def known(
    pair: Pair, value: str, day: date = DAY, nominal: int = 1, received_at: datetime = RECEIVED
) -> ReceivedFixing:
    return ReceivedFixing(Fixing("a source", pair, day, Decimal(value), nominal), received_at, "a test")


def quotes(
    newest: list[ReceivedFixing], pivots: list[ReceivedFixing], anchor: str = "EUR", today: date = TODAY
) -> dict[str, Quote]:
    return dict(latest_quotes(newest, pivots, anchor, market_time, today))


DOLLAR = known(Pair("EUR", "USD"), "1.25")
YEN = known(Pair("EUR", "JPY"), "180.00")


def exact(book: RateBook, pair: Pair) -> Fraction:
    return Fraction(*exact_midpoint(book, pair))


def test_the_anchor_is_quoted_as_it_was_published() -> None:
    assert quotes([DOLLAR], [DOLLAR]) == {
        "EUR": Quote(
            pair=Pair("EUR", "USD"),
            bid=Fraction("1.25"),
            ask=Fraction("1.25"),
            as_of=market_time(DAY),
            received_at=RECEIVED,
            origin=Origin(Derivation.PUBLISHED, ("a source",)),
        )
    }


def test_every_other_currency_is_crossed_exactly_and_names_its_legs() -> None:
    yen = quotes([DOLLAR, YEN], [DOLLAR])["JPY"]
    assert (yen.pair, yen.bid, yen.ask) == (Pair("USD", "JPY"), 144, 144)
    assert yen.origin == Origin(Derivation.CROSSED, ("a source",), (Pair("EUR", "USD"), Pair("EUR", "JPY")))
    assert yen.as_of == market_time(DAY)


def test_a_cross_takes_both_legs_of_the_same_day() -> None:
    old_yen = known(Pair("EUR", "JPY"), "181", EARLIER)
    old_dollar = known(Pair("EUR", "USD"), "1.24", EARLIER)
    yen = quotes([DOLLAR, old_yen], [DOLLAR, old_dollar])["JPY"]
    assert yen.bid == Fraction(181) / Fraction("1.24")
    assert yen.as_of == market_time(EARLIER)


def test_without_the_pivot_of_its_day_a_currency_is_not_quoted() -> None:
    assert quotes([DOLLAR, known(Pair("EUR", "JPY"), "181", EARLIER)], [DOLLAR]).keys() == {"EUR"}


def test_a_cross_was_received_when_its_later_leg_was() -> None:
    later = RECEIVED + timedelta(hours=1)
    assert quotes([known(Pair("EUR", "JPY"), "180", received_at=later)], [DOLLAR])["JPY"].received_at == later
    late_dollar = known(Pair("EUR", "USD"), "1.25", received_at=later)
    assert quotes([YEN], [late_dollar])["JPY"].received_at == later


@pytest.mark.parametrize(("today", "there"), [(date(2025, 12, 31), True), (date(2026, 1, 1), False)])
def test_a_currency_is_quoted_until_its_last_day(today: date, *, there: bool) -> None:
    day = date(2025, 12, 31)
    found = quotes([known(Pair("EUR", "BGN"), "1.9558", day)], [known(Pair("EUR", "USD"), "1.16", day)], today=today)
    assert ("BGN" in found) is there


def test_a_code_that_no_table_knows_is_not_quoted() -> None:
    assert quotes([DOLLAR, known(Pair("EUR", "ZZZ"), "1")], [DOLLAR]).keys() == {"EUR"}


def test_a_source_that_quotes_foreign_money_in_its_own_is_turned_around() -> None:
    dollar = known(Pair("USD", "PLN"), "4.0")
    found = quotes([dollar, known(Pair("JPY", "PLN"), "2.5", nominal=100)], [dollar], anchor="PLN")
    book = RateBook(1, RECEIVED, found, ())
    assert found["PLN"].pair == Pair("USD", "PLN")
    assert exact(book, Pair("USD", "PLN")) == 4
    assert exact(book, Pair("USD", "JPY")) == 160
    assert found["JPY"].origin.legs == (Pair("USD", "PLN"), Pair("JPY", "PLN"))


def test_a_source_that_quotes_per_dollar_is_crossed_all_the_same() -> None:
    yen = known(Pair("USD", "JPY"), "150")
    assert quotes([yen], [yen], anchor="JPY")["JPY"].bid == 150


def test_a_source_whose_anchor_is_the_dollar_is_quoted_as_it_was_published() -> None:
    """The Fed quotes some currencies in dollars and the dollar in others: no leg is needed for either."""
    fed = [known(Pair("EUR", "USD"), "1.25"), known(Pair("USD", "JPY"), "150.00"), known(Pair("GBP", "USD"), "1.40")]
    found = quotes(fed, fed, anchor="USD")
    book = RateBook(1, RECEIVED, found, ())
    assert exact(book, Pair("EUR", "USD")) == Fraction("1.25")
    assert exact(book, Pair("USD", "JPY")) == 150
    assert exact(book, Pair("GBP", "USD")) == Fraction("1.4")
    assert {code: quote.pair for code, quote in found.items()} == {
        "EUR": Pair("EUR", "USD"),
        "JPY": Pair("USD", "JPY"),
        "GBP": Pair("GBP", "USD"),
    }
    assert {quote.origin for quote in found.values()} == {Origin(Derivation.PUBLISHED, ("a source",))}
    # Nor are they of one day.
    assert quotes([known(Pair("USD", "JPY"), "150", EARLIER)], [], anchor="USD").keys() == {"JPY"}


def test_in_dollars_too_only_what_lives_and_what_a_table_knows_is_quoted() -> None:
    pairs = ["EUR/USD", "USD/DEM", "USD/BGN", "USD/ZZZ", "BTC/USD"]
    fed = [known(Pair(*pair.split("/")), "1.5") for pair in pairs]
    assert quotes(fed, fed, anchor="USD").keys() == {"EUR"}


def test_metals_are_quoted_and_three_months_copper_under_its_own_name() -> None:
    metals = [known(Pair(code, "USD"), "9000") for code in ("XAU", "XCU", "XCU-3M", "XYZ", "XYZ-3M")]
    assert quotes(metals, [], anchor="USD").keys() == {"XAU", "XCU", "XCU-3M"}
    gold = known(Pair("XAU", "EUR"), "3200")
    assert exact(RateBook(1, RECEIVED, quotes([DOLLAR, gold], [DOLLAR]), ()), Pair("XAU", "USD")) == 4000


def test_gold_by_the_gram_is_quoted_by_the_ounce() -> None:
    dollar = known(Pair("USD", "RUB"), "80")
    gold = ReceivedFixing(Fixing("cbr", Pair("XAU", "RUB"), DAY, Decimal(10_000), unit=GRAM), RECEIVED, "a test")
    found = quotes([dollar, gold], [dollar], anchor="RUB")
    # 10,000 roubles a gram are 125 dollars a gram, and an ounce has 31.1034768 of them.
    assert found["XAU"].worth("XAU") == Fraction("3887.9346")


@pytest.mark.parametrize("code", ["PLN", "JPY"])
def test_a_rate_that_is_set_for_tomorrow_shows_a_market_of_before_we_had_it(code: str) -> None:
    tomorrow = DAY + timedelta(days=1)
    dollar = known(Pair("USD", "PLN"), "4", tomorrow)
    found = quotes([dollar, known(Pair("JPY", "PLN"), "2", tomorrow)], [dollar], anchor="PLN")
    assert found[code].as_of == RECEIVED
    assert found[code].as_of < market_time(tomorrow)


def test_the_real_book_is_of_the_newest_fixings(real_book: RateBook) -> None:
    assert real_book.as_of.isoformat() == "2026-10-30T13:15:00+00:00"
    assert exact(real_book, Pair("EUR", "USD")) == Fraction("1.1172")
    assert exact(real_book, Pair("USD", "JPY")) == Fraction("175.68") / Fraction("1.1172")


def test_the_real_rouble_of_2022_is_not_live_and_the_error_names_its_last_day(real_book: RateBook) -> None:
    for read in (partial(midpoint, real_book, Pair("EUR", "RUB")), partial(real_book.leg, "RUB")):
        with pytest.raises(RateUnavailable, match=r"\[RUB\] is of \[2022-03-01\]"):
            read()
    assert real_book.quotes["RUB"].as_of.date() == date(2022, 3, 1)
    assert "RUB" not in real_book.listed
