"""Which ticks become bars, and how bars are saved and filed while everything else goes wrong."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cambist.errors import SourceUnreachable, StoreBroken
from cambist.history.bar_aggregator import BarAggregator
from cambist.history.bars import Bar, Interval, Ohlc, PairBar
from cambist.ingest.bar_updater import has_bars
from cambist.ingest.bar_writer import BarWriter, KeptFor, oldest_kept
from cambist.ingest.poller import Poller
from cambist.ingest.price_pipeline import PricePipeline
from cambist.ingest.source_status import SourceStatuses
from cambist.ingest.streamer import Streamer, supported_pairs
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Quote
from cambist.pricing.source_kind import Pace, RateType
from cambist.pricing.tick import Tick
from cambist.pricing.trading_hours import is_open
from cambist.sources.adapters.kraken import adapter as kraken
from cambist.storage.sql import SqlStore

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)  # a Friday
CLOSES = datetime(2026, 3, 6, 22, tzinfo=UTC)
OPENS = datetime(2026, 3, 8, 21, tzinfo=UTC)  # summer time has begun that day
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
EURUSD = Pair("EUR", "USD")
MINUTES_ONLY: KeptFor = {Interval.MINUTE: HOUR}

Skipping = Callable[[Coroutine[Any, Any, None]], None]


def tick(bid: float | str, as_of: datetime | None = None, source: str = "first", pair: Pair = EURUSD) -> Tick:
    return Tick(source, pair, Decimal(str(bid)), Decimal(str(bid)), as_of)


@pytest.fixture
def folding() -> BarAggregator:
    return BarAggregator()


@pytest.fixture
def pipeline(a_source: Any, folding: BarAggregator) -> PricePipeline:
    """A pipeline of three venues, best first, whose ticks are added to bars."""
    facts = {"pace": Pace.REALTIME, "rate_type": RateType.MARKET}
    return PricePipeline({key: a_source(key, **facts) for key in ("first", "second", "third")}, is_open, folding)


def agree(pipeline: PricePipeline, pair: Pair, now: datetime) -> Quote | None:
    return pipeline.pair_consensus.agree(pair, pipeline.tick_store.by_source(pair), now)


def closes(folding: BarAggregator, interval: Interval = Interval.MINUTE) -> dict[str, Decimal]:
    """Give what each bar closed at, by when it began."""
    bars = folding.completed(NOON + timedelta(days=30))
    return {each.bar.start.strftime("%a %H:%M"): each.bar.bid.c for each in bars if each.interval is interval}


# Which ticks


@pytest.mark.parametrize(
    ("pair", "has"), [("EUR/USD", True), ("USD/IRR", True), ("BTC/USD", False), ("XAU/USD", False), ("EUR/BTC", False)]
)
def test_pairs_of_two_currencies_have_bars(
    pipeline: PricePipeline,
    folding: BarAggregator,
    pair: str,
    has: bool,  # noqa: FBT001
) -> None:
    of = Pair(*pair.split("/"))
    assert has_bars(of) is has
    assert pipeline.apply_tick(tick(2, NOON, pair=of), NOON) is None
    assert {each.pair for each in folding.completed(NOON + HOUR)} == ({of} if has else set())


def test_every_tick_counts_and_not_only_those_of_a_rate_book(pipeline: PricePipeline, folding: BarAggregator) -> None:
    for second, price in enumerate(("1.10", "1.12", "1.09", "1.11")):
        pipeline.apply_tick(tick(price, NOON + second * SECOND), NOON + second * SECOND)
    (minute, _) = folding.completed(NOON + HOUR)
    assert minute.bar.bid == Ohlc(*map(Decimal, ("1.10", "1.12", "1.09", "1.11")))


def test_a_refused_tick_is_in_no_bar(pipeline: PricePipeline, folding: BarAggregator) -> None:
    pipeline.apply_tick(tick("1.10", NOON), NOON)
    agree(pipeline, EURUSD, NOON)
    assert pipeline.apply_tick(tick("11.0", NOON + SECOND), NOON + SECOND) is not None
    assert pipeline.apply_tick(tick("1.20", NOON - SECOND), NOON + SECOND) is not None
    assert pipeline.apply_tick(tick("1.30", NOON + HOUR), NOON + SECOND) is not None
    assert closes(folding) == {"Fri 12:00": Decimal("1.10")}


def test_a_tick_overtaken_by_a_newer_one_still_belongs_to_its_bar(
    pipeline: PricePipeline, folding: BarAggregator
) -> None:
    for second, price in ((10, "1.10"), (61, "1.104")):
        pipeline.apply_tick(tick(price, NOON + second * SECOND), NOON + second * SECOND)
    quote = agree(pipeline, EURUSD, NOON + 61 * SECOND)
    assert pipeline.apply_tick(tick("1.105", NOON + 59 * SECOND), NOON + 62 * SECOND) == "out of order"
    assert agree(pipeline, EURUSD, NOON + 62 * SECOND) == quote
    assert pipeline.apply_tick(tick("11.5", NOON + 58 * SECOND), NOON + 63 * SECOND) == "out of order"
    (minute,) = [each.bar for each in folding.completed(NOON + 2 * MINUTE)[:1]]
    assert minute.bid == Ohlc(*map(Decimal, ("1.10", "1.105", "1.10", "1.105")))
    assert folding.late == {}


def test_a_tick_more_than_a_minute_after_its_bar_is_counted_and_dropped(
    pipeline: PricePipeline, folding: BarAggregator
) -> None:
    for second in (10, 125):
        pipeline.apply_tick(tick("1.10", NOON + second * SECOND), NOON + second * SECOND)
    before = folding.completed(NOON + HOUR)
    assert pipeline.apply_tick(tick("1.105", NOON + 59 * SECOND), NOON + 126 * SECOND) == "out of order"
    assert folding.completed(NOON + HOUR) == before
    assert folding.late == {"first": 1}


def test_a_tick_without_a_time_has_the_time_when_it_was_received(
    pipeline: PricePipeline, folding: BarAggregator
) -> None:
    pipeline.apply_tick(tick("1.10"), NOON + MINUTE)
    assert closes(folding) == {"Fri 12:01": Decimal("1.10")}


def test_bars_are_made_of_the_ticks_of_the_published_source(pipeline: PricePipeline, folding: BarAggregator) -> None:
    pipeline.apply_tick(tick("1.10", NOON, "second"), NOON)
    pipeline.apply_tick(tick("1.11", NOON, "first"), NOON)  # before anything is published the minute is the second's
    quote = agree(pipeline, EURUSD, NOON)
    assert quote is not None
    assert quote.origin.sources == ("first",)
    later = NOON + MINUTE
    pipeline.apply_tick(tick("1.12", later, "second"), later)
    pipeline.apply_tick(tick("1.13", later, "first"), later)
    assert closes(folding) == {"Fri 12:00": Decimal("1.10"), "Fri 12:01": Decimal("1.13")}


def test_a_change_of_the_published_source_takes_effect_with_the_next_minute(
    pipeline: PricePipeline, folding: BarAggregator
) -> None:
    pipeline.apply_tick(tick("1.10", NOON, "first"), NOON)
    agree(pipeline, EURUSD, NOON)
    silent = NOON + 16 * MINUTE
    pipeline.apply_tick(tick("1.12", silent, "second"), silent)
    agree(pipeline, EURUSD, silent)
    pipeline.apply_tick(tick("1.121", silent + SECOND, "second"), silent + SECOND)
    assert closes(folding) == {"Fri 12:00": Decimal("1.10"), "Fri 12:16": Decimal("1.121")}


def test_ticks_outside_the_trading_week_are_in_no_bar(pipeline: PricePipeline, folding: BarAggregator) -> None:
    for at, price in (
        (CLOSES - SECOND / 2, 1),
        (CLOSES, 1.01),
        (CLOSES + SECOND, 1.01),
        (OPENS - SECOND / 2, 1.02),
        (OPENS, 1.03),
    ):
        pipeline.apply_tick(tick(price, at), at)
    days = closes(folding, Interval.DAY)
    assert closes(folding) == {"Fri 21:59": 1, "Sun 21:00": Decimal("1.03")}
    assert days == {"Fri 00:00": 1, "Sun 00:00": Decimal("1.03")}


def test_a_tick_of_closed_hours_that_arrives_in_open_hours_is_in_no_bar(
    pipeline: PricePipeline, folding: BarAggregator
) -> None:
    assert pipeline.apply_tick(tick(1, OPENS - SECOND), OPENS + SECOND) is None
    assert closes(folding) == {}


def test_a_repeated_tick_is_not_counted_as_late(pipeline: PricePipeline, folding: BarAggregator) -> None:
    for minute in range(10):
        pipeline.apply_tick(tick(1, NOON), NOON + minute * MINUTE)
    assert folding.late == {}
    pipeline.apply_tick(tick(1.01, NOON), NOON + 10 * MINUTE)
    assert folding.late == {"first": 1}


# A day of Kraken's ticks


def _frames(day: datetime) -> Iterator[tuple[datetime, str]]:
    """Give a day's frames as Kraken sends them, with when each came: some tick, some say nothing of use."""
    chance = random.Random(7)  # noqa: S311  nobody guesses it
    prices = {"EUR/USD": (115_000, 5), "GBP/USD": (133_000, 5), "USD/JPY": (151_000, 3), "BTC/EUR": (6_000_000, 2)}
    moment = day
    while (moment := moment + timedelta(milliseconds=chance.randint(1, 40_000))) < day + timedelta(hours=23.9):
        symbol = chance.choice([*prices])
        price, digits = prices[symbol]
        price += chance.randint(-30, 30)
        prices[symbol] = (price, digits)
        bid, ask = (str(Decimal(side).scaleb(-digits)) for side in (price, price + chance.randint(1, 9)))
        if chance.random() < 0.05:
            bid = "null"
        as_of = moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        data = f'{{"symbol":"{symbol}","bid":{bid},"bid_qty":1.5,"ask":{ask},"ask_qty":2.0,"timestamp":"{as_of}"}}'
        delay = chance.choice([20, 90, 400, 2_500, 12_000, 55_000] if chance.random() < 0.05 else [20, 90, 400])
        came_at = moment + timedelta(milliseconds=delay)
        yield came_at, f'{{"channel":"ticker","type":"update","data":[{data}]}}'
        if chance.random() < 0.3:
            yield came_at, '{"channel":"heartbeat"}'
        moment = came_at


