"""Answers about past days are reproduced byte for byte from their editions, whatever was filed and decided since.

A seeded share runs in the suite; `make reproduce` asks 10,000 questions, and `REPRODUCED=500 SEED=7` as many as named.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec import structs
from tests.conftest import client_of
from tests.postgresql import postgresql_url
from tests.reading import read_with

from cambist.api.state.archive_reader import ArchiveReader
from cambist.api.state.known_history import KnownHistory
from cambist.api.state.reader_pool import ReaderPool
from cambist.api.state.verdict_reader import VerdictReader
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.typed_series import CLOSES
from cambist.history.verdict_log import Decision
from cambist.ingest.snapshot_builder import rate_matrix_at, rate_matrix_from_archive, record_edition, rules_of
from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook
from cambist.sources.adapters.cbr import adapter as cbr
from cambist.sources.adapters.ecb import adapter as ecb
from cambist.sources.adapters.nbp import adapter as nbp
from cambist.sources.base import Source
from cambist.storage.sql import SqlStore
from cambist.storage.sql.read_only import SqlReadOnlyStore

QUESTIONS = int(os.environ.get("REPRODUCED", "120"))
SEED = int(os.environ.get("SEED", "20261120"))
ROUNDS = min(max(QUESTIONS // 20, 12), 120)
ALL: list[Source] = [ecb.source, nbp.source, cbr.source]
CODES = {
    "ecb": ["USD", "JPY", "GBP", "BGN", "DKK", "HRK"],
    "nbp": ["USD", "EUR", "JPY", "CHF", "XAU"],
    "cbr": ["USD", "EUR", "KZT", "TRY", "BYN", "AED"],
}
ASKED = ["USD", "EUR", "JPY", "GBP", "PLN", "RUB", "CHF", "BGN", "HRK", "DEM", "AED", "SAR", "KZT", "XAU", "BYN", "DKK"]
STARTS = [date(2026, 9, 1), date(2022, 12, 12), date(1998, 12, 20), date(2016, 6, 20), date(1970, 1, 1)]
"""Days about which something is filed: also around a conversion, the euro's start, a redenomination, and the first."""
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
URLS = {
    "sqlite": lambda folder: f"sqlite:///{folder / 'known.db'}",
    "postgresql": postgresql_url,
}


