"""The grounds of a rate, read from images and books that are made by hand."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import numpy as np
import pytest

from cambist.errors import RateUnavailable
from cambist.history.explanation import ExplainedLeg, explain_day, explain_now, why_carried
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY, RateMatrix
from cambist.history.rate_matrix_builder import build_rate_matrix
from cambist.history.source_history import SourceHistory
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote, Vote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
TODAY = NOON.date()
MONDAY = date(2026, 3, 2)
OFTEN = [MONDAY + timedelta(days=day) for day in range(60)]
LAW = "Central Bank of the United Arab Emirates"


def line(base: str, quote: str, rate: float, *days: date) -> PairSeries:
    rows = np.array([(day - FIRST_DAY).days for day in days], np.int64)
    return PairSeries(Pair(base, quote), rows, np.full(len(rows), rate))


def publication(key: str, anchor: str, *lines: PairSeries, outranks_pegs: bool = False) -> SourceHistory:
    return SourceHistory(anchor, lines, key, outranks_pegs, "")


def matrix(*publications: SourceHistory) -> RateMatrix:
    return build_rate_matrix(publications, date(2026, 12, 31), "a test")


def working_days(*but: date) -> list[date]:
    return [day for day in OFTEN if day.weekday() < 5 and day not in but]


def dollars(rate: int, pair: str, made: Derivation = Derivation.PUBLISHED, *votes: Vote) -> Quote:
    base, quote = pair.split("/")
    origin = Origin(made, ("mint",), (), votes)
    return Quote(Pair(base, quote), Fraction(rate), Fraction(rate), NOON, NOON - timedelta(seconds=1), origin)


# A past day


def test_a_fixing_of_the_day_names_who_fixed_it() -> None:
    here = matrix(publication("ecb", "EUR", line("EUR", "USD", 1.25, MONDAY)))
    assert explain_day(here, Pair("USD", "EUR"), MONDAY) == [
        ExplainedLeg(
            base="USD",
            quote="EUR",
            rate=0.8,
            made=Derivation.PUBLISHED,
            sources=("ecb",),
            fixed_on=MONDAY,
            judged="EUR",
        )
    ]


def test_each_leg_names_its_own_source_in_the_order_asked() -> None:
    here = matrix(
        publication("ecb", "EUR", line("EUR", "USD", 1.25, MONDAY)),
        publication("boj", "JPY", line("USD", "JPY", 150, MONDAY)),
    )
    legs = explain_day(here, Pair("JPY", "EUR"), MONDAY)
    assert [(leg.quote, leg.rate, leg.sources) for leg in legs] == [("JPY", 150, ("boj",)), ("EUR", 0.8, ("ecb",))]


def test_a_leg_that_both_sides_share_is_returned_once() -> None:
    here = matrix(publication("ecb", "EUR", line("EUR", "USD", 1.25, MONDAY)))
    legs = explain_day(here, Pair("XAF", "XOF"), MONDAY)
    assert [f"{leg.base}/{leg.quote}" for leg in legs] == ["EUR/XAF", "USD/EUR", "EUR/XOF"]


def test_what_is_missing_has_no_leg() -> None:
    here = matrix(publication("ecb", "EUR", line("EUR", "USD", 1.25, MONDAY)))
    assert explain_day(here, Pair("NGN", "BTC"), MONDAY) == []
    assert explain_day(here, Pair("USD", "EUR"), MONDAY - timedelta(days=1)) == []
    assert explain_day(here, Pair("USD", "EUR"), date(2030, 1, 1)) == []


def test_a_peg_is_a_leg_if_no_source_that_outranks_it_fixes_the_currency() -> None:
    of_law = [ExplainedLeg(base="USD", quote="AED", rate=Fraction("3.6725"), made=Derivation.PEGGED, law=LAW)]
    euro = line("EUR", "USD", 1.25, MONDAY)
    dirham = line("EUR", "AED", 4.6, MONDAY)
    assert explain_day(matrix(publication("ecb", "EUR", euro, dirham)), Pair("USD", "AED"), MONDAY) == of_law
    above = matrix(publication("ecb", "EUR", euro, dirham, outranks_pegs=True))
    assert explain_day(above, Pair("USD", "AED"), MONDAY) == [
        ExplainedLeg(
            base="USD",
            quote="AED",
            rate=4.6 / 1.25,
            made=Derivation.PUBLISHED,
            sources=("ecb",),
            fixed_on=MONDAY,
            judged="AED",
        )
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
    here = matrix(publication("ecb", "EUR", line("EUR", "USD", 1.25, *days)))
    (leg,) = explain_day(here, Pair("USD", "EUR"), day)
    assert (leg.fixed_on, leg.carried_days, leg.because) == (day - timedelta(days=age), age, because)


def test_one_currency_is_missing_where_its_source_fixed_another_that_day() -> None:
    wednesday = date(2026, 3, 18)
    here = matrix(
        publication(
            "ecb",
            "EUR",
            line("EUR", "USD", 1.25, *working_days()),
            line("EUR", "JPY", 180, *working_days(wednesday)),
        )
    )
    assert [leg.because for leg in explain_day(here, Pair("EUR", "JPY"), wednesday)] == ["", "missing"]


def test_what_another_source_fixed_that_day_does_not_count() -> None:
    wednesday = date(2026, 3, 18)
    here = matrix(
        publication("ecb", "EUR", line("EUR", "USD", 1.25, *working_days(wednesday))),
        publication("boj", "JPY", line("USD", "JPY", 150, *working_days())),
    )
    assert [leg.because for leg in explain_day(here, Pair("EUR", "JPY"), wednesday)] == ["holiday", ""]


@pytest.mark.parametrize("quiet", [14, 15])
def test_a_source_that_comes_back_within_two_weeks_had_a_holiday(quiet: int) -> None:
    day = date(2026, 3, 3)
    here = matrix(publication("ecb", "EUR", line("EUR", "USD", 1.25, MONDAY, day + timedelta(days=quiet))))
    assert why_carried(here, day, "EUR") == ("holiday" if quiet == 14 else "ended")


@pytest.mark.parametrize(("newest", "because"), [(0, "late"), (14, "late"), (15, "ended")])
def test_a_silent_source_is_late_and_has_ended_when_others_continued_for_two_weeks(newest: int, because: str) -> None:
    day = date(2026, 3, 4)
    here = matrix(
        publication("boc_noon", "CAD", line("USD", "CAD", 1.4, MONDAY)),
        publication("ecb", "EUR", line("EUR", "USD", 1.25, MONDAY, day + timedelta(days=newest))),
    )
    (leg,) = explain_day(here, Pair("USD", "CAD"), day)
    assert (leg.sources, leg.carried_days, leg.because) == (("boc_noon",), 2, because)


# Now


def test_a_live_leg_shows_its_votes_the_heaviest_first() -> None:
    votes = (Vote("a", 1.5, NOON, 0.2), Vote("b", 9.0, NOON, 0.0), Vote("c", 1.25, NOON, 0.80000049))
    book = RateBook.of(QuotedBook(1, NOON, {"EUR": dollars(2, "EUR/USD")}, ()))
    (leg,) = explain_now(book, Pair("EUR", "USD"), NOON + timedelta(minutes=1), lambda _code: votes)
    assert [vote.source for vote in leg.votes] == ["c", "a", "b"]
    assert (leg.rate, leg.as_of, leg.received_at) == (2, NOON, NOON - timedelta(seconds=1))


def test_a_live_rate_by_law_has_the_leg_of_its_anchor() -> None:
    euro = dollars(2, "EUR/USD")
    book = RateBook.of(QuotedBook(1, NOON, {"EUR": euro, "XAF": dollars(1, "XAF/USD", Derivation.PEGGED)}, ()))
    legs = explain_now(book, Pair("XAF", "EUR"), NOON)
    assert [(leg.base, leg.quote, leg.law) for leg in legs] == [
        ("EUR", "XAF", "Bank of Central African States"),
        ("EUR", "USD", ""),
    ]


def test_a_pegged_currency_that_is_quoted_is_explained_by_its_quote() -> None:
    book = RateBook.of(QuotedBook(1, NOON, {"AED": dollars(4, "USD/AED")}, ()))
    (leg,) = explain_now(book, Pair("USD", "AED"), NOON)
    assert (leg.rate, leg.made, leg.law) == (4, "published", "")


def test_a_missing_leg_is_named_in_the_error() -> None:
    with pytest.raises(RateUnavailable, match=r"\[EUR\]"):
        explain_now(
            RateBook.of(QuotedBook(1, NOON, {"XAF": dollars(1, "XAF/USD", Derivation.PEGGED)}, ())),
            Pair("USD", "XAF"),
            NOON,
        )


# While a market is closed


SATURDAY = datetime(2026, 11, 21, 12, tzinfo=UTC)
BANK_HOLIDAY = datetime(2026, 12, 28, 12, tzinfo=UTC)
"""A Monday on which England makes up for Boxing Day, and New York trades."""


def because(pair: str, made: Derivation, pace: Pace, now: datetime) -> str:
    base, quote = pair.split("/")
    origin = Origin(made, ("mint",), pace=pace)
    told = Quote(Pair(base, quote), Fraction(2), Fraction(2), NOON, NOON, origin)
    code = told.pair.other("USD")
    (leg,) = explain_now(RateBook.of(QuotedBook(1, NOON, {code: told}, ())), Pair(code, "USD"), now)
    return leg.because


@pytest.mark.parametrize("pace", [Pace.REALTIME, Pace.INTRADAY])
@pytest.mark.parametrize(
    ("pair", "made", "now", "told"),
    [
        ("EUR/USD", Derivation.PUBLISHED, NOON, ""),
        ("EUR/USD", Derivation.PUBLISHED, SATURDAY, "closed"),
        ("USD/JPY", Derivation.PUBLISHED, SATURDAY, "closed"),
        ("XAU/USD", Derivation.PUBLISHED, SATURDAY, "closed"),
        ("XAU/USD", Derivation.PUBLISHED, datetime(2026, 11, 19, 22, 30, tzinfo=UTC), "closed"),
        ("EUR/USD", Derivation.PUBLISHED, datetime(2026, 11, 19, 22, 30, tzinfo=UTC), ""),
        ("XCU/USD", Derivation.FORWARD_ADJUSTED, NOON, ""),
        ("XCU/USD", Derivation.FORWARD_ADJUSTED, SATURDAY, "closed"),
        ("XCU/USD", Derivation.FORWARD_ADJUSTED, NOON + timedelta(hours=8), "closed"),
        ("XCU/USD", Derivation.FORWARD_ADJUSTED, BANK_HOLIDAY, "closed"),
        ("XAU/USD", Derivation.PUBLISHED, BANK_HOLIDAY, ""),
        ("BTC/USD", Derivation.PUBLISHED, SATURDAY, ""),
        ("BTC/USD", Derivation.CROSSED, SATURDAY, ""),
        ("AED/USD", Derivation.PUBLISHED, SATURDAY, "closed"),
        ("PEN/USD", Derivation.CONVERTED, SATURDAY, ""),
        ("PEN/USD", Derivation.PEGGED, SATURDAY, ""),
    ],
)
def test_a_traded_price_says_that_its_market_is_closed(
    pair: str, made: Derivation, now: datetime, told: str, pace: Pace
) -> None:
    assert because(pair, made, pace, now) == told


@pytest.mark.parametrize("pace", [Pace.DAILY, Pace.MONTHLY])
@pytest.mark.parametrize("pair", ["EUR/USD", "XCU/USD"])
def test_a_fixing_does_not_depend_on_a_closed_market(pair: str, pace: Pace) -> None:
    assert because(pair, Derivation.PUBLISHED, pace, SATURDAY) == ""


def test_a_peg_has_no_trading_hours_but_its_anchor_has() -> None:
    live = Origin(Derivation.PUBLISHED, ("mint",), pace=Pace.REALTIME)
    euro = Quote(Pair("EUR", "USD"), Fraction(2), Fraction(2), NOON, NOON, live)
    book = RateBook.of(QuotedBook(1, NOON, {"EUR": euro, "XAF": dollars(1, "XAF/USD", Derivation.PEGGED)}, ()))
    legs = explain_now(book, Pair("XAF", "USD"), SATURDAY)
    assert [(leg.made, leg.because) for leg in legs] == [("pegged", ""), ("published", "closed")]