LISTED = {
    "ZEURZUSD": {"altname": "EURUSD", "wsname": "EUR/USD", "base": "ZEUR", "quote": "ZUSD"},
    "ZGBPZUSD": {"altname": "GBPUSD", "wsname": "GBP/USD", "base": "ZGBP", "quote": "ZUSD"},
    "ZUSDZJPY": {"altname": "USDJPY", "wsname": "USD/JPY", "base": "ZUSD", "quote": "ZJPY"},
    "XXBTZEUR": {"altname": "XBTEUR", "wsname": "XBT/EUR", "base": "XXBT", "quote": "ZEUR"},
}


def _computed(frames: Sequence[tuple[datetime, str]]) -> dict[tuple[str, str, str], list[str]]:
    """Compute all bars from the text of the frames."""
    sides: dict[tuple[str, str, str], list[tuple[str, str, str]]] = defaultdict(list)
    for _, frame in frames:
        for quote in json.loads(frame, parse_float=str).get("data", ()):
            if quote["bid"] is None or quote["symbol"] == "BTC/EUR":
                continue
            time = quote["timestamp"]
            for interval, cut in (("PT1M", 16), ("PT1H", 13), ("P1D", 10)):
                sides[quote["symbol"], interval, time[:cut]].append((time, quote["bid"], quote["ask"]))
    bars = {}
    for key, quotes in sides.items():
        quotes.sort()
        bars[key] = [
            price
            for side in (1, 2)
            for price in (
                quotes[0][side],
                max((quote[side] for quote in quotes), key=float),
                min((quote[side] for quote in quotes), key=float),
                quotes[-1][side],
            )
        ]
    return bars