class World:
    """A service whose archive changes at random, and that remembers what it answered."""

    def __init__(self, url: str, book: RateBook, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311  not for secrets
        self.url, self.store = url, SqlStore(url)
        self.store.migrate()
        self.sources = list(ALL)
        self.answered: list[tuple[str, str, bytes]] = []
        self.deliveries = 0
        self.readings: list[SqlReadOnlyStore] = []
        self.deliver("ecb")
        self.client = client_of(book, self.build())
        self.read_archive()

    def read_archive(self) -> None:
        """Let the client read the archive as a worker does."""
        state = self.client.worker_state
        assert state is not None
        reading = self.store.read_only(2, 60)
        self.readings.append(reading)
        reader = ArchiveReader(reading.archive, reading.bars, ReaderPool(4, within=60), lambda: NOW)
        read_with(
            state,
            fixings=reader.published_fixings,
            closes=reader.close,
            known_fixings=reader.known_fixings,
            known_closes=reader.known_close,
        )
        pool = ReaderPool(4, readers=1, within=60)
        read_with(
            state,
            verdicts=VerdictReader(reading.archive, reading.editions, reading.verdicts, pool).verdict,
            known_history=KnownHistory(
                reading.archive, reading.editions, reading.verdicts, pool, lambda: datetime.now(UTC), rules_of(ALL)
            ),
        )

    def build(self):
        built = rate_matrix_from_archive(self.store, self.sources, NOW.date())
        return record_edition(self.store.editions, built, self.sources)

    def fixings(self, source: str, most: int = 12) -> list[Fixing]:
        """Make fixings of a source: about days of one stretch, each with some of its currencies."""
        anchor = {"ecb": "EUR", "nbp": "PLN", "cbr": "RUB"}[source]
        start = self.random.choice(STARTS) + timedelta(days=self.random.randrange(40))
        days = [start + timedelta(days=step) for step in range(self.random.randint(1, most))]
        found = []
        for day in days:
            for code in CODES[source]:
                if self.random.random() < 0.7 and day <= NOW.date():
                    value = Decimal(self.random.randint(50_000, 150_000)) / 10_000
                    pair = Pair(anchor, code) if source == "ecb" else Pair(code, anchor)
                    nominal = 1 if source == "ecb" else self.random.choice([1, 100])
                    found.append(Fixing(source, pair, day, value, nominal))
        return found

    def delivery(self, source: str) -> DeliveryRecord:
        self.deliveries += 1
        return DeliveryRecord(
            source, NOW + timedelta(seconds=self.deliveries), f"delivery {self.deliveries}", str(self.deliveries)
        )

    def deliver(self, source: str = "") -> None:
        source = source or self.random.choice(list(CODES))
        self.store.archive.file(self.delivery(source), self.fixings(source))

    def some_clock(self) -> datetime:
        """Tell the time by a clock that may be wrong by hours: what an edition shows does not depend on it."""
        return datetime.now(UTC) + timedelta(minutes=self.random.randint(-300, 300))

    def decide(self) -> None:
        """Decide on what a source said last of some code, or take a decision back."""
        known = self.store.verdicts.decisions()
        if known and self.random.random() < 0.3:
            ended = self.random.choice(known)
            self.store.verdicts.decide(structs.replace(ended, takes_back=ended.number, made_at=self.some_clock()))
            return
        source = self.random.choice(list(CODES))
        for fixing in self.fixings(source, 1)[:1]:
            day, accepts = (fixing.day - FIRST_DAY).days, self.random.random() < 0.5
            code = fixing.pair.quote if source == "ecb" else fixing.pair.base
            until = self.random.choice([None, day, day + 9])
            level = Decimal(self.random.randint(1, 300)) / 100
            self.store.verdicts.decide(Decision(0, code, day, until, level, accepts, "a test", self.some_clock()))

    def kill(self) -> None:
        """Kill a process while it files."""
        source, deliveries = self.random.choice(list(CODES)), [self.delivery("ecb") for _ in range(50)]
        delivered = [self.fixings(source) for _ in deliveries]
        child = os.fork()
        if not child:
            try:
                store = SqlStore(self.url)
                for delivery, fixings in zip(deliveries, delivered, strict=True):
                    store.archive.file(replace(delivery, source=source), fixings)
            finally:
                os._exit(0)
        time.sleep(self.random.random() * 0.08)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    def close_coins(self) -> None:
        day = NOW.date() - timedelta(days=self.random.randint(1, 5))
        price = Decimal(self.random.randint(90_000, 110_000))
        delivery = replace(self.delivery(CLOSES), origin="kraken")
        self.store.archive.file(delivery, [Fixing(CLOSES, Pair("BTC", "USD"), day, price)])

    def switch_source(self) -> None:
        self.sources = self.random.choice([ALL, ALL[:2], [ALL[2], ALL[0]], [ALL[0]]])

    def change(self) -> None:
        actions = [self.deliver] * 5 + [self.decide] * 2 + [self.kill, self.close_coins, self.switch_source]
        self.random.choice(actions)()
        state = self.client.worker_state
        assert state is not None
        state.apply_matrix(self.build())

    def question(self) -> str:
        """Make a question about a day or a period."""
        pick = self.random
        start = pick.choice(STARTS) + timedelta(days=pick.randrange(60))
        start = min(start, NOW.date() - timedelta(days=1))
        base, quote = pick.sample(ASKED, 2)
        several = ",".join(pick.sample(ASKED, pick.randint(1, 5)))
        end = min(start + timedelta(days=pick.randrange(60)), NOW.date())
        coin = pick.choice([base, "BTC"])
        recent = NOW.date() - timedelta(days=pick.randint(0, 5))
        return pick.choice(
            [
                f"/historical?date={start}&from={base}",
                f"/historical?date={start}&from={base}&to={several}&verbose=1&partial=1",
                f"/time-series?from={base}&to={several}&start={start}&end={end}&verbose={pick.randint(0, 1)}&partial=1",
                f"/time-series?from={base}&to={quote}&start={start}&end={end}",
                f"/convert?from={base}&to={quote}&amount={pick.randint(1, 999)}&date={start}",
                f"/convert?from=BTC&to={quote}&amount=2&date={recent}",
                f"/historical?from=BTC&to={quote}&date={recent}",
                f"/explain?from={base}&to={quote}&date={start}",
                f"/explain?from={coin}&to={quote}&date={recent}",
            ]
        )

    def ask(self, count: int) -> None:
        for _ in range(count):
            question = self.question()
            reply = self.client.get(question)
            if reply.status == 200:
                self.answered.append((question, reply.headers["cambist-edition"], without_ms(reply.content)))


def without_ms(content: bytes) -> bytes:
    return content[: content.rindex(b'"ms":')]


@pytest.fixture(params=URLS)
def world(request: pytest.FixtureRequest, tmp_path: Path, real_book: RateBook) -> Iterator[World]:
    made = World(URLS[request.param](tmp_path), real_book, SEED)
    yield made
    for reading in made.readings:
        reading.close()
    made.store.close()


@pytest.mark.long
def test_answers_are_reproduced_from_their_editions(world: World) -> None:
    while len(world.answered) < QUESTIONS:
        world.ask(2 * QUESTIONS // ROUNDS)
        world.change()
    questions = world.answered[:QUESTIONS]
    world.random.shuffle(questions)
    assert len({edition for _, edition, _ in questions}) >= min(ROUNDS // 4, 3)
    for question, edition, content in questions:
        reply = world.client.get(f"{question}&as_of={edition}")
        assert (question, edition, reply.status) == (question, edition, 200), reply.content
        assert without_ms(reply.content) == content, (question, edition)
        assert reply.headers["cambist-edition"] == edition


@pytest.mark.long(every=2)
def test_a_new_service_over_the_same_archive_gives_the_same_answers(world: World, real_book: RateBook) -> None:
    for _ in range(5):
        world.ask(8)
        world.change()
    world.client = client_of(real_book, world.build())
    world.read_archive()
    assert world.answered
    for question, edition, content in world.answered:
        assert without_ms(world.client.get(f"{question}&as_of={edition}").content) == content


@pytest.mark.long(every=2)
def test_the_whole_matrix_of_an_edition_is_built_again_with_the_same_digest(world: World) -> None:
    for _ in range(6):
        world.change()
    for edition in world.store.editions.after(0, 100):
        rules = world.store.editions.rules(edition.rules)
        assert rules is not None
        by_key = {source.key: source for source in ALL}
        sources = [by_key[rule.key] for rule in rules.sources]
        assert edition.last_verdict is not None
        built = rate_matrix_at(world.store, sources, NOW.date() + timedelta(days=9), edition.judged)
        assert record_edition(world.store.editions, built, sources).edition == edition.name
