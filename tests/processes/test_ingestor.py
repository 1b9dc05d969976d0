"""The ingest process applies what the operator's commands change in the archive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.disputes import file_dispute
from tests.patience import PATIENCE
from tests.processes.archive_double import ArchiveHere

from cambist.admin.history.decisions import WantedDecision
from cambist.admin.history.disputes import DisputeAdmin
from cambist.errors import StoreUnreachable
from cambist.history import disputes
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.judging import Judging
from cambist.history.typed_series import CLOSES
from cambist.ingest import coin_closes as closes_module
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.processes import archive_watch
from cambist.processes import ingestor as module
from cambist.processes.ingestor import Ingestor
from cambist.registry.archiving import archive_tasks
from cambist.settings import Settings
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.sql import SqlStore

CAME_AT = datetime(2026, 11, 19, 16, 0, tzinfo=UTC)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A data directory in which the ECB disputes what others say about the euro."""
    store = SqlStore(f"sqlite:///{tmp_path / 'cambist.db'}")
    store.migrate()
    file_dispute(store.archive, datetime.now(UTC).date())
    store.close()
    return Settings(data=tmp_path)


def watch_while(settings: Settings, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> tuple[Any, Any]:
    """Run `act` while an ingestor watches its archive, and return the ingestor with a double of its archive worker."""
    monkeypatch.setattr(archive_watch, "_WATCH_SECONDS", 0.01)
    ingestor, archive = Ingestor(settings, {}), ArchiveHere(settings)
    ingestor._archive.archive_worker.close()
    monkeypatch.setattr(ingestor._archive, "archive_worker", archive)

    async def run() -> None:
        task = asyncio.create_task(ingestor._archive.watch())
        await asyncio.sleep(0.05)
        assert archive.calls == 0
        act()
        await asyncio.sleep(0.3)
        task.cancel()

    asyncio.run(run())
    return ingestor, archive


@pytest.mark.long
def test_a_decision_of_the_operator_is_applied(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def accept() -> None:
        with DisputeAdmin(settings, lambda: datetime.now(UTC)) as admin:
            assert admin.disputes().total == 1
            admin.decide(WantedDecision("EUR", "ecb", accepts=True))

    ingestor, _ = watch_while(settings, monkeypatch, accept)
    source_status = ingestor._statuses.by_source["ecb"]
    assert (source_status.held.count, source_status.coverage.pairs, source_status.newest is not None) == (0, 1, True)
    assert (ingestor._statuses.disputes.total, ingestor._statuses.disputes.decision) == (0, 1)
    assert ingestor._archive.is_matrix_due.is_set()


def test_what_another_process_files_is_applied(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def file() -> None:
        store = SqlStore(settings.database_url)
        today = datetime.now(UTC).date()
        one = Fixing("fed", Pair("USD", "SEK"), today, Decimal("9.5"))
        store.archive.file(DeliveryRecord("fed", datetime.now(UTC), "another", "e"), [one])
        store.close()
        data_changes(settings.data).notify(Topic.ARCHIVE)

    ingestor, _ = watch_while(settings, monkeypatch, file)
    assert ingestor._rate_books.fixings["SEK"].bid == Fraction("9.5")
    assert ingestor._statuses.by_source["fed"].coverage.pairs == 2
    assert ingestor._archive.is_matrix_due.is_set()


@pytest.mark.long
def test_disputes_are_reported_and_found_a_few_at_a_time(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def judge_contested(judging: Judging, today: date) -> bool:
        asked.append(disputes.judge_contested(judging, today, most=0 if not asked else 1))
        return asked[-1]

    monkeypatch.setattr(archive_tasks, "judge_contested", judge_contested)
    with DisputeAdmin(settings, lambda: datetime.now(UTC)) as admin:
        admin.disputes()  # everything is judged already when the service starts
    monkeypatch.setattr(archive_watch, "_WATCH_SECONDS", 0.01)
    ingestor = Ingestor(settings, {})
    ingestor._archive.archive_worker.close()
    monkeypatch.setattr(ingestor._archive, "archive_worker", ArchiveHere(settings))

    async def run() -> None:
        await ingestor._archive.apply_all()
        assert (ingestor._statuses.disputes.total, ingestor._statuses.disputes.complete) == (0, False)
        task = asyncio.create_task(ingestor._archive.watch())
        async with asyncio.timeout(PATIENCE):
            while not ingestor._statuses.disputes.complete:  # noqa: ASYNC110  a test
                await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(run())
    assert asked == [False, True]
    report = ingestor._statuses.report(datetime.now(UTC), {}, {})
    assert [(each.code, each.served.source) for each in report.disputes.disputes] == [("EUR", "fed")]
    assert {each.key: (each.held, each.only_held) for each in report.reports if each.held} == {"ecb": (1, True)}


def test_one_notification_is_applied_once(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    ingestor, archive = watch_while(settings, monkeypatch, lambda: data_changes(settings.data).notify(Topic.ARCHIVE))
    assert ingestor._archive.is_matrix_due.is_set()
    # The quotes and the disputes of all, and what is stored of each source.
    assert 0 < archive.calls <= len(ingestor._adapters) + 2


def test_changes_of_other_topics_are_ignored(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    ingestor, archive = watch_while(settings, monkeypatch, lambda: data_changes(settings.data).notify(Topic.PLANS))
    assert archive.calls == 0
    assert not ingestor._archive.is_matrix_due.is_set()


@pytest.mark.long
def test_while_the_database_is_gone_no_source_is_tried_after_the_first_and_all_are_when_it_is_back(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    gone = StoreUnreachable("The database cannot be reached: gone")
    archive = ArchiveHere(settings)
    failures: list[Exception] = [gone] * 3

    class Archive:
        async def call(self, method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            if failures:
                raise failures.pop()
            return await archive.call(method, *args, **kwargs)

    monkeypatch.setattr(archive_watch, "_WATCH_SECONDS", 0.01)
    ingestor = Ingestor(settings, {})
    ingestor._archive.archive_worker.close()
    monkeypatch.setattr(ingestor._archive, "archive_worker", Archive())

    async def run() -> None:
        await ingestor._archive.apply_delivery("ecb")
        await ingestor._archive.apply_all()
        assert (len(failures), archive.calls) == (1, 0)
        task = asyncio.create_task(ingestor._archive.watch())
        async with asyncio.timeout(PATIENCE):
            while ingestor._archive._is_unreachable:  # noqa: ASYNC110  a test
                await asyncio.sleep(0.01)
        task.cancel()

    with caplog.at_level("INFO"):
        asyncio.run(run())
    assert failures == []
    assert archive.calls == len(ingestor._archive._keys) + 2  # of the quotes and the disputes of all
    assert [record.getMessage() for record in caplog.records if record.getMessage().startswith("Ingest")] == [
        "Ingest: the archive cannot be read, the fixings stay as they are: The database cannot be reached: gone",
        "Ingest: the archive is read again",
    ]


@pytest.mark.parametrize("work", ["ArchiveWatch.watch", "Ingestor._archive_closes"])
def test_the_ingestor_watches_the_archive_and_archives_closes(settings: Settings, work: str) -> None:
    ingestor = Ingestor(settings, {})
    ingestor._archive.archive_worker.close()
    ingestor._enabled = {}
    works = ingestor._coroutines(None)  # type: ignore[arg-type]
    assert work in [each.__qualname__ for each in works]
    for each in works:
        each.close()


def test_the_ingestor_watches_which_sources_are_asked_for(settings: Settings) -> None:
    ingestor = Ingestor(settings, {})
    ingestor._archive.archive_worker.close()
    works = ingestor._coroutines(None)  # type: ignore[arg-type]
    assert [each.__qualname__ for each in works].count("watch_asked_sources") == 1
    for each in works:
        each.close()


def test_the_closes_of_coins_are_archived_when_a_day_ends(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    midnight = datetime(2026, 11, 22, tzinfo=UTC)
    moments = {"now": midnight - timedelta(minutes=20)}
    monkeypatch.setattr(module, "utc_now", lambda: moments["now"])
    monkeypatch.setattr(closes_module, "_POLL_EVERY", 0.01)
    ingestor = Ingestor(settings, {})
    ingestor._archive.archive_worker.close()
    monkeypatch.setattr(ingestor._archive, "archive_worker", ArchiveHere(settings))

    def apply_tick(coin: str, mid: int, moment: datetime) -> None:
        moments["now"] = moment
        ingestor._pipeline.apply_tick(
            Tick("kraken", Pair(coin, "USD"), Decimal(mid - 1), Decimal(mid + 2), moment), moment
        )
        assert ingestor._rate_books.build(moment) is not None

    async def run() -> None:
        task = asyncio.create_task(ingestor._archive_closes())
        apply_tick("XMR", 150, midnight - timedelta(minutes=20))
        for mid, seconds in ((60000, -2), (60100, -1), (60200, 1)):
            apply_tick("BTC", mid, midnight + timedelta(seconds=seconds))
            await asyncio.sleep(0.1)
        task.cancel()

    asyncio.run(run())
    store = SqlStore(settings.database_url)
    (known,) = store.archive.fixings_on(CLOSES, midnight.date() - timedelta(days=1))
    assert known.fixing == Fixing(CLOSES, Pair("BTC", "USD"), date(2026, 11, 21), Decimal("60100.5"))
    assert (known.origin, known.received_at) == ("kraken", midnight + timedelta(seconds=1))
    assert store.archive.revisions(Pair("XMR", "USD"), date(2026, 11, 21)) == []
    store.close()


def test_a_full_disk_keeps_the_last_file_and_is_logged_once(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    ingestor, full = Ingestor(settings, {}), [True, True, False]
    ingestor._archive.archive_worker.close()

    def write() -> None:
        if full.pop(0):
            raise OSError(28, "No space left on device")

    with caplog.at_level("INFO"):
        assert [ingestor._publication.write("book", write) for _ in range(3)] == [False, False, True]
    assert [record.message for record in caplog.records] == [
        "Ingest: the book cannot be written, the last one stays: No space left on device",
        "Ingest: the book is written again",
    ]
