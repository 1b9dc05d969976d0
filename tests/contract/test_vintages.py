"""`GET /vintages`, and `/corrections` with `since`, in JSON and as Atom."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from xml.etree.ElementTree import fromstring

import pytest
from tests.reading import read_with

from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.ingest.snapshot_builder import rate_matrix_from_archive, record_edition
from cambist.pricing.pair import Pair
from cambist.sources.adapters.ecb import adapter
from cambist.storage.sql import SqlStore

RECEIVED = datetime(2026, 10, 29, 15, 0, tzinfo=UTC)
DAY = date(2026, 10, 29)
ATOM = "{http://www.w3.org/2005/Atom}"
SOURCES = [adapter.source]


class Archive:
    """The archive that a client reads; `editions` has the edition after each delivery."""

    def __init__(self, client, store):
        self.client, self.store, self.editions = client, store, []
        read_with(client.worker_state, feed=store.archive.corrections_after, vintages=store.archive.vintages)

    def file(self, *fixings, source="ecb"):
        moment = RECEIVED + timedelta(hours=len(self.editions))
        delivered = [Fixing(source, Pair("EUR", code), day, Decimal(value)) for code, value, day in fixings]
        self.store.archive.file(DeliveryRecord(source, moment, "a test", "d"), delivered)
        built = record_edition(
            self.store.editions,
            rate_matrix_from_archive(self.store, SOURCES, date(2026, 11, 20)),
            SOURCES,
        )
        self.client.worker_state.apply_matrix(built)
        self.editions.append(built.edition)


@pytest.fixture
def archive(make_client, tmp_path):
    store = SqlStore(f"sqlite:///{tmp_path / 'archive.db'}")
    store.migrate()
    made = Archive(make_client(), store)
    made.file(("USD", "1.1", DAY), ("JPY", "180", DAY), ("USD", "1.15", DAY + timedelta(days=3)))
    made.file(("JPY", "181", DAY))
    made.file(("GBP", "0.8", DAY))
    made.file(("JPY", "182", DAY), ("USD", "1.2", DAY))
    yield made
    store.close()


def feed(archive, query):
    reply = archive.client.get(f"/corrections?{query}")
    assert reply.status == 200, reply.content
    return reply.json


def values(answer):
    return [(each["quote"], each["earlier"]["value"], each["corrected"]["value"]) for each in answer["corrections"]]


def test_vintages_have_every_word_in_the_order_in_which_it_was_learnt(archive):
    reply = archive.client.get("/vintages?from=EUR&to=JPY&date=2026-10-29")
    assert list(reply.json) == ["date", "base", "quote", "vintages", "ms"]
    found = [(each["quote"], each["value"], each["delivery"], each["corrects"]) for each in reply.json["vintages"]]
    assert [each for each in found if each[0] == "JPY"] == [
        ("JPY", "180", 1, False),
        ("JPY", "181", 2, True),
        ("JPY", "182", 4, True),
    ]
    assert reply.json["vintages"][0]["received_at"] == "2026-10-29T15:00:00Z"


def test_vintages_carry_nothing_forward(archive):
    assert archive.client.get("/vintages?from=EUR&to=JPY&date=2026-10-30").json["vintages"] == []


def test_vintages_show_nothing_newer_than_their_edition(archive):
    delivery = DeliveryRecord("ecb", RECEIVED + timedelta(days=1), "a test", "e")
    archive.store.archive.file(delivery, [Fixing("ecb", Pair("EUR", "JPY"), DAY, Decimal(9))])
    reply = archive.client.get("/vintages?from=EUR&to=JPY&date=2026-10-29")
    assert "9" not in [each["value"] for each in reply.json["vintages"]]
    assert reply.headers["cambist-edition"] == archive.editions[-1]


def test_the_feed_has_all_corrections_after_an_edition_and_where_to_go_on(archive):
    first = feed(archive, f"since={archive.editions[0]}")
    assert values(first) == [("JPY", "180", "181"), ("USD", "1.1", "1.2"), ("JPY", "181", "182")]
    assert first["next"] == archive.editions[-1]
    assert feed(archive, f"since={first['next']}")["corrections"] == []
    assert values(feed(archive, f"since={archive.editions[2]}")) == values(first)[1:]


def test_the_feed_goes_on_within_a_delivery(archive):
    found, since = [], archive.editions[0]
    for _ in range(5):
        page = feed(archive, f"since={since}&limit=1")
        found += values(page)
        since = page["next"]
    assert found == values(feed(archive, f"since={archive.editions[0]}"))
    assert since == archive.editions[-1]


def test_each_correction_says_which_days_it_changes(archive):
    found = feed(archive, f"since={archive.editions[0]}")["corrections"]
    assert {(each["quote"], each["date"], each["affected_until"]) for each in found} == {
        ("JPY", "2026-10-29", "2026-11-12"),
        ("USD", "2026-10-29", "2026-10-31"),
    }
    assert len({each["id"] for each in found}) == 3


@pytest.mark.long(every=3)
@pytest.mark.parametrize("since", ["2026-10-29", "x", "17-abc-def", "1.2.2026-13-01"])
def test_another_since_is_refused(archive, since):
    reply = archive.client.get(f"/corrections?since={since}")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert reply.json["error"] == f"Invalid since: [{since}], it takes an edition, or the [next] of an answer"


def test_without_a_pair_and_since_there_are_the_newest_of_all_and_where_to_go_on(archive):
    found = feed(archive, "")
    assert values(found) == [("JPY", "180", "181"), ("USD", "1.1", "1.2"), ("JPY", "181", "182")]
    assert found["next"] == archive.editions[-1]
    newest = feed(archive, "limit=1")
    assert (values(newest), values(feed(archive, f"since={newest['next']}"))) == ([("JPY", "181", "182")], [])


def test_before_the_first_edition_it_says_what_is_missing(archive):
    assert "waiting" not in feed(archive, "")
    archive.client.worker_state.apply_matrix(replace(archive.client.worker_state.matrix, edition=""))
    for query in ("", "from=EUR&to=JPY"):
        found = feed(archive, query)
        assert found["waiting"].startswith("There is no edition yet: the first is recorded when a source has delivered")
        assert "next" not in found


def test_a_code_that_is_left_out_is_the_dollar(archive):
    found = feed(archive, "from=EUR")
    assert values(found) == values(feed(archive, "from=EUR&to=USD"))
    assert "next" not in found


def test_the_feed_is_also_atom_newest_first(archive):
    reply = archive.client.get(f"/corrections.atom?since={archive.editions[0]}")
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/atom+xml; charset=utf-8"
    root = fromstring(reply.content)  # noqa: S314  our own
    entries = root.findall(f"{ATOM}entry")
    assert [each.findtext(f"{ATOM}title") for each in entries][-1] == "ecb EUR/JPY 2026-10-29: 180, now 181"
    assert root.findtext(f"{ATOM}updated") == entries[0].findtext(f"{ATOM}updated") == "2026-10-29T18:00:00Z"
    assert len({each.findtext(f"{ATOM}id") for each in entries}) == 3
    assert reply.headers["x-calls-cost"] == "1"


def test_atom_without_since_has_the_newest(archive):
    root = fromstring(archive.client.get("/corrections.atom?limit=1").content)  # noqa: S314  our own
    assert len(root.findall(f"{ATOM}entry")) == 1
    assert archive.client.get("/corrections.atom?limit=0").json["code"] == "bad_parameter"
    assert archive.client.get("/corrections.atom", key=None).status == 401
