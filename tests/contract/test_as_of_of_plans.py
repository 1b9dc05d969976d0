"""`as_of` on a plan with limited history: what it does not include is not read at any moment, nor from any cache."""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from msgspec import structs
from sqlalchemy import update
from tests.conftest import KEY, OWNER, PLANS
from tests.reading import read_with

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest, mint
from cambist.api.state.known_history import KnownHistory
from cambist.api.state.reader_pool import ReaderPool
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.ingest.snapshot_builder import rate_matrix_from_archive, record_edition, rules_of
from cambist.pricing.pair import Pair
from cambist.sources.adapters.ecb import adapter
from cambist.storage.sql import SqlStore
from cambist.storage.sql.editions import to_stored
from cambist.storage.sql.schema import editions

SOURCES = [adapter.source]
THEN, NOW = date(2026, 3, 8), date(2026, 11, 20)
OLD, BACKFILLED, RECENT = date(2026, 3, 6), date(2020, 5, 4), date(2026, 11, 19)

LIMIT = 30

ENDPOINTS = {
    "/historical": "date={day}&from=EUR&to=USD",
    "/time-series": "from=EUR&to=USD&start={day}&end={day}",
    "/convert": "amount=1&from=EUR&to=USD&date={day}",
    "/explain": "from=EUR&to=USD&date={day}",
    "/historical.csv": "date={day}&from=EUR&to=USD",
    "/time-series.csv": "from=EUR&to=USD&start={day}&end={day}",
}


class Archive:
    """An archive in which nobody files any more, with an edition of March, one of the day after and one of today."""

    def __init__(self, store):
        self.store, self.matrices, self.names = store, [], []
        self._show(THEN)
        self._file(BACKFILLED)
        self._show(THEN + timedelta(days=1))
        self._file(RECENT)
        self._show(NOW)

    def _file(self, day):
        delivery = DeliveryRecord("ecb", datetime(2026, 11, 19, 16, tzinfo=UTC), str(day), "d")
        self.store.archive.file(delivery, [Fixing("ecb", Pair("EUR", "USD"), day, Decimal("1.5"))])

    def _show(self, today):
        """Build a rate matrix and record its edition, at noon of its day."""
        built = rate_matrix_from_archive(self.store, SOURCES, today)
        self.matrices.append(record_edition(self.store.editions, built, SOURCES))
        newest = self.store.editions.newest()
        noon = datetime(today.year, today.month, today.day, 12, tzinfo=UTC)
        with self.store.editions._engine.begin() as connection:
            moved = update(editions).where(editions.c.recorded_at == to_stored(newest.recorded_at))
            connection.execute(moved.values(recorded_at=to_stored(noon)))
        self.names.append(newest.name)


class Service:
    """A client of two accounts, and the names of an edition of March and one of today."""

    def __init__(self, make_client, archive, limited_key):
        store = archive.store
        plan = structs.replace(PLANS["unlimited"], name="limited", history_days=LIMIT)
        keys = {
            digest(KEY): OWNER,
            digest(limited_key): StoredKey(9, Account(9, "limited", "limited")),
        }
        self.client = make_client(stored_keys=keys, plans=PLANS | {"limited": plan})
        self.keys = {"unlimited": KEY, "limited": limited_key}
        state = self.client.worker_state
        pool = ReaderPool(4, readers=1, within=30)
        read_with(
            state,
            known_history=KnownHistory(
                store.archive,
                store.editions,
                store.verdicts,
                pool,
                lambda: datetime.now(UTC) + timedelta(seconds=1),
                rules_of(SOURCES),
            ),
        )
        for matrix in archive.matrices:
            state.apply_matrix(matrix)
        self.then, self.middle, self.now = archive.names

    def ask(self, who, path, day, as_of=""):
        query = ENDPOINTS[path].format(day=day) + (f"&as_of={as_of}" if as_of else "")
        return self.client.get(f"{path}?{query}", key=self.keys[who])


@pytest.fixture(scope="module")
def archive(tmp_path_factory, small_database):
    store = SqlStore(f"sqlite:///{shutil.copy(small_database, tmp_path_factory.mktemp('plans'))}")
    yield Archive(store)
    store.close()


@pytest.fixture
def service(make_client, archive):
    return Service(make_client, archive, mint(lambda alphabet: alphabet[9]))


def is_refused(reply):
    return (reply.status, reply.json["code"]) == (403, "not_in_plan") and "cambist-first-edition" not in reply.headers


@pytest.mark.long(every=3)
@pytest.mark.parametrize("path", ENDPOINTS)
@pytest.mark.parametrize("is_warm", [True, False], ids=["after the unlimited plan", "first"])
@pytest.mark.parametrize("edition", ["then", "instant", "now", "no"])
def test_an_old_day_is_refused_at_every_edition(service, path, is_warm, edition):
    as_of = {"then": service.then, "instant": "2026-03-08T18:00:00Z", "now": service.now, "no": ""}[edition]
    if is_warm:
        for _ in range(2):
            assert service.ask("unlimited", path, OLD, as_of).status == 200
    for _ in range(3):
        assert is_refused(service.ask("limited", path, OLD, as_of))
    assert service.ask("unlimited", path, OLD, as_of).status == 200
    assert is_refused(service.ask("limited", path, OLD, as_of))


@pytest.mark.parametrize("path", ENDPOINTS)
@pytest.mark.parametrize("is_warm", [True, False], ids=["after the unlimited plan", "first"])
def test_it_is_not_said_either_when_an_old_day_became_known(service, path, is_warm):
    if is_warm:
        reply = service.ask("unlimited", path, BACKFILLED, service.then)
        assert (reply.status, reply.json["code"]) == (404, "not_known_then")
    assert is_refused(service.ask("limited", path, BACKFILLED, service.then))


@pytest.mark.parametrize("path", ENDPOINTS)
def test_a_day_of_the_plan_is_answered_as_to_others_whoever_asks_first(service, path):
    first = service.ask("limited", path, RECENT, service.now)
    second = service.ask("unlimited", path, RECENT, service.now)
    again = service.ask("limited", path, RECENT, service.now)
    assert first.status == second.status == again.status == 200
    if "json" in first.headers["content-type"]:
        assert {**first.json, "ms": 0} == {**second.json, "ms": 0} == {**again.json, "ms": 0}
    else:
        assert first.content == second.content == again.content


@pytest.mark.parametrize("as_of", ["{then}", "2026-03-08T18:00:00Z"])
def test_a_series_without_a_start_reaches_no_further(service, as_of):
    """The default is counted from the last day of the edition, which is long before the plan's first day."""
    target = f"/time-series?from=EUR&to=USD&as_of={as_of.format(then=service.then)}"
    assert service.client.get(target).status == 200
    for _ in range(2):
        assert is_refused(service.client.get(target, key=service.keys["limited"]))
