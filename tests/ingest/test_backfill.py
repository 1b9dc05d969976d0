"""Backfilling one source: what is asked, what is asked again, and where it gives up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.errors import NothingPublished, SourceBroken, SourceUnreachable, StoreBroken
from cambist.history.archive import FixingArchive
from cambist.history.fixing import DeliveryRecord, FilingResult, Fixing
from cambist.ingest.backfill import Backfill, BackfillProgress, find_gaps, longest_gaps
from cambist.ingest.fetch import SourceBusy
from cambist.ingest.filing import Delivery, file_delivery
from cambist.pricing.pair import Pair
from cambist.sources.base import FixingAdapter, Source, SourceRequest
from cambist.storage.sql import SqlStore

NOW = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)
"""A Tuesday; with 14 days in which corrections come, parts are closed that end before the 17th."""

DOLLAR = Pair("EUR", "USD")
WEEKS = [date(2026, 1, 26) + timedelta(days=7 * week) for week in range(10)]
"""The Mondays up to the week that it is; what ends on 2026-03-08 and 03-15 is closed, on 03-22 and later it is not."""

CLOSED, OPEN = WEEKS[:7], WEEKS[7:]


class Killed(BaseException):
    """The process ends here: nothing in it catches that."""


class Weekly(FixingAdapter):
    """Asks for a week at a time; an answer holds lines of a day and a value."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.spans: list[tuple[date, date]] = []

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        self.spans.append((first, last))
        monday = first - timedelta(days=first.weekday())
        while monday <= last:
            yield SourceRequest(
                url=f"https://mint.example/{monday}",
                first=monday,
                last=monday + timedelta(days=6),
                subject=f"week of {monday}",
            )
            monday += timedelta(days=7)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        if content == b"nothing":
            raise NothingPublished("mint: nothing")
        for line in content.decode().splitlines():
            day, _, value = line.partition(" ")
            if not value or subject != f"week of {monday_of(date.fromisoformat(day))}":
                raise SourceBroken(f"mint: [{line}] is nothing that the mint writes")
            yield Fixing("mint", DOLLAR, date.fromisoformat(day), Decimal(value))


def monday_of(day: date) -> date:
    return day - timedelta(days=day.weekday())


class Mint:
    """The source, asked without a network: what it answers by Monday, and when it was asked."""

    def __init__(self) -> None:
        self.answers: dict[date, bytes | BaseException] = {}
        self.asked: list[date] = []
        self.at: list[float] = []

    async def fetch(self, source: str, request: SourceRequest) -> bytes | None:
        assert source == "mint"
        self.asked.append(request.first)
        self.at.append(asyncio.get_running_loop().time())
        answer = self.answers.get(request.first, f"{request.first} 1.1000".encode())
        if isinstance(answer, BaseException):
            raise answer
        return answer


class Scene:
    """A source, an archive and a backfill between them."""

    def __init__(self, store: SqlStore, source: Source) -> None:
        self.store = store
        self.adapter = Weekly(source)
        self.mint = Mint()
        self.now = NOW
        self.told: list[BackfillProgress] = []
        self.killed_at_filing: date | None = None

    @property
    def archive(self) -> FixingArchive:
        return self.store.archive

    def file(self, key: str, delivery: Delivery) -> FilingResult | None:
        assert key == "mint"
        if self.killed_at_filing and delivery.origin.endswith(str(self.killed_at_filing)):
            raise Killed
        return file_delivery(self.archive, self.adapter, delivery, lambda _: None)

    def _hear(self, progress: BackfillProgress) -> None:
        # A course goes on changing: what is kept is what it was when it was told.
        self.told.append(
            BackfillProgress(progress.key, progress.parts, progress.done, progress.skipped, progress.added)
        )

    def backfill(self) -> Backfill:
        return Backfill(self.archive, self.mint, self.file, lambda: self.now, self._hear)  # type: ignore[arg-type]

    async def of(self, first: date | None = None) -> BackfillProgress:
        return await self.backfill().run(self.adapter, first)

    def run(self, first: date | None = None) -> BackfillProgress:
        self.mint.asked.clear()
        return asyncio.run(self.of(first))

    def days(self) -> list[date]:
        return [fixing.day for fixing in self.archive.fixings("mint")]


