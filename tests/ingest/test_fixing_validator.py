from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.ingest.filed import filed_values

from cambist.history.fixing import GRAM, Fixing
from cambist.history.pair_series import PairSeries
from cambist.history.quarantine import FixingKey, QuarantineState
from cambist.history.rate_matrix import RateMatrix
from cambist.history.rate_matrix_builder import SourceHistory, build_rate_matrix
from cambist.ingest.fixing_validator import FixingValidator
from cambist.ingest.other_sources import OtherSources
from cambist.pricing.pair import Pair
from cambist.sources.adapters.ecb import adapter
from cambist.sources.adapters.fed import adapter as fed
from cambist.sources.base import Source

FRIDAY, SATURDAY, MONDAY = date(2026, 3, 6), date(2026, 3, 7), date(2026, 3, 9)
DAY = timedelta(days=1)
LAST = date(2026, 12, 31)


def fixings(text: str, source: str = "mint") -> Iterator[Fixing]:
    """Read lines of day, pair, value, and nominal where it is not 1."""
    for line in text.strip().splitlines():
        day, pair, value, *nominal = line.split()
        yield Fixing(source, Pair(*pair.split("/")), date.fromisoformat(day), Decimal(value), int((*nominal, 1)[0]))


def matrix_of(text: str, anchor: str = "EUR", source: str = "others") -> RateMatrix:
    """Build the history of one source as everybody knows it."""
    return build_rate_matrix([SourceHistory(anchor, list(fixings(text, source)), key=source)], LAST, "a test")


def in_others_words(matrix: RateMatrix, source: Source) -> OtherSources:
    """Read from a history what others than a source said on the days on which they said it."""
    lines: dict[str, dict[Pair, PairSeries]] = {}
    for code in matrix.codes:
        days = [matrix.first_day + DAY * row for row in range(len(matrix.listed_set_of_day))]
        for number, key in enumerate(matrix.sources):
            said = [day for day in days if matrix.source_and_age(day, code) == (number, 0)]
            if key != source.key and said:
                rows = np.array([matrix.row(day) for day in said])
                rates = np.array([matrix.cell(day, code) for day in said])
                lines.setdefault(key, {})[Pair("USD", code)] = PairSeries(Pair("USD", code), rows, rates)
    return OtherSources(matrix.first_day, matrix.last_day, lines, dict.fromkeys(lines, "USD"))


@pytest.fixture(scope="module")
def matrix() -> RateMatrix:
    """What other sources said up to the Friday: a euro is 1.25 dollars, 180 yen, 25 koruny, 1000 pesos."""
    return matrix_of("""
        2026-03-05 EUR/USD 1.25
        2026-03-05 EUR/JPY 180
        2026-03-05 EUR/CZK 25
        2026-03-06 EUR/USD 1.25
        2026-03-06 EUR/JPY 180
        2026-03-06 EUR/CZK 25
        2026-03-06 EUR/ARS 1250
    """)


@pytest.fixture
def validated(a_source) -> Callable[..., tuple[list[str], list[str]]]:
    """Judge a delivery; give the days and pairs that passed, and those that did not with their reasons."""

    def validator(
        delivered: str | Iterable[Fixing],
        anchor: str = "USD",
        before: str = "",
        matrix: RateMatrix | None = None,
        decisions: Mapping[FixingKey, QuarantineState] | None = None,
        today: date | None = None,
    ) -> tuple[list[str], list[str]]:
        given_ = list(fixings(delivered) if isinstance(delivered, str) else delivered)
        earlier = {fixing.pair: fixing for fixing in fixings(before)}
        source: Source = a_source(anchor=anchor)
        today = today or max((fixing.day for fixing in given_), default=FRIDAY)
        others = None if matrix is None else in_others_words(matrix, source)
        found = FixingValidator(source, matrix, earlier, decisions or {}, today, others=others).validate(given_)
        assert len(found.accepted) + len(found.refused) <= len(given_)
        passed = [f"{one.day} {one.pair} {one.value}" for one in found.accepted]
        return passed, [f"{one.fixing.day} {one.fixing.pair} {one.fixing.value}: {one.reason}" for one in found.refused]

    return validator


Validate = Callable[..., tuple[list[str], list[str]]]


def test_ordinary_fixings_are_accepted_oldest_first(validated: Validate) -> None:
    passed, refused = validated("""
        2026-03-06 USD/JPY 150
        2026-03-04 USD/JPY 149
        2026-03-05 USD/JPY 151
        2026-03-05 GBP/USD 1.3
    """)
    assert passed == [
        "2026-03-04 USD/JPY 149",
        "2026-03-05 USD/JPY 151",
        "2026-03-05 GBP/USD 1.3",
        "2026-03-06 USD/JPY 150",
    ]
    assert refused == []


def test_an_empty_delivery_has_no_result(validated: Validate) -> None:
    assert validated("") == ([], [])


