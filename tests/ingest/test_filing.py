from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from cambist.errors import FeedBroken
from cambist.feeds.ecb import feed
from cambist.history.fixing import Filed
from cambist.ingest.filing import Delivery, Files, file_delivery
from cambist.market.pair import Pair
from cambist.stores.sql import SqlStore
from cambist.stores.sql.archive import SqlArchive as Archive
from cambist.stores.sql.quarantine import SqlQuarantine

HOUR = timedelta(hours=1)
NOON = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
USD = Pair("EUR", "USD")


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    store = SqlStore(f"sqlite:///{tmp_path / 'a.db'}")
    store.migrate()
    yield store.archive
    store.close()


def delivered(archive: Archive, content: bytes, at: datetime = NOON, origin: str = "a test") -> Filed | None:
    return filed(archive, Delivery(content, origin, at), lambda _: None)


def filed(archive: Archive, delivery: Delivery, progress: Callable[[int], None]) -> Filed | None:
    quarantine = SqlQuarantine(archive._engine)
    return file_delivery(Files(archive, quarantine), feed, delivery, progress)


def a_file(*lines: str) -> bytes:
    return "\n".join(["Date,USD,JPY,", *lines, ""]).encode()


def test_a_delivery_is_filed_with_its_receipt(archive: Archive) -> None:
    assert delivered(archive, a_file("2026-03-05,1.10,180,")) == Filed(added=2, corrected=0, unchanged=0)
    (known,) = archive.trail(USD, date(2026, 3, 5))
    assert (str(known.fixing.value), known.received_at, known.origin) == ("1.10", NOON, "a test")


def test_the_receipt_names_the_bytes_by_their_hash(archive: Archive) -> None:
    content = a_file("2026-03-05,1.10,180,")
    delivered(archive, content)
    assert archive.newest_digest("ecb", "a test") == hashlib.sha256(content).hexdigest()


def test_the_same_bytes_are_not_even_read(archive: Archive) -> None:
    content = a_file("2026-03-05,1.10,180,")
    delivered(archive, content)
    before = archive.revision()
    read: list[int] = []
    assert filed(archive, Delivery(content, "a test", NOON + HOUR), read.append) is None
    assert read == []
    assert archive.revision() == before


def test_the_same_bytes_from_elsewhere_are_read_and_change_nothing(archive: Archive) -> None:
    content = a_file("2026-03-05,1.10,180,")
    delivered(archive, content)
    before = archive.revision()
    assert delivered(archive, content, NOON + HOUR, "elsewhere") == Filed(added=0, corrected=0, unchanged=2)
    assert archive.revision() == before


def test_bytes_that_come_again_after_others_are_filed_again(archive: Archive) -> None:
    first, second = a_file("2026-03-05,1.10,180,"), a_file("2026-03-05,1.11,180,")
    for hours, content in enumerate([first, second]):
        delivered(archive, content, NOON + hours * HOUR)
    assert delivered(archive, first, NOON + 2 * HOUR) == Filed(added=0, corrected=1, unchanged=1)
    assert [str(known.fixing.value) for known in archive.trail(USD, date(2026, 3, 5))] == ["1.10", "1.11", "1.10"]


def test_a_day_that_is_yet_to_come_refuses_the_delivery_whole(archive: Archive) -> None:
    content = a_file("2026-03-05,1.10,180,", "2026-03-09,9.99,180,", "2026-03-04,1.12,180,")
    with pytest.raises(FeedBroken, match=r"EUR/USD is dated 2026-03-09, which is yet to come"):
        delivered(archive, content)
    assert list(archive.fixings("ecb")) == []
    assert archive.revision() == 0
    assert archive.newest_digest("ecb", "a test") is None


def test_the_day_that_has_begun_somewhere_on_earth_is_taken(archive: Archive) -> None:
    assert delivered(archive, a_file("2026-03-07,1.10,180,")) == Filed(added=2, corrected=0, unchanged=0)


def test_a_refused_delivery_is_taken_once_its_days_have_come(archive: Archive) -> None:
    content = a_file("2026-03-09,1.10,180,")
    with pytest.raises(FeedBroken):
        delivered(archive, content)
    assert delivered(archive, content, NOON + timedelta(days=3)) == Filed(added=2, corrected=0, unchanged=0)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>Service unavailable</html>",
        a_file(),
        a_file("2026-03-05,1.10,180,", "2026-03-04,nonsense,180,"),
        a_file("2026-03-05,1.10,180,", "2026-03-05,1.11,180,"),
        a_file("2026-03-05,1.10,180,", "2026-03-04,1.1"),
        b"PK\x03\x04 and then the line broke",
    ],
)
def test_what_is_not_the_sources_file_leaves_nothing(archive: Archive, content: bytes) -> None:
    with pytest.raises(FeedBroken):
        delivered(archive, content)
    assert list(archive.fixings("ecb")) == []
    assert archive.newest_digest("ecb", "a test") is None


def test_progress_counts_every_fixing_that_is_read(archive: Archive, small_ecb: bytes) -> None:
    counted: list[int] = []
    assert filed(archive, Delivery(small_ecb, "a test", NOON), counted.append) == Filed(
        added=17, corrected=0, unchanged=0
    )
    assert sum(counted) == 17


def test_progress_counts_also_what_is_known_already(archive: Archive) -> None:
    delivered(archive, a_file("2026-03-05,1.10,180,"))
    counted: list[int] = []
    filed(archive, Delivery(a_file("2026-03-05,1.10,181,"), "a test", NOON + HOUR), counted.append)
    assert sum(counted) == 2
