"""Random deliveries are filed twice: by the service, and by plain rules one fixing after the other."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from zlib import crc32

import pytest
from sqlalchemy import text
from tests.ingest.plain_validator import PlainValidator
from tests.postgresql import postgresql_url

from cambist.history.fixing import GRAM, Fixing
from cambist.history.quarantine import QuarantineState
from cambist.history.rate_matrix import RateMatrix
from cambist.ingest.filing import Delivery, FilingContext, file_delivery
from cambist.ingest.fixing_validator import ValidatedDelivery
from cambist.ingest.other_sources import ComparedSources, read_other_sources
from cambist.ingest.snapshot_builder import rate_matrix_from_archive
from cambist.pricing.pair import Pair
from cambist.sources.base import FixingAdapter, Source, SourceRequest
from cambist.storage.sql import SqlStore

FIRST = date(2021, 8, 2)  # before the bolívar lost six zeros
LEVELS = {"EUR": 0.85, "GBP": 0.72, "JPY": 110.0, "CHF": 0.92, "VES": 4_100_000.0, "AED": 3.6725, "DKK": 6.32}
LEVELS |= {"XAU": 0.00056, "ZZZ": 3.0, "USD": 1.0, "NAD": 14.6, "ZAR": 14.6}
ANCHORS = {"one": "USD", "two": "EUR", "three": "GBP", "four": "USD"}
FACTORS = (0.0, 0.01, 0.1, 0.72, 0.9, 0.96, 1.04, 1.06, 1.3, 10.0, 100.0, 31.1034768)


@dataclass
class Market:
    """Random rates per dollar, day after day."""

    chance: random.Random
    days: list[date] = field(default_factory=list)
    rates: dict[date, dict[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        now = dict(LEVELS)
        for number in range(130):
            day = FIRST + timedelta(days=number)
            for code in now:
                now[code] *= 1 if code in ("AED", "USD") else 1 + self.chance.gauss(0, 0.006)
            if day == date(2021, 10, 1):
                now["VES"] /= 1_000_000
            self.rates[day] = dict(now)
            self.days.append(day)


class ListedAdapter(FixingAdapter):
    """An adapter of fixings that are listed already."""

    def __init__(self, source: Source, fixings: list[Fixing]) -> None:
        self.source = source
        self.fixings = fixings

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        raise NotImplementedError

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        _ = content, subject
        yield from self.fixings


class World:
    """Sources that publish random fixings, with errors, gaps, repetitions and corrections."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311  nothing secret
        self.market = Market(self.chance)
        self.pairs = {key: self._pairs(anchor) for key, anchor in ANCHORS.items()}
        self.said: dict[str, dict[tuple[Pair, date], Fixing]] = {key: {} for key in ANCHORS}

    def _pairs(self, anchor: str) -> dict[Pair, int]:
        codes = [code for code in LEVELS if code != anchor and self.chance.random() < (0.3 if code == "ZAR" else 0.8)]
        of_codes = [Pair(code, anchor) if self.chance.random() < 0.3 else Pair(anchor, code) for code in codes]
        both = [pair.inverse for pair in of_codes if self.chance.random() < 0.1]
        return {pair: self.chance.choice((1, 1, 1, 100)) for pair in (*of_codes, *both)}

    def deliver(self, key: str) -> list[Fixing]:
        start, length = self.chance.randrange(100), self.chance.choice((1, 3, 30, 130))
        partial = self.chance.random() < 0.3
        pairs = [pair for pair in self.pairs[key] if not partial or self.chance.random() < 0.4]
        found = [
            self._fixing(key, pair, day)
            for day in self.market.days[start : start + length]
            for pair in pairs
            if day.weekday() < 5 and self.chance.random() < 0.97
        ]
        if self.chance.random() < 0.3:  # a gap after which nothing is known
            gap = self.chance.randrange(10, 40)
            found = [one for one in found if not 20 <= (one.day - FIRST).days < 20 + gap]
        self.chance.shuffle(found) if self.chance.random() < 0.3 else found.reverse()
        return found

    def _fixing(self, key: str, pair: Pair, day: date) -> Fixing:
        said = self.said[key].get((pair, day))
        if said is not None and self.chance.random() < 0.9:
            return said
        rates, nominal = self.market.rates[day], self.pairs[key][pair]
        rate = rates[pair.quote] / rates[pair.base] * nominal * (1 + self.chance.gauss(0, 0.0005))
        before = self.said[key].get((pair, day - timedelta(days=3 if day.weekday() == 0 else 1)))
        if self.chance.random() < 0.03:
            rate *= self.chance.choice(FACTORS)
        value = Decimal(f"{rate:.9f}").quantize(Decimal(self.chance.choice(("0.000000001", "0.00000001"))))
        is_stuck = self.chance.random() < (0.97 if pair.other(ANCHORS[key]) in ("CHF", "AED", "JPY") else 0.05)
        if before is not None and before.value > 0 and is_stuck:
            value = before.value
        unit = GRAM if "XAU" in (pair.base, pair.quote) and key == "one" else ""
        published = datetime(2021, 8, 2, 12, 30, tzinfo=UTC) if key == "two" else None
        made = Fixing(key, pair, day, value, nominal, unit, published)
        self.said[key][pair, day] = made
        return made


