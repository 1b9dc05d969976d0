"""`cambist quarantine`: list, accept and reject refused fixings, and notify the ingest process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cambist.errors import StoreBroken
from cambist.history.fixing import Fixing, Receipt, ReceivedFixing, RefusedFixing
from cambist.history.quarantine import QuarantineState
from cambist.ingest.filing import Delivery, FilingContext, file_delivery
from cambist.pricing.pair import Pair
from cambist.sources.adapters.ecb import adapter
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.sql import SqlStore
from cambist.storage.sql.archive import SqlArchive
from cambist.storage.sql.filing import Filing
from cambist.storage.sql.quarantine import SqlQuarantine

Shell = Callable[..., Any]
ErrorOf = Callable[..., str]
CAME_AT = datetime(2026, 3, 9, 16, 0, tzinfo=UTC)
MONDAY = date(2026, 3, 9)
EUR_USD, EUR_JPY, USD_SEK = Pair("EUR", "USD"), Pair("EUR", "JPY"), Pair("USD", "SEK")


def fixing(pair: Pair, value: str, day: date = MONDAY, source: str = "ecb") -> Fixing:
    return Fixing(source, pair, day, Decimal(value))


def add_to_quarantine(store: SqlStore, one: Fixing, reason: str) -> None:
    store.archive.file(Receipt(one.source, CAME_AT, "https://rates.example/", "d"), [], [RefusedFixing(one, reason)])


@pytest.fixture
def store(folder: Path) -> Iterator[SqlStore]:
    """A store with three fixings in quarantine: 1 (EUR/USD), 2 (EUR/JPY) and 3 (of the Fed)."""
    store = SqlStore(f"sqlite:///{folder / 'cambist.db'}")
    add_to_quarantine(store, fixing(EUR_USD, "12.5000"), "ten times the day before")
    add_to_quarantine(store, fixing(EUR_JPY, "1.80"), "a hundredth of the day before")
    add_to_quarantine(store, fixing(USD_SEK, "99.10", source="fed"), "nobody else says so")
    yield store
    store.close()


def states(store: SqlStore) -> list[QuarantineState]:
    return [each.state for each in store.quarantine.quarantined(None)]


def notifications(folder: Path) -> int:
    return data_changes(folder).version(Topic.ARCHIVE)


def received_fixings(store: SqlStore, pair: Pair = EUR_USD, day: date = MONDAY) -> list[ReceivedFixing]:
    return store.archive.revisions(pair, day)


@pytest.mark.usefixtures("store")
def test_waiting_fixings_are_listed_with_the_reason(shell: Shell) -> None:
    rows = [line for line in shell("quarantine", "list").out.splitlines() if " ecb " in line or " fed " in line]
    assert len(rows) == 3
    words = ("1", "ecb", "1 EUR = 12.5000 USD", "2026-03-09", "ten times the day before", "2026-03-09 16:00:00")
    assert all(f" {word} " in rows[0] for word in words)
    assert "nobody else says so" in rows[2]


def test_waiting_fixings_are_listed_as_json(shell: Shell, store: SqlStore) -> None:
    store.quarantine.decide(2, QuarantineState.REJECTED, CAME_AT)
    first, second = shell("quarantine", "list", "--json").json
    assert first == {
        "number": 1,
        "source": "ecb",
        "base": "EUR",
        "quote": "USD",
        "day": "2026-03-09",
        "nominal": 1,
        "unit": "",
        "value": "12.5000",
        "reason": "ten times the day before",
        "received_at": "2026-03-09T16:00:00Z",
        "origin": "https://rates.example/",
        "state": "waiting",
        "decided_at": None,
    }
    assert second["number"] == 3


def test_decided_fixings_are_listed_with_all(shell: Shell, store: SqlStore) -> None:
    store.quarantine.decide(2, QuarantineState.REJECTED, datetime(2026, 3, 10, 8, 30, tzinfo=UTC))
    table = shell("quarantine", "list", "--all").out
    (row,) = (line for line in table.splitlines() if "EUR = 1.80 JPY" in line)
    assert "rejected" in row
    assert "2026-03-10 08:30:00" in row
    assert [each["number"] for each in shell("quarantine", "list", "--all", "--json").json] == [1, 2, 3]
    assert "rejected" not in shell("quarantine", "list").out


@pytest.mark.usefixtures("store")
def test_the_list_can_be_limited_to_one_source(shell: Shell) -> None:
    assert [each["number"] for each in shell("quarantine", "list", "--source", "fed", "--json").json] == [3]
    assert shell("quarantine", "list", "--source", "nbp", "--json").json == []


@pytest.mark.usefixtures("store")
def test_an_unknown_source_is_refused_with_the_nearest(error_of: ErrorOf) -> None:
    assert error_of("quarantine", "list", "--source", "ecbb") == "Unknown source: [ecbb]; did you mean [ecb]?"


@pytest.mark.usefixtures("store")
def test_an_invalid_declaration_does_not_prevent_the_list(shell: Shell, folder: Path) -> None:
    (folder / "sources").mkdir()
    (folder / "sources" / "broken.toml").write_text("key = ")
    assert [each["number"] for each in shell("quarantine", "list", "--source", "fed", "--json").json] == [3]


def test_an_accepted_fixing_is_stored_with_a_receipt_of_its_own(shell: Shell, store: SqlStore, folder: Path) -> None:
    began, revision, rung = datetime.now(UTC) - timedelta(seconds=1), store.archive.revision(), notifications(folder)
    ended = shell("quarantine", "accept", "1")
    assert (ended.code, ended.out) == (0, "Accepted 1: 1 EUR = 12.5000 USD on 2026-03-09 is in the archive.\n")
    (known,) = received_fixings(store)
    assert known.fixing == fixing(EUR_USD, "12.5000")
    assert known.origin == "quarantine 1, accepted"
    assert began <= known.received_at <= datetime.now(UTC)
    assert states(store) == [QuarantineState.ACCEPTED, QuarantineState.WAITING, QuarantineState.WAITING]
    assert store.archive.revision() > revision
    assert notifications(folder) != rung


def test_several_fixings_are_accepted_at_once_and_repeated_numbers_count_once(shell: Shell, store: SqlStore) -> None:
    records = shell("quarantine", "accept", "3", "1", "3", "--json").json
    assert [(each["number"], each["state"], each["filed"]) for each in records] == [
        (3, "accepted", "added"),
        (1, "accepted", "added"),
    ]
    assert all(each["decided_at"] for each in records)
    assert received_fixings(store, USD_SEK)[0].origin == "quarantine 3, accepted"
    assert states(store) == [QuarantineState.ACCEPTED, QuarantineState.WAITING, QuarantineState.ACCEPTED]


def test_accepting_says_if_it_replaces_a_stored_fixing(shell: Shell, store: SqlStore) -> None:
    store.archive.file(Receipt("ecb", CAME_AT, "elsewhere", "e"), [fixing(EUR_USD, "1.2500")])
    assert "is in place of what was filed before." in shell("quarantine", "accept", "1").out
    assert [str(known.fixing.value) for known in received_fixings(store)] == ["1.2500", "12.5000"]


def test_accepting_twice_changes_nothing(shell: Shell, store: SqlStore) -> None:
    shell("quarantine", "accept", "1")
    revision = store.archive.revision()
    (record,) = shell("quarantine", "accept", "1", "--json").json
    assert record["filed"] == "unchanged"
    assert len(received_fixings(store)) == 1
    assert store.archive.revision() == revision


def test_an_interrupted_accept_changes_nothing_and_can_be_repeated(
    shell: Shell, error_of: ErrorOf, store: SqlStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreBroken("The disk is full")

    rung = notifications(folder)
    with monkeypatch.context() as broken:
        broken.setattr(Filing, "file", full)
        assert error_of("quarantine", "accept", "1") == "The disk is full"
    assert received_fixings(store) == []
    assert states(store)[0] is QuarantineState.WAITING
    assert notifications(folder) != rung
    assert shell("quarantine", "accept", "1").code == 0
    assert [known.fixing.value for known in received_fixings(store)] == [Decimal("12.5000")]
    assert states(store)[0] is QuarantineState.ACCEPTED


def test_an_accepted_fixing_stays_when_its_source_sends_it_again(shell: Shell, store: SqlStore) -> None:
    shell("quarantine", "accept", "2")
    filed = file_again(store)
    assert (filed.added, filed.unchanged, filed.refused) == (1, 1, 0)
    assert states(store)[1] is QuarantineState.ACCEPTED


def test_a_rejected_fixing_is_marked_and_never_stored(shell: Shell, store: SqlStore, folder: Path) -> None:
    rung = notifications(folder)
    ended = shell("quarantine", "reject", "1", "2")
    assert ended.out.splitlines() == [
        "Rejected 1: 1 EUR = 12.5000 USD on 2026-03-09 is never filed.",
        "Rejected 2: 1 EUR = 1.80 JPY on 2026-03-09 is never filed.",
    ]
    assert states(store) == [QuarantineState.REJECTED, QuarantineState.REJECTED, QuarantineState.WAITING]
    assert notifications(folder) != rung
    filed = file_again(store)
    assert (filed.added, filed.refused) == (1, 0)
    assert received_fixings(store, EUR_JPY) == []
    assert shell("quarantine", "reject", "1", "--json").json[0]["state"] == "rejected"


REFUSALS = {
    "an unknown number": (("accept", "7"), "There is no number [7] in quarantine: see [cambist quarantine list]"),
    "an unknown one among others": (("accept", "1", "7"), "There is no number [7]"),
    "an unknown one to reject": (("reject", "1", "7"), "There is no number [7]"),
    "accepting what was rejected": (("accept", "1", "2"), "Number [2] waits no more: it was rejected"),
    "rejecting what was accepted": (("reject", "1", "3"), "Number [3] waits no more: it was accepted"),
    "a folder without a service": (("list", "--data", "nowhere"), "There is no archive in nowhere"),
}


@pytest.mark.parametrize("as_json", [(), ("--json",)], ids=["people", "machines"])
@pytest.mark.parametrize(("arguments", "reason"), REFUSALS.values(), ids=REFUSALS)
def test_an_impossible_request_is_refused_in_one_sentence_and_changes_nothing(
    error_of: ErrorOf, store: SqlStore, arguments: tuple[str, ...], reason: str, as_json: tuple[str, ...]
) -> None:
    store.quarantine.decide(2, QuarantineState.REJECTED, CAME_AT)
    store.quarantine.decide(3, QuarantineState.ACCEPTED, CAME_AT)
    before = states(store)
    command, *rest = arguments
    assert reason in error_of("quarantine", command, *as_json, *rest)
    assert states(store) == before
    assert received_fixings(store) == []


@pytest.mark.parametrize("verb", ["accept", "reject"])
def test_a_fixing_that_was_decided_meanwhile_is_reported(
    error_of: ErrorOf, store: SqlStore, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setattr(SqlQuarantine, "decide", lambda *_: None)
    monkeypatch.setattr(SqlArchive, "accept", lambda *_: None)
    assert error_of("quarantine", verb, "1") == "Number [1] waits no more: it was decided meanwhile"
    assert received_fixings(store) == []


def test_a_value_that_is_not_a_number_is_refused(shell: Shell, store: SqlStore) -> None:
    for numbers in ((), ("one",)):
        ended = shell("quarantine", "accept", *numbers)
        assert (ended.code, ended.out) == (2, "")
    assert states(store) == [QuarantineState.WAITING] * 3


def file_again(store: SqlStore) -> Any:
    """Store the day again as the ECB sends it, with another rate of the dollar and the same of the yen."""
    content = b"Date,USD,JPY,\n2026-03-09,1.2510,1.80,\n"
    delivery = Delivery(content, "https://rates.example/", datetime(2026, 3, 10, tzinfo=UTC))
    return file_delivery(FilingContext(store.archive, store.quarantine), adapter, delivery, lambda _: None)