@pytest.fixture
def scene(tmp_path: Path, a_source: Callable[..., Source]) -> Iterator[Scene]:
    store = SqlStore(f"sqlite:///{tmp_path / 'mint.db'}")
    store.migrate()
    source = a_source(first_day=WEEKS[0], anchor="EUR")
    assert source.schedule.reread_days == 14
    yield Scene(store, source)
    store.close()


# What is asked


def test_all_days_since_the_first_are_requested_oldest_first_and_filed(scene: Scene) -> None:
    progress = scene.run()
    assert scene.mint.asked == WEEKS
    assert scene.days() == WEEKS
    assert progress == BackfillProgress("mint", parts=10, done=10, skipped=0, added=10)


@pytest.mark.parametrize(
    ("first_day", "first", "since"),
    [
        (date(2026, 1, 26), None, date(2026, 1, 26)),
        (date(2026, 1, 26), date(2026, 3, 9), date(2026, 3, 9)),
        (date(2026, 1, 26), date(1999, 1, 4), date(2026, 1, 26)),
        (date(1953, 1, 1), None, date(1970, 1, 1)),
        (date(1953, 1, 1), date(1960, 1, 1), date(1970, 1, 1)),
    ],
    ids=["all", "since a day", "before the source's first day", "before 1970", "asked for before 1970"],
)
def test_a_backfill_starts_at_the_latest_of_the_chosen_day_the_sources_first_day_and_1970(
    scene: Scene, a_source: Callable[..., Source], first_day: date, first: date | None, since: date
) -> None:
    scene.adapter.source = a_source(first_day=first_day)
    for week in (date(1969, 12, 29), *WEEKS):
        scene.mint.answers[week] = Killed()  # what is asked after that is of no interest
    with pytest.raises(Killed):
        scene.run(first)
    assert scene.adapter.spans == [(since, NOW.date())]


def test_the_adapter_gets_the_content_with_the_subject_of_the_request(scene: Scene) -> None:
    scene.run(WEEKS[2])  # `read` refuses what is not of the week that it is told
    (known,) = scene.archive.revisions(DOLLAR, WEEKS[2])
    assert (known.origin, known.received_at) == (f"https://mint.example/{WEEKS[2]}", NOW)


# Going on


def test_parts_with_a_delivery_are_not_requested_again_unless_they_may_change(scene: Scene) -> None:
    scene.run()
    progress = scene.run()
    assert scene.mint.asked == OPEN
    assert (progress.done, progress.skipped, progress.added) == (10, 7, 0)


def test_a_part_may_change_as_long_as_its_last_day_may_be_corrected(scene: Scene) -> None:
    scene.run()
    scene.now = NOW + timedelta(days=5)  # 04-05: the first day that may be corrected is 03-22, and a week ends on it
    scene.run()
    assert scene.mint.asked == [WEEKS[7], WEEKS[8], WEEKS[9]]
    scene.now = NOW + timedelta(days=6)
    scene.run()
    # The eighth has closed since, but was asked last while it could still be corrected.
    assert scene.mint.asked == [WEEKS[7], WEEKS[8], WEEKS[9], date(2026, 4, 6)]


@pytest.mark.long(every=3)
@pytest.mark.parametrize("cut", range(len(WEEKS)))
@pytest.mark.parametrize("at", ["asking", "filing"])
def test_an_interrupted_backfill_continues_without_losing_or_repeating_a_fixing(
    scene: Scene, cut: int, at: str
) -> None:
    if at == "asking":
        scene.mint.answers[WEEKS[cut]] = Killed()
    else:
        scene.killed_at_filing = WEEKS[cut]
    with pytest.raises(Killed):
        scene.run()
    assert scene.mint.asked == WEEKS[: cut + 1]
    assert scene.days() == WEEKS[:cut]

    scene.mint.answers.clear()
    scene.killed_at_filing = None
    progress = scene.run()
    assert scene.mint.asked == [week for week in WEEKS if week in OPEN or week not in WEEKS[:cut]]
    assert progress.skipped == min(cut, len(CLOSED))
    assert progress.added == len(WEEKS) - cut
    assert scene.days() == WEEKS
    assert [len(scene.archive.revisions(DOLLAR, week)) for week in WEEKS] == [1] * len(WEEKS)


