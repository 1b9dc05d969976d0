"""Reading closes and coverage: what cannot change is cached until the archive does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cambist.api.state import archive_reader as module
from cambist.api.state.archive_reader import ArchiveReader
from cambist.api.state.reader_pool import ReaderPool
from cambist.errors import RateUnavailable, StoreBroken
from cambist.history.bars import NO_BARS
from cambist.history.corrections import Correction, CorrectionQuery, FeedEntry, FeedPosition
from cambist.history.coverage import PairCoverage
from cambist.history.fixing import DeliveryRecord, Fixing, ReceivedFixing
from cambist.history.pair_series import PairSeries, pair_series_of
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.typed_series import CLOSES
from cambist.pricing.pair import Pair
from cambist.storage.sql import SqlStore

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
TODAY, YESTERDAY = NOON.date(), NOON.date() - timedelta(days=1)


class MemoryArchive:
    """Closes by coin and day; `asked` lists what was read."""

    def __init__(self) -> None:
        self.closes: dict[tuple[str, date], int] = {}
        self.asked: list[tuple[str, date]] = []
        self.broken = False
        self.before_answering: Callable[[], None] = lambda: None
        self.covered: list[PairCoverage] = []
        self.corrected: list[Correction] = []

    def corrections_after(self, _after: FeedPosition | None, _up_to: int, _limit: int) -> list[FeedEntry]:
        return []

    def pair_coverage(self) -> list[PairCoverage]:
        if self.broken:
            raise StoreBroken("locked")
        covered = list(self.covered)
        self.before_answering()
        return covered

    def corrections(self, _query: CorrectionQuery) -> list[Correction]:
        if self.broken:
            raise StoreBroken("locked")
        corrected = list(self.corrected)
        self.before_answering()
        return corrected

    def revisions(self, pair: Pair, day: date) -> list[ReceivedFixing]:
        if self.broken:
            raise StoreBroken("locked")
        self.asked.append((pair.base, day))
        price = self.closes.get((pair.base, day))
        self.before_answering()
        return [] if price is None else [ReceivedFixing(Fixing(CLOSES, pair, day, Decimal(price)), NOON, "okx")]

    def pair_series(
        self, wanted: Callable[[str, Pair], bool], first: date, last: date
    ) -> Iterator[tuple[str, PairSeries]]:
        if self.broken:
            raise StoreBroken("locked")
        for coin in sorted({coin for coin, _ in self.closes}):
            pair = Pair(coin, "USD")
            if wanted(CLOSES, pair):
                self.asked.append((coin, first))
                prices = {day: price for (code, day), price in self.closes.items() if code == coin}
                days = [day for day in sorted(prices) if first <= day <= last]
                yield from (
                    (CLOSES, series)
                    for series in pair_series_of(Fixing(CLOSES, pair, day, Decimal(prices[day])) for day in days)
                )
        self.before_answering()


@pytest.fixture
def archive() -> MemoryArchive:
    archive = MemoryArchive()
    archive.closes = {("BTC", YESTERDAY): 1, ("BTC", TODAY): 2}
    return archive


@pytest.fixture
def reader(archive: MemoryArchive) -> ArchiveReader:
    return ArchiveReader(archive, NO_BARS, ReaderPool(1, within=60), lambda: NOON)  # type: ignore[arg-type]


def price(reader: ArchiveReader, coin: str = "BTC", day: date = YESTERDAY) -> Any:
    close = reader.close(coin, day)
    return close and close.fixing.value


def test_a_close_of_a_completed_day_is_read_once(reader: ArchiveReader, archive: MemoryArchive) -> None:
    assert [price(reader), price(reader)] == [1, 1]
    assert archive.asked == [("BTC", YESTERDAY)]


def test_a_close_of_today_is_read_each_time(reader: ArchiveReader, archive: MemoryArchive) -> None:
    assert price(reader, day=TODAY) == 2
    archive.closes["BTC", TODAY] = 3
    assert price(reader, day=TODAY) == 3


def test_a_missing_close_is_found_once_it_is_there(reader: ArchiveReader, archive: MemoryArchive) -> None:
    assert price(reader, "ETH") is None
    archive.closes["ETH", YESTERDAY] = 5
    assert price(reader, "ETH") == 5


def test_a_corrected_close_is_read_again(reader: ArchiveReader, archive: MemoryArchive) -> None:
    assert price(reader) == 1
    archive.closes["BTC", YESTERDAY] = 7
    reader.forget_closes()
    assert price(reader) == 7


def test_a_close_that_was_corrected_while_it_was_read_is_not_cached(
    reader: ArchiveReader, archive: MemoryArchive
) -> None:
    archive.before_answering = reader.forget_closes
    assert price(reader) == 1
    archive.closes["BTC", YESTERDAY] = 7
    assert price(reader) == 7


def test_the_number_of_cached_closes_is_bounded(
    reader: ArchiveReader, archive: MemoryArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MAX_CLOSES", 10)
    archive.closes = {("BTC", TODAY - timedelta(days=days)): days for days in range(1, 100)}
    assert all(price(reader, day=TODAY - timedelta(days=days)) == days for days in range(1, 100))
    assert len(reader._closes) <= 10


def test_a_cached_close_is_there_while_the_archive_cannot_be_read(
    reader: ArchiveReader, archive: MemoryArchive
) -> None:
    assert price(reader) == 1
    archive.broken = True
    assert price(reader) == 1
    with pytest.raises(RateUnavailable, match="The archive of closes cannot be read now"):
        reader.close("ETH", YESTERDAY)


ECB = PairCoverage("ecb", Pair("EUR", "USD"), date(1999, 1, 4), YESTERDAY)


def test_coverage_is_read_once_until_fixings_are_added(reader: ArchiveReader, archive: MemoryArchive) -> None:
    assert reader.coverage() == []
    archive.covered = [ECB]
    assert reader.coverage() == []
    reader.forget_coverage()
    assert reader.coverage() == [ECB]


def test_coverage_from_before_it_was_forgotten_is_not_kept(reader: ArchiveReader, archive: MemoryArchive) -> None:
    archive.before_answering = reader.forget_coverage
    assert reader.coverage() == []
    archive.covered = [ECB]
    assert reader.coverage() == [ECB]


def test_coverage_of_a_broken_archive_is_an_error_until_it_can_be_read(
    reader: ArchiveReader, archive: MemoryArchive
) -> None:
    archive.broken, archive.covered = True, [ECB]
    with pytest.raises(RateUnavailable, match="cannot be read now"):
        reader.coverage()
    archive.broken = False
    assert reader.coverage() == [ECB]


QUERY = CorrectionQuery(Pair("EUR", "USD"), date(1970, 1, 1), TODAY, 100)


def received(value: str) -> ReceivedFixing:
    return ReceivedFixing(Fixing("ecb", Pair("EUR", "USD"), YESTERDAY, Decimal(value)), NOON, "ecb")


CORRECTION = Correction(received("1.1"), received("1.2"))


def test_corrections_are_read_once_until_fixings_are_added(reader: ArchiveReader, archive: MemoryArchive) -> None:
    assert reader.corrections(QUERY) == []
    archive.corrected = [CORRECTION]
    assert reader.corrections(QUERY) == []
    reader.forget_coverage()
    assert reader.corrections(QUERY) == [CORRECTION]


def test_corrections_from_before_they_were_forgotten_are_not_kept(
    reader: ArchiveReader, archive: MemoryArchive
) -> None:
    archive.before_answering = reader.forget_coverage
    assert reader.corrections(QUERY) == []
    archive.corrected = [CORRECTION]
    assert reader.corrections(QUERY) == [CORRECTION]


def test_the_number_of_cached_lists_of_corrections_is_bounded(
    reader: ArchiveReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MAX_CORRECTION_LISTS", 10)
    for limit in range(1, 100):
        reader.corrections(CorrectionQuery(Pair("EUR", "USD"), YESTERDAY, TODAY, limit))
    assert len(reader._corrections) <= 10


def test_corrections_of_a_broken_archive_are_an_error(reader: ArchiveReader, archive: MemoryArchive) -> None:
    archive.broken = True
    with pytest.raises(RateUnavailable, match="cannot be read now"):
        reader.corrections(QUERY)


# Closes of many days


def rates(reader: ArchiveReader, first: date, last: date, coin: str = "BTC") -> list[float]:
    found = reader.coin_series(coin, first, last)
    return [] if found is None else found.rates.tolist()


def test_the_closes_of_a_coin_are_read_once_for_all_days(reader: ArchiveReader, archive: MemoryArchive) -> None:
    assert rates(reader, YESTERDAY, TODAY) == [1, 2]
    assert rates(reader, TODAY, TODAY) == [2]
    assert rates(reader, date(2020, 1, 1), date(2020, 12, 31)) == []
    assert rates(reader, YESTERDAY, TODAY, "ETH") == []
    assert archive.asked == [("BTC", FIRST_DAY)]


def test_closes_of_many_days_are_read_again_after_a_change(reader: ArchiveReader, archive: MemoryArchive) -> None:
    assert rates(reader, YESTERDAY, TODAY) == [1, 2]
    archive.closes["BTC", YESTERDAY] = 7
    assert rates(reader, YESTERDAY, TODAY) == [1, 2]
    reader.forget_closes()
    assert rates(reader, YESTERDAY, TODAY) == [7, 2]


def test_closes_that_changed_while_they_were_read_are_not_cached(reader: ArchiveReader, archive: MemoryArchive) -> None:
    archive.before_answering = reader.forget_closes
    assert rates(reader, YESTERDAY, TODAY) == [1, 2]
    archive.closes["BTC", YESTERDAY] = 7
    assert rates(reader, YESTERDAY, TODAY) == [7, 2]


def test_closes_of_many_days_that_cannot_be_read_are_unavailable(reader: ArchiveReader, archive: MemoryArchive) -> None:
    archive.broken = True
    with pytest.raises(RateUnavailable):
        reader.coin_series("BTC", YESTERDAY, TODAY)


def test_archived_closes_are_found_beside_what_others_published(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path / 'cambist.db'}")
    store.migrate()
    bitcoin = Pair("BTC", "USD")
    for place, (source, value) in enumerate(((CLOSES, "90000.5"), ("own", "1"), (CLOSES, "90001.5"))):
        fixings = [Fixing(source, bitcoin, YESTERDAY, Decimal(value))]
        store.archive.file(DeliveryRecord(source, NOON + timedelta(hours=place), "okx", str(place)), fixings)
    stored = ArchiveReader(store.archive, NO_BARS, ReaderPool(1, within=60), lambda: NOON)
    assert rates(stored, YESTERDAY, TODAY) == [90001.5]
    assert price(stored) == Decimal("90001.5")
    store.close()
