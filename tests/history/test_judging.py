"""Judging: what is derived from an archive, in whatever order it has come, and what the log keeps of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs
from tests.postgresql import postgresql_url

from cambist.errors import StoreBroken
from cambist.history import judging as judging_module
from cambist.history.code_rates import HELD, WITHDRAWN
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.judging import Judging
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.rate_matrix_builder import build_rate_matrix
from cambist.history.rule_set import RuleSet, SourceRule
from cambist.history.verdict_log import Decision, VerdictBounds
from cambist.pricing.pair import Pair
from cambist.storage.sql import SqlStore
from cambist.verdicts.verdict import DayStatus

NAIRA = Pair("USD", "NGN")
FIRST = date(2026, 3, 2)
LAST = date(2026, 6, 30)
RECEIVED = datetime(2026, 3, 2, 12, tzinfo=UTC)
SOURCES = ("a", "b", "c")
CALM = 20
"""Days on which all sources say about 1400."""

URLS = {"sqlite": lambda folder: f"sqlite:///{folder / 'judged.db'}", "postgresql": postgresql_url}


def rules_of(*keys: str) -> RuleSet:
    return RuleSet(1, tuple(SourceRule(key, "USD", "", True, "UTC", "12:00:00") for key in keys), {}, 1)


class World:
    """An archive with a log of verdicts, and what judges it."""

    def __init__(self, store: SqlStore, keys: tuple[str, ...] = SOURCES) -> None:
        self.store, self.keys, self.deliveries = store, keys, 0
        self.judging = self.anew()

    def anew(self) -> Judging:
        """What another process, or this one after a restart, judges by."""
        return Judging(self.store.archive, self.store.verdicts, rules_of(*self.keys))

    def file(self, source: str, said: dict[int, float], *, is_noted: bool = True) -> None:
        """File naira per dollar by the number of the day."""
        self.deliveries += 1
        fixings = [Fixing(source, NAIRA, day(number), Decimal(str(value))) for number, value in said.items()]
        delivery = DeliveryRecord(source, RECEIVED + timedelta(minutes=self.deliveries), f"{self.deliveries}", "d")
        filed = self.store.archive.file(delivery, fixings)
        if is_noted and filed.days:
            self.judging.note_filed(filed.delivery, *filed.days)

    def tell(self, source: str, *said: float, first: int = CALM) -> None:
        """File and judge what a source says of the days from one on."""
        self.file(source, {first + number: value for number, value in enumerate(said)})
        self.judging.update()

    def calm(self, *sources: str) -> None:
        chance = random.Random(7)  # noqa: S311  no secret
        for source in sources or self.keys:
            self.file(source, {number: round(1400 + number + chance.uniform(-1, 1), 2) for number in range(CALM)})
        self.judging.update()

    def served(self, number: int) -> float | None:
        """What the rate matrix has of a day."""
        histories = self.judging.histories.values()
        matrix = build_rate_matrix(histories, LAST, "a test", self.judging.outcomes)
        cell = matrix.cell(day(number), "NGN")
        return None if np.isnan(cell) else cell

    def decide(self, level: float, *, accepts: bool, first: int = CALM) -> Decision:
        decision = Decision(0, "NGN", row(first), None, Decimal(level), accepts, "a test", RECEIVED)
        return self.store.verdicts.decide(decision)

    @property
    def status(self) -> DayStatus:
        """The status of the newest day."""
        standing = self.judging.standing("NGN")
        assert standing is not None
        return standing.verdict.status


def day(number: int) -> date:
    return FIRST + timedelta(days=number)


def row(number: int) -> int:
    return (day(number) - FIRST_DAY).days


@pytest.fixture(params=URLS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlStore]:
    found = SqlStore(URLS[request.param](tmp_path))
    found.migrate()
    yield found
    found.close()


@pytest.fixture
def world(store: SqlStore) -> World:
    return World(store)


@pytest.mark.long(every=2)
def test_a_jump_is_served_with_the_second_source_that_makes_it(world: World) -> None:
    world.calm()
    world.tell("b", 2098)
    assert world.served(CALM) == pytest.approx(1419, abs=2)
    assert world.status is DayStatus.HELD
    world.tell("c", 2098.5)
    assert world.served(CALM) == 2098
    world.tell("a", 2097)
    assert world.served(CALM) == 2097
    assert world.status is DayStatus.AGREED
    assert world.judging.faults() == []


@pytest.mark.long(every=2)
def test_who_comes_first_with_a_wrong_unit_does_not_define_the_truth(world: World) -> None:
    world.tell("a", *[140_000 + number for number in range(CALM)], first=0)
    assert world.served(CALM - 1) == 140_019
    world.calm("b", "c")
    assert world.served(CALM - 1) == pytest.approx(1419, abs=2)
    world.tell("a", 140_020)
    assert world.served(CALM) == pytest.approx(1419, abs=2)


@pytest.mark.long(every=2)
def test_a_level_that_all_others_refute_is_withdrawn(world: World) -> None:
    world.tell("a", *[143_000 + number for number in range(30)], first=0)
    world.tell("b", *[1430, 1431, 1432, 1433], first=30)
    world.tell("c", *[1430, 1431, 1432, 1433], first=30)
    assert world.served(31) == 1431
    assert world.served(10) is None
    assert world.judging.outcomes["NGN"][row(10)] == WITHDRAWN


def test_a_spike_of_one_source_is_never_served_while_others_speak(world: World) -> None:
    world.calm()
    for source, value in (("a", 1600.0), ("b", 1421.0), ("c", 1420.0)):
        world.tell(source, value)
    assert world.served(CALM) == 1421
    world.tell("a", 1422, first=CALM + 1)
    assert world.served(CALM) == 1421


def test_a_dispute_of_two_is_settled_by_a_third(store: SqlStore) -> None:
    world = World(store)
    world.calm("a", "b")
    world.tell("a", 1420)
    world.tell("b", 1500)
    assert world.status is DayStatus.DISPUTED
    world.tell("c", 1501)
    assert world.served(CALM) == 1500


def test_a_decision_settles_a_level_and_can_be_taken_back(world: World) -> None:
    world.calm("a")
    world.tell("a", 14.2)
    assert world.served(CALM) == pytest.approx(1419, abs=2)
    made = world.decide(14.2, accepts=True)
    world.judging.update()
    assert world.served(CALM) == 14.2
    world.tell("a", 14.3, first=CALM + 1)
    assert world.served(CALM + 1) == 14.3
    world.store.verdicts.decide(structs.replace(made, takes_back=made.number))
    world.judging.update()
    assert world.served(CALM + 1) == pytest.approx(1419, abs=2)


def test_what_the_operator_rejects_is_not_served(world: World) -> None:
    world.calm()
    for source in SOURCES:
        world.tell(source, 2098)
    assert world.served(CALM) == 2098
    world.decide(2098, accepts=False)
    world.judging.update()
    assert world.served(CALM) == pytest.approx(1419, abs=2)


def test_a_redelivery_judges_no_code(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.calm()
    world.judging.take_changed()
    known = {each.day: float(each.value) for each in world.store.archive.fixings("a")}
    monkeypatch.setattr(judging_module, "judge_rates", lambda *_arguments, **_more: pytest.fail("judged again"))
    world.file("a", {(each - FIRST).days: value for each, value in known.items()})
    world.judging.update()
    assert world.judging.take_changed() == set()


@pytest.mark.long(every=8)
@pytest.mark.parametrize("seed", range(6))
def test_neither_order_nor_batches_nor_restarts_change_a_verdict(store: SqlStore, seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)  # noqa: S311  no secret
    said = wild(chance)
    one = World(store)
    for source, days in said.items():
        one.file(source, days)
    one.judging.update()
    other_store = SqlStore(f"sqlite:///{tmp_path / 'other.db'}")
    other_store.migrate()
    other = World(other_store)
    parts = [(source, number, value) for source, days in said.items() for number, value in days.items()]
    chance.shuffle(parts)
    while parts:
        size = chance.choice((1, 1, 3, 40))
        batch, parts = parts[:size], parts[size:]
        for source in SOURCES:
            days = {number: value for key, number, value in batch if key == source}
            if days:
                other.file(source, days, is_noted=chance.random() < 0.8)
        if chance.random() < 0.5:
            other.judging.update()
        if chance.random() < 0.1:
            other.judging = other.anew()
    other.judging.update()
    expected = {code: days for code, days in one.judging.outcomes.items() if days}
    assert {code: days for code, days in other.judging.outcomes.items() if days} == expected
    assert other.judging.faults() == []
    assert other.store.verdicts.outcomes(other.judging.rules.version) == other.judging.outcomes
    other_store.close()


def wild(chance: random.Random) -> dict[str, dict[int, float]]:
    """What three sources say of hundred days with everything that goes wrong."""
    level, said = 1400.0, {source: dict[int, float]() for source in SOURCES}
    for number in range(100):
        level *= 1 + chance.gauss(0, 0.004) + (0.3 if chance.random() < 0.03 else 0)
        for source in SOURCES:
            value = level * (1 + chance.gauss(0, 0.001))
            value *= chance.choice((100, 0.01, 1.2)) if chance.random() < 0.04 else 1
            if chance.random() < 0.9:
                said[source][number] = round(value, 4)
    return said


def test_an_older_correction_is_judged_from_the_beginning(world: World) -> None:
    for source in SOURCES:
        world.file(source, {number: 1400 + number / 10 for number in range(200)})
    world.judging.update()
    world.tell("a", 2000.0, first=20)
    assert world.judging.outcomes["NGN"] == {row(20): "b"}
    assert world.judging.faults() == []
    world.tell("a", 1402.0, first=20)
    assert world.judging.outcomes["NGN"] == {}


def test_two_processes_that_judge_agree(world: World) -> None:
    world.calm()
    other = world.anew()
    other.update()
    world.file("b", {CALM: 2098})
    world.file("c", {CALM: 2098})
    other.update()
    world.judging.update()
    world.tell("a", 1420)
    other.update()
    assert other.outcomes == world.judging.outcomes
    assert other.judged == world.judging.judged
    assert world.judging.faults() == []


def test_the_log_says_what_was_known_at_each_moment(world: World) -> None:
    world.calm()
    version, moments = world.judging.rules.version, []
    for source in ("b", "c", "a"):
        world.tell(source, 2098)
        moments.append((world.judging.judged.last, dict(world.judging.outcomes["NGN"])))
    assert moments[0][1] == {row(CALM): HELD}
    assert moments[-1][1] == {}
    for last, outcomes in moments:
        assert world.store.verdicts.outcomes(version, VerdictBounds(last=last)).get("NGN", {}) == outcomes


def test_a_log_that_was_changed_is_found(world: World) -> None:
    world.calm()
    world.tell("b", 2098)
    assert world.judging.faults() == []
    with world.store.verdicts._engine.begin() as connection:
        connection.exec_driver_sql("UPDATE verdicts SET outcome = 'c'")
    assert world.anew().faults() == ["the verdicts on NGN of 1 days are not those that its fixings give"]


def test_other_rules_have_verdicts_of_their_own(world: World) -> None:
    world.calm()
    world.tell("b", 2098)
    alone = Judging(world.store.archive, world.store.verdicts, rules_of("a"))
    alone.update()
    assert alone.outcomes.get("NGN", {}) == {}
    again = world.anew()
    again.update()
    assert again.outcomes["NGN"] == {row(CALM): HELD}


@pytest.mark.long(every=2)
@pytest.mark.parametrize("reads", [0, 1, 2])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_database_that_goes_away_while_it_is_read_changes_no_verdict(
    world: World, monkeypatch: pytest.MonkeyPatch, reads: int, *, is_first: bool
) -> None:
    world.calm()
    if is_first:
        world.judging = world.anew()
    for source in SOURCES:
        world.file(source, {CALM: 1450.0, CALM + 1: 1451.0}, is_noted=False)
    read, left = world.store.archive.rates, [reads]

    def fails(*given: Any) -> Any:
        if not left[0]:
            raise StoreBroken("The database is gone")
        left[0] -= 1
        return read(*given)

    monkeypatch.setattr(world.store.archive, "rates", fails)
    with pytest.raises(StoreBroken):
        world.judging.update()
    monkeypatch.setattr(world.store.archive, "rates", read)
    world.judging.update()
    anew = world.anew()
    anew.update()
    told, expected = ({code: days for code, days in each.outcomes.items() if days} for each in (world.judging, anew))
    assert told == expected
    assert world.judging.histories.keys() == anew.histories.keys()
    assert world.served(CALM + 1) == 1451.0