@pytest.mark.long
def test_bars_of_a_day_of_kraken_ticks_equal_an_independent_computation(tmp_path: Path) -> None:
    day = datetime(2026, 3, 10, tzinfo=UTC)
    frames, now = list(_frames(day)), [day]
    store = SqlStore(f"sqlite:///{tmp_path / 'a.db'}")
    store.migrate()
    folding = BarAggregator()
    pipeline = PricePipeline({"kraken": kraken.source}, is_open, folding)
    source_statuses = SourceStatuses.for_sources([kraken.source], {})
    poller = Poller(kraken.source, None, source_statuses.by_source["kraken"], lambda: now[0], source_statuses)  # type: ignore[arg-type]
    names = supported_pairs("kraken", kraken.parse_pair_names(json.dumps({"error": [], "result": LISTED}).encode()))
    streamer = Streamer(kraken, poller, pipeline, names)
    for count, (came_at, frame) in enumerate(frames):
        now[0] = came_at
        streamer._apply(kraken.parse_message(frame, names))
        if count % 7 == 0:
            agree(pipeline, EURUSD, came_at)
        if count % 50 == 0:
            due = folding.completed(came_at)
            store.bars.file(due)
            folding.mark_filed(due, came_at)
    store.bars.file(folding.completed(day + timedelta(days=2)))
    assert pipeline.refused == {}
    assert folding.late.total() == 0
    expected = _computed(frames)
    assert len(expected) > 2_000
    found = {}
    cuts = {Interval.MINUTE: "%Y-%m-%dT%H:%M", Interval.HOUR: "%Y-%m-%dT%H", Interval.DAY: "%Y-%m-%d"}
    for interval, written in cuts.items():
        for pair in store.bars.first_starts(interval):
            for bar in store.bars.newest_bars(pair, interval, None, None, 5_000):
                prices = (price for side in (bar.bid, bar.ask) for price in (side.o, side.h, side.l, side.c))
                found[str(pair), interval.value, bar.start.strftime(written)] = [str(price) for price in prices]
    store.close()
    assert found == expected


