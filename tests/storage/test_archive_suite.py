"""Tests for every `FixingArchive`. A new store is added in STORES."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from sqlite3 import Connection
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event
from tests.postgresql import postgresql_url

from cambist.errors import SourceBroken
from cambist.history.archive import FixingArchive
from cambist.history.corrections import CorrectionQuery
from cambist.history.coverage import PairCoverage
from cambist.history.fixing import GRAM, Coverage, DeliveryRecord, FilingResult, Fixing
from cambist.pricing.pair import Pair
from cambist.storage import Store
from cambist.storage.sql import SqlStore

STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'archive.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
}

EXAMPLES = 15 * int(os.environ.get("LONGER", "1"))
"""Histories of deliveries; `make long-rounds` tries more."""

NOON = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
MON, TUE, WED = date(2026, 3, 2), date(2026, 3, 3), date(2026, 3, 4)
LATER = date(2026, 12, 31)
USD, JPY = Pair("EUR", "USD"), Pair("EUR", "JPY")


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(kind: str, tmp_path: Path) -> Iterator[Store]:
    store = STORES[kind](tmp_path)
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def archive(store: Store) -> FixingArchive:
    return store.archive


def fixing(value: str, day: date = MON, pair: Pair = USD, source: str = "ecb", nominal: int = 1) -> Fixing:
    return Fixing(source, pair, day, Decimal(value), nominal)


def deliver(archive: FixingArchive, fixings: Iterable[Fixing], at: datetime = NOON, digest: str = "d") -> FilingResult:
    source = "ecb"
    fixings = list(fixings)
    if fixings:
        source = fixings[0].source
    return archive.file(DeliveryRecord(source, at, "a test", digest), fixings)


def as_published(fixings: Iterable[Fixing]) -> list[tuple[str, str, date, str, int]]:
    """Return the values of fixings as text, so that 1.1 and 1.10 differ."""
    return [(one.source, str(one.pair), one.day, str(one.value), one.nominal) for one in fixings]


def values(fixings: Iterable[Fixing]) -> list[str]:
    return [str(one.value) for one in fixings]


def test_an_empty_archive_returns_nothing(archive: FixingArchive) -> None:
    assert list(archive.fixings("ecb")) == []
    assert archive.published_fixings("ecb", "EUR", LATER) == []
    assert archive.fixings_on("ecb", MON) == []
    assert archive.revisions(USD, MON) == []
    assert archive.newest_digest("ecb", "a test") is None
    assert archive.revision() == 0


def test_filed_fixings_can_be_read(archive: FixingArchive) -> None:
    fixings = [fixing("1.1"), fixing("180", pair=JPY)]
    assert deliver(archive, fixings) == FilingResult(added=2, corrected=0, unchanged=0)
    assert sorted(as_published(archive.fixings("ecb"))) == sorted(as_published(fixings))


def test_an_identical_delivery_changes_nothing(archive: FixingArchive) -> None:
    delivery = [fixing("1.1"), fixing("1.2", TUE)]
    deliver(archive, delivery)
    before = list(archive.fixings("ecb")), archive.revisions(USD, MON), archive.revision()
    assert deliver(archive, delivery, NOON + HOUR) == FilingResult(added=0, corrected=0, unchanged=2)
    assert (list(archive.fixings("ecb")), archive.revisions(USD, MON), archive.revision()) == before


def test_new_days_are_added_to_the_stored_ones(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.1")])
    assert deliver(archive, [fixing("1.2", TUE), fixing("1.1")], NOON + HOUR) == FilingResult(1, 0, 1)
    assert values(archive.fixings("ecb")) == ["1.1", "1.2"]


def test_days_that_are_missing_in_a_later_delivery_stay(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.1"), fixing("1.2", TUE)])
    deliver(archive, [fixing("1.3", WED)], NOON + HOUR)
    assert values(archive.fixings("ecb")) == ["1.1", "1.2", "1.3"]


def test_a_changed_value_is_a_correction(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.1")])
    assert deliver(archive, [fixing("1.2")], NOON + HOUR) == FilingResult(added=0, corrected=1, unchanged=0)
    assert values(archive.fixings("ecb")) == ["1.2"]


def test_a_corrected_day_can_be_read_as_it_was_known_before(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.1")])
    deliver(archive, [fixing("1.2")], NOON + 2 * HOUR)
    assert values(archive.fixings("ecb", known_at=NOON + HOUR)) == ["1.1"]
    assert values(archive.fixings("ecb", known_at=NOON + 3 * HOUR)) == ["1.2"]


def test_a_delivery_is_known_from_the_moment_it_was_received(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.1")])
    assert values(archive.fixings("ecb", known_at=NOON)) == ["1.1"]
    assert values(archive.fixings("ecb", known_at=NOON - timedelta(microseconds=1))) == []


def test_known_at_may_be_in_any_time_zone(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.1")])
    tokyo = timezone(timedelta(hours=9))
    assert values(archive.fixings("ecb", known_at=NOON.astimezone(tokyo))) == ["1.1"]
    assert values(archive.fixings("ecb", known_at=(NOON - HOUR).astimezone(tokyo))) == []


def test_the_revisions_of_a_day_are_both_values_with_their_deliveries(archive: FixingArchive) -> None:
    archive.file(DeliveryRecord("ecb", NOON, "the package", "a"), [fixing("1.1")])
    archive.file(DeliveryRecord("ecb", NOON + HOUR, "the web", "b"), [fixing("1.2")])
    revisions = [
        (str(received.fixing.value), received.received_at, received.origin) for received in archive.revisions(USD, MON)
    ]
    assert revisions == [("1.1", NOON, "the package"), ("1.2", NOON + HOUR, "the web")]


def test_times_are_returned_in_utc(archive: FixingArchive) -> None:
    tokyo = timezone(timedelta(hours=9))
    deliver(archive, [fixing("1.1")], NOON.astimezone(tokyo))
    (received,) = archive.revisions(USD, MON)
    assert received.received_at == NOON
    assert received.received_at.utcoffset() == timedelta(0)


def test_a_value_that_returns_is_recorded_as_two_corrections(archive: FixingArchive) -> None:
    for hours, value in enumerate(["1.1", "1.2", "1.1"]):
        deliver(archive, [fixing(value)], NOON + hours * HOUR)
    assert [str(received.fixing.value) for received in archive.revisions(USD, MON)] == ["1.1", "1.2", "1.1"]
    assert values(archive.fixings("ecb")) == ["1.1"]
    assert values(archive.fixings("ecb", known_at=NOON + HOUR)) == ["1.2"]


@pytest.mark.long(every=3)
@pytest.mark.parametrize("value", ["1.10", "1", "100.000", "0.000000010", "123456789.123456789", "1E+3", "1E-12"])
def test_a_value_keeps_its_digits(archive: FixingArchive, value: str) -> None:
    deliver(archive, [fixing(value)])
    assert values(archive.fixings("ecb")) == [str(Decimal(value))]
    assert values(received.fixing for received in archive.fixings_on("ecb", MON)) == [str(Decimal(value))]
    assert values(received.fixing for received in archive.revisions(USD, MON)) == [str(Decimal(value))]


def test_direction_and_nominal_are_kept_as_published(archive: FixingArchive) -> None:
    published = fixing("25.125", pair=Pair("JPY", "CZK"), source="cnb", nominal=100)
    deliver(archive, [published])
    assert list(archive.fixings("cnb")) == [published]
    assert archive.fixings_on("cnb", MON)[0].fixing == published


def test_a_changed_nominal_is_a_correction(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.1")])
    assert deliver(archive, [fixing("1.1", nominal=100)], NOON + HOUR).corrected == 1
    assert [one.nominal for one in archive.fixings("ecb")] == [100]


def test_a_pair_and_its_inverse_are_two_publications(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.25"), fixing("0.80", pair=USD.inverse)])
    assert len(archive.revisions(USD, MON)) == len(archive.revisions(USD.inverse, MON)) == 1


def test_a_delivery_whose_adapter_fails_stores_nothing(archive: FixingArchive) -> None:
    def breaking() -> Iterator[Fixing]:
        yield fixing("9.9")
        yield fixing("9.9", TUE, JPY)
        raise SourceBroken("cut off")

    deliver(archive, [fixing("1.1")], digest="good")
    before = list(archive.fixings("ecb")), archive.revision()
    with pytest.raises(SourceBroken):
        archive.file(DeliveryRecord("ecb", NOON + HOUR, "a test", "bad"), breaking())
    assert (list(archive.fixings("ecb")), archive.revision()) == before
    assert archive.revisions(JPY, TUE) == []
    assert archive.newest_digest("ecb", "a test") == "good"


def test_a_delivery_that_failed_can_be_filed_again(archive: FixingArchive) -> None:
    def breaking() -> Iterator[Fixing]:
        yield fixing("1.1")
        raise SourceBroken("cut off")

    with pytest.raises(SourceBroken):
        archive.file(DeliveryRecord("ecb", NOON, "a test", "bad"), breaking())
    assert deliver(archive, [fixing("1.1")], NOON + HOUR) == FilingResult(added=1, corrected=0, unchanged=0)


def test_fixings_come_oldest_day_first(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.3", WED), fixing("180", TUE, JPY), fixing("1.2", TUE)])
    deliver(archive, [fixing("1.1", MON), fixing("1.25", TUE)], NOON + HOUR)
    assert [one.day for one in archive.fixings("ecb")] == [MON, TUE, TUE, WED]


def test_latest_fixings_are_of_the_newest_day_of_each_pair(archive: FixingArchive) -> None:
    deliver(archive, [fixing("180", MON, JPY), fixing("1.1", MON), fixing("1.2", TUE)])
    assert sorted(as_published(received.fixing for received in archive.published_fixings("ecb", "EUR", LATER))) == [
        ("ecb", "EUR/JPY", MON, "180", 1),
        ("ecb", "EUR/USD", TUE, "1.2", 1),
    ]


def test_a_latest_fixing_is_the_correction_with_its_delivery(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.1")])
    archive.file(DeliveryRecord("ecb", NOON + HOUR, "the web", "b"), [fixing("1.2")])
    (received,) = archive.published_fixings("ecb", "EUR", LATER)
    assert (str(received.fixing.value), received.received_at, received.origin) == ("1.2", NOON + HOUR, "the web")


def test_a_correction_of_an_older_day_is_not_the_latest_fixing(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.1", MON), fixing("1.2", TUE)])
    deliver(archive, [fixing("1.15", MON)], NOON + HOUR)
    assert values(received.fixing for received in archive.published_fixings("ecb", "EUR", LATER)) == ["1.2"]


def test_fixings_on_a_day_are_of_that_day_only(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.1", MON), fixing("1.3", WED)])
    assert values(received.fixing for received in archive.fixings_on("ecb", MON)) == ["1.1"]
    assert archive.fixings_on("ecb", TUE) == []


def test_fixings_on_a_day_are_the_corrected_ones(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.1"), fixing("180", pair=JPY)])
    deliver(archive, [fixing("1.2")], NOON + HOUR)
    assert sorted(values(received.fixing for received in archive.fixings_on("ecb", MON))) == ["1.2", "180"]


def test_newest_digest_is_of_the_last_delivery_from_that_origin(archive: FixingArchive) -> None:
    archive.file(DeliveryRecord("ecb", NOON, "the package", "first"), [fixing("1.1")])
    archive.file(DeliveryRecord("ecb", NOON + HOUR, "the package", "second"), [fixing("1.1")])
    archive.file(DeliveryRecord("ecb", NOON + HOUR, "the web", "other"), [fixing("1.1")])
    assert archive.newest_digest("ecb", "the package") == "second"
    assert archive.newest_digest("ecb", "the web") == "other"
    assert archive.newest_digest("boe", "the web") is None


def test_the_revision_grows_with_each_delivery_that_changed_something(archive: FixingArchive) -> None:
    revisions = [archive.revision()]
    for hours, delivery in enumerate([[fixing("1.1")], [fixing("1.2", TUE)], [fixing("1.3", TUE)]]):
        deliver(archive, delivery, NOON + hours * HOUR)
        revisions.append(archive.revision())
    assert all(earlier < later for earlier, later in pairwise(revisions))


def test_the_revision_stays_when_nothing_changed(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.1")])
    before = archive.revision()
    deliver(archive, [fixing("1.1")], NOON + HOUR, "other bytes")
    assert archive.revision() == before


def test_two_sources_with_the_same_pair_are_separate(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.1")])
    assert deliver(archive, [fixing("1.3", source="boe")], NOON + HOUR) == FilingResult(
        added=1, corrected=0, unchanged=0
    )
    assert values(archive.fixings("ecb")) == ["1.1"]
    assert values(archive.fixings("boe")) == ["1.3"]
    assert values(received.fixing for received in archive.published_fixings("ecb", "EUR", LATER)) == ["1.1"]
    assert values(received.fixing for received in archive.fixings_on("boe", MON)) == ["1.3"]


def test_revisions_include_every_source_in_order_of_delivery(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.1")])
    deliver(archive, [fixing("1.3", source="boe")], NOON + HOUR)
    deliver(archive, [fixing("1.2")], NOON + 2 * HOUR)
    revisions = [(received.fixing.source, str(received.fixing.value)) for received in archive.revisions(USD, MON)]
    assert revisions == [("ecb", "1.1"), ("boe", "1.3"), ("ecb", "1.2")]


def test_fixings_are_stored_for_the_next_process(kind: str, store: Store, tmp_path: Path) -> None:
    deliver(store.archive, [fixing("1.10")])
    again = STORES[kind](tmp_path)
    assert values(again.archive.fixings("ecb")) == ["1.10"]
    again.close()


def test_a_unit_is_kept_with_its_pair(archive: FixingArchive) -> None:
    gold = Fixing("cbr", Pair("XAU", "RUB"), MON, Decimal("10000.10"), 1, GRAM)
    dollar = fixing("80", pair=Pair("USD", "RUB"), source="cbr")
    deliver(archive, [gold, dollar])
    deliver(archive, [Fixing("cbr", gold.pair, TUE, Decimal(9999), 1, GRAM)], NOON + HOUR)
    assert {(one.pair, one.unit) for one in archive.fixings("cbr")} == {(gold.pair, GRAM), (dollar.pair, "")}
    assert [received.fixing.unit for received in archive.published_fixings("cbr", "RUB", LATER)] == ["", GRAM]
    assert [received.fixing for received in archive.fixings_on("cbr", MON) if received.fixing.unit] == [gold]
    assert [received.fixing for received in archive.revisions(gold.pair, MON)] == [gold]


@pytest.mark.long(every=2)
def test_a_delivery_of_tens_of_thousands_of_fixings_is_filed(archive: FixingArchive) -> None:
    many = [fixing(f"1.{number}", MON - timedelta(days=number)) for number in range(20_001)]
    assert deliver(archive, many).added == 20_001
    assert deliver(archive, many, NOON + HOUR) == FilingResult(added=0, corrected=0, unchanged=20_001)
    oldest = next(archive.fixings("ecb"))
    assert (oldest.day, str(oldest.value)) == (MON - timedelta(days=20_000), "1.20000")


# Rates

EPOCH = date(1970, 1, 1)


def rates(archive: FixingArchive, source: str = "ecb") -> dict[str, list[tuple[int, float]]]:
    return {str(pair): list(zip(days, values, strict=True)) for pair, days, values in archive.rates(source)}


def test_an_empty_archive_has_no_rates(archive: FixingArchive) -> None:
    assert list(archive.rates("ecb")) == []


def test_rates_are_of_days_since_1970_began(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.5", EPOCH), fixing("1.25", date(2026, 3, 2)), fixing("2", date(1969, 12, 30))])
    assert rates(archive) == {"EUR/USD": [(-2, 2.0), (0, 1.5), (20514, 1.25)]}
    assert EPOCH + timedelta(days=20514) == date(2026, 3, 2)


def test_rates_come_oldest_first_whenever_they_were_filed(archive: FixingArchive) -> None:
    deliver(archive, [fixing("3", WED), fixing("1", MON)])
    deliver(archive, [fixing("2", TUE)], NOON + HOUR)
    assert [value for _, value in rates(archive)["EUR/USD"]] == [1.0, 2.0, 3.0]


def test_rates_are_per_one_unit_in_the_direction_published(archive: FixingArchive) -> None:
    deliver(archive, [fixing("25.125", pair=Pair("JPY", "CZK"), source="cnb", nominal=100)])
    deliver(archive, [fixing("0.8", pair=USD.inverse), fixing("1.25")])
    assert [value for _, value in rates(archive, "cnb")["JPY/CZK"]] == [0.25125]
    assert {pair: series[0][1] for pair, series in rates(archive).items()} == {"USD/EUR": 0.8, "EUR/USD": 1.25}


def test_rates_of_a_metal_per_gram_are_returned_per_ounce(archive: FixingArchive) -> None:
    deliver(archive, [Fixing("cbr", Pair("XAU", "RUB"), MON, Decimal(10000), 1, GRAM)])
    ((_, value),) = rates(archive, "cbr")["XAU/RUB"]
    assert value == pytest.approx(311034.768, rel=1e-15)


def test_rates_are_the_corrected_ones(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1", MON), fixing("2", TUE), fixing("3", WED)])
    deliver(archive, [fixing("2.5", TUE)], NOON + HOUR)
    deliver(archive, [fixing("2.25", TUE, nominal=10)], NOON + 2 * HOUR)
    assert [value for _, value in rates(archive)["EUR/USD"]] == [1.0, 0.225, 3.0]


def test_rates_of_two_sources_are_separate(archive: FixingArchive) -> None:
    deliver(archive, [fixing("1.1"), fixing("180", pair=JPY)])
    deliver(archive, [fixing("1.3", source="boe")])
    assert rates(archive, "boe") == {"EUR/USD": [((MON - EPOCH).days, 1.3)]}
    assert set(rates(archive)) == {"EUR/USD", "EUR/JPY"}


# Coverage, newest


def test_coverage_counts_pairs_and_spans_their_days(archive: FixingArchive) -> None:
    assert archive.coverage("ecb") is None
    deliver(archive, [fixing("1.1", TUE), fixing("180", MON, JPY)])
    deliver(archive, [fixing("1.2", WED), fixing("181", TUE, JPY)], NOON + HOUR)
    deliver(archive, [fixing("9", date(1999, 1, 4), source="boe")])
    assert archive.coverage("ecb") == Coverage(2, MON, WED)
    assert archive.coverage("boe") == Coverage(1, date(1999, 1, 4), date(1999, 1, 4))
    assert archive.coverage("nobody") is None


def test_the_coverage_of_pairs_has_the_days_of_each_pair_of_each_source(archive: FixingArchive) -> None:
    assert archive.pair_coverage() == []
    deliver(archive, [fixing("1.1", TUE), fixing("180", MON, JPY)])
    deliver(archive, [fixing("1.2", WED), fixing("1.15", TUE)], NOON + HOUR)
    deliver(archive, [fixing("9", date(1999, 1, 4), source="boe")])
    assert archive.pair_coverage() == [
        PairCoverage("ecb", USD, TUE, WED),
        PairCoverage("ecb", JPY, MON, MON),
        PairCoverage("boe", USD, date(1999, 1, 4), date(1999, 1, 4)),
    ]


def corrected(archive: FixingArchive, pair: Pair = USD, limit: int = 10, first: date = date.min) -> list[str]:
    """Return the corrections about a pair, as text."""
    found = archive.corrections(CorrectionQuery(pair, first, date.max, limit))
    return [
        f"{one.after.fixing.source} {one.after.fixing.day} {one.before.fixing.value}>{one.after.fixing.value}"
        for one in found
    ]


def test_corrections_are_of_all_sources_newest_day_first(archive: FixingArchive) -> None:
    for hours, value in enumerate(["1.10", "1.2", "1.30"]):
        deliver(archive, [fixing(value), fixing("180", TUE, JPY)], NOON + hours * HOUR)
    for hours, value in enumerate(["7", "8"]):
        deliver(archive, [fixing(value, TUE, source="boe")], NOON + hours * HOUR)
    assert corrected(archive) == ["boe 2026-03-03 7>8", "ecb 2026-03-02 1.2>1.30", "ecb 2026-03-02 1.10>1.2"]
    assert corrected(archive, limit=1) == ["boe 2026-03-03 7>8"]
    assert corrected(archive, first=TUE) == ["boe 2026-03-03 7>8"]
    assert corrected(archive, USD.inverse) == corrected(archive)
    assert corrected(archive, Pair("GBP", "CHF")) == []


def test_corrections_are_searched_only_at_sources_that_have_corrected_something(store: Store) -> None:
    for source in ("ecb", "boe"):
        deliver(store.archive, [fixing("1.1", MON - timedelta(days=number), source=source) for number in range(4000)])
    assert steps(store, lambda: corrected(store.archive)) < 2_000
    deliver(store.archive, [fixing("1.2")], NOON + HOUR)
    assert steps(store, lambda: corrected(store.archive, first=MON)) < 2_000, "only the days asked for are read"
    assert corrected(store.archive) == ["ecb 2026-03-02 1.1>1.2"]


def test_published_fixings_and_revisions_do_not_read_the_whole_history(store: Store) -> None:
    """Each is one index lookup for a pair: thousands of days more do not add work."""
    if store._engine.dialect.name != "sqlite":
        pytest.skip("only SQLite counts its steps")
    many = [fixing("1.1", MON - timedelta(days=number), pair) for number in range(4000) for pair in (USD, JPY)]
    deliver(store.archive, many)
    for day in (LATER, MON):
        assert steps(store, lambda day=day: store.archive.published_fixings("ecb", "EUR", day)) < 2_000
        assert len(store.archive.published_fixings("ecb", "EUR", day)) == 2
    assert steps(store, lambda: store.archive.coverage("ecb")) < 2_000
    assert steps(store, store.archive.pair_coverage) < 2_000
    assert steps(store, lambda: store.archive.revisions(USD, MON)) < 2_000
    assert steps(store, lambda: list(store.archive.fixings("ecb"))) > 16_000, "this one reads all"


def steps(store: Store, work: Callable[[], object]) -> int:
    """Return how many steps the database makes for some work, in hundreds."""
    counted = [0]

    def count() -> int:
        counted[0] += 100
        return 0

    def listen(connection: Connection, _: object) -> None:
        connection.set_progress_handler(count, 100)

    event.listen(store._engine, "connect", listen)
    try:
        work()
    finally:
        event.remove(store._engine, "connect", listen)
    return counted[0]


DAYS = st.sampled_from([MON, TUE, WED])
PAIRS = st.sampled_from([USD, JPY, USD.inverse])
VALUES = st.sampled_from(["1.1", "1.10", "2"])
SOURCES = st.sampled_from(["ecb", "boe"])
NOMINALS = st.sampled_from([1, 100])
DELIVERED = st.dictionaries(st.tuples(DAYS, PAIRS), st.tuples(VALUES, NOMINALS), max_size=5)
DELIVERIES = st.lists(st.tuples(SOURCES, DELIVERED), max_size=6)
FixingKey = tuple[str, Pair, date]


def expected_after(
    deliveries: list[tuple[str, dict[tuple[date, Pair], tuple[str, int]]]],
) -> dict[FixingKey, tuple[str, int]]:
    """Return what the archive must contain after some deliveries, as a dictionary."""
    expected: dict[FixingKey, tuple[str, int]] = {}
    for source, delivered in deliveries:
        expected |= {(source, pair, day): value for (day, pair), value in delivered.items()}
    return expected


def read(archive: FixingArchive, known_at: datetime | None) -> dict[FixingKey, tuple[str, int]]:
    found = [one for source in ("ecb", "boe") for one in archive.fixings(source, known_at)]
    delivered = {(one.source, one.pair, one.day): (str(one.value), one.nominal) for one in found}
    assert len(delivered) == len(found), "a pair has two fixings for a day"
    return delivered


@pytest.mark.long(every=2)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deliveries=DELIVERIES)
def test_any_deliveries_can_be_read_as_of_any_moment(kind: str, deliveries: list) -> None:
    with TemporaryDirectory() as folder:
        store = STORES[kind](Path(folder))
        store.migrate()
        for hours, (source, delivered) in enumerate(deliveries):
            delivery = [
                fixing(value, day, pair, source, nominal) for (day, pair), (value, nominal) in delivered.items()
            ]
            store.archive.file(DeliveryRecord(source, NOON + hours * HOUR, "a test", str(hours)), delivery)
        for count in range(len(deliveries) + 1):
            moment = NOON + count * HOUR - HOUR / 2
            assert read(store.archive, moment) == expected_after(deliveries[:count])
        assert read(store.archive, None) == expected_after(deliveries)
        for source in ("ecb", "boe"):
            check_readings(store.archive, source, expected_after(deliveries))
        store.close()


def check_readings(archive: FixingArchive, source: str, expected: dict[FixingKey, tuple[str, int]]) -> None:
    """Compare the other methods with the dictionary."""
    of_source = {(pair, day): value for (who, pair, day), value in expected.items() if who == source}
    pairs = {pair for pair, _ in of_source}
    newest = {pair: max(day for one, day in of_source if one == pair) for pair in pairs}
    assert {one.fixing.pair: one.fixing.day for one in archive.published_fixings(source, "EUR", LATER)} == newest
    for day in (MON, TUE, WED):
        earlier = {pair: [each for one, each in of_source if one == pair and each < day] for pair in pairs}
        before = {pair: (max(days), *of_source[pair, max(days)]) for pair, days in earlier.items() if days}
        found = [one.fixing for one in archive.published_fixings(source, "EUR", day - timedelta(days=1))]
        assert {one.pair: (one.day, str(one.value), one.nominal) for one in found} == before
    rates_ = {
        (pair, EPOCH + timedelta(days=row)): rate
        for pair, rows, values_ in archive.rates(source)
        for row, rate in zip(rows, values_, strict=True)
    }
    assert rates_ == {key: float(value) / nominal for key, (value, nominal) in of_source.items()}
    days = [day for _, day in of_source]
    assert archive.coverage(source) == (Coverage(len(pairs), min(days), max(days)) if days else None)


@pytest.mark.parametrize("at_once", [1, 500])
def test_pair_series_are_of_the_wanted_pairs_and_days_with_corrections(
    archive: FixingArchive, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr("cambist.storage.sql.pair_series._AT_ONCE", at_once)
    first, last = date(2026, 3, 2), date(2026, 3, 4)
    gold = Pair("XAU", "EUR")
    for number, value in enumerate(("1.1", "1.2")):
        delivery = DeliveryRecord("ecb", datetime(2026, 3, 5, number, tzinfo=UTC), "a test", str(number))
        days = (first - timedelta(days=1), first, last, last + timedelta(days=1))
        archive.file(delivery, [Fixing("ecb", Pair("EUR", "USD"), day, Decimal(value)) for day in days])
        archive.file(delivery, [Fixing("ecb", Pair("EUR", "JPY"), first, Decimal(180))])
    archive.file(DeliveryRecord("nbp", NOON, "a test", "d"), [Fixing("nbp", gold, first, Decimal(100), 1, GRAM)])
    found = {
        (source, str(series.pair)): (series.rows.tolist(), [round(rate, 4) for rate in series.rates.tolist()])
        for source, series in archive.pair_series(lambda _, pair: pair.quote != "JPY", first, last)
    }
    row = (first - date(1970, 1, 1)).days
    assert found == {("ecb", "EUR/USD"): ([row, row + 2], [1.2, 1.2]), ("nbp", "XAU/EUR"): ([row], [3110.3477])}


def test_without_wanted_pairs_there_are_no_pair_series(archive: FixingArchive) -> None:
    assert list(archive.pair_series(lambda _source, _pair: False, date(1970, 1, 1), date(2026, 3, 4))) == []
