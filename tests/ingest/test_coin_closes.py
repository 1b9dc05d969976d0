"""The closes of coins: made of the last book before midnight, filed once, tried again where that fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.errors import StoreBroken
from cambist.history.fixing import FilingResult, Fixing, ReceivedFixing
from cambist.history.typed_series import CLOSES
from cambist.ingest.coin_closes import CoinCloses, DayEnd, archive_closes, build_coin_closes, file_closes
from cambist.ingest.snapshot_builder import rate_matrix_from_archive
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.source_kind import Pace
from cambist.storage.sql import SqlStore

MIDNIGHT = datetime(2026, 11, 22, tzinfo=UTC)
DAY = date(2026, 11, 21)
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
LATE, EARLY = MIDNIGHT - SECOND, MIDNIGHT + SECOND
LIMIT = timedelta(minutes=15)
OKX = Origin(Derivation.PUBLISHED, ("okx",), pace=Pace.REALTIME)
BOTH = Origin(Derivation.CROSSED, ("kraken", "okx"), pace=Pace.REALTIME)


def quote(
    coin: str, mid: Fraction | str | int, as_of: datetime = LATE, origin: Origin = OKX, *, spread: Fraction | int = 0
) -> Quote:
    half = Fraction(spread) / 2
    return Quote(Pair(coin, "USD"), Fraction(mid) - half, Fraction(mid) + half, as_of, as_of, origin)


def book(*quotes: Quote, **more: Quote) -> QuotedBook:
    return QuotedBook(1, LATE, {**{each.pair.base: each for each in quotes}, **more}, ())


def made(last: QuotedBook, limit: timedelta = LIMIT) -> dict[str, Decimal]:
    """Give the values of a day's closes by coin."""
    closes = build_coin_closes(last, DAY, limit, EARLY)
    return {fixing.pair.base: fixing.value for each in closes for fixing in each.fixings}


# What a close is


def test_a_close_is_the_midpoint_of_a_coin_in_dollars_on_the_day_that_ended() -> None:
    (closes,) = build_coin_closes(book(quote("BTC", 60000, spread=1)), DAY, LIMIT, EARLY)
    assert closes.fixings == (Fixing(CLOSES, Pair("BTC", "USD"), DAY, Decimal(60000)),)
    assert (closes.record.source, closes.record.received_at, closes.record.origin) == (CLOSES, EARLY, "okx")


def test_currencies_metals_and_unknown_codes_have_no_close() -> None:
    others = {code: quote(code, 2) for code in ("EUR", "XAU", "XCU", "NOTHING", "USD")}
    assert {*made(book(quote("BTC", 60000), **others))} == {"BTC"}


def test_a_book_without_coins_has_no_closes() -> None:
    assert build_coin_closes(book(quote("EUR", 2)), DAY, LIMIT, EARLY) == []


def test_the_close_of_a_coin_with_an_inverse_quote_is_inverted() -> None:
    turned = Quote(Pair("USD", "DOGE"), Fraction(7), Fraction(9), LATE, LATE, OKX)
    assert made(book(DOGE=turned)) == {"DOGE": Decimal("0.125")}


@pytest.mark.parametrize(
    ("age", "is_there"),
    [
        (timedelta(microseconds=1), True),
        (LIMIT, True),
        (LIMIT + timedelta(microseconds=1), False),
        (24 * HOUR, False),
        (timedelta(0), False),
        (-SECOND, False),
        (-24 * HOUR, False),
    ],
    ids=["just before midnight", "at the limit", "beyond it", "a day old", "at midnight", "after it", "of tomorrow"],
)
def test_only_quotes_that_were_recent_at_the_end_of_the_day_have_a_close(age: timedelta, *, is_there: bool) -> None:
    assert ("BTC" in made(book(quote("BTC", 60000, MIDNIGHT - age), quote("ETH", 2500)))) is is_there


def test_with_a_maximum_age_of_zero_there_are_no_closes() -> None:
    assert made(book(quote("BTC", 60000)), timedelta(0)) == {}


def test_a_day_ends_at_midnight_utc_whatever_zone_a_time_is_written_in() -> None:
    zone = timezone(timedelta(hours=9))
    assert {*made(book(quote("BTC", 1, LATE.astimezone(zone)), quote("ETH", 1, EARLY.astimezone(zone))))} == {"BTC"}