# Saving, filing and removing


class Home:
    """Where bars go, which may fail, and a clock that the loop drives."""

    def __init__(self, *failures: Exception | None) -> None:
        self.failures = list(failures)
        self.saved = list[bytes]()
        self.saved_at = list[float]()
        self.filed = list[PairBar]()
        self.tries = list[float]()
        self.forgot = list[tuple[float, Interval, datetime]]()
        self.disk_is_full = False
        self.is_standby = self.holds_all = False
        self.folding = BarAggregator()
        self.started = 0.0

    def clock(self) -> datetime:
        return NOON + timedelta(seconds=asyncio.get_running_loop().time() - self.started)

    def save(self, content: bytes) -> bool:
        if not self.disk_is_full:
            self.saved.append(content)
            self.saved_at.append(asyncio.get_running_loop().time() - self.started)
        return not self.disk_is_full

    async def file(self, bars: Sequence[PairBar]) -> None:
        self.tries.append(asyncio.get_running_loop().time())
        await asyncio.sleep(0.01)
        if self.failures and (failure := self.failures.pop(0)) is not None:
            raise failure
        self.filed += bars

    async def forget(self, interval: Interval, before: datetime) -> int:
        self.forgot.append((asyncio.get_running_loop().time() - self.started, interval, before))
        if self.failures and (failure := self.failures.pop(0)) is not None:
            raise failure
        return 3

    async def keep(self, *acts: Callable[[], object], each: float = 1.0, kept_for: KeptFor = MINUTES_ONLY) -> None:
        """Let the bars be looked after while something is done every so many seconds."""
        self.started = asyncio.get_running_loop().time()
        writer = BarWriter(
            self.folding, self.save, self.file, self.forget, kept_for, self.clock, lambda: self.is_standby,
            lambda: self.holds_all,
        )  # fmt: skip
        task = asyncio.create_task(writer.run())
        for act in acts:
            await asyncio.sleep(0)
            act()
            await asyncio.sleep(each)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    def quote(self, price: float) -> None:
        self.folding.add(tick(price), self.clock(), self.clock())


def nothing() -> None:
    """Let time pass."""


def test_open_bars_are_saved_every_second_while_they_change(skipping: Skipping) -> None:
    home = Home()
    skipping(home.keep(nothing, lambda: home.quote(1), nothing, lambda: home.quote(2), *[nothing] * 5))
    restored = [BarAggregator.from_bytes(content) for content in home.saved]
    assert [each and [bar.bar.bid.c for bar in each.completed(NOON + MINUTE)] for each in restored] == [[1], [2]]


def test_open_bars_are_saved_when_the_writer_is_stopped(skipping: Skipping) -> None:
    home = Home()
    skipping(home.keep(nothing, lambda: home.quote(7), each=0.4))
    assert [json.loads(content)[0][0] for content in home.saved] == ["EUR"]