# Units that were cut under the same code: on these days they really were

OLD_BOLIVAR, NEW_BOLIVAR = "4181781.84", "4.18"
CUTS = [
    ("the new unit from the day on", "2021-09-30 USD/VES 4181781.84", "2021-10-01 USD/VES 4.18", None),
    ("the old unit after the day", "2021-09-30 USD/VES 4181781.84", "2021-10-01 USD/VES 4181781.84", "[1e+06] times"),
    ("the new unit before the day", "2021-09-28 USD/VES 4180000", "2021-09-29 USD/VES 4.18", "[1e-06] times"),
    ("the old unit before the day", "2021-09-28 USD/VES 4180000", "2021-09-29 USD/VES 4181781.84", None),
    ("the old unit a month after", "2021-10-29 USD/VES 4.3", "2021-10-31 USD/VES 4300000", "a redenomination not made"),
    (
        "the old unit for longer",
        "2021-10-29 USD/VES 4.3",
        "2021-11-01 USD/VES 4300000",
        "[1e+06] times the expected rate: a mistaken unit",
    ),
    ("the new unit, and back again", "2021-10-04 USD/VES 4.18", "2021-10-05 USD/VES 4180000", "[1e+06] times"),
    (
        "a cut by a thousand where it was a million",
        "2021-09-30 USD/VES 4181781.84",
        "2021-10-01 USD/VES 4181.78",
        "unit",
    ),
    ("the new pound from the day on", "2025-12-31 USD/SYP 11000", "2026-01-02 USD/SYP 110", None),
    ("the old pound after the day", "2025-12-31 USD/SYP 11000", "2026-01-02 USD/SYP 11000", "[100] times"),
    ("the new pound before the day", "2025-12-29 USD/SYP 11000", "2025-12-30 USD/SYP 110", "[0.01] times"),
    ("the old pound before the day", "2025-12-29 USD/SYP 11000", "2025-12-30 USD/SYP 11010", None),
    ("turned round", "2025-12-31 SYP/USD 0.0000909", "2026-01-02 SYP/USD 0.00909", None),
    ("turned round and not cut", "2025-12-31 SYP/USD 0.0000909", "2026-01-02 SYP/USD 0.0000909", "[100] times"),
    ("the new won from the day on", "2009-11-27 USD/KPW 143", "2009-11-30 USD/KPW 1.43", None),
    ("the old won after the day", "2009-11-27 USD/KPW 143", "2009-12-01 USD/KPW 143", "[100] times"),
]


@pytest.mark.parametrize(("before", "delivered", "reason"), [row[1:] for row in CUTS], ids=[row[0] for row in CUTS])
def test_a_redenomination_is_accepted_on_its_day_only(
    validated: Validate, before: str, delivered: str, reason: str | None
) -> None:
    passed, refused = validated(delivered, before=before)
    assert len(passed) == (reason is None)
    assert all(reason is not None and reason in each for each in refused)


def test_a_missing_redenomination_is_named_in_the_reason(validated: Validate) -> None:
    _, (refused,) = validated("2021-10-01 USD/VES 4181781.84", before="2021-09-30 USD/VES 4181781.84")
    assert refused.endswith(": [1e+06] times the expected rate: a redenomination not made, or made too early")


def test_long_after_a_redenomination_the_reason_is_a_mistaken_unit(validated: Validate) -> None:
    _, (refused,) = validated("2026-02-16 USD/SYP 11000", before="2026-02-13 USD/SYP 110")
    assert refused.endswith(": [100] times the expected rate: a mistaken unit")


@pytest.mark.parametrize("anchor", ["USD", "VES"])
def test_a_series_over_a_redenomination_is_accepted(validated: Validate, anchor: str) -> None:
    series = """
        2021-09-28 USD/VES 4152741.52
        2021-09-29 USD/VES 4173542.19
        2021-09-30 USD/VES 4181781.84
        2021-10-01 USD/VES 4.18
        2021-10-04 USD/VES 4.19
    """
    passed, refused = validated(series, anchor=anchor)
    assert (len(passed), refused) == (5, [])


@pytest.mark.parametrize(("next_day", "passes"), [("5.61", True), ("4.01", False), ("5610000", True)])
def test_a_jump_before_a_redenomination_is_compared_with_the_fixing_after_it(
    validated: Validate,
    next_day: str,
    passes: bool,  # noqa: FBT001  a row's cell
) -> None:
    _, refused = validated(f"2021-09-29 USD/VES 4000000\n2021-09-30 USD/VES 5600000\n2021-10-01 USD/VES {next_day}")
    is_refused = any(each.startswith("2021-09-30") for each in refused)
    assert is_refused is not passes


