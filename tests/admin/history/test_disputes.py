"""Decisions on disputes, over both databases: SQLite in the data folder, and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tests.disputes import EUR_USD, fair, file, file_dispute
from tests.postgresql import postgresql_server

from cambist.admin.history.decisions import WantedDecision, WantedException
from cambist.admin.history.disputes import MOST_AT_ONCE, DisputeAdmin
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


@pytest.mark.long(every=2)
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


UNTIL = date(2026, 12, 31)


@pytest.mark.long(every=2)
def test_a_source_is_left_out_for_a_code_until_a_day_and_counts_again_afterwards(
    admin: DisputeAdmin, store: Store, settings: Settings
) -> None:
    before = edition(store, settings)
    served = admin.examine("EUR").dispute.served
    assert served is not None
    assert served.source == "fed"
    wanted = WantedException("EUR", "fed", UNTIL, date(2026, 11, 1), "its file is broken")
    (preview,) = admin.preview_all([wanted])
    assert preview.now == served
    assert preview.choice.serves is not None
    assert preview.choice.serves.source != "fed"
    assert preview.choice.days > 0
    assert edition(store, settings) == before
    done = admin.leave_out(wanted)
    now = admin.examine("EUR").dispute.served
    assert now == preview.choice.serves
    assert edition(store, settings) != before
    (listed,) = admin.decisions()
    assert (listed.decision.source, listed.decision.reason, listed.holds) == ("fed", "its file is broken", True)
    admin.take_back(done.decision.number)
    assert admin.examine("EUR").dispute.served == served
    assert edition(store, settings) == before


def test_an_exception_that_has_ended_changes_only_its_own_days(admin: DisputeAdmin) -> None:
    served = admin.examine("EUR").dispute.served
    (preview,) = admin.preview_all([WantedException("EUR", "ecb", date(2026, 11, 5), date(2026, 11, 4))])
    assert preview.choice.serves == served
    assert preview.choice.days == 2


@pytest.mark.long(every=2)
@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (WantedException("EUR", "cbc", UNTIL), r"The source \[cbc\] has no fixings of \[EUR\]"),
        (WantedException("EUR", "fed", date(2026, 11, 1)), "before it begins on 2026-11-20"),
        (WantedException("XXX", "fed", UNTIL), "No source has fixings"),
    ],
)
def test_an_impossible_exception_is_refused(admin: DisputeAdmin, wanted: WantedException, sentence: str) -> None:
    with pytest.raises(BadParameter, match=sentence):
        admin.leave_out(wanted)
    assert admin.decisions() == []


def test_several_decisions_are_taken_together_or_none(admin: DisputeAdmin) -> None:
    good = WantedDecision("EUR", WRONG, accepts=True)
    with pytest.raises(BadParameter, match="No source has fixings"):
        admin.decide_all([good, WantedDecision("XXX", "1", accepts=True)])
    for number in (0, MOST_AT_ONCE + 1):
        with pytest.raises(BadParameter, match="takes 1 to 20"):
            admin.decide_all([good] * number)
    assert admin.decisions() == []
    both = [good, WantedException("EUR", "fed", UNTIL)]
    assert [each.decision.source for each in admin.decide_all(both)] == ["", "fed"]
    assert len(admin.decisions()) == 2


def test_decisions_about_one_code_are_previewed_together(admin: DisputeAdmin) -> None:
    both = [WantedException("EUR", source, UNTIL, date(2026, 11, 1)) for source in ("fed", "ecb")]
    found = admin.preview_all(both)
    assert {preview.choice.serves.source for preview in found if preview.choice.serves} == {"boj"}


def test_the_held_fixings_of_a_source_are_found(admin: DisputeAdmin) -> None:
    assert admin.held_by("ecb") == ["EUR"]
    assert admin.held_by("fed") == []
    with pytest.raises(BadParameter, match=r"did you mean \[ecb\]"):
        admin.held_by("ecbb")
