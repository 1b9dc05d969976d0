from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import FilingResult, Fixing
from cambist.ingest.filing import Delivery, file_delivery
from cambist.pricing.pair import Pair
from cambist.sources.adapters.ecb import adapter
from cambist.sources.base import FixingAdapter, Source, SourceRequest
from cambist.storage.sql import SqlStore
from cambist.storage.sql.archive import SqlArchive as Archive

HOUR = timedelta(hours=1)
ecb = adapter.source
NOON = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
USD = Pair("EUR", "USD")


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    store = SqlStore(f"sqlite:///{tmp_path / 'a.db'}")
    store.migrate()
    yield store.archive
    store.close()


def delivered(archive: Archive, content: bytes, at: datetime = NOON, origin: str = "a test") -> FilingResult | None:
    return filed(archive, Delivery(content, origin, at), lambda _: None)


def filed(archive: Archive, delivery: Delivery, progress: Callable[[int], None]) -> FilingResult | None:
    return file_delivery(archive, adapter, delivery, progress)


def a_file(*lines: str) -> bytes:
    return "\n".join(["Date,USD,JPY,", *lines, ""]).encode()


def test_an_unreadable_cell_is_left_out_and_reported_and_the_rest_is_filed(archive: Archive) -> None:
    found = delivered(archive, a_file("2026-03-04,1.10,180,", "2026-03-05,1.11,0,"))
    assert found == FilingResult(
        added=3, corrected=0, unchanged=0, left_out=("ECB: EUR/JPY on 2026-03-05 is no rate: [0]",)
    )


def test_a_mostly_unreadable_delivery_is_refused(archive: Archive) -> None:
    with pytest.raises(SourceBroken, match=r"EUR/USD on 2026-03-04 is no rate: \[x\]"):
        delivered(archive, a_file("2026-03-04,x,x,", "2026-03-05,1.11,x,"))


def test_a_delivery_is_filed_with_its_delivery(archive: Archive) -> None:
    assert delivered(archive, a_file("2026-03-05,1.10,180,")) == FilingResult(added=2, corrected=0, unchanged=0)
    (known,) = archive.revisions(USD, date(2026, 3, 5))
    assert (str(known.fixing.value), known.received_at, known.origin) == ("1.10", NOON, "a test")


def test_the_delivery_has_the_hash_of_the_content(archive: Archive) -> None:
    content = a_file("2026-03-05,1.10,180,")
    delivered(archive, content)
    assert archive.newest_digest("ecb", "a test") == hashlib.sha256(content).hexdigest()


def test_the_same_content_is_not_parsed_again(archive: Archive) -> None:
    content = a_file("2026-03-05,1.10,180,")
    delivered(archive, content)
    before = archive.revision()
    read: list[int] = []
    assert filed(archive, Delivery(content, "a test", NOON + HOUR), read.append) is None
    assert read == []
    assert archive.revision() == before


def test_the_same_content_from_another_origin_changes_nothing(archive: Archive) -> None:
    content = a_file("2026-03-05,1.10,180,")
    delivered(archive, content)
    before = archive.revision()
    assert delivered(archive, content, NOON + HOUR, "elsewhere") == FilingResult(added=0, corrected=0, unchanged=2)
    assert archive.revision() == before


def test_content_that_returns_after_other_content_is_filed_again(archive: Archive) -> None:
    first, second = a_file("2026-03-05,1.10,180,"), a_file("2026-03-05,1.11,180,")
    for hours, content in enumerate([first, second]):
        delivered(archive, content, NOON + hours * HOUR)
    assert delivered(archive, first, NOON + 2 * HOUR) == FilingResult(added=0, corrected=1, unchanged=1)
    assert [str(known.fixing.value) for known in archive.revisions(USD, date(2026, 3, 5))] == ["1.10", "1.11", "1.10"]


def test_a_delivery_with_a_future_day_is_refused(archive: Archive) -> None:
    content = a_file("2026-03-05,1.10,180,", "2026-03-09,9.99,180,", "2026-03-04,1.12,180,")
    with pytest.raises(SourceBroken, match=r"EUR/USD is dated 2026-03-09, which is yet to come"):
        delivered(archive, content)
    assert list(archive.fixings("ecb")) == []
    assert archive.revision() == 0
    assert archive.newest_digest("ecb", "a test") is None


def test_a_day_that_has_begun_somewhere_on_earth_is_accepted(archive: Archive) -> None:
    assert delivered(archive, a_file("2026-03-07,1.10,180,")) == FilingResult(added=2, corrected=0, unchanged=0)


def test_a_delivery_with_future_days_is_accepted_later(archive: Archive) -> None:
    content = a_file("2026-03-09,1.10,180,")
    with pytest.raises(SourceBroken):
        delivered(archive, content)
    assert delivered(archive, content, NOON + timedelta(days=3)) == FilingResult(added=2, corrected=0, unchanged=0)


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>Service unavailable</html>",
        a_file(),
        a_file("2026-03-05,1.10,180,", "yesterday,1.10,180,"),
        a_file("2026-03-05,1.10,180,", "2026-03-05,1.11,180,"),
        a_file("2026-03-05,1.10,180,", "2026-03-04,1.1"),
        b"PK\x03\x04 and then the line broke",
    ],
)
def test_content_of_another_format_leaves_nothing(archive: Archive, content: bytes) -> None:
    with pytest.raises(SourceBroken):
        delivered(archive, content)
    assert list(archive.fixings("ecb")) == []
    assert archive.newest_digest("ecb", "a test") is None


