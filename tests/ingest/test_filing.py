from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from cambist.history.quarantine import QuarantineState
from cambist.ingest.other_sources import ComparedSources
from cambist.storage.sql.quarantine import SqlQuarantine

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import FilingResult, Fixing, Receipt
from cambist.ingest.filing import Delivery, FilingContext, count_waiting, file_delivery
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
    quarantine = SqlQuarantine(archive._engine)
    return file_delivery(FilingContext(archive, quarantine), adapter, delivery, progress)


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


def test_a_delivery_is_filed_with_its_receipt(archive: Archive) -> None:
    assert delivered(archive, a_file("2026-03-05,1.10,180,")) == FilingResult(added=2, corrected=0, unchanged=0)
    (known,) = archive.revisions(USD, date(2026, 3, 5))
    assert (str(known.fixing.value), known.received_at, known.origin) == ("1.10", NOON, "a test")


def test_the_receipt_has_the_hash_of_the_content(archive: Archive) -> None:
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


def test_a_large_correction_to_an_ordinary_rate_is_refused_if_no_other_source_confirms_it(archive: Archive) -> None:
    ordinary = [f"2026-03-0{day},1.10,180," for day in range(2, 5)]
    delivered(archive, a_file(*ordinary, "2026-03-05,1.32,180,"))
    found = delivered(archive, a_file(*ordinary, "2026-03-05,1.10,180,"), NOON + HOUR)
    assert found == FilingResult(added=0, corrected=0, unchanged=7, refused=1)


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


@dataclass
class FilingScene:
    """A store, a feed, and what is filed with them."""

    store: SqlStore
    adapter: Lines
    others: list[Source] = field(default_factory=list)
    hours: int = 0

    def file(self, *lines: str, origin: str = "a test") -> FilingResult | None:
        """File lines, each delivery an hour after the one before; every one holds a dollar of 1.25."""
        content = "\n".join(lines) if lines == ("nothing",) else "\n".join((*map(with_dollar, lines),))
        self.hours += 1
        files = FilingContext(
            self.store.archive,
            self.store.quarantine,
            None,
            ComparedSources([self.adapter.source, *self.others]),
        )
        delivery = Delivery(content.encode(), origin, NOON + self.hours * HOUR, "the lira")
        return file_delivery(files, self.adapter, delivery, lambda _: None)

    @property
    def waiting(self) -> list[str]:
        return [f"{one.fixing.day} {one.fixing.value}: {one.reason}" for one in self.store.quarantine.quarantined()]

    @property
    def lira(self) -> list[str]:
        return [f"{one.day} {one.value}" for one in self.store.archive.fixings("mint") if one.pair == TURKEY]


def with_dollar(line: str) -> str:
    day, value = line.split()
    return f"{day} EUR/USD 1.25\n{day} EUR/TRY {value}"


@pytest.fixture
def scene(tmp_path: Path, a_source) -> Iterator[FilingScene]:
    store = SqlStore(f"sqlite:///{tmp_path / 'scene.db'}")
    store.migrate()
    yield FilingScene(store, Lines(a_source(anchor="EUR")), [a_source(key="others", anchor="EUR")])
    store.close()


def agree(scene: FilingScene) -> None:
    """Let others have seen the lira fall to 70 too."""
    said = [("2026-03-04", "50"), ("2026-03-05", "70"), ("2026-03-06", "70")]
    lines = [line for day, value in said for line in with_dollar(f"{day} {value}").splitlines()]
    fixings = [
        Fixing("others", Pair(*pair.split("/")), date.fromisoformat(day), Decimal(value))
        for day, pair, value in map(str.split, lines)
    ]
    scene.store.archive.file(Receipt("others", NOON, "a test", "d"), fixings)


def test_refused_fixings_are_quarantined_and_the_rest_is_filed(scene: FilingScene) -> None:
    assert scene.file("2026-03-04 50", "2026-03-05 70") == FilingResult(added=3, corrected=0, unchanged=0, refused=1)
    assert scene.lira == ["2026-03-04 50"]
    assert scene.waiting == ["2026-03-05 70: a jump of 40% that nothing confirms"]


