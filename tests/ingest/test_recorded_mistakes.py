"""Mistakes of central banks in recorded answers: none is served while another source says otherwise."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cambist.history.code_judgement import day_of
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.judging import Judging
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.source_history import SourceHistory
from cambist.ingest.snapshot_builder import rules_of
from cambist.pricing.pair import Pair
from cambist.registry.sources.source_adapters import built_in
from cambist.sources.base import FixingAdapter
from cambist.storage.sql import SqlStore
from cambist.verdicts.verdict import DayStatus

RECORDED = Path(__file__).parents[3] / "shared" / "payloads"
SUBJECTS = {"cbg": r"rates/(\w+)", "nbp": r"tables/(\w)/"}
CALM = 25
"""So many days before, the other source has published what is right."""


@dataclass(frozen=True)
class Mistake:
    """A rate that a source has published, and what was right, in units per dollar; `off` is how far it is off."""

    source: str
    code: str
    right: float
    off: float = 0.04


MISTAKES = [
    Mistake("nbp", "CUP", 24.0),
    Mistake("bam", "LYD", 6.35),
    Mistake("cbu", "TMT", 3.5),
    Mistake("boi", "LBP", 89_500.0),
    Mistake("cbg", "AED", 3.6725),
    Mistake("cbg", "CNY", 7.0, off=0.5),
]

recorded = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded answers are not beside the project")

OF_A_YEAR_BEFORE = """<h2>Cours des devises du lundi 16 mars 2026</h2>
<table><tbody><tr><th>Devise</th><th>CFA</th></tr>
<tr><td>Euro</td><td>655,9570</td></tr>
<tr><td>Dollar us</td><td>605,1000</td></tr>
<tr><td>Yen japonais</td><td>4,0700</td></tr>
<tr><td>Nouvelle livre turque</td><td>16,1000</td></tr>
</tbody></table>"""
"""On this day the central bank of West Africa published rates as they were a year before. The numbers are made up."""

STALE = [Mistake("bceao", "JPY", 159.0), Mistake("bceao", "TRY", 44.1)]


def said_by(source: str) -> list[Fixing]:
    """Return all that a source has said in its recorded answers, the newest of each day."""
    adapter = built_in(source)
    assert isinstance(adapter, FixingAdapter)
    requests = (RECORDED / source / "SOURCES.md").read_text(encoding="utf-8")
    found: dict[tuple[Pair, date], Fixing] = {}
    for path in sorted((RECORDED / source).glob(f"{source}_*")):
        asked = re.search(rf"`{path.name}` .*?{SUBJECTS[source]}", requests) if source in SUBJECTS else None
        try:
            parsed = adapter.parse_tolerantly(path.read_bytes(), asked[1] if asked else "").fixings
        except Exception:  # noqa: BLE001, S112  recordings of other requests
            continue
        found |= {(each.pair, each.day): each for each in parsed if not each.rate_type}
    return list(found.values())


def wrong_days(mistake: Mistake, said: list[Fixing]) -> list[tuple[date, float]]:
    """Return the days on which a source was wrong, with what it said, in units per dollar."""
    line = SourceHistory(built_in(mistake.source).source.anchor, said, mistake.source).line(mistake.code)
    assert line is not None
    pairs = zip(line[0].tolist(), line[1].tolist(), strict=True)
    return [(day_of(row), units) for row, units in pairs if abs(units / mistake.right - 1) > mistake.off]


def served(store: SqlStore, sources: list[Any], code: str, day: date) -> tuple[float | None, DayStatus]:
    judging = Judging(store.archive, store.verdicts, rules_of(sources))
    judging.update()
    rates, judgement = judging.rates(code), judging.judge_whole(code)
    assert rates is not None
    assert judgement is not None
    row = rates.days.tolist().index((day - FIRST_DAY).days)
    column = int(rates.published(judging.outcomes.get(code, {}))[row])
    return (None if column < 0 else float(rates.units[row, column])), DayStatus(int(judgement.status[row]))


def check_not_served(store: SqlStore, other: Any, mistake: Mistake, said: list[Fixing], *, is_first: bool) -> None:
    """Check that a mistake is never published beside another source, whichever of them comes first."""
    wrong = wrong_days(mistake, said)
    assert wrong
    chance = random.Random(3)  # noqa: S311  no secret
    first, last = min(day for day, _ in wrong) - CALM * timedelta(days=1), max(day for day, _ in wrong)
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    right = [
        Fixing("other", Pair("USD", mistake.code), day, Decimal(f"{mistake.right * chance.uniform(0.999, 1.001):.6g}"))
        for day in days
    ]
    deliveries = [(mistake.source, said), ("other", right)]
    for number, (source, fixings) in enumerate(deliveries if is_first else reversed(deliveries)):
        received = datetime(2026, 11, 1, number, tzinfo=UTC)
        store.archive.file(DeliveryRecord(source, received, source, "d"), fixings)
    for day, units in wrong:
        value, _ = served(store, [built_in(mistake.source).source, other], mistake.code, day)
        assert value is None or abs(value / mistake.right - 1) < mistake.off, (day, units, value)


def check_single(store: SqlStore, mistake: Mistake, said: list[Fixing]) -> None:
    """Check that a source alone is published, and said to be the only one."""
    store.archive.file(DeliveryRecord(mistake.source, datetime(2026, 11, 1, tzinfo=UTC), "a", "d"), said)
    day, units = wrong_days(mistake, said)[0]
    value, status = served(store, [built_in(mistake.source).source], mistake.code, day)
    assert value == pytest.approx(units)
    assert status is DayStatus.SINGLE


@pytest.mark.long(every=9)
@recorded
@pytest.mark.parametrize("is_first", [True, False], ids=["comes first", "comes last"])
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda each: f"{each.source} {each.code}")
def test_a_recorded_mistake_is_not_served_while_another_source_says_otherwise(
    store: SqlStore,
    a_source: Any,
    mistake: Mistake,
    is_first: bool,  # noqa: FBT001  a column
) -> None:
    said = said_by(mistake.source)
    check_not_served(store, a_source("other", anchor="USD"), mistake, said, is_first=is_first)


@pytest.mark.long(every=2)
@recorded
@pytest.mark.parametrize("mistake", MISTAKES[:4], ids=lambda each: f"{each.source} {each.code}")
def test_a_source_alone_is_said_to_be_single(store: SqlStore, mistake: Mistake) -> None:
    check_single(store, mistake, said_by(mistake.source))


def stale() -> list[Fixing]:
    adapter = built_in("bceao")
    assert isinstance(adapter, FixingAdapter)
    return adapter.parse_tolerantly(OF_A_YEAR_BEFORE.encode(), "").fixings


@pytest.mark.parametrize("is_first", [True, False], ids=["comes first", "comes last"])
@pytest.mark.parametrize("mistake", STALE, ids=lambda each: each.code)
def test_a_file_of_a_year_before_is_not_served_while_another_source_says_otherwise(
    store: SqlStore,
    a_source: Any,
    mistake: Mistake,
    is_first: bool,  # noqa: FBT001  a column
) -> None:
    check_not_served(store, a_source("other", anchor="USD"), mistake, stale(), is_first=is_first)


@pytest.mark.parametrize("mistake", STALE, ids=lambda each: each.code)
def test_a_file_of_a_year_before_is_single_alone(store: SqlStore, mistake: Mistake) -> None:
    check_single(store, mistake, stale())
