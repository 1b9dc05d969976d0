"""The quarantine in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal

from sqlalchemy import Connection, Engine, Row, and_, bindparam, func, insert, select, update

from cambist.history.fixing import Fixing, Receipt, RefusedFixing
from cambist.history.quarantine import FixingKey, QuarantineDecision, QuarantinedFixing, QuarantineState
from cambist.pricing.pair import Pair
from cambist.storage.sql.dialects import WriteLock, dialect_of, writing
from cambist.storage.sql.schema import quarantine, quarantine_decisions
from cambist.storage.sql.selects import to_stored


class SqlQuarantine:
    """The `Quarantine` protocol in SQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def quarantined(self, state: QuarantineState | None = QuarantineState.WAITING) -> Sequence[QuarantinedFixing]:
        """Return quarantined fixings, oldest first."""
        query = select(quarantine).order_by(quarantine.c.id)
        if state is not None:
            query = query.where(quarantine.c.state == state)
        with self._engine.connect() as connection:
            return [_quarantined(row) for row in connection.execute(query)]

    def decisions(self, source: str) -> Mapping[FixingKey, QuarantineState]:
        """Return the state of each refused fixing of a source."""
        query = select(quarantine).where(quarantine.c.source == source)
        with self._engine.connect() as connection:
            return {FixingKey.of(_fixing(row)): QuarantineState(row.state) for row in connection.execute(query)}

    def count_waiting(self, source: str) -> int:
        """Return how many fixings of a source wait."""
        query = select(func.count()).where(quarantine.c.source == source, quarantine.c.state == QuarantineState.WAITING)
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def decide(self, number: int, state: QuarantineState, at: datetime) -> QuarantinedFixing | None:
        """Accept or reject a fixing that waits."""
        with writing(self._engine, WriteLock.ARCHIVE) as connection:
            return _decide_waiting(connection, number, state, at)

    def decided(self, after: int = 0) -> Sequence[QuarantineDecision]:
        """Return all decisions after a number, oldest first."""
        log = quarantine_decisions
        with self._engine.connect() as connection:
            rows = connection.execute(select(log).where(log.c.id > after).order_by(log.c.id)).all()
        return [
            QuarantineDecision(
                row.id, row.quarantine_id, QuarantineState(row.state), row.decided_at.replace(tzinfo=UTC)
            )
            for row in rows
        ]


def accept_waiting(connection: Connection, number: int, at: datetime) -> QuarantinedFixing | None:
    """Accept a fixing that waits, and return it, or one that was accepted before; None if there is neither."""
    accepted = _decide_waiting(connection, number, QuarantineState.ACCEPTED, at)
    if accepted is not None:
        return accepted
    before = and_(quarantine.c.id == number, quarantine.c.state == QuarantineState.ACCEPTED)
    row = connection.execute(select(quarantine).where(before)).one_or_none()
    return None if row is None else _quarantined(row)


def _decide_waiting(
    connection: Connection, number: int, state: QuarantineState, at: datetime
) -> QuarantinedFixing | None:
    waits = and_(quarantine.c.id == number, quarantine.c.state == QuarantineState.WAITING)
    change = update(quarantine).where(waits).values(state=state, decided_at=to_stored(at)).returning(quarantine)
    row = connection.execute(change).one_or_none()
    if row is None:
        return None
    _record(connection, [number], state, to_stored(at))
    return _quarantined(row)


def add_refused(connection: Connection, receipt: Receipt, refused: Iterable[RefusedFixing]) -> int:
    """Add refused fixings, each once. Return how many were new."""
    rows = [_row(receipt, refusal) for refusal in refused]
    if not rows:
        return 0
    new = dialect_of(connection).insert(quarantine).on_conflict_do_nothing().returning(quarantine.c.id)
    return len(connection.execute(new, rows).all())


def release_passed(connection: Connection, receipt: Receipt, fixings: Iterable[Fixing]) -> None:
    """Release fixings that waited and were delivered again and accepted."""
    waits = and_(quarantine.c.source == receipt.source, quarantine.c.state == QuarantineState.WAITING)
    waiting = {
        (row.base, row.quote, row.unit, row.day, row.nominal, row.value): row.id
        for row in connection.execute(select(quarantine).where(waits))
    }
    if waiting:
        delivered = ((one.pair.base, one.pair.quote, one.unit, one.day, one.nominal, str(one.value)) for one in fixings)
        passed = [{"number": waiting[key]} for key in delivered if key in waiting]
        change = update(quarantine).where(quarantine.c.id == bindparam("number"))
        if passed:
            at = to_stored(receipt.received_at)
            connection.execute(change.values(state=QuarantineState.RELEASED, decided_at=at), passed)
            _record(connection, [each["number"] for each in passed], QuarantineState.RELEASED, at)


def _record(connection: Connection, numbers: Iterable[int], state: QuarantineState, at: datetime) -> None:
    """Record decisions. These rows are only added, whereas the state of a refused fixing is replaced."""
    rows = [{"quarantine_id": number, "state": state, "decided_at": at} for number in numbers]
    connection.execute(insert(quarantine_decisions), rows)


def _row(receipt: Receipt, refusal: RefusedFixing) -> dict[str, object]:
    fixing = refusal.fixing
    return {
        "source": receipt.source,
        "base": fixing.pair.base,
        "quote": fixing.pair.quote,
        "unit": fixing.unit,
        "day": fixing.day,
        "nominal": fixing.nominal,
        "value": str(fixing.value),
        "reason": refusal.reason,
        "received_at": to_stored(receipt.received_at),
        "origin": receipt.origin,
    }


def _fixing(row: Row[*tuple[object, ...]]) -> Fixing:
    return Fixing(row.source, Pair(row.base, row.quote), row.day, Decimal(row.value), row.nominal, row.unit)


def _quarantined(row: Row[*tuple[object, ...]]) -> QuarantinedFixing:
    decided_at = row.decided_at and row.decided_at.replace(tzinfo=UTC)
    received_at = row.received_at.replace(tzinfo=UTC)
    return QuarantinedFixing(
        row.id, _fixing(row), row.reason, received_at, row.origin, QuarantineState(row.state), decided_at
    )