def test_a_correction_is_filed_and_counted(scene: Scene) -> None:
    scene.run()
    scene.mint.answers[WEEKS[8]] = f"{WEEKS[8]} 1.1010".encode()
    progress = scene.run()
    assert (progress.added, progress.corrected) == (0, 1)
    assert [str(known.fixing.value) for known in scene.archive.revisions(DOLLAR, WEEKS[8])] == ["1.1000", "1.1010"]


def test_deliveries_of_one_source_do_not_count_for_another(scene: Scene) -> None:
    for week in WEEKS:
        scene.archive.file(DeliveryRecord("press", NOW, f"https://mint.example/{week}", "d"), [])
    scene.run()
    assert scene.mint.asked == WEEKS


# Nothing published


@pytest.mark.long
def test_an_empty_part_is_requested_again_after_a_month(scene: Scene) -> None:
    empty = WEEKS[2]
    scene.mint.answers[empty] = NothingPublished("mint: has nothing")
    scene.run()
    scene.now = NOW + timedelta(days=30)
    scene.run()
    assert empty not in scene.mint.asked
    scene.now = NOW + timedelta(days=30, seconds=1)
    del scene.mint.answers[empty]
    scene.run()
    assert empty in scene.mint.asked
    assert empty in scene.days()
    scene.now = NOW + timedelta(days=300)
    scene.run()
    assert empty not in scene.mint.asked, "what has rates is closed for good"


@pytest.mark.parametrize(
    "answer", [NothingPublished("mint: has nothing"), b"nothing"], ids=["by status", "well-formed"]
)
def test_an_empty_part_is_not_requested_again_soon(scene: Scene, answer: bytes | BaseException) -> None:
    empty = WEEKS[2]
    scene.mint.answers[empty] = answer
    progress = scene.run()
    assert progress.failed == []
    assert scene.archive.newest_digest("mint", f"https://mint.example/{empty}") is not None
    assert scene.days() == [week for week in WEEKS if week != empty]
    assert scene.run().skipped == len(CLOSED)
    assert empty not in scene.mint.asked


def test_an_empty_part_that_may_change_is_requested_again(scene: Scene) -> None:
    scene.mint.answers[WEEKS[9]] = NothingPublished("mint: has nothing yet")
    assert scene.run().added == 9
    scene.mint.answers.clear()
    assert scene.run().added == 1
    assert scene.days() == WEEKS


def test_an_empty_answer_ends_a_run_of_failures(scene: Scene) -> None:
    for number in (0, 1, 3, 4):
        scene.mint.answers[WEEKS[number]] = SourceUnreachable("mint: no answer in time")
    scene.mint.answers[WEEKS[2]] = NothingPublished("mint: has nothing")
    progress = scene.run()
    assert scene.mint.asked == WEEKS
    assert len(progress.failed) == 4


@pytest.mark.long(every=2)
@pytest.mark.parametrize("early", [b"", NothingPublished("mint: has nothing yet")], ids=["half", "nothing yet"])
def test_a_part_is_requested_once_more_when_it_can_no_longer_change(scene: Scene, early: bytes | BaseException) -> None:
    week, next_day = WEEKS[9], WEEKS[9] + timedelta(days=1)
    scene.mint.answers[week] = early or f"{week} 1.1000".encode()
    scene.run()
    scene.mint.answers[week] = f"{week} 1.1000\n{next_day} 1.1020".encode()
    scene.now = NOW + timedelta(days=60)
    scene.run()
    assert {week, next_day} <= {*scene.days()}


def test_a_part_that_is_unchanged_by_then_is_not_requested_a_third_time(scene: Scene) -> None:
    scene.run()
    scene.now = NOW + timedelta(days=60)
    scene.run()
    assert WEEKS[9] in scene.mint.asked
    scene.run()
    assert not {*WEEKS} & {*scene.mint.asked}


# Failing


def test_a_failure_is_reported_with_its_days_and_the_backfill_goes_on(scene: Scene) -> None:
    scene.mint.answers[WEEKS[1]] = b"<html>"
    progress = scene.run()
    assert progress.failed == ["2026-02-02 to 2026-02-08: mint: [<html>] is nothing that the mint writes"]
    assert (progress.done, progress.added) == (10, 9)
    assert scene.archive.newest_digest("mint", f"https://mint.example/{WEEKS[1]}") is None


