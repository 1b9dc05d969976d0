"""What the ingest process of a node does while it leads, when it takes over, and when it stands by."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE
from tests.processes.archive_double import ArchiveHere

from cambist.cluster.leadership import LeaderElection, Term
from cambist.errors import NoLongerLeading
from cambist.history.bars import Bar, Interval, Ohlc, PairBar
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.typed_series import CLOSES
from cambist.ingest.coin_closes import CoinCloses
from cambist.ingest.filing import Delivery
from cambist.ingest.source_status import SourceStatuses
from cambist.ingest.steady_clock import boot_seconds
from cambist.pricing.pair import Pair
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.tick import Tick
from cambist.processes import ingest_leader as module
from cambist.processes.ingest_leader import IngestLeader
from cambist.processes.ingestor import Ingestor
from cambist.registry.archiving.archive_tasks import ArchiveTasks
from cambist.settings import Settings
from cambist.sources.adapters.ecb import adapter as ecb
from cambist.storage.json_file import write_json_file
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.sql import SqlStore

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
EURUSD = Pair("EUR", "USD")
DAY = date(2026, 3, 6)
RATES = b"Date,USD,\n2026-03-06,1.2500,\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A node whose database is empty."""
    store = SqlStore(f"sqlite:///{tmp_path / 'cambist.db'}")
    store.migrate()
    store.close()
    return Settings(data=tmp_path, redis="redis://127.0.0.1:9/0", node="berlin")


@pytest.fixture
def store(settings: Settings) -> Iterator[SqlStore]:
    store = SqlStore(settings.database_url)
    yield store
    store.close()


class Scene:
    """The leader of a test, the election that it stands in, and what came over it."""

    def __init__(self, settings: Settings, store: SqlStore) -> None:
        self.store = store
        self.archive: Any = ArchiveHere(settings)
        self.election = LeaderElection(store.leadership, "berlin", lambda: NOON, boot_seconds, term_seconds=60)
        self.leader = IngestLeader(self.election, lambda: self.archive)
        self.events: list[str] = []

    async def gain(self) -> Term:
        await self.election._attempt()
        return await self.election.gained()

    def let_another_lead(self) -> None:
        term = self.election.term
        assert term is not None
        self.store.leadership.release(term.epoch, self.election._holder)
        assert self.store.leadership.take("paris", "another", 60) is not None

    async def take_over(self) -> None:
        assert self.leader.epoch() is None
        self.events.append("taken over")

    def duties(self) -> list[Coroutine[Any, Any, None]]:
        return [self._duty("one"), self._duty("two")]

    async def _duty(self, name: str) -> None:
        self.events.append(f"{name} began")
        try:
            await asyncio.Event().wait()
        finally:
            self.events.append(f"{name} ended")


@pytest.fixture
def scene(settings: Settings, store: SqlStore) -> Iterator[Scene]:
    scene = Scene(settings, store)
    yield scene
    scene.election._thread.shutdown()


def run(work: Coroutine[Any, Any, None]) -> None:
    async def in_time() -> None:
        async with asyncio.timeout(PATIENCE):
            await work

    asyncio.run(in_time())


async def until(happens: Callable[[], object]) -> None:
    while not happens():  # noqa: ASYNC110  a test
        await asyncio.sleep(0.01)