def test_a_delivery_is_compared_with_earlier_fixings(scene: FilingScene) -> None:
    scene.file("2026-03-04 50")
    assert scene.file("2026-03-05 70") == FilingResult(added=1, corrected=0, unchanged=0, refused=1)
    assert scene.file("2026-03-06 51") == FilingResult(added=2, corrected=0, unchanged=0)


def test_a_delivery_of_older_days_is_compared_with_the_days_before_them(scene: FilingScene) -> None:
    scene.file("2026-03-02 50")
    scene.file("2026-03-06 62")
    assert scene.file("2026-03-03 63", origin="an older part") == FilingResult(
        added=1, corrected=0, unchanged=0, refused=1
    )


def test_a_quarantined_fixing_is_recorded_once(scene: FilingScene) -> None:
    scene.file("2026-03-04 50", "2026-03-05 70")
    assert scene.file("2026-03-04 50", "2026-03-05 70") == FilingResult(added=0, corrected=0, unchanged=3, refused=0)
    assert scene.file("2026-03-04 50", "2026-03-05 70", "2026-03-06 51") == FilingResult(2, 0, 3, refused=0)
    assert len(scene.waiting) == 1


def test_a_quarantined_fixing_is_released_when_the_next_day_confirms_it(scene: FilingScene) -> None:
    scene.file("2026-03-04 50", "2026-03-05 70")
    assert scene.file("2026-03-04 50", "2026-03-05 70", "2026-03-06 71") == FilingResult(
        added=3, corrected=0, unchanged=3
    )
    assert scene.lira == ["2026-03-04 50", "2026-03-05 70", "2026-03-06 71"]
    (released,) = scene.store.quarantine.quarantined(None)
    assert (released.state, released.decided_at) == (QuarantineState.RELEASED, NOON + 2 * HOUR)


def test_the_same_content_is_validated_again_while_fixings_are_quarantined(scene: FilingScene) -> None:
    lines = ["2026-03-04 50", "2026-03-05 70"]
    scene.file(*lines)
    agree(scene)
    assert scene.file(*lines) == FilingResult(added=1, corrected=0, unchanged=3)
    assert (scene.lira, scene.waiting) == (["2026-03-04 50", "2026-03-05 70"], [])
    assert scene.file(*lines) is None


def test_a_jump_that_other_sources_confirm_is_accepted_at_once(scene: FilingScene) -> None:
    agree(scene)
    assert scene.file("2026-03-04 50", "2026-03-05 70") == FilingResult(added=4, corrected=0, unchanged=0)


def test_a_rejected_fixing_never_comes_back(scene: FilingScene) -> None:
    scene.file("2026-03-04 50", "2026-03-05 70")
    (waiting,) = scene.store.quarantine.quarantined()
    scene.store.quarantine.decide(waiting.number, QuarantineState.REJECTED, NOON)
    assert scene.file("2026-03-04 50", "2026-03-05 70", "2026-03-06 71") == FilingResult(1, 0, 3, refused=1)
    assert scene.lira == ["2026-03-04 50"]
    assert [one.state for one in scene.store.quarantine.quarantined(None)] == [
        QuarantineState.REJECTED,
        QuarantineState.WAITING,
    ]


def test_an_accepted_fixing_passes_with_the_next_delivery(scene: FilingScene) -> None:
    scene.file("2026-03-04 50", "2026-03-05 70")
    (waiting,) = scene.store.quarantine.quarantined()
    scene.store.quarantine.decide(waiting.number, QuarantineState.ACCEPTED, NOON)
    assert scene.file("2026-03-04 50", "2026-03-05 70", "2026-03-06 69") == FilingResult(3, 0, 3)
    assert scene.lira == ["2026-03-04 50", "2026-03-05 70", "2026-03-06 69"]


