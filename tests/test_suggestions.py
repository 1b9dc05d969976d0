"""Slips of the hand between two words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.suggestions import did_you_mean, edit_distance

WORDS = st.text(alphabet="abc_", max_size=6)


@pytest.mark.parametrize(
    ("word", "other", "count"),
    [
        ("from", "from", 0),
        ("fro", "from", 1),
        ("froom", "from", 1),
        ("fram", "from", 1),
        ("form", "from", 1),
        ("amuont", "amount", 1),
        ("amnt", "amount", 2),
        ("strta", "start", 2),
        ("", "to", 2),
        ("", "", 0),
        ("format", "from", 3),
    ],
)
def test_letters_to_change_add_leave_out_or_swap_are_counted(word, other, count):
    assert edit_distance(word, other) == edit_distance(other, word) == count


@given(WORDS, WORDS)
def test_there_are_at_least_as_many_as_lengths_differ_and_at_most_as_the_longer_has_letters(word, other):
    assert abs(len(word) - len(other)) <= edit_distance(word, other) <= max(len(word), len(other))
    assert (edit_distance(word, other) == 0) == (word == other)


@pytest.mark.parametrize(
    ("typed", "known", "meant"),
    [
        ("premum", ("basic", "premium"), "did you mean [premium]?"),
        ("unix", ("iso", "spaced", "unix-ms"), "did you mean [unix-ms]?"),
        ("mon", ("day", "month", "noun"), "did you mean [month]?"),
        ("rates", ("rate", "rates_on"), "did you mean [rate]?"),
        ("zzz", ("iso", "spaced"), "there are iso, spaced"),
        ("", ("iso", "spaced"), "there are iso, spaced"),
        ("x", (), "there are none"),
    ],
)
def test_a_name_that_was_begun_or_mistyped_is_recognized(typed, known, meant):
    assert did_you_mean(typed, known) == meant
