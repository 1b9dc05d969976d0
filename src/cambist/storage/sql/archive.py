"""The archive of fixings in SQL."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import Connection, Engine, func, select, union

from cambist.errors import StoreBroken
from cambist.history.archive import PairFilter
from cambist.history.corrections import (
    Correction,
    CorrectionQuery,
    FeedEntry,
    FeedPosition,
    find_corrections,
    pairs_about,
)
from cambist.history.coverage import PairCoverage
from cambist.history.damaged_rows import DamageReport
from cambist.history.fixing import Coverage, DeliveryRecord, FilingResult, Fixing, ReceivedFixing
from cambist.history.known_fixings import KnownFixings
from cambist.history.pair_series import PairSeries
from cambist.pricing.pair import PIVOT, Pair
from cambist.status.environment import SIMULATED
from cambist.storage.sql.backends import WriteLock, writing
from cambist.storage.sql.correction_feed import read_feed, read_vintages
from cambist.storage.sql.filing import Filing
from cambist.storage.sql.known_rows import read_days_received_after, read_known_fixings
from cambist.storage.sql.pair_series import read_pair_series
from cambist.storage.sql.reading import all_series, last_versions, parse_day, parse_received, read_rates, read_revision
from cambist.storage.sql.schema import deliveries, fixings, series
from cambist.storage.sql.selects import (
    select_corrected,
    select_corrected_series,
    select_coverage,
    select_deliveries,
    select_last_known,
    select_last_received,
    select_pair_coverage,
    select_received,
    select_revision,
    select_revisions,
    select_row_count,
    select_versions,
)

_BATCH = 20_000
_NUMBERS_AT_ONCE = 500
_MAX_ROWS_BACK = 100
"""How many rows of a pair are read at most to find one that is not damaged."""


class SqlArchive:
    """The `FixingArchive` protocol in SQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def newest_digest(self, source: str, origin: str) -> str | None:
        """Return the digest of the last delivery."""
        last = (
            select(deliveries.c.digest)
            .where(deliveries.c.source == source, deliveries.c.origin == origin)
            .order_by(deliveries.c.id.desc())
            .limit(1)
        )
        with self._engine.connect() as connection:
            return connection.execute(last).scalar_one_or_none()

    def last_received(self, source: str, origin: str) -> datetime | None:
        """Return when the last delivery was received."""
        last = select(func.max(deliveries.c.received_at)).where(
            deliveries.c.source == source, deliveries.c.origin == origin
        )
        with self._engine.connect() as connection:
            received_at = connection.execute(last).scalar_one_or_none()
        return received_at and received_at.replace(tzinfo=UTC)

    def file(self, delivery: DeliveryRecord, fixings: Iterable[Fixing]) -> FilingResult:
        """File a delivery in one transaction. Errors: StoreBroken for fixings of the sandbox (ADR 13)."""
        delivered = list(fixings)
        if SIMULATED in {delivery.source, *(one.source for one in delivered)}:
            raise StoreBroken("Simulated prices of the sandbox cannot be stored in the archive")
        with writing(self._engine, WriteLock.ARCHIVE) as connection:
            return Filing(connection, delivery).file(delivered)

    def deliveries_after(self, delivery: int, up_to: int) -> list[tuple[int, str]]:
        """Return number and source of later deliveries."""
        with self._engine.connect() as connection:
            rows = connection.execute(select_deliveries(), {"after": delivery, "up_to": up_to})
            return [(row.id, row.source) for row in rows]

    def fixings(self, source: str, known_at: datetime | None = None) -> Iterator[Fixing]:
        """Yield the fixings of a source, oldest day first, as they are known now or were known at a moment."""
        query = select_versions(source, known_at)
        with self._engine.connect() as connection:
            yield from last_versions(connection.execution_options(yield_per=_BATCH), source, query)

    def sources(self) -> list[str]:
        """Return the keys of all sources with fixings, also of those whose fixings are gone."""
        filed = select(deliveries.c.source).where(deliveries.c.added + deliveries.c.corrected > 0)
        with self._engine.connect() as connection:
            # Sorted here: databases order texts differently.
            return sorted(connection.execute(union(select(series.c.source), filed)).scalars())

    def rates(
        self, source: str, damage: DamageReport | None = None, up_to: int | None = None
    ) -> Iterator[tuple[Pair, list[int], list[float]]]:
        """Return days and rates of each pair. `damage` also gets the number of missing rows."""
        found, rows = DamageReport() if damage is None else damage, 0
        with self._engine.connect() as connection:
            for each in all_series(connection, source).values():
                read = read_rates(connection, source, each, found, up_to)
                rows += read.rows
                yield each.pair, read.days, read.rates
            found.missing = max(0, int(connection.execute(select_row_count(source, up_to)).scalar_one()) - rows)

    def pair_series(self, wanted: PairFilter, first: date, last: date) -> Iterator[tuple[str, PairSeries]]:
        """Return the series of the wanted pairs of all sources."""
        with self._engine.connect() as connection:
            yield from read_pair_series(connection, wanted, first, last)

    def coverage(self, source: str) -> Coverage | None:
        """Return the number of pairs of a source, and its first and last day."""
        with self._engine.connect() as connection:
            row = connection.execute(select_coverage(source)).one()
        first, last = parse_day(row.first), parse_day(row.last)
        return Coverage(row.pairs, first, last) if first and last else None

    def pair_coverage(self) -> list[PairCoverage]:
        """Return the first and last day of each pair of each source, without those whose days are damaged."""
        with self._engine.connect() as connection:
            rows = connection.execute(select_pair_coverage()).all()
        days = ((row, parse_day(row.first), parse_day(row.last)) for row in rows)
        return [
            PairCoverage(row.source, Pair(row.base, row.quote), first, last)
            for row, first, last in days
            if first and last
        ]

    def published_fixings(self, source: str, code: str, day: date, up_to: int | None = None) -> list[ReceivedFixing]:
        """Return the last fixings up to a day of the pairs with a code or with the pivot."""
        before = day + timedelta(days=1)
        if up_to is None:
            return self._last(source, before, (code, PIVOT))
        with self._engine.connect() as connection:
            chosen = {"source": source, "before": before, "codes": (code, PIVOT), "up_to": up_to}
            rows = connection.execute(select_last_known(), chosen)
            return _intact({row.series_id: parse_received(row) for row in rows}.values())

    def known_fixings(self, sources: Collection[str], wanted: PairFilter, days: tuple[date, date]) -> KnownFixings:
        """Return all rows of the wanted pairs between two days."""
        with self._engine.connect() as connection:
            return read_known_fixings(connection, sources, wanted, days)

    def days_received_after(
        self, delivery: int, sources: Collection[str], wanted: PairFilter, days: tuple[date, date]
    ) -> list[date] | None:
        """Return the days of later rows of the wanted pairs."""
        with self._engine.connect() as connection:
            return read_days_received_after(connection, delivery, sources, wanted, days)

    def delivery_at(self, moment: datetime) -> int:
        """Return the number of the last delivery that had been received."""
        with self._engine.connect() as connection:
            return int(connection.execute(select_revision(moment)).scalar_one())

    def _last(self, source: str, before: date, codes: Collection[str]) -> list[ReceivedFixing]:
        """Return the last undamaged fixing before a day of each pair with one of some codes."""
        with self._engine.connect() as connection:
            rows = connection.execute(select_last_received(), {"source": source, "before": before, "codes": codes})
            last = {row.series_id: parse_received(row) for row in rows}
            for number in [number for number, fixing in last.items() if fixing is None]:
                last[number] = _last_intact(connection, number, before)
        return _intact(last.values())

    def fixings_on(self, source: str, day: date) -> list[ReceivedFixing]:
        """Return the fixings that a source published for a day."""
        query = select_received().where(series.c.source == source, fixings.c.day == day)
        with self._engine.connect() as connection:
            last = {row.series_id: parse_received(row) for row in connection.execute(query)}
        return _intact(last.values())

    def revisions(self, pair: Pair, day: date) -> list[ReceivedFixing]:
        """Return everything received for a pair and day."""
        chosen = {"base": pair.base, "quote": pair.quote, "on": day}
        with self._engine.connect() as connection:
            return _intact(parse_received(row) for row in connection.execute(select_revisions(), chosen))

    def corrections(self, query: CorrectionQuery) -> list[Correction]:
        """Return the corrections about a pair."""
        with self._engine.connect() as connection:
            numbers = _corrected_series(connection, query.pair)
            chosen = {"numbers": numbers, "first": query.first, "last": query.last, "most": query.limit}
            rows = connection.execute(select_corrected(), chosen) if numbers else ()
            return find_corrections(_intact(parse_received(row) for row in rows))[: query.limit]

    def corrections_after(self, after: FeedPosition | None, up_to: int, limit: int) -> list[FeedEntry]:
        """Return the next corrections."""
        with self._engine.connect() as connection:
            return read_feed(connection, after, up_to, limit)

    def deliveries(self, numbers: Collection[int]) -> dict[int, tuple[str, datetime]]:
        """Return source and moment of deliveries."""
        columns, wanted = (deliveries.c.id, deliveries.c.source, deliveries.c.received_at), list(numbers)
        found: dict[int, tuple[str, datetime]] = {}
        with self._engine.connect() as connection:
            for begin in range(0, len(wanted), _NUMBERS_AT_ONCE):
                query = select(*columns).where(deliveries.c.id.in_(wanted[begin : begin + _NUMBERS_AT_ONCE]))
                found |= {
                    row.id: (row.source, row.received_at.replace(tzinfo=UTC)) for row in connection.execute(query)
                }
        return found

    def vintages(self, pair: Pair, day: date, up_to: int | None = None) -> list[ReceivedFixing]:
        """Return everything received for a day about a pair."""
        with self._engine.connect() as connection:
            found = _intact(read_vintages(connection, pair, day))
        return [each for each in found if up_to is None or each.delivery <= up_to]

    def revision(self) -> int:
        """Return a number that grows with every change."""
        with self._engine.connect() as connection:
            return read_revision(connection)


def _corrected_series(connection: Connection, pair: Pair) -> list[int]:
    """Return the numbers of the series about a pair, of the sources that have ever corrected a fixing."""
    rows = connection.execute(select_corrected_series(), {"codes": (pair.base, pair.quote, PIVOT)})
    of_source: dict[str, dict[Pair, int]] = defaultdict(dict)
    for number, source, base, quote in rows:
        of_source[source][Pair(base, quote)] = number
    return [numbers[each] for numbers in of_source.values() for each in pairs_about(pair, numbers)]


def _intact(found: Iterable[ReceivedFixing | None]) -> list[ReceivedFixing]:
    """Leave out damaged rows."""
    return [one for one in found if one is not None]


def _last_intact(connection: Connection, number: int, before: date) -> ReceivedFixing | None:
    """Return the last undamaged row of a series."""
    query = select_received().where(fixings.c.series_id == number, fixings.c.day < before)
    newest = query.order_by(None).order_by(fixings.c.day.desc(), fixings.c.delivery_id.desc()).limit(_MAX_ROWS_BACK)
    return next(iter(_intact(parse_received(row) for row in connection.execute(newest))), None)