def test_a_redenomination_that_is_a_day_late_quarantines_that_day_only(validated: Validate) -> None:
    _, (refused,) = validated("""
        2021-09-29 USD/VES 4173542.19
        2021-09-30 USD/VES 4181781.84
        2021-10-01 USD/VES 4182000.00
        2021-10-04 USD/VES 4.19
    """)
    assert refused.startswith("2021-10-01 USD/VES 4182000.00: [1e+06] times")


def test_a_redenomination_is_recognised_with_another_anchor(validated: Validate) -> None:
    before = "2025-12-31 EUR/USD 1.25\n2025-12-31 EUR/SYP 13750"
    assert len(validated("2026-01-02 EUR/USD 1.25\n2026-01-02 EUR/SYP 137.5", "EUR", before)[0]) == 2
    passed, (refused,) = validated("2026-01-02 EUR/USD 1.25\n2026-01-02 EUR/SYP 13750", "EUR", before)
    assert passed == ["2026-01-02 EUR/USD 1.25"]
    assert "EUR/SYP 13750: [100] times" in refused


def test_other_sources_rates_from_before_a_redenomination_are_converted(validated: Validate) -> None:
    others = matrix_of("2025-12-31 EUR/USD 1.25\n2025-12-31 EUR/SYP 13750")
    assert validated("2026-01-02 USD/SYP 110", matrix=others)[1] == []
    _, (refused,) = validated("2026-01-02 USD/SYP 11000", matrix=others)
    assert "[100] times the expected rate: a redenomination" in refused


# Swapped, in another unit


def test_a_swapped_pair_is_recognised_by_its_own_past(validated: Validate) -> None:
    _, (refused,) = validated("2026-03-06 GBP/USD 0.75", before="2026-03-05 GBP/USD 1.3333")
    assert refused == "2026-03-06 GBP/USD 0.75: base and quote swapped"


def test_a_swapped_pair_at_a_weekend_is_recognised_by_fridays_rates_of_others(
    validated: Validate, matrix: RateMatrix
) -> None:
    for day in (FRIDAY, SATURDAY, MONDAY - DAY, MONDAY):
        _, refused = validated(f"{day} EUR/USD 0.8\n{day} JPY/USD 144", matrix=matrix)
        assert refused == [
            f"{day} EUR/USD 0.8: base and quote swapped",
            f"{day} JPY/USD 144: base and quote swapped",
        ]


def test_a_correct_pair_is_accepted_at_a_weekend(validated: Validate, matrix: RateMatrix) -> None:
    assert validated(f"{SATURDAY} EUR/USD 1.26\n{SATURDAY} JPY/USD 0.0069", matrix=matrix)[1] == []


def test_near_one_a_swap_cannot_be_recognised(validated: Validate) -> None:
    assert validated("2026-03-06 CHF/USD 0.98", before="2026-03-05 CHF/USD 1.02")[1] == []


def test_with_a_swapped_dollar_all_fixings_of_the_day_are_refused(validated: Validate) -> None:
    before = "2026-03-05 EUR/USD 1.25\n2026-03-05 EUR/JPY 180"
    passed, refused = validated("2026-03-06 EUR/USD 0.8\n2026-03-06 EUR/JPY 180", "EUR", before)
    assert passed == []
    assert refused == [
        "2026-03-06 EUR/USD 0.8: base and quote swapped",
        "2026-03-06 EUR/JPY 180: a jump of 56% that nothing confirms",
    ]


UNITS = [
    ("2026-03-05 JPY/CZK 14.0 100", "2026-03-06 JPY/CZK 14.0 1", "[0.01]"),
    ("2026-03-05 JPY/CZK 14.0 100", "2026-03-06 JPY/CZK 14.1 1000", "[10]"),
    ("2026-03-05 JPY/CZK 14.0 100", "2026-03-06 JPY/CZK 13.9 100", None),
    ("2026-03-05 JPY/CZK 14.0 100", "2026-03-06 JPY/CZK 0.141 1", None),
    ("2026-03-05 XAU/CZK 100000", "2026-03-06 XAU/CZK 3215.07", "[31.1035]"),
]


@pytest.mark.parametrize(("before", "delivered", "times"), UNITS)
def test_a_mistaken_nominal_or_weight_is_recognised_by_its_factor(
    validated: Validate, before: str, delivered: str, times: str | None
) -> None:
    dollar = "2026-03-0{} USD/CZK 20\n"
    passed, refused = validated(dollar.format(6) + delivered, "CZK", dollar.format(5) + before)
    assert len(passed) == (2 if times is None else 1)
    assert [each.partition(": ")[2] for each in refused] == (
        [] if times is None else [f"{times} times the expected rate: a mistaken unit"]
    )


def test_gold_by_the_gram_is_accepted(validated: Validate) -> None:
    ounce = next(fixings("2026-03-05 XAU/USD 5000"))
    gram = Fixing("mint", Pair("XAU", "USD"), FRIDAY, Decimal("160.75"), 1, GRAM)  # 160.75 a gram is 4999.88 an ounce
    assert validated([ounce, gram])[1] == []


