"""`as_of` at `/historical`, `/time-series`, `/convert` and `/explain` as the API documents it."""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from tests.conftest import client_of
from tests.reading import read_with

from cambist.api.state.known_history import KnownHistory
from cambist.api.state.reader_pool import ReaderPool
from cambist.errors import StoreBroken
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.ingest.snapshot_builder import rate_matrix_from_archive, record_edition, rules_of
from cambist.pricing.pair import Pair
from cambist.sources.adapters.ecb import adapter
from cambist.storage.sql import SqlStore

SOURCES = [adapter.source]
THURSDAY, FRIDAY = date(2026, 3, 5), date(2026, 3, 6)
USD = Pair("EUR", "USD")


class Service:
    """A client of the small file, whose archive and editions grow."""

    def __init__(self, client, store, prepared=None):
        self.client, self.store = client, store
        self.editions, self.matrices = [], []
        pool = ReaderPool(4, readers=1, within=30)
        state = client.worker_state
        read_with(
            state,
            known_fixings=lambda delivery, source, code, day: store.archive.published_fixings(
                source, code, day, up_to=delivery
            ),
            known_history=KnownHistory(
                store.archive,
                store.editions,
                store.verdicts,
                pool,
                lambda: datetime.now(UTC) + timedelta(seconds=1),
                rules_of(SOURCES),
            ),
        )
        if prepared is None:
            self.show()
        else:
            self.editions += prepared.editions
            for matrix in prepared.matrices:
                state.apply_matrix(matrix)

    def show(self):
        built = rate_matrix_from_archive(self.store, SOURCES, date(2026, 11, 20))
        self.matrices.append(record_edition(self.store.editions, built, SOURCES))
        self.client.worker_state.apply_matrix(self.matrices[-1])
        self.editions.append(self.store.editions.newest())

    def file(self, *fixings):
        number = len(self.editions)
        delivery = DeliveryRecord("ecb", datetime(2026, 3, 7, 12, number, tzinfo=UTC), f"{number}", "d")
        self.store.archive.file(delivery, [Fixing("ecb", USD, day, Decimal(value)) for value, day in fixings])
        self.show()

    def get(self, target, **rest):
        return self.client.get(target, **rest)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory, small_database, real_book, real_matrix):
    """A service with three editions: the small file, a correction of Friday, and a backfill of an old day."""
    path = shutil.copy(small_database, tmp_path_factory.mktemp("prepared"))
    store = SqlStore(f"sqlite:///{path}")
    made = Service(client_of(real_book, real_matrix), store)
    made.file(("9.5", FRIDAY))
    made.file(("1.5", date(2020, 5, 4)))
    store.close()
    return made, path


@pytest.fixture
def service(make_client, prepared, tmp_path):
    """A service of a test's own that is as the prepared one."""
    made, path = prepared
    store = SqlStore(f"sqlite:///{shutil.copy(path, tmp_path)}")
    yield Service(make_client(), store, made)
    store.close()


def test_an_answer_names_the_edition_and_is_the_same_again(service):
    first, second, third = (each.name for each in service.editions)
    rates = [service.get(f"/historical?date=2026-03-06&from=EUR&to=USD&as_of={name}") for name in (first, second)]
    assert [reply.json["results"]["USD"] for reply in rates] == [1.25, 9.5]
    assert [reply.headers["cambist-edition"] for reply in rates] == [first, second]
    now = service.get("/historical?date=2026-03-06&from=EUR&to=USD")
    assert now.headers["cambist-edition"] == third
    assert now.json["results"] == rates[1].json["results"]


@pytest.mark.parametrize(
    "path",
    [
        "/historical?date=2026-03-06&from=EUR&to=USD",
        "/time-series?from=EUR&to=USD&start=2026-03-06&end=2026-03-06",
        "/convert?amount=1&from=EUR&to=USD&date=2026-03-06",
        "/explain?from=EUR&to=USD&date=2026-03-06",
    ],
)
def test_all_four_endpoints_answer_as_an_edition_or_an_instant_knew(service, path):
    first, second = service.editions[:2]
    moment = first.recorded_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    before, instant = (service.get(f"{path}&as_of={name}") for name in (first.name, moment))
    after, now = service.get(f"{path}&as_of={second.name}"), service.get(path)
    assert (before.status, after.status) == (200, 200)
    bodies = [{**reply.json, "ms": 0, "edition": ""} for reply in (before, instant, after, now)]
    assert bodies[0] == bodies[1] != bodies[2] == bodies[3]
    assert instant.headers["cambist-edition"] == first.name


def test_an_answer_of_a_past_edition_may_be_cached(service):
    path = f"/convert?amount=1&from=EUR&to=USD&date=2026-03-06&as_of={service.editions[0].name}"
    reply = service.get(path)
    assert reply.headers["cache-control"] == "private, max-age=3600"
    assert service.get(path, headers={"If-None-Match": reply.headers["etag"]}).status == 304
    assert service.get(path).json["result"] == reply.json["result"]


def test_a_backfilled_day_was_not_known_then(service):
    first, _, third = (each.name for each in service.editions)
    path = "/historical?date=2020-05-04&from=EUR&to=USD"
    reply = service.get(f"{path}&as_of={first}")
    assert (reply.status, reply.json["code"]) == (404, "not_known_then")
    assert reply.json["error"] == (
        "The rate from [EUR] to [USD] on [2020-05-04] was not known at "
        f"[{first}]: the first edition with it is [{third}]"
    )
    assert reply.headers["cambist-first-edition"] == third
    assert service.get(f"{path}&as_of={third}").json["results"] == {"USD": 1.5}


