"""`cambist quarantine`: what was refused is listed, accepted or rejected, and ingest is told."""

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

Shell = Callable[..., Any]
Refused = Callable[..., str]
CAME_AT = datetime(2026, 3, 9, 16, 0, tzinfo=UTC)
MONDAY = date(2026, 3, 9)
EUR_USD, EUR_JPY, USD_SEK = Pair("EUR", "USD"), Pair("EUR", "JPY"), Pair("USD", "SEK")


def fixing(pair: Pair, value: str, day: date = MONDAY, source: str = "ecb") -> Fixing:
    return Fixing(source, pair, day, Decimal(value))


def detain(store: SqlStore, one: Fixing, reason: str) -> None:
    store.archive.file(Receipt(one.source, CAME_AT, "https://rates.example/", "d"), [], [RefusedFixing(one, reason)])


@pytest.fixture
def store(folder: Path) -> Iterator[SqlStore]:
    """A store in whose quarantine 1 (EUR/USD), 2 (EUR/JPY) and 3 (of the Fed) wait."""
    store = SqlStore(f"sqlite:///{folder / 'cambist.db'}")
    detain(store, fixing(EUR_USD, "12.5000"), "ten times the day before")
    detain(store, fixing(EUR_JPY, "1.80"), "a hundredth of the day before")
    detain(store, fixing(USD_SEK, "99.10", source="fed"), "nobody else says so")
    yield store
    store.close()


def states(store: SqlStore) -> list[QuarantineState]:
    return [each.state for each in store.quarantine.quarantined(None)]


def rings(folder: Path) -> int:
    return data_changes(folder).version(Topic.ARCHIVE)


def trail(store: SqlStore, pair: Pair = EUR_USD, day: date = MONDAY) -> list[ReceivedFixing]:
    return store.archive.revisions(pair, day)


@pytest.mark.usefixtures("store")
def test_what_waits_is_listed_with_the_reason(shell: Shell) -> None:
    rows = [line for line in shell("quarantine", "list").out.splitlines() if " ecb " in line or " fed " in line]
    assert len(rows) == 3
    words = ("1", "ecb", "1 EUR = 12.5000 USD", "2026-03-09", "ten times the day before", "2026-03-09 16:00:00")
    assert all(f" {word} " in rows[0] for word in words)
    assert "nobody else says so" in rows[2]


def test_what_waits_is_listed_for_machines(shell: Shell, store: SqlStore) -> None:
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


def test_all_there_ever_was_is_listed_on_request(shell: Shell, store: SqlStore) -> None:
    store.quarantine.decide(2, QuarantineState.REJECTED, datetime(2026, 3, 10, 8, 30, tzinfo=UTC))
    table = shell("quarantine", "list", "--all").out
    (row,) = (line for line in table.splitlines() if "EUR = 1.80 JPY" in line)
    assert "rejected" in row
    assert "2026-03-10 08:30:00" in row
    assert [each["number"] for each in shell("quarantine", "list", "--all", "--json").json] == [1, 2, 3]
    assert "rejected" not in shell("quarantine", "list").out


@pytest.mark.usefixtures("store")
def test_one_source_is_listed_alone(shell: Shell) -> None:
    assert [each["number"] for each in shell("quarantine", "list", "--source", "fed", "--json").json] == [3]
    assert shell("quarantine", "list", "--source", "nbp", "--json").json == []


@pytest.mark.usefixtures("store")
def test_a_source_that_is_none_is_refused_with_the_nearest(refused: Refused) -> None:
    assert refused("quarantine", "list", "--source", "ebc") == "Unknown source: [ebc]; did you mean [ecb]?"


@pytest.mark.usefixtures("store")
def test_a_broken_declaration_keeps_nobody_from_the_list(shell: Shell, folder: Path) -> None:
    (folder / "sources").mkdir()
    (folder / "sources" / "broken.toml").write_text("key = ")
    assert [each["number"] for each in shell("quarantine", "list", "--source", "fed", "--json").json] == [3]


def test_an_accepted_fixing_is_filed_with_a_receipt_of_its_own(shell: Shell, store: SqlStore, folder: Path) -> None:
    began, revision, rung = datetime.now(UTC) - timedelta(seconds=1), store.archive.revision(), rings(folder)
    ended = shell("quarantine", "accept", "1")
    assert (ended.code, ended.out) == (0, "Accepted 1: 1 EUR = 12.5000 USD on 2026-03-09 is in the archive.\n")
    (known,) = trail(store)
    assert known.fixing == fixing(EUR_USD, "12.5000")
    assert known.origin == "quarantine 1, accepted"
    assert began <= known.received_at <= datetime.now(UTC)
    assert states(store) == [QuarantineState.ACCEPTED, QuarantineState.WAITING, QuarantineState.WAITING]
    assert store.archive.revision() > revision
    assert rings(folder) != rung


