"""What all other sources say, and how a delivery is judged beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from cambist.ingest.fixing_validator import FixingValidator, ValidatedDelivery
from cambist.ingest.other_sources import ComparedSources, MedianRange, read_other_sources
from msgspec.structs import replace
from tests.ingest.filed import filed_values

from cambist.history.fixing import Fixing, Receipt
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.registry.sources import built_in
from cambist.sources.adapters.bdi import adapter as bdi
from cambist.sources.adapters.nbp import adapter as nbp
from cambist.sources.base import Source
from cambist.storage.sql import SqlStore
from cambist.storage.sql.archive import SqlArchive

DAY = timedelta(days=1)
WEDNESDAY, TODAY = date(2026, 3, 4), date(2026, 3, 18)
compiled = built_in("fawazahmed0")
SOURCES = [adapter.source for adapter in (bdi, nbp, compiled)]
KWANZAS_A_DOLLAR = 900


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[SqlArchive]:
    store = SqlStore(f"sqlite:///{tmp_path / 'a.db'}")
    store.migrate()
    yield store.archive
    store.close()


def words(source: Source, day: date, units: float, code: str = "AOA") -> list[Fixing]:
    """Give a source's own fixings by which a dollar is so many units of a code: 1.25 dollars are one anchor."""
    value = Decimal(str(units if source.anchor == "USD" else round(units * 1.25, 6)))
    pivot = [] if source.anchor == "USD" else [Fixing(source.key, Pair(source.anchor, "USD"), day, Decimal("1.25"))]
    return [*pivot, Fixing(source.key, Pair(source.anchor, code), day, value)]


Say = Callable[..., None]


@pytest.fixture
def say(archive: SqlArchive) -> Say:
    """File what a source says of a day."""

    def filed(source: Source, day: date, units: float, code: str = "AOA") -> None:
        at = datetime.combine(day, time(18), UTC)
        archive.file(Receipt(source.key, at, str(day), str(day)), words(source, day, units, code))

    return filed


def validated(archive: SqlArchive, source: Source, fixings: list[Fixing]) -> ValidatedDelivery:
    days = [fixing.day for fixing in fixings]
    others = read_other_sources(archive, ComparedSources(SOURCES), source, {"AOA"}, min(days), max(days))
    validator = FixingValidator(source, None, archive.last_before(source.key, min(days)), {}, TODAY, others=others)
    return validator.validate(fixings)


def reasons(found: ValidatedDelivery) -> list[str]:
    return [refusal.reason for refusal in found.refused]


def test_the_best_ranked_source_is_compared_with_the_others_too(archive: SqlArchive, say: Say) -> None:
    for source in SOURCES:
        say(source, WEDNESDAY, KWANZAS_A_DOLLAR)
    say(compiled.source, WEDNESDAY + DAY, KWANZAS_A_DOLLAR)
    found = validated(archive, bdi.source, words(bdi.source, WEDNESDAY + DAY, 1.22 * KWANZAS_A_DOLLAR))
    assert reasons(found) == ["22.0% from the other sources"]


def test_the_best_ranked_source_is_checked_for_unchanged_rates_too(archive: SqlArchive, say: Say) -> None:
    days = [WEDNESDAY + DAY * number for number in range(14)]
    for number, day in enumerate(days):
        say(compiled.source, day, KWANZAS_A_DOLLAR * (1 + 0.05 * number / 13))
    for day in (days[0], days[7]):
        say(nbp.source, day, KWANZAS_A_DOLLAR * (1 + 0.05 * days.index(day) / 13))
    same = [fixing for day in days for fixing in words(bdi.source, day, KWANZAS_A_DOLLAR)]
    found = validated(archive, bdi.source, same)
    assert reasons(found)[0].startswith("the same for 10 fixings while the others moved 3.")
    assert {refusal.fixing.day for refusal in found.refused} >= set(days[10:])


def test_agreeing_with_one_of_two_other_sources_is_enough(archive: SqlArchive, say: Say) -> None:
    for source in SOURCES:
        say(source, WEDNESDAY, KWANZAS_A_DOLLAR)
    say(bdi.source, WEDNESDAY + 7 * DAY, KWANZAS_A_DOLLAR)  # stood still, while the kwanza fell by 21 %
    say(compiled.source, WEDNESDAY + 7 * DAY, 1.21 * KWANZAS_A_DOLLAR)
    found = validated(archive, nbp.source, words(nbp.source, WEDNESDAY + 7 * DAY, 1.21 * KWANZAS_A_DOLLAR))
    assert reasons(found) == []