# Jumps


def test_a_spike_of_one_day_is_refused(validated: Validate) -> None:
    passed, refused = validated("""
        2026-03-04 USD/TRY 40
        2026-03-05 USD/TRY 56
        2026-03-06 USD/TRY 40.1
    """)
    assert passed == ["2026-03-04 USD/TRY 40", "2026-03-06 USD/TRY 40.1"]
    assert refused == ["2026-03-05 USD/TRY 56: a jump of 40% that nothing confirms"]


ERRORS_OF_TYPING = [
    ("DKK", "1985-05-10 11.19", "1985-05-13 11.04", "1985-05-14 11.975", "1985-05-15 11.075"),
    ("DKK", "1985-08-22 10.05", "1985-08-23 10", "1985-08-26 10.7025", "1985-08-27 10.17"),
    ("THB", "1987-07-20 26.01", "1987-07-21 26.03", "1987-07-22 28.01", "1987-07-23 26.01"),
    ("NOK", "1978-12-07 5.128", "1978-12-08 5.131", "1978-12-11 5.4", "1978-12-12 5.122"),
    ("INR", "1973-03-12 7.52", "1973-03-13 7.52", "1973-03-14 7.94", "1973-03-15 7.52"),
    ("DKK", "2000-11-24 8.79", "2000-11-27 8.7725", "2000-11-28 8.278", "2000-11-29 8.6975"),
]


@pytest.mark.parametrize(("code", "earlier", "before", "spike", "after"), ERRORS_OF_TYPING)
def test_a_day_that_stands_out_in_calm_times_is_refused(
    validated: Validate, code: str, earlier: str, before: str, spike: str, after: str
) -> None:
    series = "\n".join(line.replace(" ", f" USD/{code} ") for line in (earlier, before, spike, after))
    passed, (refused,) = validated(series, today=FRIDAY)
    assert refused.startswith(spike.replace(" ", f" USD/{code} "))
    assert refused.endswith("that is gone at the next fixing")
    assert len(passed) == 3


def test_a_smaller_spike_is_refused_if_the_others_do_not_have_it(validated: Validate) -> None:
    days = ("1972-03-09 3.8205", "1972-03-10 3.8175", "1972-03-13 3.9817", "1972-03-14 3.8358")
    series = "\n".join(line.replace(" ", " USD/CHF ") for line in days)
    others = matrix_of("1972-03-09 USD/CHF 3.82\n1972-03-13 USD/CHF 3.83\n1972-03-14 USD/CHF 3.83", "USD")
    assert validated(series, today=FRIDAY)[1] == []
    (refused,) = validated(series, today=FRIDAY, matrix=others)[1]
    assert refused.startswith("1972-03-13 USD/CHF 3.9817: a spike of")


def test_days_without_a_move_count_as_calm(validated: Validate) -> None:
    wild = ["7.55", "7.35", "7.19", "7.25", "7.55", "7.52"]
    still = ["7.52"] * 5
    days = [date(1973, 3, 1) + DAY * number for number in range(20)]
    values = [*wild, *still, "7.94", "7.52"]
    lines = "\n".join(f"{day} USD/INR {value}" for day, value in zip(days, values, strict=False))
    _, (refused,) = validated(lines, today=FRIDAY)
    assert "USD/INR 7.94" in refused


def test_a_day_that_stands_out_is_accepted_if_the_others_have_it_too(validated: Validate) -> None:
    series = "2026-03-04 USD/TRY 40\n2026-03-05 USD/TRY 43\n2026-03-06 USD/TRY 40.1"
    assert len(validated(series)[1]) == 1
    agreeing = matrix_of("2026-03-04 USD/TRY 40\n2026-03-05 USD/TRY 41.5\n2026-03-06 USD/TRY 40.1", "USD")
    assert validated(series, matrix=agreeing)[1] == []
    objecting = matrix_of("2026-03-04 USD/TRY 40\n2026-03-05 USD/TRY 40.1\n2026-03-06 USD/TRY 40.1", "USD")
    assert len(validated(series, matrix=objecting)[1]) == 1


REAL = [
    ("the franc is let go", "CHF", "2015-01-13 1.0185", "2015-01-14 1.0187", "2015-01-15 0.8874", "2015-01-16 0.8579"),
    ("the pound after the vote", "GBP", "2016-06-22 0.68", "2016-06-23 0.672", "2016-06-24 0.731", "2016-06-27 0.757"),
    ("a devaluation half taken back", "MXN", "1994-12-19 3.47", "1994-12-20 3.975", "1994-12-21 4", "1994-12-22 4.8"),
]


@pytest.mark.parametrize("series", [row[1:] for row in REAL], ids=[row[0] for row in REAL])
def test_a_real_move_is_accepted(validated: Validate, series: tuple[str, ...]) -> None:
    code, *days = series
    assert validated("\n".join(day.replace(" ", f" USD/{code} ") for day in days), today=FRIDAY)[1] == []