def test_after_a_decision_the_same_content_is_not_parsed_again(scene: FilingScene) -> None:
    lines = ["2026-03-04 50", "2026-03-05 70"]
    scene.file(*lines)
    (waiting,) = scene.store.quarantine.quarantined()
    scene.store.quarantine.decide(waiting.number, QuarantineState.REJECTED, NOON)
    assert scene.file(*lines) is None


def test_quarantined_fixings_of_one_source_do_not_affect_another(scene: FilingScene, a_source) -> None:
    scene.file("2026-03-04 50", "2026-03-05 70")
    other = Lines(a_source("other", anchor="EUR"))
    files = scene.store.archive
    delivery = Delivery(b"nothing", "elsewhere", NOON)
    assert file_delivery(files, other, delivery, lambda _: None) == FilingResult(0, 0, 0)
    assert file_delivery(files, other, delivery, lambda _: None) is None


def test_an_empty_delivery_is_filed_too(scene: FilingScene) -> None:
    assert scene.file("nothing") == FilingResult(added=0, corrected=0, unchanged=0)
    assert scene.store.archive.newest_digest("mint", "a test") == hashlib.sha256(b"nothing").hexdigest()
    assert scene.file("nothing") is None
    assert scene.store.archive.revision() == 0


def test_a_delivery_with_a_future_day_quarantines_nothing(scene: FilingScene) -> None:
    with pytest.raises(SourceBroken, match="yet to come"):
        scene.file("2026-03-04 50", "2026-03-05 70", "2026-03-20 51")
    assert (scene.lira, scene.waiting) == ([], [])


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


def several(archive: Archive, content: str, subject: str = "", others: tuple[Source, ...] = ()) -> FilingResult | None:
    context = FilingContext(archive, SqlQuarantine(archive._engine), None, ComparedSources((Several.source, *others)))
    return file_delivery(context, Several(), Delivery(content.encode(), "havana", NOON, subject), lambda _: None)


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


def test_each_type_is_validated_against_its_own_past_only(archive: Archive) -> None:
    several(archive, "2026-03-04,USD,24,120,410\n2026-03-05,USD,24,120,411")
    found = several(archive, "2026-03-06,USD,24,120,24")
    assert found == FilingResult(added=2, corrected=0, unchanged=0, refused=1)
    quarantine = SqlQuarantine(archive._engine)
    assert [each.fixing.source for each in quarantine.quarantined()] == ["havana:segment_3"]
    assert count_waiting(quarantine, Several.source) == 1


def test_a_delivery_with_types_is_read_once(archive: Archive) -> None:
    content = "2026-03-05,USD,24,120,410"
    assert several(archive, content) is not None
    assert several(archive, content) is None


def test_a_delivery_of_further_types_alone_is_read_once(archive: Archive) -> None:
    class Street(Several):
        def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
            return (one for one in super().parse(content, subject) if one.rate_type)

    for _ in range(2):
        context = FilingContext(archive, SqlQuarantine(archive._engine))
        found = file_delivery(context, Street(), Delivery(b"2026-03-05,USD,24,120,410", "s", NOON), lambda _: None)
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


def test_a_delivery_across_a_redenomination_is_validated_in_the_money_of_each_day(archive: Archive) -> None:
    quarantine = SqlQuarantine(archive._engine)
    context = FilingContext(archive, quarantine, None, ComparedSources([LIRA.source]))
    found = file_delivery(context, LIRA, Delivery(NEW_YEAR.encode(), "a test", NOON), lambda _: None)
    assert found == FilingResult(added=11, corrected=0, unchanged=0, refused=1)
    (waiting,) = quarantine.quarantined()
    assert (waiting.fixing.pair, waiting.fixing.day) == (Pair("EUR", "TRL"), date(2004, 12, 29))
    assert {str(one.pair): str(one.value) for one in archive.fixings("mint")} == {
        "USD/TRL": "1342000",
        "EUR/TRL": "1826000",
        "USD/TRY": "1.340",
        "EUR/TRY": "1.806",
    }
