"""Timestamps are accepted in every format that clients send, and written in each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.api.bodies.timestamps import TimestampFormat, format_timestamp, timestamp, timestamp_format, utc_offset
from cambist.errors import BadParameter

AT = datetime(2026, 11, 20, 12, 30, 15, tzinfo=UTC)
EAST = timezone(timedelta(hours=2))
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
START = timestamp("start", default=None, description="When.")


def read(text: str):
    return START.read({"start": text})


@pytest.mark.parametrize(
    ("text", "at", "chosen_format"),
    [
        ("2026-11-20", datetime(2026, 11, 20, tzinfo=UTC), TimestampFormat.UTCYMD),
        ("2026-11-20 12:30:15", AT, TimestampFormat.UTCYMD),
        ("2026-11-20 12:00", NOON, TimestampFormat.UTCYMD),
        ("2026-11-20T12:30:15", AT, TimestampFormat.ISO),
        ("2026-11-20T12:30:15Z", AT, TimestampFormat.ISO),
        ("2026-11-20T12:30:15z", AT, TimestampFormat.ISO),
        ("2026-11-20T14:30:15+02:00", AT, TimestampFormat.ISO),
        ("2026-11-20T14:30:15 02:00", AT, TimestampFormat.ISO),
        ("2026-11-20T14:30:15+0200", AT, TimestampFormat.ISO),
        ("2026-11-20T07:30:15-05:00", AT, TimestampFormat.ISO),
        ("2026-11-20T12:30:15.000Z", AT, TimestampFormat.ISO),
        ("2026-11-20t12:30:15.000000000Z", AT, TimestampFormat.ISO),
        ("2026-11-20T12:30:15,000Z", AT, TimestampFormat.ISO),
        ("2026-11-20T14:30:15+02", AT, TimestampFormat.ISO),
        ("2026-11-20 12:30:15+00:00", AT, TimestampFormat.ISO),
        ("2026-11-20T12:30:15.25", AT + timedelta(milliseconds=250), TimestampFormat.ISO),
        ("1795177815000", AT, TimestampFormat.TSP),
        ("0", datetime(1970, 1, 1, tzinfo=UTC), TimestampFormat.TSP),
    ],
)
def test_every_format_is_accepted(text: str, at: datetime, chosen_format: TimestampFormat) -> None:
    found = read(text)
    assert (found.at, found.format) == (at, chosen_format)


@pytest.mark.parametrize(
    "text",
    [
        *("yesterday", "2026-13-01", "2026-02-30", "20.11.2026", "2026-11-20T", "2026-11-20T25:00:00", "1e9", "-1"),
        *("1969-12-31", "2101-01-01", "99999999999999", "2026-11-20T12:00:00+99:00", "\u0662\u0660\u0662\u0666-11-20"),
        *("2026-11-20T12:00:00+02:00+02:00", "123456789012345"),
    ],
)
def test_an_invalid_timestamp_is_refused_with_the_accepted_formats(text: str) -> None:
    with pytest.raises(BadParameter, match=r"^Invalid start: \[.*it takes YYYY-MM-DD"):
        read(text)


@given(st.text(max_size=30))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        found = read(text)
    except BadParameter:
        return
    assert found is None or found.at.tzinfo is not None


@given(st.datetimes(datetime(1970, 1, 1), datetime(2100, 12, 31), timezones=st.just(UTC)))  # noqa: DTZ001
def test_a_formatted_timestamp_parses_to_the_same_second(at: datetime) -> None:
    whole = at.replace(microsecond=0)
    for chosen_format in TimestampFormat:
        assert read(str(format_timestamp(whole, chosen_format))).at == whole
    assert read(str(format_timestamp(whole, TimestampFormat.ISO, EAST))).at == whole


def test_only_iso_timestamps_have_an_offset() -> None:
    assert format_timestamp(AT, TimestampFormat.ISO) == "2026-11-20T12:30:15Z"
    assert format_timestamp(AT, TimestampFormat.ISO, EAST) == "2026-11-20T14:30:15+02:00"
    assert format_timestamp(AT, TimestampFormat.UTCYMD, EAST) == "2026-11-20 12:30:15"
    assert format_timestamp(AT, TimestampFormat.TSP, EAST) == 1795177815000
    assert (utc_offset(UTC), utc_offset(EAST)) == ("+00:00", "+02:00")


def test_a_timestamp_format_is_one_of_three() -> None:
    declare = timestamp_format("dtmfmt", default=None, description="How.")
    assert declare.read({"dtmfmt": "tsp"}) is TimestampFormat.TSP
    with pytest.raises(BadParameter, match=r"Options are \[ISO, TSP, UTCYMD\]"):
        declare.read({"dtmfmt": "unix"})


def test_a_fraction_of_a_second_is_written_if_there_is_one() -> None:
    assert format_timestamp(AT + timedelta(milliseconds=250), TimestampFormat.ISO) == "2026-11-20T12:30:15.250Z"
    assert format_timestamp(AT, TimestampFormat.ISO) == "2026-11-20T12:30:15Z"