def test_a_move_among_large_moves_is_no_spike(validated: Validate) -> None:
    # The won in December 1997.
    won = ["1464.8", "1565.9", "1710", "1563.9", "1425", "1425", "1483"]
    days = ["1997-12-10", "1997-12-11", "1997-12-12", "1997-12-15", "1997-12-16", "1997-12-17", "1997-12-18"]
    calm = "1997-12-08 USD/KRW 1342.4\n1997-12-09 USD/KRW 1460\n"
    lines = [f"{day} USD/KRW {value}" for day, value in zip(days, won, strict=True)]
    assert validated(calm + "\n".join(lines), today=FRIDAY)[1] == []


def test_a_devaluation_is_accepted_because_it_stays(validated: Validate) -> None:
    # The peso on 2023-12-13.
    series = "2023-12-12 USD/ARS 366.5\n2023-12-13 USD/ARS 799.95\n2023-12-14 USD/ARS 800.4"
    assert validated(series)[1] == []


def test_a_devaluation_of_today_is_refused_until_the_next_fixing(validated: Validate) -> None:
    before = "2023-12-12 USD/ARS 366.5"
    _, (refused,) = validated("2023-12-13 USD/ARS 799.95", before=before)
    assert refused.endswith("a jump of 118% that nothing confirms")
    assert validated("2023-12-13 USD/ARS 799.95\n2023-12-14 USD/ARS 800.4", before=before)[1] == []


def test_a_jump_that_others_made_too_is_accepted_at_once(validated: Validate, matrix: RateMatrix) -> None:
    # The others say 1000 pesos a dollar.
    assert validated("2026-03-06 USD/ARS 1010", before="2026-03-05 USD/ARS 700", matrix=matrix)[1] == []
    _, (refused,) = validated("2026-03-06 USD/ARS 1060", before="2026-03-05 USD/ARS 700", matrix=matrix)
    assert refused.endswith("a jump of 51% that nothing confirms")


def test_a_quarter_is_no_jump(validated: Validate) -> None:
    assert validated("2026-03-06 USD/TRY 50", before="2026-03-05 USD/TRY 40")[1] == []
    assert validated("2026-03-06 USD/TRY 32", before="2026-03-05 USD/TRY 40")[1] == []
    assert validated("2026-03-06 USD/TRY 50.1", before="2026-03-05 USD/TRY 40")[0] == []
    assert validated("2026-03-06 USD/TRY 31.9", before="2026-03-05 USD/TRY 40")[0] == []


def test_a_rate_older_than_two_weeks_is_not_compared_with(validated: Validate) -> None:
    assert validated("2026-03-06 USD/TRY 56", before="2026-02-20 USD/TRY 40")[0] == []
    assert validated("2026-03-06 USD/TRY 56", before="2026-02-19 USD/TRY 40")[1] == []


def test_a_refused_fixing_is_not_compared_with(validated: Validate) -> None:
    _, refused = validated("2026-03-05 USD/TRY 56\n2026-03-06 USD/TRY 41", before="2026-03-04 USD/TRY 40")
    assert [each[:10] for each in refused] == ["2026-03-05"]


def test_each_pair_is_compared_with_its_own_past(validated: Validate) -> None:
    before = "2026-03-05 USD/TRY 40\n2026-03-05 USD/JPY 150"
    passed, refused = validated("2026-03-06 USD/JPY 40\n2026-03-06 USD/TRY 150", before=before)
    assert (passed, len(refused)) == ([], 2)


def test_a_pair_and_its_inverse_are_one_currency(validated: Validate) -> None:
    assert validated("2026-03-06 TRY/USD 0.025", before="2026-03-05 USD/TRY 40")[1] == []


# What others say


def test_a_rate_far_from_the_others_is_refused(validated: Validate, matrix: RateMatrix) -> None:
    _, (refused,) = validated("2026-03-06 USD/JPY 152.64", matrix=matrix)  # the others say 144
    assert refused.endswith("6.0% from the other sources")
    assert validated("2026-03-06 USD/JPY 151", matrix=matrix)[1] == []


def test_a_rate_far_from_the_others_is_accepted_if_it_was_there_before(validated: Validate, matrix: RateMatrix) -> None:
    assert validated("2026-03-06 USD/JPY 152.64", before="2026-03-05 USD/JPY 152", matrix=matrix)[1] == []


def test_older_days_are_not_compared_with_others(validated: Validate, matrix: RateMatrix) -> None:
    delivered = "2026-03-06 USD/JPY 152.64"
    assert validated(delivered, matrix=matrix, today=FRIDAY + 31 * DAY)[1] == []
    assert len(validated(delivered, matrix=matrix, today=FRIDAY + 30 * DAY)[1]) == 1