def test_a_leader_takes_over_first_and_then_publishes_and_does_its_duties_until_another_leads(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        task = asyncio.create_task(scene.leader.lead(scene.take_over, scene.duties))
        await asyncio.sleep(0.05)
        assert (scene.events, scene.leader.epoch(), scene.leader.is_standby()) == ([], None, True)
        for _ in range(2):
            scene.events.clear()
            term = await scene.gain()
            await until(lambda: len(scene.events) == 3)
            assert scene.events == ["taken over", "one began", "two began"]
            assert (scene.leader.epoch(), scene.leader.is_standby()) == (term.epoch, False)
            scene.election.lose(term)
            assert (scene.leader.epoch(), scene.leader.is_standby()) == (None, True)
            await until(lambda: len(scene.events) == 5)
            assert scene.events[3:] == ["one ended", "two ended"]
        task.cancel()

    with caplog.at_level("INFO"):
        run(work())
    said = [record.getMessage().partition(", in the epoch")[0] for record in caplog.records]
    assert said == ["Ingest: this node leads now", "Ingest: another node leads now, and this one stands by"] * 2


def test_a_duty_that_fails_is_not_passed_over(scene: Scene) -> None:
    async def fail() -> None:
        raise ZeroDivisionError

    async def work() -> None:
        task = asyncio.create_task(scene.leader.lead(scene.take_over, lambda: [fail(), *scene.duties()]))
        await scene.gain()
        with pytest.raises(ZeroDivisionError):
            await task
        assert scene.events[-2:] == ["one ended", "two ended"]

    run(work())


def test_a_standby_files_nothing(scene: Scene) -> None:
    delivery = Delivery(RATES, "a test", NOON)

    async def work() -> None:
        with pytest.raises(NoLongerLeading):
            await scene.leader.call(ArchiveTasks.file, "ecb", delivery)
        with pytest.raises(NoLongerLeading):
            await scene.leader.file_bars([a_bar()])
        with pytest.raises(NoLongerLeading):
            await scene.archive.call(ArchiveTasks.file, "ecb", delivery)
        assert scene.archive.calls == 1

    run(work())
    assert list(scene.store.archive.fixings("ecb")) == []


def test_a_leader_files_until_another_leads_and_then_stands_by(scene: Scene) -> None:
    async def work() -> None:
        term = await scene.gain()
        await scene.leader.call(ArchiveTasks.file, "ecb", Delivery(RATES, "a test", NOON))
        scene.let_another_lead()
        assert scene.election.term is term
        with pytest.raises(NoLongerLeading):
            await scene.leader.call(ArchiveTasks.file, "ecb", Delivery(RATES.replace(b"5", b"6"), "a test", NOON))
        assert scene.leader.is_standby()

    run(work())
    (filed,) = scene.store.archive.fixings("ecb")
    assert filed.value == Decimal("1.2500")


def test_who_leads_again_files_in_its_new_epoch(scene: Scene) -> None:
    async def work() -> None:
        first = await scene.gain()
        await scene.leader.call(ArchiveTasks.file, "ecb", Delivery(RATES, "a test", NOON))
        scene.let_another_lead()
        scene.election.lose(first)
        other = scene.store.leadership.current()
        assert other is not None
        scene.store.leadership.release(other.epoch, other.holder)
        second = await scene.gain()
        assert second.epoch > other.epoch > first.epoch
        await scene.leader.call(ArchiveTasks.file, "ecb", Delivery(RATES.replace(b"5", b"6"), "a test", NOON))

    run(work())
    assert [str(one.fixing.value) for one in scene.store.archive.revisions(EURUSD, DAY)] == ["1.2500", "1.2600"]


def test_after_each_outage_of_the_database_sources_are_asked_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LOOK_SECONDS", 0.01)
    asked: list[str] = []

    async def work() -> None:
        asking = scene.leader.ask_after_outages([lambda: asked.append("ecb"), lambda: asked.append("boc")])
        task = asyncio.create_task(asking)
        await asyncio.sleep(0.05)
        assert asked == []
        for outages in (1, 2):
            scene.election.outages = outages
            await until(lambda: len(asked) == 2)
            await asyncio.sleep(0.05)
            assert asked == ["ecb", "boc"]
            asked.clear()
        task.cancel()

    run(work())


# Bars


def side(*prices: int) -> Ohlc:
    return Ohlc(*map(Decimal, prices))


def a_bar(start: datetime = NOON, price: int = 5, interval: Interval = Interval.MINUTE) -> PairBar:
    return PairBar(EURUSD, interval, Bar(start, side(price, price, price, price), side(price, price, price, price)))


def closes_of_bars(store: SqlStore, interval: Interval = Interval.MINUTE) -> dict[datetime, int]:
    return {bar.start: int(bar.bid.c) for bar in store.bars.newest_bars(EURUSD, interval, None, None, 99)}


def test_bars_from_before_a_takeover_are_filed_where_they_are_missing_and_later_ones_as_ever(scene: Scene) -> None:
    scene.store.bars.file([a_bar(NOON - 3 * MINUTE, 1), a_bar(NOON, 1)])
    held = [a_bar(NOON - minute * MINUTE, 5) for minute in (3, 2, 1)]

    async def work() -> None:
        await scene.gain()
        await scene.leader.file_bars([*held, a_bar(NOON, 6)])
        assert closes_of_bars(scene.store) == {
            NOON - 3 * MINUTE: 1, NOON - 2 * MINUTE: 5, NOON - MINUTE: 5, NOON: 6,
        }  # fmt: skip
        await scene.leader.file_bars([a_bar(NOON - MINUTE, 7)])  # amended by a late tick
        assert closes_of_bars(scene.store)[NOON - MINUTE] == 7

    run(work())


def test_held_bars_are_filed_once_the_database_can_file_them(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.store.bars.file([a_bar(NOON - 2 * MINUTE, 1)])
    bars = [a_bar(NOON - 2 * MINUTE), a_bar(NOON - MINUTE), a_bar(NOON, 6)]
    original = ArchiveTasks.file_bars_of_node

    def refuse(tasks: ArchiveTasks, each: Sequence[PairBar], since: datetime, *, only_missing: bool) -> None:
        if not only_missing:
            raise ZeroDivisionError
        original(tasks, each, since, only_missing=only_missing)

    async def work() -> None:
        await scene.gain()
        with monkeypatch.context() as patch:
            patch.setattr(ArchiveTasks, "file_bars_of_node", refuse)
            with pytest.raises(ZeroDivisionError):
                await scene.leader.file_bars(bars)
        await scene.leader.file_bars(bars)

    run(work())
    assert closes_of_bars(scene.store) == {NOON - 2 * MINUTE: 1, NOON - MINUTE: 5, NOON: 6}


def test_an_hour_that_began_before_the_takeover_has_the_minutes_of_both_leaders(scene: Scene) -> None:
    before, after = NOON - 10 * MINUTE, NOON + 10 * MINUTE
    scene.store.bars.file([a_bar(before, 1)])

    async def work() -> None:
        await scene.gain()
        own = a_bar(NOON - HOUR, 5, Interval.HOUR), a_bar(NOON, 9, Interval.HOUR)
        await scene.leader.file_bars([a_bar(NOON - MINUTE), a_bar(after, 9), *own])

    run(work())
    first, second = scene.store.bars.newest_bars(EURUSD, Interval.HOUR, None, None, 9)[::-1]
    assert first == Bar(NOON - HOUR, side(1, 5, 1, 5), side(1, 5, 1, 5))
    assert second.bid == side(9, 9, 9, 9)


# Closes


def some_closes(*coins: str, price: int = 5) -> list[CoinCloses]:
    fixings = tuple(Fixing(CLOSES, Pair(coin, "USD"), DAY, Decimal(price)) for coin in coins)
    return [CoinCloses(DeliveryRecord(CLOSES, NOON, "kraken", "".join(coins)), fixings)]


def stored_closes(store: SqlStore) -> dict[str, int]:
    found = store.archive.fixings_on(CLOSES, DAY)
    return {known.fixing.pair.base: int(known.fixing.value) for known in found}


def test_closes_wait_until_this_node_leads_and_only_missing_ones_are_filed(scene: Scene, settings: Settings) -> None:
    ArchiveTasks(Settings(data=settings.data)).file_closes(some_closes("BTC", price=1))

    async def work() -> None:
        filing = asyncio.create_task(scene.leader.file_closes(some_closes("BTC", "ETH")))
        await asyncio.sleep(0.05)
        assert not filing.done()
        await scene.gain()
        filed = await filing
        assert filed is not None
        assert (filed.added, filed.corrected) == (1, 0)

    run(work())
    assert stored_closes(scene.store) == {"BTC": 1, "ETH": 5}
    assert len(scene.store.archive.revisions(Pair("BTC", "USD"), DAY)) == 1


def test_a_standby_gives_closes_up_after_a_while(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CLOSES_HELD_SECONDS", 0.01)

    async def work() -> None:
        assert await scene.leader.file_closes(some_closes("BTC")) is None

    run(work())
    assert stored_closes(scene.store) == {}


# The whole process


@pytest.fixture
def ingestor(settings: Settings) -> Iterator[Ingestor]:
    ingestor = Ingestor(settings, {})
    ingestor._archive.archive_worker.close()
    ingestor._archive.archive_worker = ArchiveHere(settings)  # type: ignore[assignment]
    yield ingestor
    asyncio.run(election_of(ingestor).close())


def election_of(ingestor: Ingestor) -> LeaderElection:
    assert ingestor._leader is not None
    return ingestor._leader.election


async def publishing(ingestor: Ingestor, act: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Do something while a node publishes."""
    publication = ingestor._publication
    assert ingestor._leader is not None
    leading = ingestor._leader.lead(ingestor._take_over, list)
    tasks = [asyncio.create_task(each) for each in (publication.publish(), publication.write_reports(), leading)]
    await act()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def quote(ingestor: Ingestor, price: str) -> None:
    now = datetime.now(UTC)
    ingestor._pipeline.apply_tick(Tick("kraken", Pair("BTC", "USD"), Decimal(price), Decimal(price) + 1, now), now)


@pytest.mark.long
def test_a_standby_publishes_nothing_and_the_leader_publishes_candidates(
    ingestor: Ingestor, settings: Settings
) -> None:
    RateBookFile(settings.data).publish(QuotedBook(700, NOON, {}, ()), 3)
    candidates = RateBookFile(settings.data / "ingest")

    async def act() -> None:
        quote(ingestor, "60000")
        await until(lambda: ingestor._rate_books.last)
        await asyncio.sleep(0.2)
        assert list((settings.data / "ingest").glob("*")) == [settings.data / "ingest" / "versions"]
        await election_of(ingestor)._attempt()
        term = await election_of(ingestor).gained()
        await until(candidates.age_order)
        epoch, version = candidates.age_order() or (0, 0)
        assert epoch == term.epoch
        assert version > 700
        await until((settings.data / "ingest" / "sources.json").exists)
        election_of(ingestor).lose(term)
        quote(ingestor, "60001")
        last = ingestor._rate_books.version
        await until(lambda: ingestor._rate_books.version > last)
        await asyncio.sleep(0.2)
        assert candidates.age_order() is not None
        assert (candidates.age_order() or (0, 0))[1] <= last

    run(publishing(ingestor, act))
    assert RateBookFile(settings.data).age_order() == (3, 700)
    assert not (settings.data / "sources.json").exists()


def test_a_new_leader_goes_on_with_what_the_last_one_filed_and_reported(
    ingestor: Ingestor, settings: Settings, store: SqlStore
) -> None:
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    store.archive.file(DeliveryRecord("ecb", NOON, "a test", "d"), [Fixing("ecb", EURUSD, yesterday, Decimal("1.25"))])
    statuses = SourceStatuses.for_sources([ecb.source], {})
    statuses.by_source["ecb"].complete_on = yesterday
    write_json_file(settings.data / "sources.json", statuses.report(NOON, {}, {}))
    assert ingestor._statuses.by_source["ecb"].complete_on is None

    async def act() -> None:
        await election_of(ingestor)._attempt()
        await until(lambda: RateBookFile(settings.data / "ingest").age_order())

    run(publishing(ingestor, act))
    book = RateBookFile(settings.data / "ingest").current()
    assert book is not None
    assert "EUR" in book.quotes
    assert ingestor._statuses.by_source["ecb"].complete_on == yesterday


class FetcherDouble:
    """Counts how often it forgets all answers."""

    forgot = 0

    def forget_all(self) -> None:
        self.forgot += 1


def test_only_the_leader_polls_sources_of_fixings(ingestor: Ingestor, monkeypatch: pytest.MonkeyPatch) -> None:
    """All nodes poll and listen to the sources of ticks."""
    begun: list[str] = []

    def begin(adapter: Any, _poller: Any) -> list[Coroutine[Any, Any, None]]:
        begun.append(adapter.source.key)
        return []

    monkeypatch.setattr(ingestor, "_source_coroutines", begin)
    fetcher = FetcherDouble()
    works = ingestor._coroutines(fetcher)  # type: ignore[arg-type]
    at_once = set(begun)
    assert "kraken" in at_once
    assert "ecb" not in at_once
    assert fetcher.forgot == 0
    leading = next(each for each in works if each.__qualname__ == "IngestLeader.lead")
    assert leading.cr_frame is not None
    works += leading.cr_frame.f_locals["duties"]()
    assert fetcher.forgot == 1
    assert "ecb" in set(begun) - at_once
    assert len(begun) == len(ingestor._enabled)
    for each in works:
        each.close()


def test_a_service_on_one_machine_has_no_leader(tmp_path: Path) -> None:
    ingestor = Ingestor(Settings(data=tmp_path), {})
    ingestor._archive.archive_worker.close()
    assert ingestor._leader is None
    works = ingestor._coroutines(None)  # type: ignore[arg-type]
    assert not [each for each in works if "lead" in each.__qualname__.lower()]
    assert not (tmp_path / "ingest").exists()
    for each in works:
        each.close()
