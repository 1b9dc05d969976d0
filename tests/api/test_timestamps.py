"""Moments are read in every form that clients send, and written in each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.api.timestamps import TimestampFormat, form, moment, offset, written
from cambist.errors import BadParameter

MOMENT = datetime(2026, 11, 20, 12, 30, 15, tzinfo=UTC)
EAST = timezone(timedelta(hours=2))
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
START = moment("start", default=None, description="When.")


def read(text: str):
    return START.value({"start": text})


@pytest.mark.parametrize(
    ("text", "at", "as_form"),
    [
        ("2026-11-20", datetime(2026, 11, 20, tzinfo=UTC), TimestampFormat.UTCYMD),
        ("2026-11-20 12:30:15", MOMENT, TimestampFormat.UTCYMD),
        ("2026-11-20 12:00", NOON, TimestampFormat.UTCYMD),
        ("2026-11-20T12:30:15", MOMENT, TimestampFormat.ISO),
        ("2026-11-20T12:30:15Z", MOMENT, TimestampFormat.ISO),
        ("2026-11-20T12:30:15z", MOMENT, TimestampFormat.ISO),
        ("2026-11-20T14:30:15+02:00", MOMENT, TimestampFormat.ISO),
        ("2026-11-20T14:30:15 02:00", MOMENT, TimestampFormat.ISO),
        ("2026-11-20T14:30:15+0200", MOMENT, TimestampFormat.ISO),
        ("2026-11-20T07:30:15-05:00", MOMENT, TimestampFormat.ISO),
        ("2026-11-20T12:30:15.000Z", MOMENT, TimestampFormat.ISO),
        ("2026-11-20t12:30:15.000000000Z", MOMENT, TimestampFormat.ISO),
        ("2026-11-20T12:30:15,000Z", MOMENT, TimestampFormat.ISO),
        ("2026-11-20T14:30:15+02", MOMENT, TimestampFormat.ISO),
        ("2026-11-20 12:30:15+00:00", MOMENT, TimestampFormat.ISO),
        ("2026-11-20T12:30:15.25", MOMENT + timedelta(milliseconds=250), TimestampFormat.ISO),
        ("1795177815000", MOMENT, TimestampFormat.TSP),
        ("0", datetime(1970, 1, 1, tzinfo=UTC), TimestampFormat.TSP),
    ],
)
def test_every_form_is_read(text: str, at: datetime, as_form: TimestampFormat) -> None:
    found = read(text)
    assert (found.at, found.form) == (at, as_form)


@pytest.mark.parametrize(
    "text",
    [
        *("yesterday", "2026-13-01", "2026-02-30", "20.11.2026", "2026-11-20T", "2026-11-20T25:00:00", "1e9", "-1"),
        *("1969-12-31", "2101-01-01", "99999999999999", "2026-11-20T12:00:00+99:00", "\u0662\u0660\u0662\u0666-11-20"),
        *("2026-11-20T12:00:00+02:00+02:00", "123456789012345"),
    ],
)
def test_what_is_no_moment_is_refused_with_the_forms_that_are(text: str) -> None:
    with pytest.raises(BadParameter, match=r"^Invalid start: \[.*it takes YYYY-MM-DD"):
        read(text)


@given(st.text(max_size=30))
def test_no_text_does_any_harm(text: str) -> None:
    try:
        found = read(text)
    except BadParameter:
        return
    assert found is None or found.at.tzinfo is not None


@given(st.datetimes(datetime(1970, 1, 1), datetime(2100, 12, 31), timezones=st.just(UTC)))  # noqa: DTZ001
def test_what_is_written_is_read_as_it_was_to_the_second(at: datetime) -> None:
    whole = at.replace(microsecond=0)
    for as_form in TimestampFormat:
        assert read(str(written(whole, as_form))).at == whole
    assert read(str(written(whole, TimestampFormat.ISO, EAST))).at == whole


def test_only_iso_knows_an_offset() -> None:
    assert written(MOMENT, TimestampFormat.ISO) == "2026-11-20T12:30:15Z"
    assert written(MOMENT, TimestampFormat.ISO, EAST) == "2026-11-20T14:30:15+02:00"
    assert written(MOMENT, TimestampFormat.UTCYMD, EAST) == "2026-11-20 12:30:15"
    assert written(MOMENT, TimestampFormat.TSP, EAST) == 1795177815000
    assert (offset(UTC), offset(EAST)) == ("+00:00", "+02:00")


def test_a_form_is_one_of_three() -> None:
    declare = form("dtmfmt", default=None, description="How.")
    assert declare.value({"dtmfmt": "tsp"}) is TimestampFormat.TSP
    with pytest.raises(BadParameter, match=r"Options are \[ISO, TSP, UTCYMD\]"):
        declare.value({"dtmfmt": "unix"})


def test_a_fraction_of_a_second_is_written_where_there_is_one() -> None:
    assert written(MOMENT + timedelta(milliseconds=250), TimestampFormat.ISO) == "2026-11-20T12:30:15.250Z"
    assert written(MOMENT, TimestampFormat.ISO) == "2026-11-20T12:30:15Z"