@pytest.mark.parametrize(
    ("mid", "value"),
    [
        (Fraction("60123.45"), "60123.45"),
        (Fraction(60000), "60000"),
        (Fraction("0.00000001234"), "1.234E-8"),
        (Fraction("12345678901234567.890"), "12345678901234567.89"),
        (Fraction("123456789012345678.95"), "123456789012345678.95"),
        (Fraction("123456789012345678.945"), "123456789012345678.95"),
        (Fraction("123456789012345678.9449"), "123456789012345678.94"),
        (Fraction(1, 3), "0.33333333333333333333"),
        (Fraction(2, 3), "0.66666666666666666667"),
        (Fraction(1, 7_000_000_000), "1.4285714285714285714E-10"),
    ],
    ids=str,
)
def test_a_midpoint_keeps_twenty_digits(mid: Fraction, value: str) -> None:
    (found,) = made(book(quote("BTC", mid))).values()
    assert str(found) == value


def test_a_price_that_is_not_positive_has_no_close() -> None:
    turned = Quote(Pair("USD", "DOGE"), Fraction(0), Fraction(0), LATE, LATE, OKX)
    assert made(book(quote("BTC", 0), quote("ETH", -1), quote("XMR", 150), DOGE=turned)) == {"XMR": Decimal(150)}


COINS = st.sampled_from(["BTC", "ETH", "XMR", "DOGE", "USDT", "EUR", "XAU"])
PRICES = st.fractions(min_value=-1, max_value=10**30)


@pytest.mark.long
@given(
    st.dictionaries(
        COINS, st.tuples(PRICES, st.booleans(), st.integers(-2000, 2000), st.sampled_from([OKX, BOTH])), max_size=7
    )
)
def test_whatever_is_quoted_a_close_is_positive_and_within_half_a_unit_of_the_twentieth_digit(
    quoted: dict[str, tuple[Fraction, bool, int, Origin]],
) -> None:
    quotes = {
        code: Quote(Pair("USD", code) if turned else Pair(code, "USD"), mid, mid, MIDNIGHT - age * SECOND, LATE, origin)
        for code, (mid, turned, age, origin) in quoted.items()
    }
    expected = {
        code
        for code, (mid, _, age, _) in quoted.items()
        if code not in {"EUR", "XAU"} and mid > 0 and 0 < age <= LIMIT.total_seconds()
    }
    found = made(book(**quotes))
    assert found.keys() == expected
    for code, value in found.items():
        assert value > 0
        assert len(value.as_tuple().digits) <= 20
        assert abs(Fraction(value) / quotes[code].worth(code) - 1) <= Fraction(1, 2 * 10**19)


def test_closes_from_the_same_sources_are_filed_together() -> None:
    closes = build_coin_closes(
        book(quote("ETH", 2, origin=BOTH), quote("BTC", 1), quote("XMR", 3), quote("ADA", 4, origin=BOTH)),
        DAY,
        LIMIT,
        EARLY,
    )
    assert {each.record.origin: [fixing.pair.base for fixing in each.fixings] for each in closes} == {
        "crossed from kraken, okx": ["ADA", "ETH"],
        "okx": ["BTC", "XMR"],
    }


def test_a_digest_depends_on_the_fixings_and_not_on_the_time() -> None:
    one, same, other = (
        build_coin_closes(book(quote("BTC", mid)), DAY, LIMIT, at)[0].record.digest
        for mid, at in ((1, EARLY), (1, EARLY + HOUR), (2, EARLY))
    )
    assert one == same != other
    assert len(one) == 64
    assert (
        build_coin_closes(book(quote("BTC", 1, LATE - 24 * HOUR)), DAY - timedelta(1), LIMIT, EARLY)[0].record.digest
        != one
    )


# When a day ends


def coins(closes: Sequence[CoinCloses]) -> list[tuple[date, str, Decimal]]:
    return [(fixing.day, fixing.pair.base, fixing.value) for each in closes for fixing in each.fixings]


def test_the_closes_are_from_the_last_rate_book_before_midnight() -> None:
    end = DayEnd(LIMIT)
    looks = [
        (book(quote("BTC", 1, LATE - HOUR)), LATE - HOUR),
        (book(quote("BTC", 2, LATE - SECOND)), LATE - SECOND),
        (book(quote("BTC", 3, LATE)), LATE),
    ]
    assert [end.due(seen, now) for seen, now in looks] == [[], [], []]
    after = book(quote("BTC", 4, LATE), quote("ETH", 5, LATE))
    assert coins(end.due(after, MIDNIGHT)) == [(DAY, "BTC", Decimal(3))]
    assert [end.due(after, MIDNIGHT + step * SECOND) for step in range(3)] == [[], [], []]