def others(
    archive: SqlArchive, source: Source, sources: list[Source] = SOURCES
) -> Callable[[date], MedianRange | None]:
    found = read_other_sources(archive, ComparedSources(sources), source, {"AOA"}, WEDNESDAY, WEDNESDAY + 60 * DAY)
    return lambda day: found.median_range("AOA", day)


def test_a_source_is_not_among_its_other_sources(archive: SqlArchive, say: Say) -> None:
    say(bdi.source, WEDNESDAY, 900)
    assert others(archive, bdi.source)(WEDNESDAY) is None
    assert others(archive, nbp.source)(WEDNESDAY) == MedianRange(900, 900)


def test_a_source_without_both_legs_of_a_day_has_no_rate(archive: SqlArchive) -> None:
    at = datetime(2026, 3, 5, tzinfo=UTC)
    dollar, kwanza = words(bdi.source, WEDNESDAY, 900)
    archive.file(Receipt("bdi", at, "a test", "d"), [dollar, replace(kwanza, day=WEDNESDAY + DAY)])
    assert others(archive, nbp.source)(WEDNESDAY + DAY) is None


def test_a_rate_is_carried_forward_for_two_weeks(archive: SqlArchive, say: Say) -> None:
    say(bdi.source, WEDNESDAY, 900)
    said = others(archive, nbp.source)
    assert said(WEDNESDAY + 14 * DAY) == MedianRange(900, 900)
    assert (said(WEDNESDAY - DAY), said(WEDNESDAY + 15 * DAY)) == (None, None)


def test_the_median_of_three_rates_is_one_of_them_and_of_two_lies_between(archive: SqlArchive, say: Say) -> None:
    own = nbp.source
    say(bdi.source, WEDNESDAY, 900)
    say(compiled.source, WEDNESDAY, 1000)
    middle = others(archive, own)(WEDNESDAY)
    assert middle == MedianRange(900, 1000)
    assert [middle.nearest(units) for units in (850, 950, 1100)] == [900, 950, 1000]


def test_rates_of_another_market_and_of_months_are_not_compared(archive: SqlArchive, say: Say, a_source) -> None:
    elsewhere = a_source(key="street", anchor="USD", rate_type=RateType.PARALLEL)
    monthly = a_source(key="month", anchor="USD", pace=Pace.MONTHLY)
    official = a_source(key="mint", anchor="USD")
    for source, units in ((elsewhere, 1500), (monthly, 700), (official, 900)):
        say(source, WEDNESDAY, units)
    assert others(archive, nbp.source, [elsewhere, monthly, official])(WEDNESDAY) == MedianRange(900, 900)


def test_a_rate_from_before_a_redenomination_is_converted_to_the_new_unit(archive: SqlArchive, say: Say) -> None:
    eve, first_day = date(2021, 9, 30), date(2021, 10, 1)
    say(compiled.source, eve, 4_000_000, "VES")
    found = read_other_sources(archive, ComparedSources(SOURCES), nbp.source, {"VES"}, eve, first_day)
    assert found.median_range("VES", eve) == MedianRange(4_000_000, 4_000_000)
    assert found.median_range("VES", first_day) == MedianRange(4, 4)


def test_a_correction_replaces_the_earlier_rate(archive: SqlArchive, say: Say) -> None:
    say(bdi.source, WEDNESDAY, 90)
    say(bdi.source, WEDNESDAY, 900)
    assert others(archive, nbp.source)(WEDNESDAY) == MedianRange(900, 900)


def test_a_corrected_dollar_rate_is_used_instead_of_the_earlier_one(archive: SqlArchive, say: Say) -> None:
    zloty = Pair("USD", "PLN")
    say(bdi.source, WEDNESDAY, 4, "PLN")
    filed = Fixing("nbp", zloty, WEDNESDAY, Decimal("4.01"))
    others_ = read_other_sources(archive, ComparedSources(SOURCES), nbp.source, {"PLN"}, WEDNESDAY, WEDNESDAY)
    known = filed_values([filed])
    validator = FixingValidator(nbp.source, None, {}, {}, TODAY, known, others_)
    found = validator.validate([Fixing("nbp", zloty, WEDNESDAY, Decimal(401))])
    assert reasons(found) == ["[100] times the expected rate: a mistaken unit"]