def test_open_bars_are_saved_once_the_disk_has_room_again(skipping: Skipping) -> None:
    home = Home()
    home.disk_is_full = True

    def clear() -> None:
        home.disk_is_full = False

    skipping(home.keep(lambda: home.quote(1), nothing, nothing, clear, nothing, nothing))
    assert len(home.saved) == 1


def test_bars_are_filed_within_a_second_or_two_of_their_end(skipping: Skipping) -> None:
    home = Home()
    skipping(home.keep(lambda: home.quote(1), *[nothing] * 30, each=4))
    assert [(each.interval, each.bar) for each in home.filed] == [
        (Interval.MINUTE, Bar(NOON, Ohlc(*[Decimal(1)] * 4), Ohlc(*[Decimal(1)] * 4)))
    ]
    assert 60 <= home.tries[0] - home.started <= 62
    assert len(home.tries) == 1


def test_a_bar_is_filed_again_after_a_late_tick(skipping: Skipping) -> None:
    home = Home()
    late = lambda: home.folding.add(tick(9), NOON + SECOND, home.clock())  # noqa: E731
    skipping(home.keep(lambda: home.quote(1), *[nothing] * 19, late, *[nothing] * 10, late, nothing, each=4))
    assert [each.bar.bid.c for each in home.filed] == [1, 9]
    assert home.folding.late == {"first": 1}


def test_bars_that_cannot_be_filed_are_tried_again(skipping: Skipping, caplog: pytest.LogCaptureFixture) -> None:
    failures = [StoreBroken("disk is full"), SourceUnreachable("no end"), StoreBroken("disk is full")]
    home = Home(None, *failures)  # the forgetting at the start goes well
    with caplog.at_level(logging.INFO, "cambist"):
        skipping(home.keep(lambda: home.quote(1), *[nothing] * 30, each=4))
    assert [(each.interval, each.bar.bid.c) for each in home.filed] == [(Interval.MINUTE, 1)]
    assert len(home.tries) == 4
    assert [(record.levelname, record.message) for record in caplog.records] == [
        ("WARNING", "Bars: 1 cannot be archived now and will be tried again: disk is full"),
        ("INFO", "Bars: 1 archived, including those that had to wait"),
    ]