def test_after_three_failures_in_a_row_a_backfill_stops_and_the_next_one_continues_there(scene: Scene) -> None:
    for week in WEEKS[2:]:
        scene.mint.answers[week] = SourceUnreachable("mint: no answer in time")
    progress = scene.run()
    assert scene.mint.asked == WEEKS[:5]
    assert (progress.parts, progress.done, progress.added, len(progress.failed)) == (10, 5, 2, 3)

    scene.mint.answers.clear()
    progress = scene.run()
    assert scene.mint.asked == WEEKS[2:]
    assert (progress.done, progress.skipped, progress.added, progress.failed) == (10, 2, 8, [])
    assert scene.days() == WEEKS


def test_if_no_source_can_be_reached_later_ones_are_not_requested(scene: Scene) -> None:
    scene.mint.answers = dict.fromkeys(WEEKS, SourceUnreachable("mint: no answer in time"))
    backfill = scene.backfill()

    async def three_in_turn() -> list[BackfillProgress]:
        return [await backfill.run(scene.adapter, None) for _ in range(3)]

    first, second, third = asyncio.run(three_in_turn())
    assert [len(first.failed), len(second.failed), len(third.failed)] == [3, 1, 1]
    assert third.failed == ["not requested, because no source can be reached"]
    assert all(progress.is_silent and progress.is_over for progress in (first, second, third))
    assert len(scene.mint.asked) == 4


@pytest.mark.parametrize(
    "answer", [b"nothing", SourceBroken("mint: answered 403"), SourceBusy("mint: answered 503", 1)]
)
def test_a_source_that_answers_anything_shows_that_the_machine_is_not_offline(
    scene: Scene, answer: bytes | BaseException
) -> None:
    scene.mint.answers = {**dict.fromkeys(WEEKS, SourceUnreachable("mint: no answer in time")), WEEKS[0]: answer}
    backfill = scene.backfill()

    async def two_in_turn() -> list[BackfillProgress]:
        return [await backfill.run(scene.adapter, None) for _ in range(2)]

    first, second = asyncio.run(two_in_turn())
    assert not first.is_silent
    assert len(second.failed) == 3


def test_two_failures_in_a_row_do_not_count_together_with_later_ones(scene: Scene) -> None:
    for number in (0, 1, 3, 4, 6, 7):
        scene.mint.answers[WEEKS[number]] = SourceBroken("mint: garbage")
    progress = scene.run()
    assert scene.mint.asked == WEEKS
    assert (progress.done, progress.added, len(progress.failed)) == (10, 4, 6)


def test_a_skipped_part_does_not_end_a_run_of_failures(scene: Scene) -> None:
    scene.archive.file(DeliveryRecord("mint", NOW, f"https://mint.example/{WEEKS[2]}", "d"), [])
    for week in WEEKS:
        scene.mint.answers[week] = SourceUnreachable("mint: no answer in time")
    scene.run()
    assert scene.mint.asked == [WEEKS[0], WEEKS[1], WEEKS[3]]


def test_a_database_that_cannot_be_written_ends_a_backfill_at_once(scene: Scene) -> None:
    backfill = scene.backfill()

    def broken(_key: str, _delivery: Delivery) -> FilingResult | None:
        raise StoreBroken("The database cannot be written")

    backfill.file = broken
    with pytest.raises(StoreBroken):
        asyncio.run(backfill.run(scene.adapter, None))
    assert scene.mint.asked == WEEKS[:1]


# Pace


def test_there_is_a_pause_after_each_request_whatever_the_answer(
    scene: Scene,
    a_source: Callable[..., Source],
    skipping: Callable[[Coroutine[Any, Any, BackfillProgress]], BackfillProgress],
) -> None:
    schedule = replace(scene.adapter.source.schedule, pause=timedelta(seconds=15))
    scene.adapter.source = a_source(first_day=WEEKS[0], schedule=schedule)
    scene.mint.answers[WEEKS[1]] = SourceUnreachable("mint: no answer in time")
    scene.mint.answers[WEEKS[2]] = NothingPublished("mint: has nothing")
    scene.archive.file(DeliveryRecord("mint", NOW, f"https://mint.example/{WEEKS[4]}", "d"), [])  # no request, no pause
    skipping(scene.of())
    pauses = [later - earlier for earlier, later in pairwise(scene.mint.at)]
    assert len(pauses) == 8
    assert all(15 <= each < 29 for each in pauses), pauses


