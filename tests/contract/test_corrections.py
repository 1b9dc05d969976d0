"""`GET /corrections`: the fixings of a pair that a source has corrected."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from tests.reading import read_with

from cambist.errors import RateUnavailable
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.pricing.pair import Pair
from cambist.storage.sql import SqlStore

RECEIVED = datetime(2026, 10, 29, 15, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = date(2026, 10, 29)


@pytest.fixture
def publish(client, tmp_path):
    """File what a source published, an hour after the one before, in the archive that the client reads."""
    store = SqlStore(f"sqlite:///{tmp_path / 'archive.db'}")
    store.migrate()
    read_with(client.worker_state, corrections=store.archive.corrections)
    moments = iter(RECEIVED + HOUR * number for number in range(100))

    def publish(pair, value, day=DAY, source="ecb", **rest):
        fixing = Fixing(source, Pair(*pair.split("/")), day, Decimal(value), **rest)
        store.archive.file(DeliveryRecord(source, next(moments), "a test", "d"), [fixing])

    yield publish
    store.close()


def found(client, query):
    reply = client.get(f"/corrections?{query}")
    assert reply.status == 200, reply.text
    return [(each["date"], each["earlier"]["value"], each["corrected"]["value"]) for each in reply.json["corrections"]]


def test_a_correction_has_both_values_as_they_were_published_and_received(client, publish):
    publish("EUR/USD", "1.0710")
    publish("EUR/USD", "1.0720", DAY - timedelta(days=1))
    publish("EUR/USD", "1.0721")
    reply = client.get("/corrections?from=EUR&to=USD")
    assert (reply.status, reply.headers["x-calls-cost"]) == (200, "1")
    assert reply.json["start"] == "1970-01-01"
    assert reply.json["corrections"] == [
        {
            "date": "2026-10-29",
            "source": "ecb",
            "base": "EUR",
            "quote": "USD",
            "unit": "",
            "earlier": {"value": "1.0710", "nominal": 1, "received_at": "2026-10-29T15:00:00Z"},
            "corrected": {"value": "1.0721", "nominal": 1, "received_at": "2026-10-29T17:00:00Z"},
        }
    ]


def test_what_was_published_once_or_again_with_the_same_digits_is_no_correction(client, publish):
    publish("EUR/USD", "1.07")
    publish("EUR/USD", "1.07")
    publish("EUR/USD", "1.08", source="boe")
    assert found(client, "from=EUR&to=USD") == []


def test_a_fixing_that_was_corrected_twice_is_there_twice(client, publish):
    for value in ("1.1", "1.2", "1.1"):
        publish("EUR/USD", value)
    assert found(client, "from=EUR&to=USD") == [("2026-10-29", "1.2", "1.1"), ("2026-10-29", "1.1", "1.2")]


def test_other_digits_or_another_nominal_are_a_correction(client, publish):
    publish("EUR/JPY", "180")
    publish("EUR/JPY", "180.0")
    publish("EUR/JPY", "180.0", nominal=100)
    assert found(client, "from=EUR&to=JPY") == [("2026-10-29", "180.0", "180.0"), ("2026-10-29", "180", "180.0")]
    newest = client.get("/corrections?from=EUR&to=JPY").json["corrections"][0]
    assert (newest["earlier"]["nominal"], newest["corrected"]["nominal"]) == (1, 100)


def test_corrections_are_of_the_pair_and_of_its_codes_against_the_anchor(client, publish):
    for day, pair in enumerate(("EUR/USD", "EUR/JPY", "EUR/CHF", "EUR/GBP"), 1):
        for value in ("1", "2"):
            publish(pair, value, date(2026, 3, day))
    assert found(client, "from=JPY&to=CHF") == [("2026-03-03", "1", "2"), ("2026-03-02", "1", "2")]
    assert found(client, "from=CHF&to=JPY") == found(client, "from=JPY&to=CHF")
    assert found(client, "to=EUR") == [("2026-03-01", "1", "2")], "USD is the other code if `from` is left out"


def test_the_period_and_the_limit_choose_the_newest_days(client, publish):
    for number in range(1, 6):
        for value in ("1", "2"):
            publish("EUR/USD", value, date(2026, 3, number))
    days = [f"2026-03-0{number}" for number in (5, 4, 3, 2, 1)]
    assert [day for day, *_ in found(client, "to=EUR")] == days
    assert [day for day, *_ in found(client, "to=EUR&limit=2")] == days[:2]
    assert [day for day, *_ in found(client, "to=EUR&start=2026-03-02&end=2026-03-04")] == days[1:4]


def test_without_an_archive_there_are_none(client):
    assert found(client, "from=EUR&to=USD") == []


def test_an_archive_that_cannot_be_read_is_503_and_free(client):
    def broken(_query):
        raise RateUnavailable("The archive of fixings cannot be read now")

    read_with(client.worker_state, corrections=broken)
    reply = client.get("/corrections?to=EUR")
    assert (reply.status, reply.json["code"], reply.headers["x-calls-cost"]) == (503, "rate_unavailable", "0")


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("to=XXX", "XXX"),
        ("from=BTC&to=EUR", "BTC"),
        ("to=EUR&limit=0", "limit"),
        ("to=EUR&limit=101", "100"),
        ("to=EUR&start=2026-03-02&end=2026-03-01", "after end"),
        ("to=EUR&start=2199-01-01", "future"),
    ],
)
def test_a_wrong_request_is_400(client, query, word):
    reply = client.get(f"/corrections?{query}")
    assert reply.status == 400
    assert word in reply.json["error"]
