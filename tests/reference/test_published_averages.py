"""Averages that publishers computed themselves: their numbers, and what is left out."""

from __future__ import annotations

from datetime import date

import pytest

from cambist.history.averages import AveragePeriod, published_mean
from cambist.pricing.pair import Pair
from cambist.reference.packaged import FOLDER, manifest
from cambist.reference.published_averages import published_average

CASES = [
    ("INR", "1960", 4.7619000037619),
    ("DEM", "1960", 4.2000000032),
    ("NLG", "1998", 1.98372),
    ("EUR", "1999", 0.938283072395283),
    ("TRY", "2024", 32.8058614432703),
    ("XAU", "1960-01", 1 / 35.27),
    ("XAU", "2026-01", 1 / 4752.75),
    ("XCU", "1960-01", 1 / 715.4),
]
"""Units per dollar, from the files of the World Bank."""


def period(text: str) -> AveragePeriod:
    year, _, month = text.partition("-")
    if month:
        return AveragePeriod(date(int(year), int(month), 1), date(int(year), int(month), 31))
    return AveragePeriod(date(int(year), 1, 1), date(int(year), 12, 31))


@pytest.mark.parametrize(("code", "when", "per_dollar"), CASES)
def test_an_average_is_what_was_published(code: str, when: str, per_dollar: float) -> None:
    found = published_mean(Pair("USD", code), period(when))
    assert found is not None
    assert found.mean == pytest.approx(per_dollar, rel=1e-5)
    assert all(each.startswith("World Bank") for each in found.publishers)


def test_only_the_published_number_itself_is_called_so() -> None:
    year = period("1985")
    made = {
        str(pair): found.made
        for pair in (Pair("USD", "INR"), Pair("INR", "USD"), Pair("INR", "DEM"), Pair("XAU", "USD"), Pair("USD", "XAU"))
        if (found := published_mean(pair, year))
    }
    computed = "computed from published averages"
    assert made == {
        "USD/INR": "published average",
        "INR/USD": computed,
        "INR/DEM": computed,
        "XAU/USD": "published average",
        "USD/XAU": computed,
    }


@pytest.mark.parametrize(
    ("code", "when"),
    [("TRY", "2004"), ("DEM", "1999"), ("ARS", "1991"), ("LAK", "1979"), ("SYP", "2010"), ("INR", "1960-01")],
)
def test_other_units_and_periods_have_none(code: str, when: str) -> None:
    each = period(when)
    assert published_average(code, each.first, each.last) is None


def test_a_part_of_a_year_is_no_year() -> None:
    assert published_average("INR", date(1960, 1, 1), date(1960, 12, 30)) is None


def test_the_year_of_a_metal_is_the_mean_of_its_months() -> None:
    months = [
        published_average("XAG", date(1961, n, 1), date(1961, n, 30 + (n in (1, 3, 5, 7, 8, 10, 12)))) for n in (1, 3)
    ]
    year = published_average("XAG", date(1961, 1, 1), date(1961, 12, 31))
    assert None not in months
    assert year is not None
    assert 0.9 < float(year.worth) < 1.1


def test_the_files_say_whose_they_are_and_are_small() -> None:
    assert {file.source: file.licence for file in manifest().averages} == {
        "worldbank": "CC BY 4.0",
        "pinksheet": "CC BY 4.0",
    }
    assert sum((FOLDER / file.name).stat().st_size for file in manifest().averages) < 80_000
    assert {file.content[:6] for file in manifest().averages} == {b"\xfd7zXZ\x00"}
