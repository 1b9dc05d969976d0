"""The ingest process reports disputes, and applies what an operator decides about them."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tests.disputes import file_dispute
from tests.processes.archive_double import ArchiveHere
from tests.processes.test_ingestor import watch_while

from cambist.admin.disputes import DisputeAdmin, WantedDecision
from cambist.history import disputes
from cambist.history.judging import Judging
from cambist.processes import archive_sync
from cambist.processes.ingestor import Ingestor
from cambist.registry import archive_tasks
from cambist.settings import Settings
from cambist.storage.sql import SqlStore


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A data directory in which the ECB disputes what others say about the euro."""
    store = SqlStore(f"sqlite:///{tmp_path / 'cambist.db'}")
    store.migrate()
    file_dispute(store.archive, datetime.now(UTC).date())
    store.close()
    return Settings(data=tmp_path)


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


def test_disputes_are_reported_and_found_a_few_at_a_time(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def judge_contested(judging: Judging, today: date) -> bool:
        asked.append(disputes.judge_contested(judging, today, most=0 if not asked else 1))
        return asked[-1]

    monkeypatch.setattr(archive_tasks, "judge_contested", judge_contested)
    with DisputeAdmin(settings, lambda: datetime.now(UTC)) as admin:
        admin.disputes()  # everything is judged already when the service starts
    monkeypatch.setattr(archive_sync, "_WATCH_SECONDS", 0.01)
    ingestor = Ingestor(settings, {})
    ingestor._archive.archive_worker.close()
    monkeypatch.setattr(ingestor._archive, "archive_worker", ArchiveHere(settings))

    async def run() -> None:
        await ingestor._archive.apply_all()
        assert (ingestor._statuses.disputes.total, ingestor._statuses.disputes.complete) == (0, False)
        task = asyncio.create_task(ingestor._archive.watch())
        async with asyncio.timeout(20):
            while not ingestor._statuses.disputes.complete:  # noqa: ASYNC110  a test
                await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(run())
    assert asked == [False, True]
    report = ingestor._statuses.report(datetime.now(UTC), {}, {})
    assert [(each.code, each.served.source) for each in report.disputes.disputes] == [("EUR", "fed")]
    assert {each.key: (each.held, each.only_held) for each in report.reports if each.held} == {"ecb": (1, True)}
