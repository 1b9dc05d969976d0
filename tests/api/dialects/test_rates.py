"""The rates of dialects are those of our own endpoints, digit for digit."""

from __future__ import annotations

from datetime import date

import pytest
from tests.conftest import NOW

from cambist.api.answer.request_context import RequestContext
from cambist.api.faces.dialects.rates import daily_rates, latest_rates, priced_currencies, rates_on
from cambist.errors import NoRate


@pytest.fixture
def context(client) -> RequestContext:
    state = client.worker_state
    return RequestContext(state, state.caches.for_view((0, "iso8601")).state[0], NOW.timestamp())


def test_latest_rates_equal_fetch_one_for_every_currency(context, client):
    codes = priced_currencies(context)
    assert len(codes) > 25
    for quote, value in latest_rates(context, "EUR", codes).values.items():
        assert client.get(f"/fetch-one?from=EUR&to={quote}").json["result"] == {quote: value}


def test_rates_of_a_day_equal_historical(context, client):
    day = date(2008, 5, 14)
    for base in priced_currencies(context, day):
        expected = client.get(f"/historical?date={day}&from={base}").json["results"]
        assert rates_on(context, base, None, day).values == expected
    assert list(rates_on(context, "EUR", ["USD", "GBP"], day).values) == ["USD", "GBP"]


def test_daily_rates_equal_the_time_series(context, client):
    start, end = date(2010, 12, 20), date(2011, 1, 10)
    found = daily_rates(context, "JPY", ["EUR", "EEK", "USD"], start, end)
    asked = client.get(f"/time-series?from=JPY&to=EUR,EEK,USD&start={start}&end={end}").json["results"]
    for code, rates in asked.items():
        assert {str(day): found[day][code] for day in found if code in found[day]} == rates
    assert list(found) == sorted(found)


def test_a_period_without_any_rate_is_refused(context):
    with pytest.raises(NoRate):
        daily_rates(context, "EUR", ["INR"], date(1999, 1, 4), date(1999, 1, 8))