def test_progress_counts_every_parsed_fixing(archive: Archive, small_ecb: bytes) -> None:
    counted: list[int] = []
    assert filed(archive, Delivery(small_ecb, "a test", NOON), counted.append) == FilingResult(
        added=17, corrected=0, unchanged=0
    )
    assert sum(counted) == 17


def test_progress_counts_stored_fixings_too(archive: Archive) -> None:
    delivered(archive, a_file("2026-03-05,1.10,180,"))
    counted: list[int] = []
    filed(archive, Delivery(a_file("2026-03-05,1.10,181,"), "a test", NOON + HOUR), counted.append)
    assert sum(counted) == 2


# Judging

TURKEY = Pair("EUR", "TRY")


class Lines(FixingAdapter):
    """A feed of lines of day, pair and value, anchored in euros; a word alone says that nothing is published."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        raise NotImplementedError

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        if content == b"nothing":
            raise NothingPublished("mint: nothing for the days asked")
        for line in content.decode().splitlines():
            day, pair, value = line.split()
            assert subject in ("", "the lira")
            yield Fixing("mint", Pair(*pair.split("/")), date.fromisoformat(day), Decimal(value))


class Several(FixingAdapter):
    """A source with three rates of the peso a day, the first its own."""

    source = Source(
        key="havana",
        name="Havana",
        home="https://havana.example/",
        terms="",
        licence="a test's",
        redistribution=ecb.redistribution,
        pace=ecb.pace,
        covers="pesos",
        zone=ecb.zone,
        first_day=date(2025, 1, 1),
        schedule=ecb.schedule,
        anchor="CUP",
        rate_types=("segment_2", "segment_3"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        yield SourceRequest(url="https://havana.example/", first=first, last=last)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        for line in content.decode().splitlines():
            day, code, *rates = line.split(",")
            for name, rate in zip(("", "segment_2", subject or "segment_3"), rates, strict=True):
                on = date.fromisoformat(day)
                yield Fixing("havana", Pair(code, "CUP"), on, Decimal(rate), rate_type=name)


def several(archive: Archive, content: str, subject: str = "") -> FilingResult | None:
    return file_delivery(archive, Several(), Delivery(content.encode(), "havana", NOON, subject), lambda _: None)


def test_further_types_are_stored_apart_from_the_own_rates(archive: Archive) -> None:
    found = several(archive, "2026-03-05,USD,24,120,410.5\n2026-03-05,EUR,27.9,139.5,477.1")
    assert found == FilingResult(added=6, corrected=0, unchanged=0)
    rates = {
        key: {str(one.pair): str(one.value) for one in archive.fixings(key)}
        for key in ("havana", "havana:segment_2", "havana:segment_3")
    }
    assert rates == {
        "havana": {"USD/CUP": "24", "EUR/CUP": "27.9"},
        "havana:segment_2": {"USD/CUP": "120", "EUR/CUP": "139.5"},
        "havana:segment_3": {"USD/CUP": "410.5", "EUR/CUP": "477.1"},
    }


def test_a_delivery_with_types_is_read_once(archive: Archive) -> None:
    content = "2026-03-05,USD,24,120,410"
    assert several(archive, content) is not None
    assert several(archive, content) is None


def test_a_delivery_of_further_types_alone_is_read_once(archive: Archive) -> None:
    class Street(Several):
        def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
            return (one for one in super().parse(content, subject) if one.rate_type)

    for _ in range(2):
        found = file_delivery(archive, Street(), Delivery(b"2026-03-05,USD,24,120,410", "s", NOON), lambda _: None)
    assert found is None


def test_a_type_that_the_source_does_not_name_is_refused(archive: Archive) -> None:
    with pytest.raises(SourceBroken, match=r"havana: \[street\] is not one of its types of rates"):
        several(archive, "2026-03-05,USD,24,120,410", "street")
    assert archive.sources() == []


LIRA = Lines(replace(ecb, key="mint", anchor="TRY", first_day=date(1996, 4, 16)))
NEW_YEAR = """\
2004-12-28 USD/TRL 1348000
2004-12-28 EUR/TRL 1836000
2004-12-29 USD/TRL 1345000
2004-12-29 EUR/TRL 18330000
2004-12-30 USD/TRL 1344000
2004-12-30 EUR/TRL 1830000
2004-12-31 USD/TRL 1342000
2004-12-31 EUR/TRL 1826000
2005-01-03 USD/TRY 1.336
2005-01-03 EUR/TRY 1.823
2005-01-04 USD/TRY 1.340
2005-01-04 EUR/TRY 1.806"""


def test_a_jump_is_filed_like_any_other_fixing_and_what_is_no_rate_is_left_out(archive: Archive) -> None:
    found = several(archive, "2026-03-04,USD,24,120,410\n2026-03-05,USD,2400,-120,0")
    assert found == FilingResult(
        added=4,
        corrected=0,
        unchanged=0,
        left_out=(
            "havana: USD/CUP on 2026-03-05 is -120, which is no rate",
            "havana: USD/CUP on 2026-03-05 is 0, which is no rate",
        ),
    )
    assert [str(one.value) for one in archive.fixings("havana")] == ["24", "2400"]


def test_an_empty_delivery_is_filed_too(archive: Archive) -> None:
    class Silent(Several):
        def parse(self, _content: bytes, _subject: str = "") -> Iterator[Fixing]:
            raise NothingPublished("nothing")

    delivery = Delivery(b"nothing", "havana", NOON)
    assert file_delivery(archive, Silent(), delivery, lambda _: None) == FilingResult(added=0, corrected=0, unchanged=0)
    assert archive.last_received("havana", "havana") == NOON