@dataclass
class PlainArchive:
    """What the tables must hold, kept by plain rules."""

    receipts: int = 0
    rows: list[tuple[object, ...]] = field(default_factory=list)
    last: dict[tuple[str, Pair, date], tuple[int, str]] = field(default_factory=dict)
    series: list[tuple[str, str, str, str]] = field(default_factory=list)
    quarantine: dict[tuple[object, ...], list[str]] = field(default_factory=dict)

    def file(self, source: str, validated: ValidatedDelivery) -> None:
        self.receipts += 1
        for fixing in validated.accepted:
            self._file_one(source, fixing)
        for refusal in validated.refused:
            self.quarantine.setdefault(_key(refusal.fixing), [refusal.reason, "waiting"])

    def _file_one(self, source: str, fixing: Fixing) -> None:
        of_pair = (source, fixing.pair.base, fixing.pair.quote, fixing.unit)
        if of_pair not in self.series:
            self.series.append(of_pair)
        waiting = self.quarantine.get(_key(fixing))
        if waiting is not None and waiting[1] == "waiting":
            waiting[1] = "released"
        value = (fixing.nominal, str(fixing.value))
        if self.last.get((source, fixing.pair, fixing.day)) == value:
            return
        self.last[source, fixing.pair, fixing.day] = value
        at = fixing.published_at.strftime("%Y-%m-%d %H:%M:%S.%f") if fixing.published_at else None
        content = f"{fixing.day}|{self.receipts}|{value[0]}|{value[1]}|{at or ''}"
        checksum = crc32(content.encode(), crc32("|".join(of_pair).encode()))
        number = self.series.index(of_pair) + 1
        self.rows.append((number, str(fixing.day), self.receipts, *value, at, checksum))


def _key(fixing: Fixing) -> tuple[object, ...]:
    pair = fixing.pair
    return (fixing.source, pair.base, pair.quote, fixing.unit, str(fixing.day), fixing.nominal, str(fixing.value))


def plainly_validated(
    context: FilingContext, source: Source, delivered: list[Fixing], today: date
) -> ValidatedDelivery:
    """Validate a delivery by the plain rules, with what the archive holds."""
    first, last = min(one.day for one in delivered), max(one.day for one in delivered)
    codes = {one.pair.other(source.anchor) for one in delivered} | {source.anchor}
    filed = {(one.pair, one.day): one for one in context.archive.fixings(source.key) if first <= one.day <= last}
    others = read_other_sources(context.archive, context.sources, source, codes, first, last)
    before, decisions = context.archive.last_before(source.key, first), context.quarantine.decisions(source.key)
    return PlainValidator(source, context.matrix, before, decisions, today, filed, others).validate(delivered)


def check_tables(store: SqlStore, plain: PlainArchive) -> None:
    with store._engine.connect() as connection:
        columns = "series_id, day, receipt_id, nominal, value, published_at, checksum"
        stored = connection.execute(text(f"SELECT {columns} FROM fixings ORDER BY 1, 2, 3")).all()  # noqa: S608
        series = connection.execute(text("SELECT source, base, quote, unit FROM series ORDER BY id")).all()
        columns = "source, base, quote, unit, day, nominal, value, reason, state"
        waiting = connection.execute(text(f"SELECT {columns} FROM quarantine ORDER BY id")).all()  # noqa: S608
    assert [tuple(row) for row in series] == plain.series
    assert [tuple(map(_as_text, row)) for row in stored] == sorted(plain.rows, key=lambda row: row[:3])
    assert [tuple(map(_as_text, row)) for row in waiting] == [(*key, *rest) for key, rest in plain.quarantine.items()]


def _as_text(value: object) -> object:
    """Return a day or a time as SQLite stores it, whatever the database."""
    if isinstance(value, datetime):
        return value.isoformat(" ", "microseconds")
    return str(value) if isinstance(value, date) else value


def decide(store: SqlStore, plain: PlainArchive, chance: random.Random, now: datetime) -> None:
    """Decide on some of the waiting fixings, as an operator would."""
    for each in store.quarantine.quarantined():
        if chance.random() < 0.2:
            state = chance.choice((QuarantineState.ACCEPTED, QuarantineState.REJECTED))
            store.quarantine.decide(each.number, state, now)
            plain.quarantine[_key(each.fixing)][1] = state.value


def _sqlite_url(folder: Path) -> str:
    return f"sqlite:///{folder / 'a.db'}"


@pytest.mark.parametrize(
    ("seed", "url"),
    [*((seed, _sqlite_url) for seed in range(12)), *((seed, postgresql_url) for seed in range(12, 15))],
)
def test_columns_are_filed_as_plain_rules_would_file_them(
    seed: int, url: Callable[[Path], str], tmp_path: Path, a_source: Callable[..., Source]
) -> None:
    world, plain, store = World(seed), PlainArchive(), SqlStore(url(tmp_path))
    store.migrate()
    sources = [a_source(key=key, anchor=anchor) for key, anchor in ANCHORS.items()]
    matrix: RateMatrix | None = None
    kinds: set[str] = set()
    for number in range(12):
        source = world.chance.choice(sources)
        delivered = world.deliver(source.key)
        if not delivered:
            continue
        now = datetime(2021, 12, world.chance.choice((12, 31)), tzinfo=UTC) + timedelta(hours=number)
        context = FilingContext(store.archive, store.quarantine, matrix, ComparedSources(sources))
        expected = plainly_validated(context, source, delivered, now.date())
        file_delivery(
            context, ListedAdapter(source, delivered), Delivery(b"%d" % number, "a test", now), lambda _: None
        )
        plain.file(source.key, expected)
        check_tables(store, plain)
        kinds |= {refusal.reason.split("]")[-1][:12] for refusal in expected.refused}
        decide(store, plain, world.chance, now)
        if world.chance.random() < 0.3:
            matrix = rate_matrix_from_archive(store.archive, sources, now.date())
    store.close()
    assert len(kinds) >= 3, "the deliveries had too few errors to compare anything"