def test_every_day_has_its_own_closes() -> None:
    end, found = DayEnd(LIMIT), []
    for hours in range(1, 73):
        now = MIDNIGHT + hours * HOUR
        found += coins(end.due(book(quote("BTC", hours, now - SECOND)), now - SECOND))
    assert found == [(DAY + timedelta(1), "BTC", Decimal(24)), (DAY + timedelta(2), "BTC", Decimal(48))]


def test_the_first_call_ends_no_day() -> None:
    assert DayEnd(LIMIT).due(book(quote("BTC", 1, LATE)), EARLY) == []


def test_without_a_rate_book_there_are_no_closes() -> None:
    end = DayEnd(LIMIT)
    assert end.due(None, LATE) == []
    assert end.due(book(quote("BTC", 1, LATE)), EARLY) == []


@pytest.mark.parametrize("awake", [MIDNIGHT + 7 * HOUR, MIDNIGHT + 55 * HOUR])
def test_a_machine_that_slept_through_midnight_has_no_closes(awake: datetime) -> None:
    end, before = DayEnd(LIMIT), MIDNIGHT - HOUR
    assert end.due(book(quote("BTC", 1, before)), before) == []
    assert end.due(book(quote("BTC", 1, before)), awake) == []
    assert end.due(book(quote("BTC", 2, awake)), awake + SECOND) == []


def test_a_clock_that_is_set_back_over_midnight_ends_the_same_day_again() -> None:
    end = DayEnd(timedelta(days=2))
    looks = [(1, LATE), (2, EARLY), (3, LATE), (4, EARLY)]
    found = [coins(end.due(book(quote("BTC", mid, LATE)), now)) for mid, now in looks]
    assert found == [[], [(DAY, "BTC", Decimal(1))], [], [(DAY, "BTC", Decimal(3))]]


# Filing


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    made = SqlStore(f"sqlite:///{tmp_path / 'closes.db'}")
    made.migrate()
    yield made
    made.close()


def closed(*quotes: Quote, at: datetime = EARLY) -> list[CoinCloses]:
    return build_coin_closes(book(*quotes), DAY, LIMIT, at)


def trail(store: SqlStore, coin: str) -> list[ReceivedFixing]:
    return store.archive.revisions(Pair(coin, "USD"), DAY)


def test_the_archive_has_the_sources_and_the_time_of_each_close(store: SqlStore) -> None:
    filed = file_closes(store.archive, closed(quote("BTC", "60000.5"), quote("ETH", Fraction(1, 3), origin=BOTH)))
    assert filed == FilingResult(added=2, corrected=0, unchanged=0)
    bitcoin = Fixing(CLOSES, Pair("BTC", "USD"), DAY, Decimal("60000.5"))
    assert trail(store, "BTC") == [ReceivedFixing(bitcoin, EARLY, "okx")]
    (ether,) = trail(store, "ETH")
    assert (ether.fixing.value, ether.origin) == (Decimal("0." + "3" * 20), "crossed from kraken, okx")


def test_closes_that_are_filed_twice_are_stored_once(store: SqlStore) -> None:
    closes = closed(quote("BTC", 1), quote("ETH", Fraction(1, 3), origin=BOTH), quote("DOGE", "0.00000001"))
    file_closes(store.archive, closes)
    revision = store.archive.revision()
    assert file_closes(store.archive, closes) == FilingResult(added=0, corrected=0, unchanged=3)
    assert store.archive.revision() == revision
    assert [len(trail(store, coin)) for coin in ("BTC", "ETH", "DOGE")] == [1, 1, 1]


def test_a_corrected_close_keeps_the_earlier_one(store: SqlStore) -> None:
    file_closes(store.archive, closed(quote("BTC", 1)))
    corrected = file_closes(store.archive, closed(quote("BTC", 2, origin=BOTH), at=EARLY + MINUTE))
    assert corrected == FilingResult(added=0, corrected=1, unchanged=0)
    assert [(known.fixing.value, known.origin) for known in trail(store, "BTC")] == [
        (1, "okx"),
        (2, "crossed from kraken, okx"),
    ]