def test_a_source_is_not_compared_with_itself(validated: Validate) -> None:
    own = matrix_of("2026-03-06 USD/JPY 144", anchor="USD", source="mint")
    assert validated("2026-03-06 USD/JPY 152.64", matrix=own)[1] == []
    _, (refused,) = validated("2026-03-06 USD/JPY 200", before="2026-03-05 USD/JPY 144", matrix=own)
    assert refused.endswith("a jump of 39% that nothing confirms")


def test_other_sources_rates_count_for_two_weeks(validated: Validate, matrix: RateMatrix) -> None:
    last = FRIDAY + 14 * DAY
    assert len(validated(f"{last} USD/JPY 200", matrix=matrix)[1]) == 1
    assert validated(f"{last + DAY} USD/JPY 200", matrix=matrix)[1] == []


def test_a_source_without_the_dollar_is_compared_through_others_rates_of_its_anchor(
    validated: Validate, matrix: RateMatrix
) -> None:
    # 25 koruny are 1.25 dollars, so 20 a dollar; 14.4 yen a koruna are 288 a dollar, and the others say 144.
    assert validated("2026-03-06 CZK/JPY 7.2", "CZK", matrix=matrix)[1] == []
    _, (refused,) = validated("2026-03-06 CZK/JPY 14.4", "CZK", matrix=matrix)
    assert refused.endswith("100.0% from the other sources")


def test_without_the_dollar_and_other_sources_nothing_is_compared(validated: Validate) -> None:
    assert validated("2026-03-06 CZK/JPY 14.4", "CZK", "2026-03-05 CZK/JPY 7.2")[1] == []


# Pegs


def test_a_pegged_rate_may_differ_by_three_per_cent(validated: Validate, matrix: RateMatrix) -> None:
    assert validated("2026-03-06 USD/SAR 3.80", matrix=matrix)[1] == []
    _, (refused,) = validated("2026-03-06 USD/SAR 3.90", matrix=matrix)
    assert refused == "2026-03-06 USD/SAR 3.90: 4.0% off the peg"
    _, (refused,) = validated("2026-03-06 USD/SAR 3.60", matrix=matrix)
    assert refused == "2026-03-06 USD/SAR 3.60: 4.2% off the peg"


def test_a_peg_to_the_euro_follows_the_euro(validated: Validate, matrix: RateMatrix) -> None:
    assert validated("2026-03-06 USD/XAF 524.8", matrix=matrix)[1] == []  # 655.957 / 1.25 = 524.77
    _, (refused,) = validated("2026-03-06 USD/XAF 655.957", matrix=matrix)
    assert refused.endswith("25.0% off the peg")


def test_a_pegged_rate_is_compared_through_the_sources_own_rate_of_the_anchor(
    validated: Validate, matrix: RateMatrix
) -> None:
    # Of another hour, at which the euro stood four per cent higher than where the others saw it.
    hour = "2026-03-06 EUR/USD 1.30\n2026-03-06 EUR/XAF {}"
    assert validated(hour.format("655.957"), "EUR", matrix=matrix)[1] == []
    _, (refused,) = validated(hour.format("682.2"), "EUR", matrix=matrix)
    assert refused.endswith("4.0% off the peg")


def test_an_ended_currency_is_compared_with_its_conversion(validated: Validate, matrix: RateMatrix) -> None:
    # The lev ended with 2025 at 1.95583 a euro.
    both = "2026-03-06 EUR/USD 1.25\n2026-03-06 EUR/BGN {}"
    assert validated(both.format("1.9558"), "EUR", matrix=matrix)[1] == []
    _, (refused,) = validated(both.format("2.1"), "EUR", matrix=matrix)
    assert refused.endswith("7.4% off the peg")


# Standing still


@pytest.mark.parametrize(
    ("step", "first", "reason"),
    [
        ("0.19", 10, "the same for 10 fixings while the others moved 3.8%"),  # by then they went from 50 to 51.9
        ("0.09", 12, "the same for 12 fixings while the others moved 2.2%"),  # on the day before it was 2.0 %
    ],
)
def test_a_rate_that_is_unchanged_for_ten_fixings_while_others_move_is_refused(
    validated: Validate, step: str, first: int, reason: str
) -> None:
    days = [date(2026, 3, 2) + number * DAY for number in range(14)]
    others = (f"{day} EUR/USD 1.25\n{day} EUR/TRY {50 + number * Decimal(step)}" for number, day in enumerate(days))
    passed, refused = validated("\n".join(f"{day} USD/TRY 40" for day in days), matrix=matrix_of("\n".join(others)))
    assert passed == [f"{day} USD/TRY 40" for day in days[:first]]
    assert [each[:10] for each in refused] == [str(day) for day in days[first:]]
    assert refused[0].endswith(f": {reason}")


