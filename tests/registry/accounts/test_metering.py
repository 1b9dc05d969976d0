"""The meter as a process opens it: what it knows of pages that are there, and of those that are not."""

import shutil
from datetime import UTC, datetime

import pytest

from cambist.accounts.account import Account
from cambist.registry.accounts import metering
from cambist.registry.accounts.metering import open_meter
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.usage.usage_writer import UsageWriter
from cambist.storage.shared.usage.worker_counters import WorkerCounters

TODAY = datetime.now(UTC).date()


@pytest.fixture
def settings(tmp_path):
    return Settings(data=tmp_path)


@pytest.fixture
def store(settings):
    store = open_store(settings)
    store.migrate()
    store.accounts.create(Account(0, "shop", "one"))
    yield store
    store.close()


def spend(settings, store, calls):
    folder = DataDirectory(settings.data).ledger
    counters = WorkerCounters(folder, ["/fetch-one"], 1)
    counters.spend(1, "/fetch-one", calls, TODAY)
    UsageWriter(folder).write(store.usage, TODAY)
    counters.close()


def test_calls_in_the_database_and_in_a_counter_file_count_once(settings, store):
    spend(settings, store, 300)
    assert open_meter(settings, store).calls_on(1, TODAY) == 300


def test_calls_of_lost_counter_files_still_count(settings, store):
    spend(settings, store, 300)
    shutil.rmtree(DataDirectory(settings.data).ledger)
    assert open_meter(settings, store).calls_on(1, TODAY) == 300
    spend(settings, store, 50)
    assert open_meter(settings, store).calls_on(1, TODAY) == 350


def test_calls_of_a_counter_file_that_is_created_while_the_database_is_read_count_once(settings, store):
    spend(settings, store, 300)
    shutil.rmtree(DataDirectory(settings.data).ledger)

    class UsageWithNewFile:
        """Usage for which another worker creates a counter file before it is read the first time."""

        def by_day(self, since, without=(), **_kind):
            if not self.__dict__.setdefault("spent", False):
                self.spent = True
                spend(settings, store, 7)
            return store.usage.by_day(since, without)

    counters = WorkerCounters(DataDirectory(settings.data).ledger, [], 1)
    past = metering._past_usage(counters, UsageWithNewFile())
    assert past[1][TODAY] + counters.spent(1, TODAY) == 307
