"""Decisions on disputes, over both databases: SQLite in the data folder, and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tests.disputes import EUR_USD, fair, file, file_dispute
from tests.postgresql import postgresql_server

from cambist.admin.history.disputes import DisputeAdmin, WantedDecision
from cambist.errors import BadParameter
from cambist.ingest.snapshot_builder import is_current, rate_matrix_from_archive, record_edition
from cambist.registry.sources.source_adapters import fixing_adapters
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.storage import Store

TODAY = date(2026, 11, 20)
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
WRONG = "0.0868"


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    if request.param == "sqlite":
        yield Settings(data=tmp_path)
        return
    server = postgresql_server()
    name = server.new_database()
    yield Settings(data=tmp_path, database=server.url(name))
    server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def store(settings: Settings) -> Iterator[Store]:
    store = open_store(settings)
    store.migrate()
    file_dispute(store.archive, TODAY)
    yield store
    store.close()


@pytest.fixture
def admin(settings: Settings, store: Store) -> Iterator[DisputeAdmin]:
    assert store
    with DisputeAdmin(settings, lambda: NOW, "alice") as admin:
        yield admin


def edition(store: Store, settings: Settings) -> str:
    """Judge the archive, and return the edition that it has then."""
    sources = [adapter.source for adapter in fixing_adapters(settings).values()]
    matrix = record_edition(store.editions, rate_matrix_from_archive(store, sources, TODAY), sources)
    assert is_current(matrix, store, TODAY, sources)
    return matrix.edition


def test_a_decision_and_its_end_have_editions(admin: DisputeAdmin, store: Store, settings: Settings) -> None:
    before = edition(store, settings)
    assert [each.code for each in admin.disputes().disputes] == ["EUR"]
    done = admin.decide(WantedDecision("EUR", WRONG, accepts=True))
    accepted = edition(store, settings)
    assert admin.disputes().total == 0
    admin.take_back(done.decision.number)
    # What was decided is recorded; after it was taken back the history is what it was, and named so.
    assert edition(store, settings) == before != accepted
    assert [each.name for each in store.editions.after(0, 9)] == [before, accepted, before]
    assert [each.code for each in admin.disputes().disputes] == ["EUR"]


def test_a_decision_does_not_need_a_dispute(admin: DisputeAdmin, store: Store) -> None:
    file(store.archive, "ecb", EUR_USD, [(day, fair(day)) for day in (date(2026, 11, 19), TODAY)])
    assert admin.disputes().total == 0
    assert not admin.examine("EUR").is_open
    rejected = admin.preview(WantedDecision("EUR", "ecb", accepts=False, first=TODAY))
    assert rejected.serves is not None
    assert rejected.serves.day < TODAY
    done = admin.decide(WantedDecision("EUR", "ecb", accepts=False))
    assert done.decision.first_day == (TODAY - date(1970, 1, 1)).days
    assert admin.examine("EUR").dispute.served == rejected.serves
    assert admin.disputes().total == 0


def test_all_decisions_are_listed_newest_first(admin: DisputeAdmin) -> None:
    first = admin.decide(WantedDecision("EUR", WRONG, accepts=False, reason="a typo"))
    second = admin.decide(WantedDecision("EUR", "fed", accepts=True))
    admin.take_back(first.decision.number)
    listed = [(each.decision.number, each.holds, each.decision.reason) for each in admin.decisions()]
    assert listed == [(second.decision.number, True, ""), (first.decision.number, False, "a typo")]
    with pytest.raises(BadParameter, match="was taken back by"):
        admin.preview_without(first.decision.number)