def test_a_rate_that_is_unchanged_like_the_others_is_accepted(validated: Validate) -> None:
    days = [date(2026, 3, 2) + number * DAY for number in range(30)]
    others = matrix_of("\n".join(f"{day} EUR/USD 1.25\n{day} EUR/TRY 50" for day in days))
    assert validated("\n".join(f"{day} USD/TRY 40" for day in days), matrix=others)[1] == []


def test_a_rate_that_changes_now_and_then_is_accepted(validated: Validate) -> None:
    days = [date(2026, 3, 2) + number * DAY for number in range(14)]
    others = matrix_of(
        "\n".join(f"{day} EUR/USD 1.25\n{day} EUR/TRY {50 + number / 10}" for number, day in enumerate(days))
    )
    still = "\n".join(f"{day} USD/TRY {40 + (number > 6) / 100}" for number, day in enumerate(days))
    assert validated(still, matrix=others)[1] == []


# What is not a rate, and what cannot be judged


@pytest.mark.parametrize("value", ["0", "-1.5", "0.000"])
def test_a_value_that_is_not_positive_is_refused(validated: Validate, value: str) -> None:
    assert validated(f"2026-03-06 USD/JPY {value}") == ([], [f"2026-03-06 USD/JPY {value}: zero or negative"])


@pytest.mark.parametrize("pair", ["XCU-3M/USD", "USD/ZZZ", "USD/XSU"])
def test_a_fixing_without_any_comparison_is_accepted(validated: Validate, pair: str) -> None:
    assert len(validated(f"2026-03-06 {pair} 9", before=f"2026-03-05 {pair} 1")[0]) == 1


# Decisions


def decided(
    state: QuarantineState, value: str = "56", day: date = FRIDAY, nominal: int = 1
) -> dict[FixingKey, QuarantineState]:
    return {FixingKey(Pair("USD", "TRY"), "", day, nominal, Decimal(value)): state}


SPIKE: dict[str, Any] = {"delivered": f"{FRIDAY} USD/TRY 56", "before": "2026-03-05 USD/TRY 40"}


def test_a_fixing_that_the_operator_accepted_is_accepted(validated: Validate) -> None:
    assert validated(**SPIKE, decisions=decided(QuarantineState.ACCEPTED)) == ([f"{FRIDAY} USD/TRY 56"], [])


def test_a_fixing_that_the_operator_rejected_is_dropped(validated: Validate) -> None:
    assert validated(**SPIKE, decisions=decided(QuarantineState.REJECTED)) == ([], [])


@pytest.mark.parametrize("state", [QuarantineState.WAITING, QuarantineState.RELEASED])
def test_an_undecided_fixing_is_validated_again(validated: Validate, state: QuarantineState) -> None:
    passed, refused = validated(**SPIKE, decisions=decided(state))
    assert (passed, len(refused)) == ([], 1)


@pytest.mark.parametrize(
    "decision",
    [
        decided(QuarantineState.ACCEPTED, "57"),
        decided(QuarantineState.ACCEPTED, day=FRIDAY - DAY),
        decided(QuarantineState.ACCEPTED, nominal=100),
        {(Pair("TRY", "USD"), "", FRIDAY, 1, Decimal(56)): QuarantineState.ACCEPTED},
    ],
    ids=["value", "day", "nominal", "direction"],
)
def test_a_decision_applies_to_one_fixing(validated: Validate, decision: dict[FixingKey, QuarantineState]) -> None:
    passed, refused = validated(**SPIKE, decisions=decision)
    assert (passed, len(refused)) == ([], 1)


def test_a_decision_holds_however_many_digits_are_written(validated: Validate) -> None:
    assert validated(**SPIKE, decisions=decided(QuarantineState.ACCEPTED, "56.00"))[1] == []


def test_an_accepted_fixing_is_compared_with_from_then_on(validated: Validate) -> None:
    spike = f"{FRIDAY} USD/TRY 56\n{SATURDAY} USD/TRY 57"
    before = "2026-03-05 USD/TRY 40"
    assert validated(spike, before=before, decisions=decided(QuarantineState.ACCEPTED))[1] == []


def test_a_rejected_fixing_is_not_compared_with(validated: Validate) -> None:
    both = f"{FRIDAY} USD/TRY 56\n{SATURDAY} USD/TRY 57"
    passed, refused = validated(both, before="2026-03-05 USD/TRY 40", decisions=decided(QuarantineState.REJECTED))
    assert (passed, len(refused)) == ([], 1)


# The real thing


def test_the_ecbs_real_history_is_accepted(bundled: bytes) -> None:
    """In 2001 the lira lost a quarter and more in a day; 2008 was no quiet year, and 2022 had a day that came back."""
    years = {1999, 2000, 2001, 2002, 2005, 2008, 2009, 2022}
    delivered = [fixing for fixing in adapter.parse(bundled) if fixing.day.year in years]
    found = FixingValidator(adapter.source, None, {}, {}, date(2026, 11, 20)).validate(delivered)
    assert found.refused == []
    assert len(found.accepted) == len(delivered) > 40_000