@pytest.mark.parametrize(
    "path",
    [
        "/time-series?from=EUR&to=USD&start=2020-05-01&end=2020-05-04",
        "/convert?amount=1&from=EUR&to=USD&date=2020-05-04",
        "/explain?from=EUR&to=USD&date=2020-05-04",
        "/historical.csv?date=2020-05-04&from=EUR&to=USD",
    ],
)
def test_not_known_then_is_said_everywhere(service, path):
    reply = service.get(f"{path}&as_of={service.editions[1].name}")
    assert (reply.status, reply.json["code"]) == (404, "not_known_then")
    assert reply.headers["cambist-first-edition"] == service.editions[2].name


def test_what_nobody_knows_is_no_rate(service):
    reply = service.get(f"/historical?date=2019-05-04&from=EUR&to=USD&as_of={service.editions[0].name}")
    assert (reply.status, reply.json["code"]) == (404, "no_rate")


def test_published_may_be_assumed_and_is_marked(service):
    path = f"/historical?date=2020-05-04&from=EUR&to=USD&as_of={service.editions[0].name}&assume=published"
    reply = service.get(path)
    assert reply.json["results"] == {"USD": 1.5}
    assert reply.json["assumed"] == ["published"]
    assert reply.headers["cache-control"] == "no-store"


def test_an_assumption_does_not_change_what_was_known(service):
    path = f"/historical?date=2026-03-06&from=EUR&to=USD&as_of={service.editions[0].name}&assume=published"
    assert service.get(path).json["results"] == {"USD": 1.25}


def test_assume_without_as_of_is_refused(service):
    reply = service.get("/historical?date=2026-03-06&assume=published")
    assert (reply.status, reply.json["error"]) == (400, "Missing parameter: [as_of], without it nothing is assumed")


@pytest.mark.parametrize("path", ["/convert?amount=1&to=USD&from=EUR", "/explain?to=USD&from=EUR"])
def test_a_live_answer_has_no_as_of(service, path):
    reply = service.get(f"{path}&as_of={service.editions[0].name}")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert reply.json["error"].startswith("Missing parameter: [date]")


@pytest.mark.long(every=4)
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2026-03-06", "it takes an edition, or an instant such as 2026-03-06T17:00:00Z"),
        ("yesterday", "it takes an edition, or an instant such as 2026-03-06T17:00:00Z"),
        ("2999-03-06T17:00:00Z", "is in the future"),
        ("1-000000000000-0000000000000000", "is not an edition of this service"),
    ],
)
def test_other_marks_are_refused(service, text, reason):
    reply = service.get(f"/historical?date=2026-03-06&as_of={text}")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert reply.json["error"].endswith(reason)
    assert f"[{text}]" in reply.json["error"]


@pytest.mark.parametrize("rest", ["/explain?verbose=1", "/explain?rate_type=parallel", "/historical?min_sources=2"])
def test_what_is_read_of_the_archive_as_it_is_now_has_no_as_of(service, rest):
    reply = service.get(f"{rest}&from=EUR&to=USD&date=2026-03-06&as_of={service.editions[0].name}")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert "cannot be combined with" in reply.json["error"]


def test_before_the_first_edition_the_deliveries_say_what_was_known(service):
    # The small file was filed as received in November 2026, which is before any edition of this test is recorded.
    received = "2026-11-20T12:00:00Z"
    reply = service.get(f"/historical?date=2026-03-06&from=EUR&to=USD&as_of={received}")
    if service.editions[0].recorded_at > datetime(2026, 11, 20, 12, tzinfo=UTC):
        assert reply.json["assumed"] == ["rules"]
    assert reply.status == 200


def test_before_anything_was_received_nothing_was_known(service):
    reply = service.get("/historical?date=1999-03-05&as_of=1999-03-06T12:00:00Z")
    assert (reply.status, reply.json["code"]) == (404, "not_known_then")
    assert reply.headers["cambist-first-edition"] == service.editions[0].name


def test_a_day_after_the_mark_is_no_prophecy(service):
    service.store.editions.known_at = lambda _moment: service.editions[0]
    reply = service.get("/historical?date=2026-03-09&from=EUR&to=USD&as_of=2026-03-07T12:00:00Z")
    assert (reply.status, reply.json["code"]) == (404, "not_known_then")


def test_an_archive_that_cannot_be_read_is_said(service, monkeypatch):
    def broken(*_: object) -> None:
        raise StoreBroken("the disk is gone")

    monkeypatch.setattr(service.store.archive, "known_fixings", broken)
    reply = service.get(f"/historical?date=2026-03-06&as_of={service.editions[0].name}")
    assert (reply.status, reply.json["code"]) == (503, "rate_unavailable")


def test_a_sandbox_has_no_editions(client):
    reply = client.get("/historical?date=2026-03-06&as_of=2026-03-07T12:00:00Z")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")


def test_an_edition_of_another_way_of_building_is_marked(service):
    history = service.client.worker_state.readers.known_history
    history._current = rules_of(SOURCES).__class__(0, (), {})
    reply = service.get(f"/historical?date=2026-03-06&from=EUR&to=USD&as_of={service.editions[0].name}")
    assert reply.json["assumed"] == ["code"]


def test_a_series_of_a_coin_has_no_past_state(service):
    first = service.editions[0].name
    for query in (f"as_of={first}", "as_of=2026-03-07T13:00:00Z", f"as_of={first}&assume=published"):
        reply = service.get(f"/time-series?from=BTC&to=EUR&start=2026-03-05&end=2026-03-06&{query}")
        assert (reply.status, "ask /historical for each" in reply.json["error"]) == (400, True), reply.text
