"""The append-only archive in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import groupby
from operator import itemgetter

from sqlalchemy import Engine, Row, Subquery, func, select

from cambist.errors import StoreBroken
from cambist.history.environment import SIMULATED
from cambist.history.fixing import Coverage, Filed, Fixing, Known, Receipt, Refusal
from cambist.market.pair import Pair
from cambist.stores.sql.filing import Filing
from cambist.stores.sql.schema import fixings, receipts, series
from cambist.stores.sql.selects import last_days, line_of, published, reach_of, received, series_of

_BATCH = 20_000


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

    def file(self, receipt: Receipt, fixings: Iterable[Fixing], refused: Iterable[Refusal] = ()) -> Filed:
        """File a delivery in one transaction: what is known already is left alone.

        Errors: StoreBroken for anything of the sandbox, in every folder: an archive holds what was really published.
        """
        delivered, detained = list(fixings), list(refused)
        said = {receipt.source, *(one.source for one in delivered), *(one.fixing.source for one in detained)}
        if SIMULATED in said:
            raise StoreBroken("The archive takes nothing of the sandbox")
        with self._engine.begin() as connection:
            return Filing(connection, receipt).file(delivered, detained)

    def fixings(self, source: str, known_at: datetime | None = None) -> Iterator[Fixing]:
        """Give the source's fixings, oldest day first, as they are known now or were known at a moment."""
        query = published(source, known_at)
        with self._engine.connect() as connection:
            known = {row.id: (Pair(row.base, row.quote), row.unit) for row in connection.execute(series_of(source))}
            rows = connection.execution_options(yield_per=_BATCH).execute(query)
            for _, same_cell in groupby(rows, key=itemgetter(0, 1)):
                number, day, nominal, value = list(same_cell)[-1]
                pair, unit = known[number]
                yield Fixing(source, pair, day, Decimal(value), nominal, unit)

    def rates(self, source: str) -> Iterator[tuple[Pair, list[int], list[float]]]:
        """Give each pair's days since 1970 began and what one base was in quote units, as known now, oldest first."""
        with self._engine.connect() as connection:
            for row in connection.execute(series_of(source)).all():
                yield Pair(row.base, row.quote), *line_of(connection, row.id, row.unit)

    def before(self, source: str, day: date) -> Mapping[Pair, Fixing]:
        """Give each pair's last fixing before a day."""
        return {known.fixing.pair: known.fixing for known in self._at(source, last_days(source, before=day))}

    def between(self, source: str, first: date, last: date) -> Mapping[tuple[Pair, date], Fixing]:
        """Give what is known of the days from `first` to `last`, by pair and day."""
        query = published(source, None).where(fixings.c.day.between(first, last))
        with self._engine.connect() as connection:
            known = {row.id: (Pair(row.base, row.quote), row.unit) for row in connection.execute(series_of(source))}
            return {
                (known[number][0], day): Fixing(
                    source, known[number][0], day, Decimal(value), nominal, known[number][1]
                )
                for number, day, nominal, value in connection.execute(query)
            }

    def coverage(self, source: str) -> Coverage | None:
        """Say how many pairs and which days are here of a source; None where there is nothing."""
        with self._engine.connect() as connection:
            row = connection.execute(reach_of(source)).one()
        return Coverage(row.pairs, row.first, row.last) if row.first else None

    def newest(self, source: str) -> list[Known]:
        """Give each pair's fixing of its newest day."""
        found = {known.fixing.pair: known for known in self._at(source, last_days(source))}
        return [found[pair] for pair in sorted(found)]

    def _at(self, source: str, days: Subquery) -> list[Known]:
        """Give the latest version of the cells that `days` names."""
        query = received().join(days, (days.c.series_id == fixings.c.series_id) & (days.c.day == fixings.c.day))
        with self._engine.connect() as connection:
            last = {row.series_id: _known(row) for row in connection.execute(query.where(series.c.source == source))}
        return list(last.values())

    def on_day(self, source: str, day: date) -> list[Known]:
        """Give the fixings that the source published for `day`."""
        query = received().where(series.c.source == source, fixings.c.day == day)
        with self._engine.connect() as connection:
            last = {row.series_id: _known(row) for row in connection.execute(query)}
        return list(last.values())

    def trail(self, pair: Pair, day: date) -> list[Known]:
        """Give all that was ever received for a pair and day, from every source, oldest first."""
        # Left to join them, SQLite reads all fixings: few series are of a pair, and they are found first.
        of_pair = select(series.c.id).where(series.c.base == pair.base, series.c.quote == pair.quote)
        query = received().where(fixings.c.series_id.in_(of_pair), fixings.c.day == day)
        with self._engine.connect() as connection:
            return [_known(row) for row in connection.execute(query)]

    def revision(self) -> int:
        """Give a number that grows with every delivery that changed something."""
        changed = select(func.coalesce(func.max(receipts.c.id), 0)).where(receipts.c.added + receipts.c.corrected > 0)
        with self._engine.connect() as connection:
            return int(connection.execute(changed).scalar_one())


def _known(row: Row[int, str, str, str, str, date, int, str, datetime, str]) -> Known:
    fixing = Fixing(row.source, Pair(row.base, row.quote), row.day, Decimal(row.value), row.nominal, row.unit)
    return Known(fixing, row.received_at.replace(tzinfo=UTC), row.origin)
