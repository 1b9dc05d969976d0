"""How old the rates of a day are, and when a day is immutable."""

from __future__ import annotations

import random
from datetime import date, timedelta

import numpy as np
import pytest

from cambist.history.fixing_age import carried_days, fixing_ages, fixing_days, is_immutable, oldest_fixing_day
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY, RateMatrix
from cambist.history.rate_matrix_builder import build_rate_matrix
from cambist.history.series import Series, read_series
from cambist.history.source_history import SourceHistory
from cambist.pricing.pair import Pair

MON = date(2026, 3, 2)
TUE, WED, THU = (MON + timedelta(days=n) for n in (1, 2, 3))
FRI = date(2026, 2, 27)
DAY = timedelta(days=1)


def line(pair: str, *days: date) -> PairSeries:
    rows = np.array([(day - FIRST_DAY).days for day in days], np.int64)
    return PairSeries(Pair(*pair.split("/")), rows, np.full(len(rows), 1.25))


def source(key: str, *lines: PairSeries, outranks_pegs: bool = False) -> SourceHistory:
    anchor = lines[0].pair.base
    return SourceHistory(anchor, lines, key, outranks_pegs)


def matrix(*publications: SourceHistory) -> RateMatrix:
    return build_rate_matrix(publications, date(2026, 12, 31), "a test")


# When a day is immutable


def test_a_day_is_not_immutable_because_another_source_has_a_later_one() -> None:
    here = matrix(source("ecb", line("EUR/USD", FRI)), source("cbr", line("USD/RUB", FRI, MON, TUE)))
    assert here.last_fixing == TUE
    assert not is_immutable(here, MON, WED, ["EUR", "USD"])
    assert not is_immutable(here, MON, WED, ["EUR", "RUB"])
    assert not is_immutable(here, MON, WED)
    assert is_immutable(here, MON, WED, ["RUB", "USD"])


def test_a_day_is_immutable_when_each_source_that_feeds_it_has_fixed_it_or_a_later_one() -> None:
    here = matrix(source("ecb", line("EUR/USD", FRI, MON)), source("cbr", line("USD/RUB", FRI, TUE)))
    assert is_immutable(here, MON, TUE, ["EUR", "RUB"])
    assert is_immutable(here, MON, TUE)
    assert is_immutable(here, MON - DAY, TUE, ["EUR", "RUB"])  # a Sunday


def test_today_is_never_immutable_though_a_source_is_dated_tomorrow() -> None:
    here = matrix(source("ecb", line("EUR/USD", FRI, MON, TUE)))
    assert not is_immutable(here, MON, MON, ["EUR", "USD"])
    assert is_immutable(here, MON, TUE, ["EUR", "USD"])


def test_a_day_after_all_that_was_fixed_is_not_immutable() -> None:
    here = matrix(source("ecb", line("EUR/USD", FRI)))
    assert not is_immutable(here, FRI + DAY, FRI + 100 * DAY, ["EUR", "USD"])


def test_a_better_source_that_is_late_keeps_a_day_open_for_two_weeks_and_no_longer() -> None:
    week = [FRI + timedelta(days=n) for n in range(9)]
    here = matrix(source("fed", line("USD/CAD", FRI)), source("boe", line("USD/CAD", *week)))
    assert here.sources[here.source_and_age(week[-1], "CAD")[0]] == "boe"
    assert not is_immutable(here, week[-1], week[-1] + 14 * DAY, ["USD", "CAD"])
    assert is_immutable(here, week[-1], week[-1] + 15 * DAY, ["USD", "CAD"])


def test_a_pegged_currency_is_immutable_when_its_anchor_is() -> None:
    here = matrix(source("ecb", line("EUR/USD", FRI)), source("cbr", line("USD/RUB", FRI, TUE)))
    assert not is_immutable(here, MON, WED, ["XAF", "USD"])
    assert is_immutable(here, MON, WED, ["AED", "USD"])


# The day of the fixing


def carried(here: RateMatrix, series: Series) -> list[date]:
    return list(carried_days(series, fixing_ages(here, series)))


def test_a_rate_reads_the_fixing_of_the_older_leg() -> None:
    here = matrix(source("ecb", line("EUR/USD", FRI)), source("cbr", line("USD/RUB", FRI, MON)))
    assert fixing_days(here, MON, "EUR", ["RUB", "USD"]) == {"RUB": FRI, "USD": FRI}
    assert fixing_days(here, MON, "USD", ["RUB", "EUR"]) == {"RUB": MON, "EUR": FRI}


@pytest.mark.parametrize("pair", ["EUR/XAF", "XAF/EUR", "XAF/XOF", "USD/AED", "AED/USD", "DEM/FRF", "EUR/EUR"])
def test_where_the_law_alone_decides_there_is_no_fixing(pair: str) -> None:
    here = matrix(source("ecb", line("EUR/USD", FRI)))
    base, quote = pair.split("/")
    assert fixing_days(here, MON, base, [quote]) == {quote: None}
    assert carried(here, read_series(here, Pair(base, quote), FRI, MON)) == []


def test_a_pegged_currency_has_the_fixing_day_of_its_anchor() -> None:
    here = matrix(source("ecb", line("EUR/USD", FRI)))
    assert fixing_days(here, MON, "USD", ["XAF"]) == {"XAF": FRI}


def test_a_source_that_outranks_the_law_has_a_fixing() -> None:
    here = matrix(source("ecb", line("EUR/USD", FRI), line("EUR/AED", FRI), outranks_pegs=True))
    assert fixing_days(here, MON, "USD", ["AED"]) == {"AED": FRI}


def test_a_fixing_crossed_through_an_older_one_is_as_old() -> None:
    here = matrix(source("ecb", line("EUR/USD", FRI), line("EUR/JPY", FRI, MON)))
    assert fixing_days(here, MON, "USD", ["JPY"]) == {"JPY": FRI}


def test_carried_days_are_those_of_a_series_without_a_fixing_of_their_own() -> None:
    here = matrix(source("ecb", line("EUR/USD", FRI, TUE)))
    series = read_series(here, Pair("EUR", "USD"), FRI - DAY, WED)
    assert carried(here, series) == [FRI + DAY, FRI + 2 * DAY, MON, WED]
    assert set(carried_days(series, fixing_ages(here, series)).values()) == {FRI, TUE}
    assert carried(here, read_series(here, Pair("USD", "EUR"), FRI, FRI)) == []


def test_the_oldest_fixing_day_is_that_of_all_fixing_days(real_matrix: RateMatrix) -> None:
    chance = random.Random(20_261_122)  # noqa: S311  no secret
    codes = [*real_matrix.codes, "XXX"]
    for _ in range(500):
        day = FIRST_DAY + timedelta(days=chance.randrange(21_000))
        base, quotes = chance.choice(codes), chance.sample(codes, chance.choice([0, 1, 2, 30]))
        days = [each for each in fixing_days(real_matrix, day, base, quotes).values() if each is not None]
        assert oldest_fixing_day(real_matrix, day, base, quotes) == min(days, default=None)
