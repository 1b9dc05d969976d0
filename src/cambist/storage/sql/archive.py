"""The append-only archive in SQL."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import Connection, Engine, func, select

from cambist.errors import StoreBroken
from cambist.history.archive import PairFilter
from cambist.history.damaged_rows import DamageReport
from cambist.history.fixing import Coverage, FilingResult, Fixing, Receipt, ReceivedFixing, RefusedFixing
from cambist.history.pair_series import PairSeries
from cambist.pricing.pair import PIVOT, Pair
from cambist.status.environment import SIMULATED
from cambist.storage.sql.filing import Filing
from cambist.storage.sql.lines import lines_of
from cambist.storage.sql.reading import all_series, cells, day_of, known_of, line_of
from cambist.storage.sql.schema import fixings, receipts, series
from cambist.storage.sql.selects import filed, last_days, published, reach_of, received

_BATCH = 20_000
_LOOK_BACK = 100
"""How many rows of a pair are looked at for one that is sound."""


class SqlArchive:
    """The `Archive` protocol over one engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def newest_digest(self, source: str, origin: str) -> str | None:
        """Give the digest of the last delivery from there, so that the same bytes need not be read again."""
        last = (
            select(receipts.c.digest)
            .where(receipts.c.source == source, receipts.c.origin == origin)
            .order_by(receipts.c.id.desc())
            .limit(1)
        )
        with self._engine.connect() as connection:
            return connection.execute(last).scalar_one_or_none()

    def last_received(self, source: str, origin: str) -> datetime | None:
        """Give when a delivery from there was filed last, also one of nothing; None where none ever was."""
        last = select(func.max(receipts.c.received_at)).where(receipts.c.source == source, receipts.c.origin == origin)
        with self._engine.connect() as connection:
            received_at = connection.execute(last).scalar_one_or_none()
        return received_at and received_at.replace(tzinfo=UTC)

    def file(self, receipt: Receipt, fixings: Iterable[Fixing], refused: Iterable[RefusedFixing] = ()) -> FilingResult:
        """File a delivery in one transaction: what is known already is left alone.

        Errors: StoreBroken for anything of the sandbox, in every folder: an archive holds what was really published.
        """
        delivered, quarantined = list(fixings), list(refused)
        said = {receipt.source, *(one.source for one in delivered), *(one.fixing.source for one in quarantined)}
        if SIMULATED in said:
            raise StoreBroken("The archive takes nothing of the sandbox")
        with self._engine.begin() as connection:
            return Filing(connection, receipt).file(delivered, quarantined)

    def fixings(self, source: str, known_at: datetime | None = None) -> Iterator[Fixing]:
        """Give the source's fixings, oldest day first, as they are known now or were known at a moment."""
        query = published(source, known_at)
        with self._engine.connect() as connection:
            yield from cells(connection.execution_options(yield_per=_BATCH), source, query)

    def sources(self) -> list[str]:
        """Give the keys of all sources that something was filed of."""
        with self._engine.connect() as connection:
            return list(connection.execute(select(series.c.source).distinct().order_by(series.c.source)).scalars())

    def rates(self, source: str, damage: DamageReport | None = None) -> Iterator[tuple[Pair, list[int], list[float]]]:
        """Give each pair's days since 1970 began and what one base was in quote units, as known now, oldest first.

        A day whose last row is damaged is left out, and the row is noted in `damage`; so is what is not there at all.
        """
        found, rows = DamageReport() if damage is None else damage, 0
        with self._engine.connect() as connection:
            for each in all_series(connection, source).values():
                line = line_of(connection, source, each, found)
                rows += line.rows
                yield each.pair, line.days, line.rates
            found.missing = max(0, int(connection.execute(filed(source)).scalar_one()) - rows)

    def last_before(self, source: str, day: date) -> Mapping[Pair, Fixing]:
        """Give each pair's last fixing before a day."""
        return {known.fixing.pair: known.fixing for known in self._last(source, before=day)}

    def fixings_between(self, source: str, first: date, last: date) -> Mapping[tuple[Pair, date], Fixing]:
        """Give what is known of the days from `first` to `last`, by pair and day."""
        query = published(source, None).where(fixings.c.day.between(first, last))
        with self._engine.connect() as connection:
            return {(one.pair, one.day): one for one in cells(connection, source, query)}

    def pair_series(self, wanted: PairFilter, first: date, last: date) -> Iterator[tuple[str, PairSeries]]:
        """Give what sources fixed between two days of the pairs that are wanted of them, as known now."""
        with self._engine.connect() as connection:
            yield from lines_of(connection, wanted, first, last)

    def coverage(self, source: str) -> Coverage | None:
        """Say how many pairs and which days are here of a source; None where there is nothing."""
        with self._engine.connect() as connection:
            row = connection.execute(reach_of(source)).one()
        first, last = day_of(row.first), day_of(row.last)
        return Coverage(row.pairs, first, last) if first and last else None

    def latest_fixings(self, source: str) -> list[ReceivedFixing]:
        """Give each pair's fixing of its newest day."""
        found = {known.fixing.pair: known for known in self._last(source)}
        return [found[pair] for pair in sorted(found)]

    def published_fixings(self, source: str, code: str, day: date) -> list[ReceivedFixing]:
        """Give the last fixings of a source up to a day, of each of its pairs with a code or with the pivot in it."""
        return self._last(source, day + timedelta(days=1), (code, PIVOT))

    def _last(self, source: str, before: date = date.max, codes: Collection[str] = ()) -> list[ReceivedFixing]:
        """Give each pair's latest fixing before a day; only of pairs with one of `codes`, where there are any."""
        days = last_days(source, before, codes)
        query = received().join(days, (days.c.series_id == fixings.c.series_id) & (days.c.day == fixings.c.day))
        with self._engine.connect() as connection:
            last = {row.series_id: known_of(row) for row in connection.execute(query.where(series.c.source == source))}
            for number in [number for number, known in last.items() if known is None]:
                last[number] = _last_sound(connection, number, before)
        return _sound(last.values())

    def fixings_on(self, source: str, day: date) -> list[ReceivedFixing]:
        """Give the fixings that the source published for `day`."""
        query = received().where(series.c.source == source, fixings.c.day == day)
        with self._engine.connect() as connection:
            last = {row.series_id: known_of(row) for row in connection.execute(query)}
        return _sound(last.values())

    def revisions(self, pair: Pair, day: date) -> list[ReceivedFixing]:
        """Give all that was ever received for a pair and day, from every source, oldest first."""
        # Left to join them, SQLite reads all fixings: few series are of a pair, and they are found first.
        of_pair = select(series.c.id).where(series.c.base == pair.base, series.c.quote == pair.quote)
        query = received().where(fixings.c.series_id.in_(of_pair), fixings.c.day == day)
        with self._engine.connect() as connection:
            return _sound(known_of(row) for row in connection.execute(query))

    def revision(self) -> int:
        """Give a number that grows with every delivery that changed something."""
        changed = select(func.coalesce(func.max(receipts.c.id), 0)).where(receipts.c.added + receipts.c.corrected > 0)
        with self._engine.connect() as connection:
            return int(connection.execute(changed).scalar_one())


def _sound(found: Iterable[ReceivedFixing | None]) -> list[ReceivedFixing]:
    """Leave out what is damaged."""
    return [known for known in found if known is not None]


def _last_sound(connection: Connection, number: int, before: date) -> ReceivedFixing | None:
    """Give the last row of a series that is sound, where its very last one is damaged."""
    query = received().where(fixings.c.series_id == number, fixings.c.day < before)
    newest = query.order_by(None).order_by(fixings.c.day.desc(), fixings.c.receipt_id.desc()).limit(_LOOK_BACK)
    return next(iter(_sound(known_of(row) for row in connection.execute(newest))), None)
