"""Acceptance: one rule, one question; and the traps by name."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.history.fixing import Fixing
from cambist.history.rate_matrix import RateMatrix
from cambist.history.rate_matrix_builder import SourceHistory, build_rate_matrix
from cambist.pricing.pair import Pair
from cambist.pricing.validation import (
    JUMP,
    Candidate,
    are_clearly_valid,
    are_on_peg,
    in_future,
    jumped,
    off_peg,
    refusal_reason,
    tick_refusal_reason,
)
from cambist.reference.tables import REDENOMINATIONS

FRIDAY, SUNDAY = date(2026, 11, 20), date(2026, 11, 22)
ONE_DAY = timedelta(days=1)
UNITS = st.floats(min_value=1e-9, max_value=1e9)


def is_clearly_valid(units: float, previous: float, others: float | None) -> bool:
    """Return whether one rate is clearly valid."""
    rates = (np.array([rate]) for rate in (units, previous, nan if others is None else others))
    return bool(are_clearly_valid(*rates)[0])


def validated(units: float, reference: float, **rest: object) -> str:
    """Judge a fixing beside what others say; the reason, or nothing."""
    candidate = Candidate("EUR", FRIDAY, units, FRIDAY, previous=reference, others=reference)
    return refusal_reason(replace(candidate, **rest)) or ""  # type: ignore[arg-type]


def matrix_of(last: date, *spoken: str) -> RateMatrix:
    """What others published in dollars, as `2026-11-20 JPY 150`, carried forward to `last`."""
    words = " ".join(spoken).split()
    fixings = [
        Fixing("others", Pair("USD", code), date.fromisoformat(day), Decimal(value))
        for day, code, value in zip(words[::3], words[1::3], words[2::3], strict=True)
    ]
    return build_rate_matrix([SourceHistory("USD", fixings, "others")], last, "a test")


def cut_of(code: str) -> float:
    """The factor that the tables know of a cut under the same code."""
    (change,) = (change for change in REDENOMINATIONS if change.old == change.new == code)
    return float(change.factor)


def test_what_agrees_with_its_past_and_with_the_others_is_accepted() -> None:
    assert validated(0.86, 0.8617) == ""


def test_the_first_fixing_of_a_currency_is_accepted() -> None:
    assert refusal_reason(Candidate("EUR", FRIDAY, 0.86, FRIDAY)) is None


@given(UNITS)
def test_a_rate_that_has_not_moved_is_accepted_whatever_it_is(units: float) -> None:
    assert validated(units, units) == ""


# Rates at all


@pytest.mark.parametrize("units", [0.0, -0.0, -1.5, nan])
def test_what_is_not_above_zero_is_no_rate(units: float) -> None:
    assert validated(units, 0.86) == "zero or negative"


@pytest.mark.parametrize("ahead", [-1, 0, 1, 2])
def test_a_source_may_be_two_days_ahead(ahead: int) -> None:
    assert in_future(FRIDAY + ahead * ONE_DAY, FRIDAY) is None


@pytest.mark.parametrize("ahead", [3, 365])
def test_a_fixing_of_days_to_come_is_refused_and_named(ahead: int) -> None:
    day = FRIDAY + ahead * ONE_DAY
    assert str(day) in str(in_future(day, FRIDAY))


# Base and quote swapped


def test_a_swapped_pair_is_found_out_at_a_weekend_by_what_others_carried_forward() -> None:
    """On a Sunday hardly anybody publishes: a lone source is measured by the Friday of the others."""
    matrix = matrix_of(SUNDAY, "2026-11-20 JPY 150")
    assert matrix.source_and_age(SUNDAY, "JPY") == (0, 2)
    others = matrix.cell(SUNDAY, "JPY")
    lone = Candidate("JPY", SUNDAY, 1 / 150.5, SUNDAY, others=others)
    assert refusal_reason(lone) == "base and quote swapped"
    assert refusal_reason(replace(lone, units=150.5)) is None
    # The same word passes where nothing is carried: nothing is left to measure it by.
    assert refusal_reason(replace(lone, others=None)) is None


@pytest.mark.parametrize("reference", [0.86, 1.16, 150.0, 1 / 4000, 89_500.0])
def test_a_swapped_pair_is_found_out_by_others_and_by_its_own_past(reference: float) -> None:
    assert validated(1 / reference, reference) == "base and quote swapped"
    assert validated(1 / reference, reference, others=None) == "base and quote swapped"
    assert validated(1 / reference, reference, previous=None) == "base and quote swapped"


@pytest.mark.parametrize(("units", "swapped"), [(1.019 / 150, True), (1.021 / 150, False)])
def test_a_swapped_pair_need_not_be_of_the_very_day(units: float, *, swapped: bool) -> None:
    assert (validated(units, 150.0) == "base and quote swapped") is swapped


def test_near_par_nobody_can_tell_which_way_round_it_is() -> None:
    assert validated(1 / 0.98, 0.98) == ""


# Mistaken units


@pytest.mark.parametrize("factor", [10, 31.1034768, 100, 1000, 10_000, 100_000, 1_000_000])
def test_a_mistaken_nominal_or_weight_is_found_out_both_ways(factor: float) -> None:
    for wrong in (0.86 * factor, 0.86 / factor):
        assert validated(wrong, 0.86).endswith("a mistaken unit")
        assert validated(wrong, 0.86, others=None).endswith("a mistaken unit")


@pytest.mark.parametrize(("units", "mistaken"), [(101.9, True), (98.1, True), (102.1, False), (97.9, False)])
def test_a_mistaken_unit_need_not_be_of_the_very_day(units: float, *, mistaken: bool) -> None:
    assert validated(units, 1.0).endswith("a mistaken unit") is mistaken


def test_a_metal_by_the_gram_or_the_wrong_way_round_is_found_out() -> None:
    """Gold at 4000 dollars an ounce is 0.00025 ounces a dollar; a gram is 128.6 dollars."""
    an_ounce, by_the_gram = 1 / 4000, 1 / 128.6
    assert validated(by_the_gram, an_ounce) == "[31.1035] times the expected rate: a mistaken unit"
    assert validated(1 / (4000 * 31.1035), an_ounce) == "[0.0321507] times the expected rate: a mistaken unit"
    assert validated(4010.0, an_ounce) == "base and quote swapped"


# Redenominations under the same code


@pytest.mark.parametrize(
    ("code", "day", "factor", "old_units"),
    [("VES", date(2021, 10, 1), 1_000_000, 4_181_000.0), ("SYP", date(2026, 1, 1), 100, 11_000.0)],
)
def test_a_cut_under_the_same_code_that_a_source_has_not_made_is_found_out(
    code: str, day: date, factor: int, old_units: float
) -> None:
    assert cut_of(code) == factor
    others = matrix_of(day, f"{day - ONE_DAY} {code} {old_units}").cell(day, code)
    assert others == pytest.approx(old_units / factor)
    late = Candidate(code, day, old_units * 1.01, day, others=others, factor=factor)
    for candidate in (late, replace(late, others=None, previous=others)):
        assert "a redenomination not made" in (refusal_reason(candidate) or "")
        assert refusal_reason(replace(candidate, units=old_units * 1.01 / factor)) is None


@pytest.mark.parametrize(
    ("code", "day", "factor", "old_units"),
    [("VES", date(2021, 9, 30), 1_000_000, 4_181_000.0), ("SYP", date(2025, 12, 31), 100, 11_000.0)],
)
def test_a_cut_under_the_same_code_that_a_source_makes_too_early_is_found_out(
    code: str, day: date, factor: int, old_units: float
) -> None:
    others = matrix_of(day, f"{day} {code} {old_units}").cell(day, code)
    assert others == old_units
    early = Candidate(code, day, old_units / factor, day, others=others, factor=factor)
    assert "made too early" in (refusal_reason(early) or "")
    assert refusal_reason(replace(early, units=old_units)) is None


@pytest.mark.parametrize(("times", "found"), [(1.24e6, True), (0.76e6, True), (1.26e6, False), (1.24e-6, True)])
def test_around_a_cut_a_rate_may_have_moved_by_a_quarter_too(times: float, *, found: bool) -> None:
    """A currency that is cut is one that falls."""
    reason = validated(4.18 * times, 4.18, factor=1e6)
    assert ("redenomination" in reason) is found
    assert reason != ""


def test_far_from_any_cut_nothing_is_called_a_redenomination() -> None:
    assert "redenomination" not in validated(418.0, 4.18)
    assert validated(418.0, 4.18) == "[100] times the expected rate: a mistaken unit"
    assert refusal_reason(Candidate("VES", FRIDAY, 4.18, FRIDAY, factor=1e6)) is None


# Pegs


@pytest.mark.parametrize("units", [3.6725, 3.6730, 3.7826, 3.5656])
def test_up_to_three_percent_a_peg_holds(units: float) -> None:
    assert validated(units, 3.6725, others=None, peg=3.6725) == ""


@pytest.mark.parametrize(("units", "off"), [(3.7828, "3.0%"), (3.5654, "3.0%"), (3.8194, "4.0%"), (36725.0, "999900")])
def test_a_broken_peg_is_found_out(units: float, off: str) -> None:
    assert validated(units, 3.6725, others=None, peg=3.6725).startswith(off)
    assert validated(units, 3.6725, others=None, peg=3.6725).endswith("% off the peg")


def test_a_peg_is_measured_by_the_law_even_where_the_rate_has_left_it_for_long() -> None:
    assert validated(3.9, 3.9, following=3.9, peg=3.6725) == "6.2% off the peg"


# Jumps


def test_a_lone_spike_is_refused() -> None:
    assert validated(1.3, 1.0, others=None, following=1.01) == f"a jump of 30% {JUMP.removeprefix('a jump ')}"


def test_a_lasting_jump_is_accepted() -> None:
    """The naira on 2023-06-14, the birr on 2024-07-29: the next fixing stands where this one went."""
    assert validated(1.3, 1.0, others=None, following=1.31) == ""


def test_a_jump_of_today_waits_until_tomorrow_tells() -> None:
    assert validated(1.3, 1.0, others=None) != ""


def test_a_jump_that_others_made_too_is_accepted() -> None:
    assert validated(1.3, 1.0, others=1.28) == ""
    assert validated(1.3, 1.0, others=1.2) != ""


@pytest.mark.parametrize(("following", "accepted"), [(1.3, True), (1.19, True), (1.17, False), (0.9, False)])
def test_a_jump_has_lasted_where_the_next_is_nearer_to_it(following: float, *, accepted: bool) -> None:
    assert (validated(1.4, 1.0, others=None, following=following) == "") is accepted


@pytest.mark.parametrize(("units", "accepted"), [(1.249, True), (1.251, False), (0.801, True), (0.799, False)])
def test_a_quarter_is_the_most_that_a_day_may_move(units: float, *, accepted: bool) -> None:
    assert (validated(units, 1.0, others=None) == "") is accepted


@given(UNITS, UNITS)
def test_a_fall_is_judged_as_the_rise_that_it_mirrors(one: float, other: float) -> None:
    up = Candidate("EUR", FRIDAY, one, FRIDAY, previous=other)
    assert (jumped(up) is None) == (jumped(replace(up, units=other, previous=one)) is None)


# Far from the others


@pytest.mark.parametrize(("units", "accepted"), [(1.049, True), (1.051, False), (0.953, True), (0.952, False)])
def test_a_first_fixing_may_be_at_most_five_percent_from_the_others(units: float, *, accepted: bool) -> None:
    reason = validated(units, 1.0, previous=None)
    assert (reason == "") is accepted
    assert accepted or reason.endswith("% from the other sources")


def test_a_source_that_has_long_differed_may_continue() -> None:
    """A central bank's own official rate beside the market's."""
    assert validated(1000.0, 1400.0, previous=990.0) == ""
    assert validated(1000.0, 1400.0, previous=1200.0) == "40.0% from the other sources"


@pytest.mark.parametrize(("days", "accepted"), [(30, False), (31, True)])
def test_days_of_more_than_a_month_ago_are_judged_by_their_neighbours_alone(days: int, *, accepted: bool) -> None:
    assert (validated(1.06, 1.0, previous=None, today=FRIDAY + days * ONE_DAY) == "") is accepted


# Stuck


@pytest.mark.parametrize(
    ("still", "moved", "accepted"), [(10, 0.021, False), (9, 0.5, True), (10, 0.019, True), (200, 0.03, False)]
)
def test_a_value_is_stuck_that_stands_for_ten_fixings_while_the_others_move(
    still: int, moved: float, *, accepted: bool
) -> None:
    reason = validated(1.0, 1.03, previous=1.0, unchanged=still, others_moved=moved)
    assert (reason == "") is accepted
    assert accepted or reason == f"the same for {still} fixings while the others moved {moved:.1%}"


def test_what_is_pegged_is_not_stuck() -> None:
    assert validated(3.6725, 3.6725, peg=3.6725, unchanged=500, others_moved=0.1) == ""


# The most telling reason is given


def test_the_first_rule_to_object_gives_the_reason() -> None:
    stuck_and_far = {"unchanged": 20, "others_moved": 0.1, "previous": None}
    assert validated(1.1, 1.0, **stuck_and_far).endswith("from the other sources")
    assert validated(100.0, 1.0, **stuck_and_far).endswith("a mistaken unit")
    assert "redenomination" in validated(100.0, 1.0, factor=100.0, **stuck_and_far)
    assert validated(100.0, 0.01, factor=10_000.0, previous=None).endswith("made too early")
    assert validated(100.0, 0.01, previous=None) == "base and quote swapped"
    assert validated(100.0, 1.0, peg=1.0, factor=100.0).endswith("off the peg")
    assert validated(-1.0, 1.0, peg=1.0) == "zero or negative"


def test_a_fixing_is_measured_by_others_alone_where_they_agree_else_by_its_own_past_too() -> None:
    candidate = Candidate("EUR", FRIDAY, 0.86, FRIDAY, previous=0.85, others=0.87)
    assert candidate.references == (0.87,)
    assert replace(candidate, others=0.95).references == (0.95, 0.85)
    assert replace(candidate, others=None).references == (0.85,)
    assert replace(candidate, others=None, previous=None).references == ()


def test_a_mistaken_unit_is_seen_by_its_own_past_where_the_others_are_a_little_off() -> None:
    assert validated(86.0, 0.86, others=0.89) == "[100] times the expected rate: a mistaken unit"
    assert validated(1 / 0.86, 0.86, others=0.89) == "base and quote swapped"


def test_a_return_from_a_mistaken_unit_to_the_other_sources_is_accepted() -> None:
    assert validated(0.86, 86.0, others=0.87) == ""


# What need not be judged


@given(UNITS, st.floats(0.9, 1.1), st.none() | st.floats(0.9, 1.1), st.none() | st.floats(0.9, 1.1))
def test_no_rule_objects_to_what_is_beyond_doubt(
    previous: float, moved: float, apart: float | None, following: float | None
) -> None:
    units = previous * moved
    others = None if apart is None else units * apart
    if is_clearly_valid(units, previous, others):
        assert validated(units, previous, others=others, following=following and units * following) == ""
        assert validated(units, previous, others=others, factor=100.0) == ""


@pytest.mark.parametrize(
    ("units", "others", "beyond"),
    [
        *((1.0, None, True), (1.019, None, True), (1.021, None, False), (0.979, None, False)),
        *((1.0, 1.0, True), (1.0, 1.019, True), (1.0, 1.03, False), (1.0, 0.97, False), (1.021, 1.021, False)),
        *((0.0, None, False), (-1.0, None, False), (nan, None, False)),
    ],
)
def test_beyond_doubt_is_what_is_within_two_percent_of_its_past_and_of_the_others(
    units: float, others: float | None, *, beyond: bool
) -> None:
    assert is_clearly_valid(units, 1.0, others) is beyond


@pytest.mark.parametrize("units", [0.96, 0.9709, 0.98, 1.0, 1.02, 1.03, 1.0301, 1.5])
def test_rates_are_on_their_peg_as_the_rule_of_pegs_decides(units: float) -> None:
    candidate = Candidate("AED", FRIDAY, units, FRIDAY, peg=1.0)
    assert are_on_peg(np.array([units, units]), np.array([1.0, nan])).tolist() == [off_peg(candidate) is None, True]


# Ticks


def tick(bid: str, ask: str, last_mid: float | None = None) -> str | None:
    return tick_refusal_reason(Decimal(bid), Decimal(ask), last_mid)


@pytest.mark.parametrize(("bid", "ask"), [("1.10", "1.11"), ("1.10", "1.10"), ("0.98", "1.00")])
def test_a_tick_is_accepted_up_to_two_percent_wide(bid: str, ask: str) -> None:
    assert tick(bid, ask) is None


def test_a_tick_is_refused_for_what_is_wrong_with_its_sides() -> None:
    assert tick("1.1001", "1.1000") == "bid above ask"
    assert tick("0.9799", "1.0000") == "sides more than 2 % apart"
    assert tick("0", "1.1") == tick("-1", "1.1") == tick("1.1", "0") == tick("0", "0") == "zero or negative"


@pytest.mark.parametrize(
    ("last_mid", "reason"), [(1.0, None), (1.249, None), (0.801, None), (1.251, JUMP), (0.799, JUMP), (None, None)]
)
def test_a_tick_may_move_by_a_quarter_from_what_was_agreed_on(last_mid: float | None, reason: str | None) -> None:
    assert tick("0.995", "1.005", last_mid) == reason


def test_invalid_sides_of_a_tick_are_reported_before_its_jump() -> None:
    assert tick("2.1", "2.0", 1.0) == "bid above ask"
    assert tick("2.0", "2.1", 1.0) == "sides more than 2 % apart"
