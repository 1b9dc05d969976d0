from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import aiohttp
import pytest
import stamina
from tests.patience import PATIENCE

from cambist.errors import NothingPublished, SourceBroken, SourceUnreachable, StoreBroken
from cambist.history.fixing import Coverage, FilingResult, Fixing
from cambist.ingest.fetch import Fetcher
from cambist.ingest.filing import Delivery
from cambist.ingest.poller import Poller, apply_ticks, poll_fixings, poll_ticks, refresh_silent
from cambist.ingest.polling_round import PollingRound
from cambist.ingest.price_pipeline import PricePipeline
from cambist.ingest.source_status import SourceStatuses
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.sources.base import (
    EVERY_DAY,
    FixingAdapter,
    PairNames,
    Schedule,
    SourceRequest,
    TickAdapter,
    VenueAdapter,
    VenueMessage,
    VenueSocket,
)

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

FRIDAY_NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
ALL_DAY = Schedule(every=20 * MINUTE, pause=timedelta(seconds=2), days=EVERY_DAY)
EURO = Pair("EUR", "USD")
NOTHING_NEW = FilingResult(0, 0, 5)


class Fetches:
    """A fetcher that gives what it is told to, in turn, the last for ever; an error is raised."""

    def __init__(self, *answers: bytes | Exception | None) -> None:
        self._answers = answers
        self.done: list[tuple[str, str]] = []
        self.asked_at: list[float] = []

    async def fetch(self, source: str, request: SourceRequest) -> bytes | None:
        assert source == "mint"
        self.done.append(("fetch", request.url))
        self.asked_at.append(asyncio.get_running_loop().time())
        answer = self._answers[min(len(self.asked_at), len(self._answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def forget(self, request: SourceRequest) -> None:
        self.done.append(("forget", request.url))

    @property
    def asked(self) -> list[str]:
        return [url for what, url in self.done if what == "fetch"]

    @property
    def forgotten(self) -> list[str]:
        return [url for what, url in self.done if what == "forget"]


class Daily(FixingAdapter):
    """A feed of fixings with a part for each of its addresses; what it is asked for is noted."""

    def __init__(self, source: Any, *urls: str) -> None:
        self.source = source
        self.urls = urls or ("one",)
        self.spans: list[tuple[date, date]] = []

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        self.spans.append((first, last))
        for url in self.urls:
            yield SourceRequest(url=url, subject=f"about {url}", content_types=("text/plain",))

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        raise NotImplementedError


@dataclass
class Cabinet:
    """Where deliveries end up in these tests; `answers` are given in turn, the last for ever."""

    answers: Sequence[Any] = (FilingResult(1, 0, 0),)
    deliveries: list[tuple[str, Delivery]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    async def file(self, key: str, delivery: Delivery) -> FilingResult | None:
        self.deliveries.append((key, delivery))
        answer = self.answers[min(len(self.deliveries), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def filed(self, key: str) -> None:
        self.told.append(key)


def a_poller(source: Any, fetcher: Any, clock: Callable[[], datetime] = lambda: FRIDAY_NOON) -> Poller:
    source_statuses = SourceStatuses.for_sources([source], {})
    return Poller(source, fetcher, source_statuses.by_source[source.key], clock, source_statuses)


async def during(seconds: float, work: Any) -> None:
    """Let an endless work go on for some time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await work


# How long it waits


def paused(skipping: Any, poller: Poller) -> float:
    async def scene() -> float:
        loop = asyncio.get_running_loop()
        began = loop.time()
        await poller.pause()
        return loop.time() - began

    return float(skipping(scene()))


WINDOW = Schedule(start=time(14), end=time(17), every=20 * MINUTE)
"""Of weekdays; at noon of the Friday it opens in two hours."""
OPENS, OPENS_ON_MONDAY = 2 * 3600, (2 + 72) * 3600
HEALTHY_SINCE = FRIDAY_NOON - timedelta(hours=1)

PAUSES = [
    ("a healthy source is asked as often as it says", ALL_DAY, 0, HEALTHY_SINCE, 20 * 60),
    ("out of its hours it is left alone", WINDOW, 0, HEALTHY_SINCE, OPENS),
    ("the first failure costs no more", ALL_DAY, 1, HEALTHY_SINCE, 20 * 60),
    ("the second costs twice as much", ALL_DAY, 2, HEALTHY_SINCE, 40 * 60),
    ("the fourth eight times", ALL_DAY, 4, HEALTHY_SINCE, 160 * 60),
    ("six hours are the most", ALL_DAY, 6, HEALTHY_SINCE, 6 * 3600),
    ("six hours remain the most", ALL_DAY, 5000, HEALTHY_SINCE, 6 * 3600),
    ("a failing source is still left alone out of its hours", WINDOW, 2, HEALTHY_SINCE, OPENS),
    ("what is due later than it opens waits for its turn", WINDOW, 5, HEALTHY_SINCE, 320 * 60),
    ("one that never answered is tried out of its hours too", WINDOW, 1, None, 20 * 60),
    ("but ever more slowly", WINDOW, 3, None, 80 * 60),
    ("one that never answered is tried when it opens at the latest", WINDOW, 4, None, 160 * 60),
]


def test_a_pause_that_is_cancelled_as_it_ends_is_cancelled(skipping, a_source) -> None:
    poller = a_poller(a_source(schedule=ALL_DAY), Fetches(None))

    async def scene() -> bool:
        pausing = asyncio.create_task(poller.pause())
        await asyncio.sleep(0)
        poller.ask()
        pausing.cancel()
        await asyncio.wait([pausing])
        return pausing.cancelled()

    assert skipping(scene())


@pytest.mark.parametrize(
    ("schedule", "failures", "last_success", "seconds"), [row[1:] for row in PAUSES], ids=[row[0] for row in PAUSES]
)
def test_the_pause_depends_on_the_schedule_and_on_failures(
    skipping, a_source, schedule: Schedule, failures: int, last_success: datetime | None, seconds: float
) -> None:
    poller = a_poller(a_source(schedule=schedule), Fetches(None))
    poller.source_status.failures, poller.source_status.last_success = failures, last_success
    assert seconds <= paused(skipping, poller) <= seconds + 5.5


def test_each_request_is_counted_with_how_long_it_took_also_if_it_fails(skipping, a_source) -> None:
    poller = a_poller(a_source(schedule=ALL_DAY), Fetches(b"", SourceUnreachable("mint: no answer in time")))
    request = SourceRequest(url="https://mint.example/rates", content_types=())

    async def scene() -> None:
        await poller.fetch(request)
        with pytest.raises(SourceUnreachable):
            await poller.fetch(request)

    skipping(scene())
    (slot,) = poller.source_status.activity.last_day(FRIDAY_NOON)
    assert (slot.polls, slot.failures) == (2, 0)
    assert slot.slowest <= slot.milliseconds


def test_a_source_that_never_answered_is_tried_before_its_next_working_day(skipping, a_source) -> None:
    evening = FRIDAY_NOON.replace(hour=18)
    poller = a_poller(a_source(schedule=WINDOW), Fetches(None), lambda: evening)
    assert paused(skipping, poller) >= OPENS_ON_MONDAY - 6 * 3600
    poller.source_status.failures = 2
    assert 40 * 60 <= paused(skipping, poller) <= 40 * 60 + 5.5


def test_without_a_network_a_source_is_tried_again_soon(skipping, a_source) -> None:
    poller = a_poller(a_source(schedule=WINDOW), Fetches(None))
    poller.source_status.record_failure(poller.clock(), "no answer in time", unreachable=True)
    poller.source_status.failures = 9
    assert paused(skipping, poller) >= 6 * 3600
    poller.source_statuses.report(poller.clock(), {}, {})
    assert 40 <= paused(skipping, poller) <= 45.5
    poller.source_status.unreachable = False
    assert paused(skipping, poller) >= 6 * 3600, "it answers, with what cannot be read"


def test_pauses_have_jitter(skipping, a_source) -> None:
    poller = a_poller(a_source(schedule=ALL_DAY), Fetches(None))
    pauses = {round(paused(skipping, poller), 3) for _ in range(20)}
    assert len(pauses) > 10
    assert max(pauses) - min(pauses) > 1


def test_jitter_is_at_most_a_quarter_of_a_short_interval(skipping, a_source) -> None:
    schedule = Schedule(every=timedelta(seconds=4), days=EVERY_DAY)
    poller = a_poller(a_source(schedule=schedule), Fetches(None))
    pauses = [paused(skipping, poller) for _ in range(20)]
    assert min(pauses) >= 4
    assert max(pauses) <= 5.1


# What is noted


def test_a_failure_is_logged_when_it_begins_and_when_it_ends(a_source, caplog: pytest.LogCaptureFixture) -> None:
    poller = a_poller(a_source(), Fetches(None))
    poller.record_success()
    with caplog.at_level(logging.INFO):
        for _ in range(3):
            poller.record_failure(SourceBroken("mint: sent a page"))
        poller.record_success()
        poller.record_success()
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("WARNING", "Source mint: sent a page"),
        ("INFO", "Source mint: answers again"),
    ]


def test_while_no_source_has_answered_unreachable_sources_are_not_logged_one_by_one(
    a_source, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        a_poller(a_source(), Fetches(None)).record_failure(SourceUnreachable("mint: no answer in time"))
        assert caplog.records == []
        a_poller(a_source(), Fetches(None)).record_failure(SourceBroken("mint: sent a page"))
        answered = a_poller(a_source(), Fetches(None))
        answered.record_success()
        answered.record_failure(SourceUnreachable("mint: no answer in time"))
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]


# Fixings


def polled(
    skipping: Any,
    source: Any,
    fetches: Fetches,
    cabinet: Cabinet | None = None,
    *,
    seconds: float = 100,
    urls: Sequence[str] = (),
) -> tuple[Poller, Daily, Cabinet]:
    """Poll for some time on a clock that goes with the loop."""
    cabinet = cabinet or Cabinet()
    adapter = Daily(source, *urls)

    async def scene() -> Poller:
        loop = asyncio.get_running_loop()
        began = loop.time()
        poller = a_poller(source, fetches, lambda: FRIDAY_NOON + timedelta(seconds=loop.time() - began))
        await during(seconds, poll_fixings(poller, adapter, cabinet.file, cabinet.filed))
        return poller

    return skipping(scene()), adapter, cabinet


def test_a_source_is_polled_again_and_again(skipping, a_source) -> None:
    fetches = Fetches(b"rates")
    poller, _, cabinet = polled(skipping, a_source(schedule=ALL_DAY), fetches, seconds=70 * 60)
    assert len(fetches.asked) == 4
    assert (poller.source_status.failures, poller.source_status.why) == (0, "")
    assert cabinet.told == ["mint"] * 4


def test_a_delivery_is_filed_with_its_origin_time_and_subject(skipping, a_source) -> None:
    _, _, cabinet = polled(skipping, a_source(schedule=ALL_DAY), Fetches(b"rates"), urls=["one", "two"])
    assert [(key, one.content, one.origin, one.subject) for key, one in cabinet.deliveries] == [
        ("mint", b"rates", "one", "about one"),
        ("mint", b"rates", "two", "about two"),
    ]
    assert FRIDAY_NOON <= cabinet.deliveries[0][1].received_at <= FRIDAY_NOON + MINUTE


def test_requests_go_back_as_far_as_the_source_makes_corrections(skipping, a_source) -> None:
    _, adapter, _ = polled(skipping, a_source(schedule=ALL_DAY), Fetches(None))
    assert adapter.spans == [(date(2026, 2, 20), date(2026, 3, 6))]
    month = Schedule(every=20 * MINUTE, days=EVERY_DAY, reread_days=31)
    _, adapter, _ = polled(skipping, a_source(schedule=month), Fetches(None))
    assert adapter.spans == [(date(2026, 2, 3), date(2026, 3, 6))]


def test_requests_do_not_go_back_before_a_sources_first_day(skipping, a_source) -> None:
    _, adapter, _ = polled(skipping, a_source(schedule=ALL_DAY, first_day=date(2026, 3, 2)), Fetches(None))
    assert adapter.spans == [(date(2026, 3, 2), date(2026, 3, 6))]


def test_the_requested_days_follow_the_clock(skipping, a_source) -> None:
    _, adapter, _ = polled(skipping, a_source(schedule=ALL_DAY), Fetches(None), seconds=13 * 3600)
    assert adapter.spans[-1] == (date(2026, 3, 3), date(2026, 3, 7))


def test_a_full_round_is_made_once_a_day(skipping, a_source) -> None:
    _, adapter, _ = polled(skipping, a_source(schedule=ALL_DAY), Fetches(None), seconds=13 * 3600)
    assert Counter(first for first, _ in adapter.spans)[date(2026, 2, 20)] == 1
    assert Counter(first for first, _ in adapter.spans)[date(2026, 2, 21)] == 1
    assert {(last - first).days for first, last in adapter.spans} == {14, 4}


def test_there_is_a_pause_between_two_requests(skipping, a_source) -> None:
    fetches = Fetches(None)
    polled(skipping, a_source(schedule=ALL_DAY), fetches, urls=["one", "two", "three"])
    assert fetches.asked == ["one", "two", "three"]
    first, second, third = fetches.asked_at
    assert (second - first, third - second) == (pytest.approx(2, abs=0.2), pytest.approx(2, abs=0.2))


@pytest.mark.parametrize(
    ("filed", "is_news"),
    [
        (FilingResult(1, 0, 0), True),
        (FilingResult(0, 1, 4), True),
        (FilingResult(0, 0, 4), False),
        (None, False),
    ],
    ids=["added", "corrected", "unchanged", "known"],
)
def test_the_callback_is_called_only_after_a_filing(
    skipping,
    a_source,
    filed: FilingResult | None,
    is_news: bool,  # noqa: FBT001  a row's cell
) -> None:
    poller, _, cabinet = polled(skipping, a_source(schedule=ALL_DAY), Fetches(b"rates"), Cabinet([filed]))
    assert cabinet.told == ["mint"] * is_news
    assert poller.source_status.last_success is not None


def test_the_callback_is_called_if_one_of_several_deliveries_was_filed(skipping, a_source) -> None:
    for answers in ([FilingResult(1, 0, 0), NOTHING_NEW], [NOTHING_NEW, FilingResult(1, 0, 0)]):
        _, _, cabinet = polled(
            skipping, a_source(schedule=ALL_DAY), Fetches(b"rates"), Cabinet(answers), urls=["one", "two"]
        )
        assert cabinet.told == ["mint"]


@pytest.mark.parametrize("answer", [None, NothingPublished("mint: has nothing for what was asked")])
def test_an_answer_without_changes_is_a_success(skipping, a_source, answer: Any) -> None:
    poller, _, cabinet = polled(skipping, a_source(schedule=ALL_DAY), Fetches(answer))
    assert (cabinet.deliveries, cabinet.told) == ([], [])
    assert (poller.source_status.failures, poller.source_status.last_success is not None) == (0, True)


ERRORS = [
    SourceUnreachable("mint: no answer in time"),
    SourceBroken("mint: sent a page"),
    StoreBroken("The database cannot be used: locked"),
]


@pytest.mark.parametrize("error", ERRORS, ids=["silent", "broken", "store"])
def test_an_answer_that_was_not_filed_is_requested_again(skipping, a_source, error: Exception) -> None:
    fetches = Fetches(b"rates")
    poller, _, cabinet = polled(skipping, a_source(schedule=ALL_DAY), fetches, Cabinet([error]))
    assert fetches.done == [("fetch", "one"), ("forget", "one")]
    assert (poller.source_status.failures, poller.source_status.why) == (1, str(error).removeprefix("mint: "))
    assert (poller.source_status.last_success, cabinet.told) == (None, [])


def test_a_request_that_fails_does_not_stop_the_others(skipping, a_source) -> None:
    fetches = Fetches(b"1", SourceBroken("mint: sent a page"), b"3")
    poller, _, cabinet = polled(skipping, a_source(schedule=ALL_DAY), fetches, urls=["one", "two", "three"])
    assert [delivery.content for _, delivery in cabinet.deliveries] == [b"1", b"3"]
    assert fetches.forgotten == ["two"]
    assert cabinet.told == ["mint"]
    assert (poller.source_status.failures, poller.source_status.last_success) == (1, None)


def test_after_three_failures_a_round_stops(skipping, a_source) -> None:
    fetches = Fetches(SourceUnreachable("mint: no answer in time"))
    poller, _, _ = polled(skipping, a_source(schedule=ALL_DAY), fetches, urls=["one", "two", "three", "four", "five"])
    assert fetches.asked == ["one", "two", "three"]
    assert poller.source_status.failures == 3


def test_after_two_failures_a_round_goes_on(skipping, a_source) -> None:
    silent = SourceUnreachable("mint: no answer in time")
    fetches = Fetches(silent, b"2", silent, b"4")
    polled(skipping, a_source(schedule=ALL_DAY), fetches, urls=["one", "two", "three", "four"])
    assert fetches.asked == ["one", "two", "three", "four"]


def test_a_source_recovers(skipping, a_source) -> None:
    fetches = Fetches(SourceUnreachable("mint: no answer in time"), b"rates")
    poller, _, cabinet = polled(skipping, a_source(schedule=ALL_DAY), fetches, seconds=25 * 60)
    assert (len(fetches.asked), cabinet.told, poller.source_status.failures) == (2, ["mint"], 0)


def test_unreadable_cells_are_in_the_status_until_they_can_be_read(
    skipping, a_source, caplog: pytest.LogCaptureFixture
) -> None:
    told = FilingResult(5, 0, 0, left_out=("Mint: EUR/USD on 2026-03-06 is no rate: [-]",))
    source = a_source(schedule=ALL_DAY)
    poller, _, _ = polled(skipping, source, Fetches(b"rates"), Cabinet([told, None]), seconds=30 * 60)
    assert poller.source_status.report(0, {}).left_out == told.left_out, "the same bytes say the same"
    assert (
        "Source mint: left out of what it sent: Mint: EUR/USD on 2026-03-06 is no rate: [-] (1 in all)" in caplog.text
    )
    poller, _, _ = polled(skipping, source, Fetches(b"rates"), Cabinet([told, FilingResult(0, 0, 6)]), seconds=30 * 60)
    assert poller.source_status.report(0, {}).left_out == ()


def test_unreadable_cells_of_an_origin_that_is_not_requested_again_are_shown_for_a_week(a_source) -> None:
    source_status = a_poller(a_source(), Fetches(None)).source_status
    source_status.record_left_out("monday", ("a cell",), FRIDAY_NOON)
    source_status.record_left_out("tuesday", ("a cell", "a column"), FRIDAY_NOON + timedelta(days=6))
    assert source_status.report(0, {}).left_out == ("a cell", "a column")
    source_status.record_left_out("next", (), FRIDAY_NOON + timedelta(days=7))
    assert source_status.report(0, {}).left_out == ("a cell", "a column")
    source_status.record_left_out("next", (), FRIDAY_NOON + timedelta(days=13))
    assert source_status.report(0, {}).left_out == ()


# After a gap


class DayByDay(Daily):
    """A feed that is asked for each weekday by itself."""

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        self.spans.append((first, last))
        for number in range((last - first).days + 1):
            day = first + timedelta(days=number)
            if day.weekday() < 5:
                yield SourceRequest(url=str(day), first=day, last=day, no_data_statuses=frozenset({404}))


class Library:
    """A fetcher that has the pages of some days; of any other there is nothing."""

    def __init__(self, has: Callable[[date], bool]) -> None:
        self.has = has
        self.asked: list[date] = []

    async def fetch(self, source: str, request: SourceRequest) -> bytes | None:
        self.asked.append(request.first)
        if self.has(request.first):
            return b"rates"
        raise NothingPublished(f"{source}: has nothing for what was asked")

    def forget(self, request: SourceRequest) -> None:
        pass


def polled_by_day(
    skipping: Any,
    source: Any,
    fetches: Any,
    *,
    held: date | None = None,
    complete_on: date | None = None,
    seconds: float = 100,
) -> tuple[Poller, Daily]:
    adapter, cabinet = DayByDay(source), Cabinet()

    async def scene() -> Poller:
        loop = asyncio.get_running_loop()
        began = loop.time()
        poller = a_poller(source, fetches, lambda: FRIDAY_NOON + timedelta(seconds=loop.time() - began))
        poller.source_status.coverage = Coverage(1, date(1999, 1, 4), held) if held else None
        poller.source_status.complete_on = complete_on
        await during(seconds, poll_fixings(poller, adapter, cabinet.file, cabinet.filed))
        return poller

    return skipping(scene()), adapter


def test_after_a_downtime_all_days_since_are_requested(skipping, a_source, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        poller, adapter = polled_by_day(
            skipping, a_source(schedule=ALL_DAY), Fetches(b"rates"), held=date(2026, 1, 5), seconds=3600
        )
    since, last = date(2025, 12, 22), date(2026, 3, 6)  # the last day held, and the days in which it may be corrected
    assert adapter.spans == [(since, last), (date(2026, 3, 2), last), (date(2026, 3, 2), last)]
    assert poller.source_status.complete_on == last
    lines = [record.getMessage() for record in caplog.records]
    assert lines == [
        "Source mint: fixings since 2026-01-05 may be incomplete; requesting them again from 2025-12-22 on"
    ]


@pytest.mark.parametrize("held", [None, date(2026, 3, 5), date(2026, 2, 20)], ids=["nothing", "yesterday", "two weeks"])
def test_without_missing_days_only_the_usual_days_are_requested(skipping, a_source, held: date | None) -> None:
    _, adapter = polled_by_day(skipping, a_source(schedule=ALL_DAY), Fetches(b"rates"), held=held)
    assert adapter.spans == [(date(2026, 2, 20), date(2026, 3, 6))]


def test_an_interrupted_round_before_a_restart_is_caught_up(skipping, a_source) -> None:
    """Some pairs were filed up to the last day, others were not reached: the last complete round tells."""
    _, adapter = polled_by_day(
        skipping,
        a_source(schedule=ALL_DAY),
        Fetches(b"rates"),
        held=date(2026, 3, 5),
        complete_on=date(2026, 1, 5),
    )
    assert adapter.spans[0][0] == date(2025, 12, 22)


def test_failures_while_catching_up_are_caught_up_later(skipping, a_source) -> None:
    fetches = Fetches(b"rates", SourceBroken("mint: sent a page"), b"rates")
    poller, adapter = polled_by_day(
        skipping, a_source(schedule=ALL_DAY), fetches, held=date(2026, 1, 5), seconds=24 * 60
    )
    assert [first for first, _ in adapter.spans] == [date(2025, 12, 22)] * 2
    assert poller.source_status.complete_on == date(2026, 3, 6)


def test_days_that_need_a_backfill_are_logged(skipping, a_source, caplog: pytest.LogCaptureFixture) -> None:
    _, adapter = polled_by_day(skipping, a_source(schedule=ALL_DAY), Fetches(b"rates"), held=date(2024, 1, 5))
    assert adapter.spans[0][0] == date(2025, 3, 5)
    assert "Source mint: days before 2025-03-05 may be missing; run [cambist backfill mint]" in caplog.text


# Days without anything


def why(poller: Poller) -> str:
    return poller.source_status.why


WORKDAYS = Schedule(every=20 * MINUTE, pause=timedelta(seconds=2))


def test_five_working_days_without_a_fixing_are_a_failure_of_the_source(skipping, a_source) -> None:
    fetches = Library(lambda day: day <= date(2026, 2, 26))
    poller, _ = polled_by_day(skipping, a_source(schedule=WORKDAYS), fetches)
    assert (poller.source_status.failures, poller.source_status.last_success) == (1, None)
    assert why(poller) == "has had nothing for 5 working days in a row, since 2026-02-27"


@pytest.mark.parametrize(
    "last", [date(2026, 3, 2), date(2026, 3, 5)], ids=["three days are missing", "today's is not out yet"]
)
def test_a_few_days_without_a_fixing_are_no_failure(skipping, a_source, last: date) -> None:
    poller, _ = polled_by_day(skipping, a_source(schedule=WORKDAYS), Library(lambda day: day <= last))
    assert (poller.source_status.failures, why(poller)) == (0, "")


def test_holidays_and_weekends_do_not_count_as_working_days() -> None:
    """In the middle of February 2026 China rests for more than a week."""
    rest = {date(2026, 2, day) for day in range(16, 24)}
    round_ = PollingRound(absent=[SourceRequest(url=str(day), first=day, last=day) for day in sorted(rest)])
    assert round_.absence(replace(WORKDAYS, holidays="CN"), date(2026, 2, 23)) == ""
    assert round_.absence(WORKDAYS, date(2026, 2, 23)).startswith("has had nothing for 5 working days")


def test_the_failure_lasts_until_there_is_a_fixing_again(skipping, a_source) -> None:
    library = Library(lambda _day: False)
    poller, _ = polled_by_day(skipping, a_source(schedule=WORKDAYS), library, seconds=3600)
    assert poller.source_status.failures > 1
    library = Library(lambda day: day == date(2026, 3, 5))
    poller, _ = polled_by_day(skipping, a_source(schedule=WORKDAYS), library, seconds=3600)
    assert (poller.source_status.failures, why(poller)) == (0, "")


def test_months_without_a_fixing_are_a_failure_too() -> None:
    months = [date(2026, 1, 1), date(2026, 2, 1), date(2026, 3, 1)]
    absent = [SourceRequest(url=str(month), first=month, last=month) for month in months]
    today = FRIDAY_NOON.date()
    assert PollingRound(absent=absent).absence(WORKDAYS, today) == "has nothing at all from 2026-01-01 to 2026-03-01"
    assert PollingRound(absent=absent[1:], answered=absent[:1]).absence(WORKDAYS, today) == ""


# Ticks


class Quotes(TickAdapter):
    """A feed whose answers are lines of base, quote, bid and ask; it breaks at a line that is none."""

    def __init__(self, source: Any, *urls: str) -> None:
        self.source = source
        self.urls = urls or ("one",)

    def requests(self) -> Sequence[SourceRequest]:
        return tuple(SourceRequest(url=url, subject=f"about {url}", content_types=("text/plain",)) for url in self.urls)

    def parse_ticks(self, content: bytes, subject: str, names: PairNames) -> Iterator[Tick]:
        assert subject.startswith("about ")
        for line in content.decode("latin-1").splitlines():
            words = line.split()
            if len(words) != 4:
                raise SourceBroken(f"{self.source.key}: [{line[:20]}] is no quote")
            pair = names.get(words[0] + words[1]) or Pair(words[0], words[1])
            yield Tick(self.source.key, pair, Decimal(words[2]), Decimal(words[3]))


def ticked(
    skipping: Any, source: Any, fetches: Fetches, seconds: float = 5, urls: Sequence[str] = (), names: Any = dict
) -> tuple[Poller, PricePipeline]:
    pipeline = PricePipeline({source.key: source})
    poller = a_poller(source, fetches)
    skipping(during(seconds, poll_ticks(poller, Quotes(source, *urls), pipeline, names)))
    return poller, pipeline


def agreed(pipeline: PricePipeline, pair: Pair = EURO) -> tuple[str, str] | None:
    quote = pipeline.pair_consensus.agree(pair, pipeline.tick_store.by_source(pair), FRIDAY_NOON)
    return quote and (str(quote.bid), str(quote.ask))


def test_polled_ticks_are_applied(skipping, a_source) -> None:
    poller, pipeline = ticked(skipping, a_source(schedule=ALL_DAY), Fetches(b"EUR USD 1.5 1.51\nGBP USD 1.25 1.25"))
    assert (agreed(pipeline), agreed(pipeline, Pair("GBP", "USD"))) == (("3/2", "151/100"), ("5/4", "5/4"))
    assert (poller.source_status.newest, poller.source_status.failures, pipeline.accepted["mint"]) == (
        FRIDAY_NOON,
        0,
        2,
    )


def test_ticks_are_polled_again_and_again(skipping, a_source) -> None:
    schedule = Schedule(every=timedelta(seconds=30), pause=timedelta(seconds=1), days=EVERY_DAY)
    fetches = Fetches(b"EUR USD 1.5 1.51")
    ticked(skipping, a_source(schedule=schedule), fetches, seconds=125, urls=["one", "two"])
    assert fetches.asked == ["one", "two"] * 4
    assert 1 <= fetches.asked_at[1] - fetches.asked_at[0] <= 1.2


def test_ticks_are_parsed_with_the_current_pair_names(skipping, a_source) -> None:
    _, pipeline = ticked(
        skipping, a_source(schedule=ALL_DAY), Fetches(b"XB T 9 9"), names=lambda: {"XBT": Pair("BTC", "USD")}
    )
    assert agreed(pipeline, Pair("BTC", "USD")) == ("9", "9")


def test_of_an_answer_that_cannot_be_parsed_no_tick_is_applied(skipping, a_source) -> None:
    fetches = Fetches(b"EUR USD 1.5 1.51\n<html>")
    poller, pipeline = ticked(skipping, a_source(schedule=ALL_DAY), fetches)
    assert (pipeline.tick_store.pairs(), pipeline.accepted["mint"]) == (set(), 0)
    assert (poller.source_status.failures, poller.source_status.why) == (1, "[<html>] is no quote")
    assert fetches.done == [("fetch", "one"), ("forget", "one")]


def test_an_answer_without_new_ticks_is_a_success(skipping, a_source) -> None:
    poller, pipeline = ticked(skipping, a_source(schedule=ALL_DAY), Fetches(None))
    assert (poller.source_status.last_success, poller.source_status.newest, pipeline.tick_store.pairs()) == (
        FRIDAY_NOON,
        None,
        set(),
    )


def test_an_unreachable_source_of_ticks_is_recorded_as_a_failure(skipping, a_source) -> None:
    poller, _ = ticked(skipping, a_source(schedule=ALL_DAY), Fetches(SourceUnreachable("mint: no answer in time")))
    assert (poller.source_status.failures, poller.source_status.last_success) == (1, None)


def test_a_refused_tick_does_not_change_the_newest_market_time(a_source) -> None:
    source = a_source()
    poller, pipeline = a_poller(source, Fetches(None)), PricePipeline({"mint": source})
    apply_ticks(pipeline, Quotes(source).parse_ticks(b"EUR USD 1.6 1.5", "about one", {}), poller, FRIDAY_NOON)
    assert (poller.source_status.newest, pipeline.refused["mint"].total()) == (None, 1)


def test_the_newest_market_time_is_that_of_the_tick(a_source) -> None:
    class Dated(Quotes):
        def parse_ticks(self, content: bytes, subject: str, names: PairNames) -> Iterator[Tick]:
            _ = content, subject, names
            yield Tick("mint", EURO, Decimal(1), Decimal(1), FRIDAY_NOON - MINUTE)

    source = a_source()
    poller, pipeline = a_poller(source, Fetches(None)), PricePipeline({"mint": source})
    apply_ticks(pipeline, Dated(source).parse_ticks(b"", "about one", {}), poller, FRIDAY_NOON)
    assert poller.source_status.newest == FRIDAY_NOON - MINUTE


def test_silent_sources_are_polled_and_waited_for(skipping, a_source) -> None:
    answered, silent, gone = (a_poller(a_source(schedule=ALL_DAY), Fetches(None)) for _ in range(3))
    answered.source_status.record_success(FRIDAY_NOON - timedelta(seconds=1))
    silent.source_status.record_success(FRIDAY_NOON - timedelta(seconds=6))

    async def scene() -> float:
        loop = asyncio.get_running_loop()
        began = loop.time()
        loop.call_later(0.3, silent.source_status.record_success, FRIDAY_NOON)
        await refresh_silent([answered, silent], 1.0)
        waited = loop.time() - began
        await refresh_silent([answered, silent, gone], 1.0)
        assert 0.9 <= loop.time() - began - waited <= 1.1
        return waited

    assert 0.3 <= skipping(scene()) < 0.5
    assert [each._is_asked for each in (answered, silent, gone)] == [False, True, True]


class Exchange(Quotes, VenueAdapter):
    """The same, as a venue."""

    def pair_list_request(self) -> SourceRequest:
        raise NotImplementedError

    def parse_pair_names(self, content: bytes) -> PairNames:
        raise NotImplementedError

    def sockets(self, names: PairNames) -> Iterator[VenueSocket]:
        raise NotImplementedError

    def parse_message(self, frame: str | bytes, names: PairNames) -> VenueMessage:
        raise NotImplementedError


def test_a_venue_is_polled_once_its_list_of_pairs_is_here(skipping, a_source) -> None:
    source, fetches = a_source(schedule=ALL_DAY), Fetches(b"XB T 9 9")
    pipeline, known = PricePipeline({"mint": source}), dict[str, Pair]()

    async def scene() -> None:
        asyncio.get_running_loop().call_later(30, known.update, {"XBT": Pair("BTC", "USD")})
        began = asyncio.get_running_loop().time()
        await during(60, poll_ticks(a_poller(source, fetches), Exchange(source), pipeline, lambda: known))
        (asked_at,) = fetches.asked_at
        assert 30 <= asked_at - began <= 31

    skipping(scene())
    assert agreed(pipeline, Pair("BTC", "USD")) == ("9", "9")


# Side by side


async def hang(_: asyncio.StreamWriter) -> None:
    await asyncio.sleep(30)


async def flood(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n")
    for _ in range(100):
        writer.write(bytes(1024 * 1024))
        await writer.drain()


async def tear(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


MISCHIEF: dict[str, tuple[Any, str]] = {
    "hangs": (hang, "no answer in time"),
    "sends a hundred megabytes": (flood, "more than|no answer in time"),  # a slow machine does not get that far
    "tears the connection": (tear, "cannot be asked"),
    "is broken": (b"HTTP/1.1 500 So\r\nContent-Length: 0\r\n\r\n", "answered 500"),
    "sends a page": (b"HTTP/1.1 200 So\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>", "text/html"),
    "sends noise": (
        b"HTTP/1.1 200 So\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n\xff\xfe\x00\x01?",
        "no quote",
    ),
}


@pytest.mark.long(every=5)
@pytest.mark.parametrize("mischief", MISCHIEF)
def test_a_misbehaving_source_does_not_affect_another(host, a_source, mischief: str) -> None:
    """Three on one loop: one feed of quotes and one of fixings that misbehave, and one of quotes that does not."""
    deed, why = MISCHIEF[mischief]
    good, quoting, fixing = (a_source(key) for key in ("good", "quoting", "fixing"))
    pipeline = PricePipeline({"good": good, "quoting": quoting})

    def file(key: str, delivery: Delivery) -> Any:
        raise SourceBroken(f"{key}: {delivery.content[:9]!r} is no quote")

    async def scene() -> None:
        short, long = aiohttp.ClientTimeout(total=0.3), aiohttp.ClientTimeout(total=PATIENCE)
        async with (
            host(host.answer(200, b"EUR USD 1.5 1.51", media="text/plain")) as honest,
            host(deed) as crook,
            aiohttp.ClientSession() as session,
        ):
            limits = {good: long, quoting: short, fixing: short}  # a busy machine may answer late
            pollers = [a_poller(source, Fetcher(session, timeout=limit)) for source, limit in limits.items()]
            daily = Daily(fixing, crook.url)
            works = [
                poll_ticks(pollers[0], Quotes(good, honest.url), pipeline, dict),
                poll_ticks(pollers[1], Quotes(quoting, crook.url), pipeline, dict),
                poll_fixings(pollers[2], daily, lambda *given: asyncio.to_thread(file, *given), Cabinet().filed),
            ]
            tasks = [asyncio.create_task(work) for work in works]
            async with asyncio.timeout(PATIENCE):  # a feed of fixings may take its first second to begin
                while len(honest.asked) < 8 or not all(bad.source_status.failures for bad in pollers[1:]):  # noqa: ASYNC110  counters
                    await asyncio.sleep(0.01)
            assert not any(task.done() for task in tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        assert (pollers[0].source_status.failures, agreed(pipeline)) == (0, ("3/2", "151/100"))
        for bad in pollers[1:]:
            assert re.search(why, bad.source_status.why)
            assert bad.source_status.last_success is None

    with stamina.set_testing(testing=True, attempts=1):
        asyncio.run(scene())


class Ended(Daily):
    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        self.spans.append((first, last))
        yield from ()


def test_a_source_without_requests_has_no_success(skipping, a_source) -> None:
    source, cabinet = a_source(schedule=ALL_DAY), Cabinet()
    poller = a_poller(source, Fetches(None))
    skipping(during(100, poll_fixings(poller, Ended(source), cabinet.file, cabinet.filed)))
    assert poller.source_status.last_success is None
    assert poller.source_statuses.is_offline


# Asked by an operator


def test_a_source_that_an_operator_asks_for_is_polled_before_it_is_due(skipping, a_source) -> None:
    poller = a_poller(a_source(schedule=ALL_DAY), Fetches(None))

    async def scene() -> tuple[float, float]:
        loop = asyncio.get_running_loop()
        began = loop.time()
        loop.call_later(3, poller.ask)
        await poller.pause()
        asked = loop.time()
        await poller.pause()
        return asked - began, loop.time() - asked

    first, second = skipping(scene())
    assert first == pytest.approx(3, abs=0.1)
    assert second > 60


def test_a_source_that_is_asked_for_while_it_is_polled_is_polled_once_more(skipping, a_source) -> None:
    poller = a_poller(a_source(schedule=ALL_DAY), Fetches(None))
    poller.ask()
    assert paused(skipping, poller) < 0.1
    assert paused(skipping, poller) > 60
