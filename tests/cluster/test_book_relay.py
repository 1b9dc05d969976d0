"""The rate book over nodes: two and more data folders with a link each, and a real Redis between them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE
from tests.redis_server import RedisServer

from cambist.cluster import book_relay
from cambist.cluster.book_relay import BOOK, BookRelay
from cambist.cluster.file_relay import FileRelay
from cambist.cluster.redis_connection import RedisConnection
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic
from cambist.storage.shared.rate_book_file import RateBookFile

AT = datetime(2026, 3, 6, 15, 2, 3, tzinfo=UTC)

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

Order = tuple[int, int]


def a_book(version: int) -> QuotedBook:
    price, origin = Fraction(version), Origin(Derivation.PUBLISHED, ("ecb",))
    return QuotedBook(version, AT, {"JPY": Quote(Pair("USD", "JPY"), price, price, AT, AT, origin)}, ("JPY", "USD"))


class Node:
    """A data folder with its link."""

    def __init__(self, path: Path, url: str) -> None:
        path.mkdir(exist_ok=True)
        self.folder = DataDirectory(path)
        self.redis = RedisConnection(url)
        self.books = BookRelay(self.folder, self.redis)
        self.files = FileRelay(self.folder, self.redis, self.books)
        self.reader = RateBookFile(path)
        self.ingest = RateBookFile(self.folder.candidates)
        self.seen: list[Order] = []

    def publish(self, epoch: int, version: int) -> None:
        """Publish a book as the ingest process does that leads in this epoch."""
        self.ingest.publish(a_book(version), epoch)

    @property
    def order(self) -> Order | None:
        return self.reader.age_order()

    async def watch(self) -> None:
        """Note every book that a worker of this node may have seen."""
        while True:
            if (order := self.order) is not None and (not self.seen or self.seen[-1] != order):
                self.seen.append(order)
            await asyncio.sleep(0.002)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Node]:
        parts = [self.redis.run(), self.books.run(), self.files.run(), self.watch()]
        tasks = [asyncio.create_task(part) for part in parts]
        try:
            yield self
        finally:
            failed = [task.exception() for task in tasks if task.done()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            assert not failed


async def happens(what: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not what():  # noqa: ASYNC110  it is a file that changes
            await asyncio.sleep(0.01)


@contextlib.asynccontextmanager
async def nodes(folder: Path, server: RedisServer, count: int = 2) -> AsyncIterator[list[Node]]:
    async with contextlib.AsyncExitStack() as stack:
        made = [Node(folder / f"node{number}", server.url) for number in range(count)]
        for node in made:
            await stack.enter_async_context(node.running())
        await happens(lambda: all(node.redis.is_linked for node in made))
        yield made


def test_a_book_of_the_leader_reaches_every_node_with_its_time(redis_server: RedisServer, tmp_path: Path) -> None:
    async def relay() -> None:
        async with nodes(tmp_path, redis_server, 3) as (leader, *others):
            assert leader.books.lag is None
            for version in (1, 2, 3):
                notified = [node.reader.changes.version(Topic.BOOK) for node in others]
                leader.publish(1, version)
                await happens(lambda: {node.order for node in (leader, *others)} == {(1, version)})  # noqa: B023
                assert all(
                    node.reader.changes.version(Topic.BOOK) != before
                    for node, before in zip(others, notified, strict=True)
                )
            for node in (leader, *others):
                book = node.reader.current()
                assert book is not None
                assert book.quoted() == a_book(3)
                assert node.reader.published_at() == leader.ingest.published_at()
                assert node.books.lag is not None
                assert 0 <= node.books.lag < PATIENCE

    asyncio.run(relay())


def test_nodes_get_only_what_has_changed_and_one_that_has_missed_something_the_whole_book(
    redis_server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wholes, changes = list[int](), list[int]()
    unpack, make = book_relay.unpack_book, book_relay.unpack_change

    def whole(content: bytes) -> Any:
        wholes.append(len(content))
        return unpack(content)

    def change(content: bytes, before: Any) -> Any:
        found = make(content, before)
        changes.extend([len(content)] if found is not None else [])
        return found

    monkeypatch.setattr(book_relay, "unpack_book", whole)
    monkeypatch.setattr(book_relay, "unpack_change", change)

    async def relay() -> None:
        async with nodes(tmp_path, redis_server, 3) as (leader, one, other):
            version = 0
            while len(changes) < 14:  # from the second book on two at a time, unless a node is late
                version += 1
                assert version < 100
                leader.publish(1, version)
                await happens(lambda: {node.order for node in (leader, one, other)} == {(1, version)})  # noqa: B023
                book = one.reader.current()
                assert book is not None
                assert book.quoted() == a_book(version)
            assert max(changes) < min(wholes)
            other.books._book = None  # as after a message was lost
            missed = len(wholes)
            leader.publish(1, version + 1)
            await happens(lambda: {node.order for node in (leader, one, other)} == {(1, version + 1)})
            assert len(wholes) > missed

    asyncio.run(relay())


def test_a_late_joiner_has_the_book_although_nothing_new_is_published(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    async def join() -> None:
        async with nodes(tmp_path, redis_server, 1) as (leader,):
            leader.publish(1, 5)
            await happens(lambda: leader.order == (1, 5))
            async with Node(tmp_path / "late", redis_server.url).running() as late:
                await happens(lambda: late.order == (1, 5))

    asyncio.run(join())


def test_an_emptied_redis_is_full_again_although_nothing_new_is_published(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    async def empty() -> None:
        async with nodes(tmp_path, redis_server) as (leader, other):
            leader.publish(1, 5)
            await happens(lambda: other.order == (1, 5))
            redis_server.flush()
            await happens(lambda: b"5" in redis_server.ask("HGET", BOOK, "version"))
            redis_server.kill()
            await happens(lambda: not other.redis.is_linked)
            redis_server.start()
            await happens(lambda: b"5" in redis_server.ask("HGET", BOOK, "version"))
            leader.publish(1, 6)
            await happens(lambda: other.order == (1, 6))

    asyncio.run(empty())


def test_an_emptied_redis_is_filled_by_any_node_when_the_leader_is_gone(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    async def empty() -> None:
        async with nodes(tmp_path, redis_server) as (leader, other):
            leader.publish(4, 5)
            await happens(lambda: other.order == (4, 5))
        redis_server.flush()
        async with Node(tmp_path / "node1", redis_server.url).running():
            await happens(lambda: b"5" in redis_server.ask("HGET", BOOK, "version"))

    asyncio.run(empty())


def test_books_of_an_earlier_leader_are_seen_by_nobody(redis_server: RedisServer, tmp_path: Path) -> None:
    async def lead_both() -> None:
        async with nodes(tmp_path, redis_server, 3) as (old, new, other):
            old.publish(1, 100)
            await happens(lambda: {node.order for node in (old, new, other)} == {(1, 100)})
            for version in range(1, 30):
                new.publish(2, version)
                old.publish(1, 100 + version)
                await asyncio.sleep(0.02)
            await happens(lambda: {node.order for node in (old, new, other)} == {(2, 29)})
            for node in (old, new, other):
                assert node.seen == sorted(node.seen)
                took_over = [order for order in node.seen if order > (1, 110)]
                assert {epoch for epoch, _ in took_over} == {2}
            assert not old.books.publishes
            assert new.books.publishes

    asyncio.run(lead_both())


def test_a_book_of_an_earlier_leader_that_comes_late_is_dropped_and_logged(
    redis_server: RedisServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def come_late() -> None:
        async with nodes(tmp_path, redis_server, 1) as (new,):
            new.publish(2, 1)
            await happens(lambda: new.order == (2, 1))
            old = Node(tmp_path / "old", redis_server.url)
            old.publish(1, 100)  # before its link runs, which therefore has not heard of the new leader
            async with old.running():
                await happens(lambda: old.seen)
            await happens(lambda: old.seen == [(2, 1)])  # who notes them may be a moment late

    asyncio.run(come_late())
    assert "of an earlier leader is dropped: its epoch is 1, not 2" in caplog.text
    assert caplog.text.count("is dropped") == 1


def test_an_old_leader_that_finds_redis_empty_shows_its_book_to_no_other_node(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    async def wake() -> None:
        async with nodes(tmp_path, redis_server) as (new, other):
            new.publish(2, 7)
            await happens(lambda: other.order == (2, 7))
            redis_server.flush()
            async with Node(tmp_path / "old", redis_server.url).running() as old:
                old.publish(1, 500)
                await happens(lambda: {node.order for node in (old, new, other)} == {(2, 7)})
            assert new.seen == other.seen == [(2, 7)]

    asyncio.run(wake())


def test_without_redis_the_leaders_node_goes_on_alone_and_the_others_follow_later(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    async def lose() -> None:
        async with nodes(tmp_path, redis_server) as (leader, other):
            leader.publish(1, 1)
            await happens(lambda: other.order == (1, 1))
            redis_server.pause()
            leader.publish(1, 2)
            await happens(lambda: leader.order == (1, 2))
            assert other.order == (1, 1)
            redis_server.resume()
            await happens(lambda: other.order == (1, 2))

    asyncio.run(lose())


@pytest.mark.long
def test_a_redis_that_refuses_to_store_keeps_no_book_from_the_leaders_node(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    async def refuse() -> None:
        async with nodes(tmp_path, redis_server) as (leader, other):
            redis_server.ask("SET", BOOK, "of another program")
            leader.publish(1, 1)
            await happens(lambda: leader.order == (1, 1))
            assert other.order is None
            redis_server.flush()
            await happens(lambda: other.order == (1, 1))

    asyncio.run(refuse())


def test_a_damaged_book_is_reported_once_and_the_last_one_stays(
    redis_server: RedisServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def damage() -> None:
        async with nodes(tmp_path, redis_server) as (leader, other):
            leader.publish(1, 1)
            await happens(lambda: other.order == (1, 1))
            for _ in range(3):
                await leader.redis.publish(BOOK, b"no book")
                await asyncio.sleep(0.05)
            await happens(lambda: "cannot be read" in caplog.text)
            assert other.order == (1, 1)
            leader.publish(1, 2)
            await happens(lambda: other.order == (1, 2))

    caplog.set_level(logging.INFO)
    asyncio.run(damage())
    assert caplog.text.count("the last book stays: A rate book from another node cannot be read") == 2  # one a node
    assert "rate books are read again" in caplog.text


def test_a_started_link_goes_on_from_the_book_of_its_node(redis_server: RedisServer, tmp_path: Path) -> None:
    async def start_again() -> None:
        async with nodes(tmp_path, redis_server) as (leader, other):
            leader.publish(3, 9)
            await happens(lambda: other.order == (3, 9))
        async with nodes(tmp_path, redis_server) as (leader, other):
            assert leader.books.order == other.books.order == (3, 9)
            leader.publish(3, 10)
            await happens(lambda: other.order == (3, 10))
            await happens(lambda: other.seen == [(3, 9), (3, 10)])  # who notes them may be a moment late

    asyncio.run(start_again())


def test_a_book_that_no_leader_has_published_stays_on_its_node(redis_server: RedisServer, tmp_path: Path) -> None:
    async def keep() -> None:
        (tmp_path / "node0").mkdir()
        RateBookFile(tmp_path / "node0").publish(a_book(50))
        async with nodes(tmp_path, redis_server) as (one, other):
            assert one.books.order == (0, 50)
            other.publish(1, 1)
            await happens(lambda: one.order == (1, 1))
            await happens(lambda: other.seen == [(1, 1)])  # who notes them may be a moment late

    asyncio.run(keep())


def test_a_full_disk_is_reported_once_and_the_book_is_written_when_there_is_space(
    redis_server: RedisServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    async def fill() -> None:
        async with nodes(tmp_path, redis_server) as (leader, other):
            (tmp_path / "node1" / "rates.book").mkdir()
            leader.publish(1, 1)
            await happens(lambda: "the rate book of this node cannot be written" in caplog.text)
            (tmp_path / "node1" / "rates.book").rmdir()
            await happens(lambda: other.order == (1, 1))

    asyncio.run(fill())
    assert "rate books are written again" in caplog.text


@pytest.mark.long
def test_votes_and_source_reports_of_the_leader_reach_every_node(redis_server: RedisServer, tmp_path: Path) -> None:
    def write(node: Node, content: str) -> None:
        (node.folder.candidates / "sources.json").write_text(content)
        (node.folder.candidates / "rates.votes").write_text(f"votes of {content}")

    def have(node: Node, content: str) -> bool:
        with contextlib.suppress(OSError):
            return (
                node.folder.source_reports.read_text() == content
                and node.folder.votes.read_text() == f"votes of {content}"
            )
        return False

    async def relay() -> None:
        async with nodes(tmp_path, redis_server) as (one, other):
            one.publish(1, 1)
            write(one, "first")
            before = other.reader.changes.version(Topic.SOURCES)
            await happens(lambda: have(one, "first") and have(other, "first"))
            assert other.reader.changes.version(Topic.SOURCES) != before
            redis_server.flush()
            write(one, "second")
            await happens(lambda: have(one, "second") and have(other, "second"))
            other.publish(2, 1)
            write(other, "third")
            await happens(lambda: have(one, "third") and have(other, "third"))
            write(one, "of an earlier leader")
            write(other, "fourth")
            await happens(lambda: have(one, "fourth") and have(other, "fourth"))
            redis_server.kill()
            write(other, "alone")
            await happens(lambda: have(other, "alone"))
            assert have(one, "fourth")

    asyncio.run(relay())