def test_sources_that_are_backfilled_together_file_one_after_the_other(scene: Scene) -> None:
    backfill, busy, most = scene.backfill(), 0, 0

    def slow(_key: str, _delivery: Delivery) -> FilingResult | None:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        sleep(0.005)
        busy -= 1
        return None

    async def both() -> None:
        await asyncio.gather(backfill.run(scene.adapter, None), backfill.run(scene.adapter, None))

    backfill.file = slow
    asyncio.run(both())
    assert (most, len(scene.mint.asked)) == (1, 20)


def test_progress_is_reported_before_the_first_request_and_after_each_part(scene: Scene) -> None:
    scene.archive.file(DeliveryRecord("mint", NOW, f"https://mint.example/{WEEKS[1]}", "d"), [])
    scene.run()
    assert [(progress.parts, progress.done) for progress in scene.told] == [(10, done) for done in range(11)]
    assert [progress.skipped for progress in scene.told] == [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    assert [progress.added for progress in scene.told] == [0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9]


# Gaps


def fixed(archive: FixingArchive, *days: date, pair: Pair = DOLLAR, source: str = "mint") -> None:
    fixings = [Fixing(source, pair, day, Decimal("1.1")) for day in days]
    archive.file(DeliveryRecord(source, NOW, f"a test {pair} {days}", "d"), fixings)


def test_a_week_without_fixings_is_a_gap(scene: Scene) -> None:
    # The Thursday before Easter to the Tuesday after it is five days; 03-02 to 03-09 leaves a whole week out.
    fixed(scene.archive, date(2026, 3, 2), date(2026, 3, 9), date(2026, 4, 2), date(2026, 4, 7))
    assert list(find_gaps(scene.archive, "mint")) == [
        (date(2026, 3, 3), date(2026, 3, 8)),
        (date(2026, 3, 10), date(2026, 4, 1)),
    ]


def test_six_days_between_two_fixings_are_no_gap(scene: Scene) -> None:
    fixed(scene.archive, date(2026, 3, 2), date(2026, 3, 8))
    assert list(find_gaps(scene.archive, "mint")) == []


def test_a_day_with_a_fixing_of_any_pair_is_in_no_gap(scene: Scene) -> None:
    fixed(scene.archive, date(2026, 3, 2), date(2026, 3, 16))
    fixed(scene.archive, date(2026, 3, 6), date(2026, 3, 11), pair=Pair("EUR", "JPY"))
    fixed(scene.archive, date(2026, 3, 3), pair=DOLLAR, source="press")
    assert list(find_gaps(scene.archive, "mint")) == []


def test_a_source_without_fixings_has_no_gap(scene: Scene) -> None:
    assert list(find_gaps(scene.archive, "mint")) == []


def test_the_longest_gaps_are_shown_oldest_first() -> None:
    first, second, third = (
        (date(2001, 1, 1), date(2001, 1, 10)),
        (date(2002, 1, 1), date(2002, 3, 1)),
        (date(2003, 1, 1), date(2003, 1, 20)),
    )
    assert longest_gaps([third, second, first], 2) == [second, third]
    assert longest_gaps([third, second, first], 5) == [first, second, third]


SPANS = st.tuples(st.dates(date(1970, 1, 1), date(2026, 1, 1)), st.integers(0, 400)).map(
    lambda given: (given[0], given[0] + timedelta(days=given[1]))
)


@given(st.lists(SPANS), st.integers(0, 8))
def test_no_omitted_gap_is_longer_than_a_shown_one(found: list[tuple[date, date]], most: int) -> None:
    shown = longest_gaps(found, most)
    left = list(found)
    for gap in shown:
        left.remove(gap)
    lengths = [last - first for first, last in shown]
    assert len(shown) == min(most, len(found))
    assert shown == sorted(shown)
    assert all(last - first <= min(lengths, default=timedelta.max) for first, last in left)
