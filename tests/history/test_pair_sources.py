"""The sources of a series, day by day, are those that an explanation of each day names."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from tests.history.test_explanation import MONDAY, line, matrix, publication

from cambist.history.explanation import explain_day
from cambist.history.pair_sources import pair_sources, source_keys
from cambist.history.rate_matrix import RateMatrix
from cambist.history.series import read_series
from cambist.pricing.pair import Pair

DAYS = [MONDAY + timedelta(days=day) for day in (0, 1, 3)]
HERE = matrix(
    publication("ecb", "EUR", line("EUR", "USD", 1.25, *DAYS), line("EUR", "GBP", 0.8, *DAYS[:2])),
    publication("boe", "GBP", line("GBP", "USD", 1.5, *DAYS), line("GBP", "JPY", 200, *DAYS)),
)


def sources(here: RateMatrix, base: str, quote: str, first: date, last: date) -> list[tuple[str, ...]]:
    return [
        source_keys(here, number)
        for number in pair_sources(here, read_series(here, Pair(base, quote), first, last)).tolist()
    ]


def test_both_legs_are_named_that_of_the_base_first_and_each_once() -> None:
    assert sources(HERE, "JPY", "EUR", MONDAY, MONDAY) == [("boe", "ecb")]
    assert sources(HERE, "EUR", "JPY", MONDAY, MONDAY) == [("ecb", "boe")]
    assert sources(HERE, "EUR", "USD", MONDAY, MONDAY) == [("ecb",)]
    assert sources(HERE, "USD", "JPY", MONDAY, MONDAY) == [("boe",)]


def test_a_pegged_currency_has_the_source_of_its_anchor_and_none_where_law_alone_decides() -> None:
    assert sources(HERE, "USD", "XOF", MONDAY, MONDAY) == [("ecb",)]
    assert sources(HERE, "EUR", "AED", MONDAY, MONDAY) == [("ecb",)]
    assert sources(HERE, "USD", "AED", MONDAY, MONDAY) == [()]
    assert sources(HERE, "EUR", "XOF", MONDAY, MONDAY) == [()]
    assert sources(HERE, "DEM", "FRF", MONDAY, MONDAY) == [()]


def test_a_source_that_outranks_a_peg_is_named() -> None:
    own = publication("hkma", "HKD", line("HKD", "USD", 0.13, MONDAY), outranks_pegs=True)
    here = matrix(publication("ecb", "EUR", line("EUR", "USD", 1.25, MONDAY)), own)
    assert sources(here, "EUR", "HKD", MONDAY, MONDAY) == [("ecb", "hkma")]


@pytest.mark.parametrize("quote", ["GBP", "JPY", "XOF", "AED", "EUR", "GGP"])
def test_each_day_has_the_sources_of_its_explanation(quote: str) -> None:
    last = MONDAY + timedelta(days=9)
    days = sources(HERE, "USD", quote, MONDAY, last)
    for offset, found in enumerate(days):
        legs = explain_day(HERE, Pair("USD", quote), MONDAY + timedelta(days=offset))
        assert found == tuple(dict.fromkeys(key for leg in legs for key in leg.sources))
    assert len(days) == 10