def test_several_are_accepted_at_once_each_one_time(shell: Shell, store: SqlStore) -> None:
    records = shell("quarantine", "accept", "3", "1", "3", "--json").json
    assert [(each["number"], each["state"], each["filed"]) for each in records] == [
        (3, "accepted", "added"),
        (1, "accepted", "added"),
    ]
    assert all(each["decided_at"] for each in records)
    assert trail(store, USD_SEK)[0].origin == "quarantine 3, accepted"
    assert states(store) == [QuarantineState.ACCEPTED, QuarantineState.WAITING, QuarantineState.ACCEPTED]


def test_accepting_says_where_it_takes_the_place_of_what_was_filed(shell: Shell, store: SqlStore) -> None:
    store.archive.file(Receipt("ecb", CAME_AT, "elsewhere", "e"), [fixing(EUR_USD, "1.2500")])
    assert "is in place of what was filed before." in shell("quarantine", "accept", "1").out
    assert [str(known.fixing.value) for known in trail(store)] == ["1.2500", "12.5000"]


def test_accepting_twice_changes_nothing(shell: Shell, store: SqlStore) -> None:
    shell("quarantine", "accept", "1")
    revision = store.archive.revision()
    (record,) = shell("quarantine", "accept", "1", "--json").json
    assert record["filed"] == "unchanged"
    assert len(trail(store)) == 1
    assert store.archive.revision() == revision


def test_accepting_that_was_cut_off_is_finished_by_typing_it_again(
    shell: Shell, refused: Refused, store: SqlStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreBroken("The disk is full")

    rung = rings(folder)
    with monkeypatch.context() as broken:
        broken.setattr(SqlArchive, "file", full)
        assert refused("quarantine", "accept", "1") == "The disk is full"
    assert trail(store) == []
    assert rings(folder) != rung
    assert shell("quarantine", "accept", "1").code == 0
    assert [known.fixing.value for known in trail(store)] == [Decimal("12.5000")]
    assert states(store)[0] is QuarantineState.ACCEPTED


def test_an_accepted_fixing_stays_when_its_source_sends_it_again(shell: Shell, store: SqlStore) -> None:
    shell("quarantine", "accept", "2")
    filed = file_again(store)
    assert (filed.added, filed.unchanged, filed.refused) == (1, 1, 0)
    assert states(store)[1] is QuarantineState.ACCEPTED


def test_a_rejected_fixing_is_marked_and_never_filed(shell: Shell, store: SqlStore, folder: Path) -> None:
    rung = rings(folder)
    ended = shell("quarantine", "reject", "1", "2")
    assert ended.out.splitlines() == [
        "Rejected 1: 1 EUR = 12.5000 USD on 2026-03-09 is never filed.",
        "Rejected 2: 1 EUR = 1.80 JPY on 2026-03-09 is never filed.",
    ]
    assert states(store) == [QuarantineState.REJECTED, QuarantineState.REJECTED, QuarantineState.WAITING]
    assert rings(folder) != rung
    filed = file_again(store)
    assert (filed.added, filed.refused) == (1, 0)
    assert trail(store, EUR_JPY) == []
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
def test_what_cannot_be_is_refused_in_one_sentence_and_nothing_is_done(
    refused: Refused, store: SqlStore, arguments: tuple[str, ...], reason: str, as_json: tuple[str, ...]
) -> None:
    store.quarantine.decide(2, QuarantineState.REJECTED, CAME_AT)
    store.quarantine.decide(3, QuarantineState.ACCEPTED, CAME_AT)
    before = states(store)
    command, *rest = arguments
    assert reason in refused("quarantine", command, *as_json, *rest)
    assert states(store) == before
    assert trail(store) == []


def test_what_is_decided_by_somebody_else_meanwhile_is_said(
    refused: Refused, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cambist.storage.sql.quarantine.SqlQuarantine.decide", lambda *_: None)
    assert refused("quarantine", "accept", "1") == "Number [1] waits no more: it was decided meanwhile"
    assert trail(store) == []


def test_what_is_no_number_is_refused(shell: Shell, store: SqlStore) -> None:
    for numbers in ((), ("one",)):
        ended = shell("quarantine", "accept", *numbers)
        assert (ended.code, ended.out) == (2, "")
    assert states(store) == [QuarantineState.WAITING] * 3


def file_again(store: SqlStore) -> Any:
    """Have the ECB send the day again, with another rate of the dollar and the same of the yen."""
    content = b"Date,USD,JPY,\n2026-03-09,1.2510,1.80,\n"
    delivery = Delivery(content, "https://rates.example/", datetime(2026, 3, 10, tzinfo=UTC))
    return file_delivery(FilingContext(store.archive, store.quarantine), adapter, delivery, lambda _: None)