VALUES = st.lists(st.sampled_from(["40", "40.2", "41", "56", "57", "4000", "0.025", "39"]), min_size=1, max_size=12)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=VALUES)
def test_every_fixing_is_either_accepted_or_refused_with_a_reason(a_source, values: list[str]) -> None:
    delivered = list(fixings("\n".join(f"{FRIDAY + n * DAY} USD/TRY {value}" for n, value in enumerate(values))))
    found = FixingValidator(a_source(anchor="USD"), None, {}, {}, FRIDAY + 20 * DAY).validate(delivered)
    refused = [one.fixing for one in found.refused]
    assert sorted([*found.accepted, *refused], key=lambda one: one.day) == delivered
    assert all(one.reason for one in found.refused)
    assert found.accepted, "the first of a series has nothing that speaks against it"


# Corrections


def test_implausible_corrections_of_all_days_are_refused(a_source: Any) -> None:
    """Nobody else says anything, and the last good one is long ago: what was filed of the same days speaks."""
    days = [date(2026, 1, 5) + timedelta(days=number) for number in range(50)]
    right = [Fixing("mint", Pair("USD", "CHF"), day, Decimal("0.8000")) for day in days]
    swapped = [replace(one, value=Decimal("1.2500")) for one in right]
    validator = FixingValidator(a_source(), None, {}, {}, date(2026, 3, 6), filed_values(right))
    validated = validator.validate(swapped)
    assert validated.accepted == []
    assert {refusal.reason for refusal in validated.refused} == {"corrects what was filed by 56%"}


def test_a_stored_fixing_is_not_validated_again(a_source: Any) -> None:
    odd = Fixing("mint", Pair("USD", "CHF"), date(2026, 3, 5), Decimal("80.00"))
    before = replace(odd, day=date(2026, 3, 4), value=Decimal("0.80"))
    validator = FixingValidator(a_source(), None, {before.pair: before}, {}, date(2026, 3, 6), filed_values([odd]))
    assert validator.validate([odd]).accepted == [odd]


def test_a_small_correction_is_accepted(a_source: Any) -> None:
    filed = Fixing("mint", Pair("USD", "CHF"), date(2026, 3, 5), Decimal("0.8000"))
    corrected = replace(filed, value=Decimal("0.8100"))
    validator = FixingValidator(a_source(), None, {}, {}, date(2026, 3, 6), filed_values([filed]))
    assert validator.validate([corrected]).accepted == [corrected]


def test_a_source_is_not_accepted_because_all_its_past_was_refused(a_source: Any) -> None:
    """Each refused fixing is heard: else the last good one would be forgotten after two weeks."""
    before = Fixing("mint", Pair("USD", "CHF"), date(2026, 1, 2), Decimal("0.80"))
    days = [date(2026, 1, 5) + timedelta(days=number) for number in range(40)]
    hundredfold = [Fixing("mint", Pair("USD", "CHF"), day, Decimal("80.00")) for day in days]
    validated = FixingValidator(a_source(), None, {before.pair: before}, {}, date(2026, 3, 6)).validate(hundredfold)
    assert validated.accepted == []
    assert len(validated.refused) == 40


LONG_SERIES = Path(__file__).parents[3] / "shared/history/fred_daily"
SPIKES = {
    "dkk": ["1985-05-14", "1985-08-26", "2000-11-28"],
    "thb": ["1987-07-22"],
    "chf": ["1972-03-13"],
    "nok": ["1978-12-11"],
    "inr": ["1973-03-14"],
}
REAL_DAYS = {"chf": ["2015-01-15"], "thb": ["1997-07-02"], "mxn": ["1994-12-22"], "krw": ["1997-12-12"]}


@pytest.mark.skipif(not LONG_SERIES.exists(), reason="the long series are not beside the project")
@pytest.mark.parametrize("code", sorted({*SPIKES, *REAL_DAYS}))
def test_of_the_federal_reserves_series_typing_errors_are_refused_and_real_days_accepted(code: str) -> None:
    delivered = list(fed.parse((LONG_SERIES / f"fred_{code}_usd.csv").read_bytes()))
    matrix = matrix_of("1972-03-10 USD/CHF 3.83\n1972-03-13 USD/CHF 3.83", "USD")
    others = in_others_words(matrix, fed.source)  # of 4 %: without another source that may have been a real day
    found = FixingValidator(fed.source, None, {}, {}, date(2026, 11, 20), others=others).validate(delivered)
    waiting = {str(one.fixing.day) for one in found.refused}
    assert set(SPIKES.get(code, [])) <= waiting
    assert not waiting & set(REAL_DAYS.get(code, []))
    assert len(waiting) < len(delivered) / 1000