def test_closes_do_not_change_the_rate_matrix(small_store: SqlStore, a_source: Any, now: datetime) -> None:
    ecb = a_source("ecb", anchor="EUR")
    before = rate_matrix_from_archive(small_store, [ecb], now.date())
    file_closes(small_store.archive, closed(quote("BTC", 1), quote("USDT", 1)))
    after = rate_matrix_from_archive(small_store, [ecb], now.date())
    assert (after.codes, after.sources, after.listed_sets, after.last_fixing) == (
        before.codes,
        before.sources,
        before.listed_sets,
        before.last_fixing,
    )
    assert bytes(after.cells) == bytes(before.cells)


# For ever


class Nights:
    """Time that goes on by half an hour a look, books that go with it, and an archive that may fail."""

    def __init__(self, *failures: Exception) -> None:
        self.filed: list[tuple[date, str, Decimal]] = []
        self.tries: list[float] = []
        self.failures = list(failures)
        self.now = LATE - HOUR / 2
        self.is_over = asyncio.Event()
        self.last_night = DAY

    def clock(self) -> datetime:
        return self.now

    def book(self) -> QuotedBook | None:
        self.now += HOUR / 2
        return book(quote("BTC", self.now.day, self.now), quote("ETH", Fraction(1, 3), self.now, BOTH))

    async def file(self, closes: Sequence[CoinCloses]) -> FilingResult:
        self.tries.append(asyncio.get_running_loop().time())
        if self.failures:
            raise self.failures.pop(0)
        self.filed += coins(closes)
        if self.filed[-1][0] == self.last_night:
            self.is_over.set()
        return FilingResult(len(self.filed), 0, 0)

    async def pass_by(self, nights: int) -> None:
        """Let so many nights pass in which closes are filed or given up."""
        self.last_night = DAY + timedelta(nights - 1)
        task = asyncio.create_task(archive_closes(LIMIT, self.book, self.file, self.clock))
        async with asyncio.timeout(timedelta(hours=1).total_seconds()):
            await self.is_over.wait()
        await asyncio.sleep(1)
        task.cancel()


Skipping = Callable[[Coroutine[Any, Any, None]], None]


def test_each_night_is_archived_once_and_logged(skipping: Skipping, caplog: pytest.LogCaptureFixture) -> None:
    nights = Nights()
    with caplog.at_level(logging.INFO, "cambist"):
        skipping(nights.pass_by(3))
    days = [DAY + timedelta(night) for night in range(3)]
    assert [(day, value) for day, coin, value in nights.filed if coin == "BTC"] == [(day, day.day) for day in days]
    assert [record.message for record in caplog.records] == [f"Closes: 2 coins of {day} archived" for day in days]


def test_a_failed_filing_is_tried_again_a_minute_later(skipping: Skipping, caplog: pytest.LogCaptureFixture) -> None:
    nights = Nights(*[StoreBroken("The database cannot be used: disk is full")] * 4)
    with caplog.at_level(logging.INFO, "cambist"):
        skipping(nights.pass_by(1))
    assert [later - before for before, later in pairwise(nights.tries)] == [pytest.approx(60, abs=1)] * 4
    assert [(record.levelname, record.message) for record in caplog.records] == [
        *[("WARNING", f"Closes: 2 coins of {DAY} cannot be archived now: The database cannot be used: disk is full")]
        * 4,
        ("INFO", f"Closes: 2 coins of {DAY} archived"),
    ]


def test_a_store_that_keeps_failing_loses_the_closes_of_that_day_only(
    skipping: Skipping, caplog: pytest.LogCaptureFixture
) -> None:
    nights = Nights(*[StoreBroken("broken")] * 5)
    skipping(nights.pass_by(2))
    assert {day for day, _, _ in nights.filed} == {DAY + timedelta(1)}
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
        f"Closes: 2 coins of {DAY} could not be archived and are lost"
    ]


def test_an_unexpected_error_loses_the_closes_of_that_day_only_and_is_logged(
    skipping: Skipping, caplog: pytest.LogCaptureFixture
) -> None:
    nights = Nights(ZeroDivisionError("a fault"))
    skipping(nights.pass_by(2))
    assert {day for day, _, _ in nights.filed} == {DAY + timedelta(1)}
    (record,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


def test_the_end_of_the_day_is_checked_twice_a_second(skipping: Skipping) -> None:
    looked: list[float] = []

    def now() -> datetime:
        looked.append(asyncio.get_running_loop().time())
        return LATE

    async def scene() -> None:
        task = asyncio.create_task(archive_closes(LIMIT, lambda: None, Nights().file, now))
        await asyncio.sleep(10)
        task.cancel()

    skipping(scene())
    assert 18 <= len(looked) <= 21
