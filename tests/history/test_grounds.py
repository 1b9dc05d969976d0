"""The grounds of a rate, read from images and books that are made by hand."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import numpy as np
import pytest

from cambist.errors import RateUnavailable
from cambist.history.build import build
from cambist.history.grounds import Ground, Voter, live_grounds, past_grounds, why_carried
from cambist.history.image import FIRST_DAY, RateImage
from cambist.history.line import Line
from cambist.history.publication import Publication
from cambist.market.book import Book
from cambist.market.pair import Pair
from cambist.market.quote import Made, Origin, Quote, Vote
from cambist.market.standing import Pace

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
TODAY = NOON.date()
MONDAY = date(2026, 3, 2)
OFTEN = [MONDAY + timedelta(days=day) for day in range(60)]
LAW = "Central Bank of the United Arab Emirates"


def line(base: str, quote: str, rate: float, *days: date) -> Line:
    rows = np.array([(day - FIRST_DAY).days for day in days], np.int64)
    return Line(Pair(base, quote), rows, np.full(len(rows), rate))


def publication(key: str, anchor: str, *lines: Line, outranks_pegs: bool = False) -> Publication:
    return Publication(anchor, lines, key, outranks_pegs, "")


def image(*publications: Publication) -> RateImage:
    return build(publications, date(2026, 12, 31), "a test")


def working_days(*but: date) -> list[date]:
    return [day for day in OFTEN if day.weekday() < 5 and day not in but]


def dollars(rate: int, pair: str, made: Made = Made.PUBLISHED, *votes: Vote) -> Quote:
    base, quote = pair.split("/")
    origin = Origin(made, ("mint",), (), votes)
    return Quote(Pair(base, quote), Fraction(rate), Fraction(rate), NOON, NOON - timedelta(seconds=1), origin)


# A past day


def test_a_fixing_of_the_day_names_who_fixed_it() -> None:
    here = image(publication("ecb", "EUR", line("EUR", "USD", 1.25, MONDAY)))
    assert past_grounds(here, Pair("USD", "EUR"), MONDAY) == [
        Ground(base="USD", quote="EUR", rate="0.8", made="published", sources=("ecb",), fixed_on=MONDAY)
    ]


def test_each_leg_names_its_own_source_in_the_order_asked() -> None:
    here = image(
        publication("ecb", "EUR", line("EUR", "USD", 1.25, MONDAY)),
        publication("boj", "JPY", line("USD", "JPY", 150, MONDAY)),
    )
    legs = past_grounds(here, Pair("JPY", "EUR"), MONDAY)
    assert [(leg.quote, leg.rate, leg.sources) for leg in legs] == [("JPY", "150", ("boj",)), ("EUR", "0.8", ("ecb",))]


def test_a_leg_that_both_sides_stand_on_is_told_once() -> None:
    here = image(publication("ecb", "EUR", line("EUR", "USD", 1.25, MONDAY)))
    legs = past_grounds(here, Pair("XAF", "XOF"), MONDAY)
    assert [f"{leg.base}/{leg.quote}" for leg in legs] == ["EUR/XAF", "USD/EUR", "EUR/XOF"]


def test_what_is_missing_has_no_leg() -> None:
    here = image(publication("ecb", "EUR", line("EUR", "USD", 1.25, MONDAY)))
    assert past_grounds(here, Pair("NGN", "BTC"), MONDAY) == []
    assert past_grounds(here, Pair("USD", "EUR"), MONDAY - timedelta(days=1)) == []
    assert past_grounds(here, Pair("USD", "EUR"), date(2030, 1, 1)) == []


def test_a_peg_is_told_where_no_source_of_standing_fixes_the_currency() -> None:
    of_law = [Ground(base="USD", quote="AED", rate="3.6725", made="pegged", law=LAW)]
    euro = line("EUR", "USD", 1.25, MONDAY)
    dirham = line("EUR", "AED", 4.6, MONDAY)
    assert past_grounds(image(publication("ecb", "EUR", euro, dirham)), Pair("USD", "AED"), MONDAY) == of_law
    above = image(publication("ecb", "EUR", euro, dirham, outranks_pegs=True))
    assert past_grounds(above, Pair("USD", "AED"), MONDAY) == [
        Ground(base="USD", quote="AED", rate="3.68", made="published", sources=("ecb",), fixed_on=MONDAY)
    ]


# Why a fixing is carried


@pytest.mark.parametrize(
    ("day", "age", "because"),
    [
        (date(2026, 3, 14), 1, "weekend"),
        (date(2026, 3, 15), 2, "weekend"),
        (date(2026, 3, 18), 1, "holiday"),
        (date(2026, 3, 19), 2, "holiday"),
    ],
)
def test_nothing_is_fixed_at_weekends_and_on_holidays(day: date, age: int, because: str) -> None:
    days = working_days(date(2026, 3, 18), date(2026, 3, 19))
    here = image(publication("ecb", "EUR", line("EUR", "USD", 1.25, *days)))
    (leg,) = past_grounds(here, Pair("USD", "EUR"), day)
    assert (leg.fixed_on, leg.carried_days, leg.because) == (day - timedelta(days=age), age, because)


def test_one_currency_is_missing_where_its_source_fixed_another_that_day() -> None:
    wednesday = date(2026, 3, 18)
    here = image(
        publication(
            "ecb",
            "EUR",
            line("EUR", "USD", 1.25, *working_days()),
            line("EUR", "JPY", 180, *working_days(wednesday)),
        )
    )
    assert [leg.because for leg in past_grounds(here, Pair("EUR", "JPY"), wednesday)] == ["", "missing"]


def test_what_another_source_fixed_that_day_does_not_count() -> None:
    wednesday = date(2026, 3, 18)
    here = image(
        publication("ecb", "EUR", line("EUR", "USD", 1.25, *working_days(wednesday))),
        publication("boj", "JPY", line("USD", "JPY", 150, *working_days())),
    )
    assert [leg.because for leg in past_grounds(here, Pair("EUR", "JPY"), wednesday)] == ["holiday", ""]


@pytest.mark.parametrize("quiet", [14, 15])
def test_a_source_that_comes_back_within_two_weeks_had_a_holiday(quiet: int) -> None:
    day = date(2026, 3, 3)
    here = image(publication("ecb", "EUR", line("EUR", "USD", 1.25, MONDAY, day + timedelta(days=quiet))))
    assert why_carried(here, day, "EUR") == ("holiday" if quiet == 14 else "ended")


@pytest.mark.parametrize(("newest", "because"), [(0, "late"), (14, "late"), (15, "ended")])
def test_a_source_that_has_said_nothing_since_is_late_and_ended_when_others_went_on_for_two_weeks(
    newest: int, because: str
) -> None:
    day = date(2026, 3, 4)
    here = image(
        publication("boc_noon", "CAD", line("USD", "CAD", 1.4, MONDAY)),
        publication("ecb", "EUR", line("EUR", "USD", 1.25, MONDAY, day + timedelta(days=newest))),
    )
    (leg,) = past_grounds(here, Pair("USD", "CAD"), day)
    assert (leg.sources, leg.carried_days, leg.because) == (("boc_noon",), 2, because)


# Now


def test_a_live_leg_shows_its_votes_the_heaviest_first() -> None:
    votes = (Vote("a", 1.5, NOON, 0.2), Vote("b", 9.0, NOON, 0.0), Vote("c", 1.25, NOON, 0.80000049))
    book = Book(1, NOON, {"EUR": dollars(2, "EUR/USD", Made.PUBLISHED, *votes)}, ())
    (leg,) = live_grounds(book, Pair("EUR", "USD"), NOON + timedelta(minutes=1))
    assert leg.votes == (
        Voter("c", "1.25", NOON, 60, 0.8),
        Voter("a", "1.5", NOON, 60, 0.2),
        Voter("b", "9", NOON, 60, 0.0),
    )
    assert (leg.rate, leg.as_of, leg.received_at) == ("2", NOON, NOON - timedelta(seconds=1))


def test_a_live_rate_by_law_leads_to_what_it_is_tied_to() -> None:
    euro = dollars(2, "EUR/USD")
    book = Book(1, NOON, {"EUR": euro, "XAF": dollars(1, "XAF/USD", Made.PEGGED)}, ())
    legs = live_grounds(book, Pair("XAF", "EUR"), NOON)
    assert [(leg.base, leg.quote, leg.law) for leg in legs] == [
        ("EUR", "XAF", "Bank of Central African States"),
        ("EUR", "USD", ""),
    ]


def test_a_pegged_currency_that_is_quoted_is_explained_by_its_quote() -> None:
    book = Book(1, NOON, {"AED": dollars(4, "USD/AED")}, ())
    (leg,) = live_grounds(book, Pair("USD", "AED"), NOON)
    assert (leg.rate, leg.made, leg.law) == ("4", "published", "")


def test_a_leg_that_nobody_delivered_is_said() -> None:
    with pytest.raises(RateUnavailable, match=r"\[EUR\]"):
        live_grounds(Book(1, NOON, {"XAF": dollars(1, "XAF/USD", Made.PEGGED)}, ()), Pair("USD", "XAF"), NOON)


# While a market is closed


SATURDAY = datetime(2026, 11, 21, 12, tzinfo=UTC)
BANK_HOLIDAY = datetime(2026, 12, 28, 12, tzinfo=UTC)
"""A Monday on which England makes up for Boxing Day, and New York trades."""


def because(pair: str, made: Made, pace: Pace, now: datetime) -> str:
    base, quote = pair.split("/")
    origin = Origin(made, ("mint",), pace=pace)
    told = Quote(Pair(base, quote), Fraction(2), Fraction(2), NOON, NOON, origin)
    code = told.pair.other("USD")
    (leg,) = live_grounds(Book(1, NOON, {code: told}, ()), Pair(code, "USD"), now)
    return leg.because


@pytest.mark.parametrize("pace", [Pace.REALTIME, Pace.INTRADAY])
@pytest.mark.parametrize(
    ("pair", "made", "now", "told"),
    [
        ("EUR/USD", Made.PUBLISHED, NOON, ""),
        ("EUR/USD", Made.PUBLISHED, SATURDAY, "closed"),
        ("USD/JPY", Made.PUBLISHED, SATURDAY, "closed"),
        ("XAU/USD", Made.PUBLISHED, SATURDAY, "closed"),
        ("XAU/USD", Made.PUBLISHED, datetime(2026, 11, 19, 22, 30, tzinfo=UTC), "closed"),
        ("EUR/USD", Made.PUBLISHED, datetime(2026, 11, 19, 22, 30, tzinfo=UTC), ""),
        ("XCU/USD", Made.MOVED, NOON, ""),
        ("XCU/USD", Made.MOVED, SATURDAY, "closed"),
        ("XCU/USD", Made.MOVED, NOON + timedelta(hours=8), "closed"),
        ("XCU/USD", Made.MOVED, BANK_HOLIDAY, "closed"),
        ("XAU/USD", Made.PUBLISHED, BANK_HOLIDAY, ""),
        ("BTC/USD", Made.PUBLISHED, SATURDAY, ""),
        ("BTC/USD", Made.CROSSED, SATURDAY, ""),
        ("AED/USD", Made.PUBLISHED, SATURDAY, "closed"),
        ("PEN/USD", Made.CONVERTED, SATURDAY, ""),
        ("PEN/USD", Made.PEGGED, SATURDAY, ""),
    ],
)
def test_a_price_that_trades_says_when_its_market_is_closed(
    pair: str, made: Made, now: datetime, told: str, pace: Pace
) -> None:
    assert because(pair, made, pace, now) == told


@pytest.mark.parametrize("pace", [Pace.DAILY, Pace.MONTHLY])
@pytest.mark.parametrize("pair", ["EUR/USD", "XCU/USD"])
def test_a_fixing_stands_by_itself_whichever_market_is_closed(pair: str, pace: Pace) -> None:
    assert because(pair, Made.PUBLISHED, pace, SATURDAY) == ""


def test_a_peg_has_no_hours_but_what_it_is_tied_to_has() -> None:
    live = Origin(Made.PUBLISHED, ("mint",), pace=Pace.REALTIME)
    euro = Quote(Pair("EUR", "USD"), Fraction(2), Fraction(2), NOON, NOON, live)
    book = Book(1, NOON, {"EUR": euro, "XAF": dollars(1, "XAF/USD", Made.PEGGED)}, ())
    legs = live_grounds(book, Pair("XAF", "USD"), SATURDAY)
    assert [(leg.made, leg.because) for leg in legs] == [("pegged", ""), ("published", "closed")]
