"""The weekly files of rates that Firefly III downloads."""

from __future__ import annotations

from datetime import date

import pytest

from cambist.api.faces.dialects.firefly import _monday, dialect


@pytest.fixture
def firefly(make_client):
    return make_client(dialects=(dialect,))


def test_this_week_has_the_rates_of_now(firefly):
    reply = firefly.get("/firefly/2026/47/EUR.json")
    assert list(reply.json) == ["date", "rates"]
    assert reply.json["date"] == "2026-10-30"
    assert reply.json["rates"] == firefly.get("/fetch-all?from=EUR").json["results"]
    assert all(isinstance(rate, int | float) for rate in reply.json["rates"].values())
    assert reply.headers["x-calls-cost"] == "1"


def test_a_past_week_has_those_of_its_monday(firefly):
    answer = firefly.get("/firefly/2024/10/usd.json").json
    assert answer["date"] == "2024-03-04"
    assert answer["rates"] == firefly.get("/historical?date=2024-03-04").json["results"]


@pytest.mark.parametrize(
    ("year", "week", "today", "monday"),
    [
        (2025, 1, date(2025, 12, 29), None),
        (2025, 1, date(2025, 3, 1), date(2024, 12, 30)),
        (2025, 1, date(2026, 3, 1), date(2025, 12, 29)),
        (2021, 53, date(2021, 1, 2), None),
        (2021, 53, date(2021, 3, 1), date(2020, 12, 28)),
        (2025, 16, date(2025, 4, 20), None),
        (2025, 15, date(2025, 4, 20), date(2025, 4, 7)),
    ],
)
def test_the_year_is_that_of_the_calendar(year, week, today, monday):
    assert _monday(str(year), str(week), today) == monday


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("2026/48/EUR.json", 404),
        ("2026/54/EUR.json", 400),
        ("2026/x/EUR.json", 400),
        ("2026/47/ZZZ.json", 400),
        ("2026/47/EUR", 400),
        ("2026/47", 404),
    ],
)
def test_errors_have_a_message_and_cost_nothing(firefly, path, status):
    reply = firefly.get(f"/firefly/{path}")
    assert (reply.status, bool(reply.json["message"])) == (status, True), reply.text
    assert reply.headers.get("x-calls-cost", "0") == "0"