def test_open_bars_are_saved_while_the_store_hangs(skipping: Skipping, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home()

    async def hang(_bars: Sequence[PairBar]) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(home, "file", hang)
    skipping(home.keep(*[lambda: home.quote(1)] * 60, each=2))
    assert 55 <= len(home.saved) <= 61


def test_a_crash_loses_at_most_a_second_of_ticks_and_no_filed_bar(skipping: Skipping) -> None:
    home, took = Home(), list[float]()

    def quote() -> None:
        took.append(asyncio.get_running_loop().time() - home.started)
        home.quote(len(took))

    skipping(home.keep(*[quote] * 300, each=0.3))
    (filed,) = [each.bar for each in home.filed if each.interval is Interval.MINUTE]
    for killed_at in (tenth / 10 for tenth in range(15, 900)):
        successor = BarAggregator.from_bytes(
            [c for at, c in zip(home.saved_at, home.saved, strict=True) if at < killed_at][-1]
        )
        assert successor is not None
        bars = {(each.interval, each.bar.start): each.bar for each in successor.completed(NOON + timedelta(days=1))}
        assert bars[Interval.HOUR, NOON].bid.c >= sum(at < killed_at - 1.01 for at in took)
        # Filed once more by the successor it would change nothing.
        assert bars.get((Interval.MINUTE, NOON), filed) == filed or killed_at <= 61


@pytest.mark.long
def test_old_minute_bars_are_removed_once_an_hour_and_nothing_else(skipping: Skipping) -> None:
    home = Home()
    skipping(home.keep(*[nothing] * 25, each=600, kept_for={Interval.MINUTE: timedelta(days=90)}))
    assert [round(at / 3600) for at, _, _ in home.forgot] == [0, 1, 2, 3, 4]
    assert {interval for _, interval, _ in home.forgot} == {Interval.MINUTE}
    assert [round((NOON - before) / HOUR) for _, _, before in home.forgot] == [90 * 24 - hour for hour in range(5)]


def test_bars_of_each_interval_are_kept_for_their_own_time(skipping: Skipping) -> None:
    home, days = Home(), {Interval.MINUTE: 1, Interval.HOUR: 30, Interval.DAY: 365}
    skipping(home.keep(nothing, each=600, kept_for={length: timedelta(days=most) for length, most in days.items()}))
    assert {interval: round((NOON - before) / timedelta(days=1)) for _, interval, before in home.forgot} == days


def test_a_failed_removal_is_tried_again_in_an_hour(skipping: Skipping, caplog: pytest.LogCaptureFixture) -> None:
    home = Home(StoreBroken("locked"))
    skipping(home.keep(*[nothing] * 8, each=600))
    assert len(home.forgot) == 2
    assert [record.message for record in caplog.records if record.levelname == "WARNING"] == [
        "Bars: old ones cannot be removed now: locked"
    ]


def test_bars_may_be_kept_for_ever() -> None:
    kept_for = {Interval.MINUTE: timedelta.max, Interval.HOUR: timedelta(days=1)}
    oldest = {Interval.MINUTE: NOON - timedelta(days=36_525), Interval.HOUR: NOON - timedelta(days=1)}
    assert oldest_kept(NOON, kept_for) == oldest


@pytest.mark.long
def test_late_ticks_are_logged_once_an_hour(skipping: Skipping, caplog: pytest.LogCaptureFixture) -> None:
    home = Home()
    late = lambda: home.folding.add(tick(9), NOON - HOUR, home.clock())  # noqa: E731
    with caplog.at_level(logging.INFO, "cambist"):
        skipping(home.keep(nothing, *[late] * 5, *[nothing] * 20, each=600))
    assert [record.message for record in caplog.records] == ["Bars: 5 ticks were too late for their bar"]


def test_an_unexpected_error_is_logged_with_its_trace_and_stops_nothing(
    skipping: Skipping, caplog: pytest.LogCaptureFixture
) -> None:
    home = Home(None, ZeroDivisionError("a fault"))
    skipping(home.keep(lambda: home.quote(1), *[nothing] * 30, each=4))
    assert [record.exc_info and record.exc_info[0] for record in caplog.records] == [ZeroDivisionError]
    assert len(home.filed) == 1


# A standby


def test_a_standby_saves_open_bars_and_files_and_removes_none(skipping: Skipping) -> None:
    home = Home()
    home.is_standby = True
    skipping(home.keep(lambda: home.quote(1), *[nothing] * 130))
    assert home.saved
    assert (home.filed, home.forgot) == ([], [])


def test_a_standby_that_becomes_the_leader_files_what_it_holds_and_removes_old_bars(skipping: Skipping) -> None:
    home = Home()
    home.is_standby = True

    def lead() -> None:
        home.is_standby = False

    quotes = [lambda price=price: home.quote(price) for price in range(1, 31)]
    skipping(home.keep(*quotes, lead, *[nothing] * 61, each=60.0))
    minutes = [each.bar.start for each in home.filed if each.interval is Interval.MINUTE]
    assert minutes == [NOON + minute * MINUTE for minute in range(14, 30)]
    hours = [each.bar.bid for each in home.filed if each.interval is Interval.HOUR]
    assert hours == [Ohlc(*map(Decimal, (1, 30, 1, 30)))]
    assert home.forgot


def test_a_standby_holds_all_bars_while_nobody_can_file(skipping: Skipping) -> None:
    home = Home()
    home.is_standby = home.holds_all = True

    def lead() -> None:
        home.is_standby = home.holds_all = False

    quotes = [lambda price=price: home.quote(price) for price in range(1, 31)]
    skipping(home.keep(*quotes, lead, nothing, each=60.0))
    minutes = [each.bar.start for each in home.filed if each.interval is Interval.MINUTE]
    assert minutes == [NOON + minute * MINUTE for minute in range(30)]


def test_a_leader_that_stands_by_again_files_nothing_more(skipping: Skipping) -> None:
    home = Home()

    def stand_by() -> None:
        home.is_standby = True

    skipping(home.keep(lambda: home.quote(1), nothing, stand_by, lambda: home.quote(2), *[nothing] * 9, each=60.0))
    assert [each.bar.bid.c for each in home.filed] == [1]
