"""Tests for every `Quarantine`. A new store is added in STORES."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from sqlite3 import SQLITE_LIMIT_VARIABLE_NUMBER

import pytest
from msgspec.structs import replace
from sqlalchemy import event
from tests.postgresql import postgresql_url

from cambist.errors import SourceBroken
from cambist.history.archive import FixingArchive
from cambist.history.fixing import GRAM, FilingResult, Fixing, Receipt, RefusedFixing
from cambist.history.quarantine import AcceptedFixing, Quarantine, QuarantinedFixing, QuarantineState
from cambist.pricing.pair import Pair
from cambist.storage import Store
from cambist.storage.sql import SqlStore

STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'quarantine.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
}

NOON = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
MON, TUE = date(2026, 3, 2), date(2026, 3, 3)
USD, JPY = Pair("EUR", "USD"), Pair("EUR", "JPY")
DECISIONS = [QuarantineState.ACCEPTED, QuarantineState.REJECTED]


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(kind: str, tmp_path: Path) -> Iterator[Store]:
    store = STORES[kind](tmp_path)
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def archive(store: Store) -> FixingArchive:
    return store.archive


@pytest.fixture
def quarantine(store: Store) -> Quarantine:
    return store.quarantine


def fixing(value: str, day: date = MON, pair: Pair = USD, source: str = "ecb", nominal: int = 1) -> Fixing:
    return Fixing(source, pair, day, Decimal(value), nominal)


def deliver(
    archive: FixingArchive, refused: Iterable[Fixing] = (), accepted: Iterable[Fixing] = (), at: datetime = NOON
) -> FilingResult:
    """File a delivery of the source of its fixings."""
    refusals, passed = [RefusedFixing(one, "too far off") for one in refused], list(accepted)
    source = (passed or [one.fixing for one in refusals])[0].source
    return archive.file(Receipt(source, at, "a test", "d"), passed, refusals)


def states(quarantine: Quarantine) -> list[tuple[str, QuarantineState]]:
    return [(str(one.fixing.value), one.state) for one in quarantine.quarantined(None)]


def number_of(quarantine: Quarantine, value: str) -> int:
    (number,) = (one.number for one in quarantine.quarantined(None) if str(one.fixing.value) == value)
    return number


def test_an_empty_quarantine_returns_nothing(quarantine: Quarantine) -> None:
    assert (list(quarantine.quarantined()), list(quarantine.quarantined(None))) == ([], [])
    assert (dict(quarantine.decisions("ecb")), quarantine.count_waiting("ecb")) == ({}, 0)
    assert quarantine.decide(1, QuarantineState.ACCEPTED, NOON) is None


def test_a_refused_fixing_waits_as_it_was_published(archive: FixingArchive, quarantine: Quarantine) -> None:
    published = Fixing("cbr", Pair("XAU", "RUB"), MON, Decimal("10000.10"), 100, GRAM)
    receipt = Receipt("cbr", NOON, "https://mint.example/gold", "d")
    assert archive.file(receipt, [], [RefusedFixing(published, "a jump")]) == FilingResult(0, 0, 0, refused=1)
    (found,) = quarantine.quarantined()
    assert found == QuarantinedFixing(
        found.number, published, "a jump", NOON, "https://mint.example/gold", QuarantineState.WAITING, decided_at=None
    )
    assert str(found.fixing.value) == "10000.10"
    assert found.received_at.utcoffset() == timedelta(0)


def test_a_refused_fixing_is_not_in_the_archive(archive: FixingArchive, quarantine: Quarantine) -> None:
    deliver(archive, [fixing("9.9")])
    assert list(archive.fixings("ecb")) == []
    assert (archive.revision(), archive.coverage("ecb")) == (0, None)
    assert archive.newest_digest("ecb", "a test") == "d"
    assert quarantine.count_waiting("ecb") == 1


def test_the_rest_of_the_delivery_is_filed(archive: FixingArchive, quarantine: Quarantine) -> None:
    assert deliver(archive, [fixing("9.9", TUE)], [fixing("1.1"), fixing("180", pair=JPY)]) == FilingResult(
        2, 0, 0, refused=1
    )
    assert [str(one.value) for one in archive.fixings("ecb")] == ["1.1", "180"]
    assert states(quarantine) == [("9.9", QuarantineState.WAITING)]


def test_the_oldest_comes_first(archive: FixingArchive, quarantine: Quarantine) -> None:
    deliver(archive, [fixing("3", TUE), fixing("1", MON)])
    deliver(archive, [fixing("2", MON, JPY)], at=NOON + HOUR)
    found = quarantine.quarantined()
    assert [str(one.fixing.value) for one in found] == ["3", "1", "2"]
    assert [one.received_at for one in found] == [NOON, NOON, NOON + HOUR]
    assert len({one.number for one in found}) == 3


def test_a_fixing_that_is_refused_again_is_stored_once(archive: FixingArchive, quarantine: Quarantine) -> None:
    for hours, new in enumerate([1, 0, 0]):
        assert deliver(archive, [fixing("9.9")], at=NOON + hours * HOUR).refused == new
    (found,) = quarantine.quarantined()
    assert found.received_at == NOON


def test_a_fixing_that_is_refused_twice_in_a_delivery_is_stored_once(
    archive: FixingArchive, quarantine: Quarantine
) -> None:
    assert deliver(archive, [fixing("9.9"), fixing("9.9")]).refused == 1
    assert quarantine.count_waiting("ecb") == 1


def test_only_new_refused_fixings_are_counted(archive: FixingArchive) -> None:
    deliver(archive, [fixing("9.9")])
    assert deliver(archive, [fixing("9.9"), fixing("9.8"), fixing("9.9", TUE)]).refused == 2


@pytest.mark.parametrize(
    "other",
    [
        fixing("9.8"),
        fixing("9.9", TUE),
        fixing("9.9", pair=JPY),
        fixing("9.9", pair=USD.inverse),
        fixing("9.9", nominal=100),
        fixing("9.9", source="boe"),
    ],
    ids=["value", "day", "pair", "direction", "nominal", "source"],
)
def test_a_fixing_that_differs_waits_separately(archive: FixingArchive, quarantine: Quarantine, other: Fixing) -> None:
    deliver(archive, [fixing("9.9")])
    assert deliver(archive, [other]).refused == 1
    assert len(quarantine.quarantined()) == 2


def test_a_delivery_that_fails_quarantines_nothing(archive: FixingArchive, quarantine: Quarantine) -> None:
    with pytest.raises(SourceBroken, match="stands twice"):
        deliver(archive, [fixing("9.9", TUE)], [fixing("1.1"), fixing("1.2")])
    assert (list(quarantine.quarantined()), list(archive.fixings("ecb"))) == ([], [])


def test_a_delivery_that_fails_releases_nothing(archive: FixingArchive, quarantine: Quarantine) -> None:
    deliver(archive, [fixing("9.9")])
    with pytest.raises(SourceBroken):
        deliver(archive, [], [fixing("9.9"), fixing("1.2", TUE), fixing("1.3", TUE)])
    assert states(quarantine) == [("9.9", QuarantineState.WAITING)]


# Released


def test_a_waiting_fixing_that_is_accepted_later_is_released(archive: FixingArchive, quarantine: Quarantine) -> None:
    deliver(archive, [fixing("9.9"), fixing("9.8", TUE)])
    assert deliver(archive, [], [fixing("9.9")], NOON + HOUR) == FilingResult(added=1, corrected=0, unchanged=0)
    assert states(quarantine) == [("9.9", QuarantineState.RELEASED), ("9.8", QuarantineState.WAITING)]
    assert [str(one.fixing.value) for one in quarantine.quarantined(QuarantineState.RELEASED)] == ["9.9"]
    assert (quarantine.quarantined(QuarantineState.RELEASED)[0].decided_at, quarantine.count_waiting("ecb")) == (
        NOON + HOUR,
        1,
    )
    assert [str(one.value) for one in archive.fixings("ecb")] == ["9.9"]


@pytest.mark.parametrize(
    "other",
    [fixing("1.1"), fixing("9.9", TUE), fixing("9.9", pair=JPY), fixing("9.9", nominal=100)],
    ids=["value", "day", "pair", "nominal"],
)
def test_another_accepted_fixing_releases_nothing(
    archive: FixingArchive, quarantine: Quarantine, other: Fixing
) -> None:
    deliver(archive, [fixing("9.9")])
    deliver(archive, [], [other])
    assert states(quarantine) == [("9.9", QuarantineState.WAITING)]


def test_the_same_from_another_source_releases_nothing(archive: FixingArchive, quarantine: Quarantine) -> None:
    deliver(archive, [fixing("9.9")])
    deliver(archive, [], [fixing("9.9", source="boe")])
    assert (quarantine.count_waiting("ecb"), quarantine.count_waiting("boe")) == (1, 0)


def test_a_released_fixing_that_is_refused_again_stays_released(archive: FixingArchive, quarantine: Quarantine) -> None:
    deliver(archive, [fixing("9.9")])
    deliver(archive, [], [fixing("9.9")])
    assert deliver(archive, [fixing("9.9")]).refused == 0
    assert states(quarantine) == [("9.9", QuarantineState.RELEASED)]


@pytest.mark.parametrize("decision", DECISIONS)
def test_a_decided_fixing_is_not_released(
    archive: FixingArchive, quarantine: Quarantine, decision: QuarantineState
) -> None:
    deliver(archive, [fixing("9.9")])
    quarantine.decide(number_of(quarantine, "9.9"), decision, NOON)
    deliver(archive, [], [fixing("9.9")], NOON + HOUR)
    assert states(quarantine) == [("9.9", decision)]
    assert quarantine.quarantined(decision)[0].decided_at == NOON


def test_thousands_are_quarantined_and_released_at_once(store: SqlStore) -> None:
    """As many as a history that was filed before there was anything to judge it by.

    A statement may name 32,766 values where SQLite was built without further ado; here it was built for more.
    """
    if store._engine.dialect.name == "sqlite":
        event.listen(store._engine, "connect", lambda each, _: each.setlimit(SQLITE_LIMIT_VARIABLE_NUMBER, 32_766))
    archive, quarantine = store.archive, store.quarantine
    many = [fixing("9.9", MON - timedelta(days=days), pair) for days in range(9000) for pair in (USD, JPY, USD.inverse)]
    many += [fixing("9.8", MON - timedelta(days=days), JPY.inverse) for days in range(9000)]
    assert deliver(archive, many).refused == 36_000
    assert quarantine.count_waiting("ecb") == 36_000
    assert deliver(archive, [], many).added == 36_000
    assert quarantine.count_waiting("ecb") == 0


# Decided


@pytest.mark.parametrize("decision", DECISIONS)
def test_a_decision_is_stored_with_its_time(
    archive: FixingArchive, quarantine: Quarantine, decision: QuarantineState
) -> None:
    deliver(archive, [fixing("9.9"), fixing("9.8", TUE)])
    tokyo = timezone(timedelta(hours=9))
    decided = quarantine.decide(number_of(quarantine, "9.9"), decision, (NOON + HOUR).astimezone(tokyo))
    assert decided is not None
    assert (decided.fixing, decided.state, decided.decided_at) == (fixing("9.9"), decision, NOON + HOUR)
    assert list(quarantine.quarantined(decision)) == [decided]
    assert states(quarantine) == [("9.9", decision), ("9.8", QuarantineState.WAITING)]
    assert quarantine.count_waiting("ecb") == 1


def accept(archive: FixingArchive, number: int, at: datetime = NOON) -> AcceptedFixing | None:
    return archive.accept(Receipt("ecb", at, "accepted", "d"), number)


def test_an_accepted_fixing_is_stored(archive: FixingArchive, quarantine: Quarantine) -> None:
    deliver(archive, [fixing("9.9"), fixing("9.8", TUE)], [fixing("1.1", pair=JPY)])
    accepted = accept(archive, number_of(quarantine, "9.9"), NOON + HOUR)
    assert accepted is not None
    assert (accepted.quarantined.state, accepted.quarantined.decided_at) == (QuarantineState.ACCEPTED, NOON + HOUR)
    assert accepted.filed == FilingResult(1, 0, 0, 0)
    assert [(one.fixing, one.received_at) for one in archive.revisions(USD, MON)] == [(fixing("9.9"), NOON + HOUR)]
    assert states(quarantine) == [("9.9", QuarantineState.ACCEPTED), ("9.8", QuarantineState.WAITING)]


def test_a_fixing_that_cannot_be_stored_is_not_accepted(archive: FixingArchive, quarantine: Quarantine) -> None:
    gold = Pair("XAU", "EUR")
    deliver(archive, [], [replace(fixing("60", pair=gold), unit=GRAM)])
    deliver(archive, [fixing("1900", TUE, gold)])
    with pytest.raises(SourceBroken):
        accept(archive, number_of(quarantine, "1900"))
    assert states(quarantine) == [("1900", QuarantineState.WAITING)]
    assert quarantine.decided() == []


def test_a_fixing_is_accepted_again_without_a_change(archive: FixingArchive, quarantine: Quarantine) -> None:
    deliver(archive, [fixing("9.9")])
    number = number_of(quarantine, "9.9")
    quarantine.decide(number, QuarantineState.ACCEPTED, NOON)  # and was never stored
    first, second = accept(archive, number, NOON + HOUR), accept(archive, number, NOON + 2 * HOUR)
    assert first is not None
    assert second is not None
    assert (first.filed.added, second.filed.added, second.filed.unchanged) == (1, 0, 1)
    assert second.quarantined.decided_at == NOON
    assert len(quarantine.decided()) == 1


def test_what_was_rejected_or_is_not_there_is_not_accepted(archive: FixingArchive, quarantine: Quarantine) -> None:
    deliver(archive, [fixing("9.9")])
    number = number_of(quarantine, "9.9")
    quarantine.decide(number, QuarantineState.REJECTED, NOON)
    assert accept(archive, number) is None
    assert accept(archive, number + 1) is None
    assert archive.sources() == []
    assert archive.last_received("ecb", "accepted") is None


@pytest.mark.parametrize("second", DECISIONS)
def test_a_decision_is_made_once(archive: FixingArchive, quarantine: Quarantine, second: QuarantineState) -> None:
    deliver(archive, [fixing("9.9")])
    number = number_of(quarantine, "9.9")
    quarantine.decide(number, QuarantineState.REJECTED, NOON)
    assert quarantine.decide(number, second, NOON + HOUR) is None
    (found,) = quarantine.quarantined(None)
    assert (found.state, found.decided_at) == (QuarantineState.REJECTED, NOON)


def test_a_released_fixing_cannot_be_decided(archive: FixingArchive, quarantine: Quarantine) -> None:
    deliver(archive, [fixing("9.9")])
    deliver(archive, [], [fixing("9.9")])
    assert quarantine.decide(number_of(quarantine, "9.9"), QuarantineState.REJECTED, NOON) is None


def test_an_unknown_number_decides_nothing(archive: FixingArchive, quarantine: Quarantine) -> None:
    deliver(archive, [fixing("9.9")])
    assert quarantine.decide(number_of(quarantine, "9.9") + 1, QuarantineState.REJECTED, NOON) is None
    assert quarantine.count_waiting("ecb") == 1


@pytest.mark.parametrize("decision", DECISIONS)
def test_a_decided_fixing_that_comes_again_stays_decided(
    archive: FixingArchive, quarantine: Quarantine, decision: QuarantineState
) -> None:
    deliver(archive, [fixing("9.9")])
    quarantine.decide(number_of(quarantine, "9.9"), decision, NOON)
    assert deliver(archive, [fixing("9.9")], at=NOON + HOUR).refused == 0
    assert states(quarantine) == [("9.9", decision)]


def test_decisions_are_those_of_one_source(archive: FixingArchive, quarantine: Quarantine) -> None:
    deliver(archive, [fixing("1.10"), fixing("2", TUE, nominal=100), fixing("3", pair=JPY), fixing("4", TUE)])
    deliver(archive, [fixing("5", source="boe")])
    deliver(archive, [], [fixing("4", TUE)])
    quarantine.decide(number_of(quarantine, "2"), QuarantineState.REJECTED, NOON)
    quarantine.decide(number_of(quarantine, "3"), QuarantineState.ACCEPTED, NOON)
    assert dict(quarantine.decisions("ecb")) == {
        (USD, "", MON, 1, Decimal("1.1")): QuarantineState.WAITING,
        (USD, "", TUE, 100, Decimal(2)): QuarantineState.REJECTED,
        (JPY, "", MON, 1, Decimal(3)): QuarantineState.ACCEPTED,
        (USD, "", TUE, 1, Decimal(4)): QuarantineState.RELEASED,
    }
    assert dict(quarantine.decisions("boe")) == {(USD, "", MON, 1, Decimal(5)): QuarantineState.WAITING}


def test_fixings_that_differ_only_by_unit_are_decided_separately(
    archive: FixingArchive, quarantine: Quarantine
) -> None:
    ounce = fixing("4000", pair=Pair("XAU", "EUR"))
    gram = replace(ounce, unit=GRAM)
    assert deliver(archive, [ounce]).refused == 1
    assert deliver(archive, [gram], at=NOON + HOUR).refused == 1
    quarantine.decide(quarantine.quarantined()[0].number, QuarantineState.REJECTED, NOON)
    assert dict(quarantine.decisions("ecb")) == {
        (ounce.pair, "", MON, 1, Decimal(4000)): QuarantineState.REJECTED,
        (ounce.pair, GRAM, MON, 1, Decimal(4000)): QuarantineState.WAITING,
    }
    deliver(archive, [], [gram], at=NOON + HOUR)
    assert dict(quarantine.decisions("ecb"))[ounce.pair, GRAM, MON, 1, Decimal(4000)] is QuarantineState.RELEASED


def test_waiting_fixings_are_stored_for_the_next_process(kind: str, store: Store, tmp_path: Path) -> None:
    deliver(store.archive, [fixing("9.9"), fixing("9.8", TUE)])
    store.quarantine.decide(number_of(store.quarantine, "9.8"), QuarantineState.REJECTED, NOON)
    again = STORES[kind](tmp_path)
    assert states(again.quarantine) == [("9.9", QuarantineState.WAITING), ("9.8", QuarantineState.REJECTED)]
    again.close()


def test_every_decision_is_kept_in_order(archive: FixingArchive, quarantine: Quarantine) -> None:
    deliver(archive, [fixing("9.9"), fixing("8.8"), fixing("7.7")])
    numbers = {value: number_of(quarantine, value) for value in ("9.9", "8.8", "7.7")}
    quarantine.decide(numbers["8.8"], QuarantineState.REJECTED, NOON)
    quarantine.decide(numbers["8.8"], QuarantineState.ACCEPTED, NOON)
    deliver(archive, [], [fixing("7.7")], NOON + HOUR)
    quarantine.decide(numbers["9.9"], QuarantineState.ACCEPTED, NOON + 2 * HOUR)
    found = quarantine.decided()
    assert [(each.quarantined, each.state, each.decided_at) for each in found] == [
        (numbers["8.8"], QuarantineState.REJECTED, NOON),
        (numbers["7.7"], QuarantineState.RELEASED, NOON + HOUR),
        (numbers["9.9"], QuarantineState.ACCEPTED, NOON + 2 * HOUR),
    ]
    assert list(quarantine.decided(found[0].number)) == list(found[1:])
