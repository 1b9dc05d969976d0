"""The log of verdicts in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from decimal import Decimal
from typing import Any

from msgspec import structs
from sqlalchemy import Connection, Engine, Row, Select, func, insert, select

from cambist.history.code_rates import PREFERRED
from cambist.history.verdict_log import EVERYTHING, Decision, Judged, LoggedChange, VerdictBounds, VerdictChange
from cambist.storage.sql.backends import WriteLock, backend_of, writing
from cambist.storage.sql.fencing import LEADER_EPOCH
from cambist.storage.sql.schema import decisions, judged, verdicts
from cambist.storage.sql.selects import to_stored

_AT_ONCE = 5_000


class SqlVerdicts:
    """The `VerdictLog` protocol in SQL.

    Every node judges what it answers from, with the same result, whoever leads: these rows are not fenced.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(**{LEADER_EPOCH: None})

    def judged(self, rules: str) -> Judged | None:
        """Return how far the fixings are judged."""
        with self._engine.connect() as connection:
            return _judged(connection, rules)

    def append(self, rules: str, changes: Sequence[VerdictChange], now: Judged) -> Judged | None:
        """Add changes if nobody else has."""
        with writing(self._engine, WriteLock.VERDICTS) as connection:
            # Write before reading: a transaction that reads first may fail to get the write lock.
            first = backend_of(connection).insert(judged).on_conflict_do_nothing()
            connection.execute(first.values(rules=rules, delivery=0, last=0, decision=0))
            known = _judged(connection, rules) or Judged(0, 0)
            if known.last != now.last or known.delivery > now.delivery or known.decision > now.decision:
                return None
            rows = [_row(rules, each, now.delivery) for each in changes]
            for begin in range(0, len(rows), _AT_ONCE):
                connection.execute(insert(verdicts), rows[begin : begin + _AT_ONCE])
            newest = select(func.max(verdicts.c.id)).where(verdicts.c.rules == rules)
            last = int(connection.execute(newest).scalar_one()) if rows else known.last
            done = judged.update().where(judged.c.rules == rules)
            connection.execute(done.values(delivery=now.delivery, last=last, decision=now.decision))
            return Judged(now.delivery, last, now.decision)

    def outcomes(self, rules: str, bounds: VerdictBounds = EVERYTHING) -> dict[str, dict[int, str]]:
        """Return the newest outcomes."""
        query = _within(select(verdicts.c.code, verdicts.c.day, verdicts.c.outcome), rules, bounds)
        found: dict[str, dict[int, str]] = {}
        with self._engine.connect() as connection:
            for code, day, outcome in connection.execute(query.order_by(verdicts.c.id)):
                of_code = found.setdefault(code, {})
                if outcome == PREFERRED:
                    of_code.pop(day, None)
                else:
                    of_code[day] = outcome
        return found

    def changes(
        self, rules: str, after: int, limit: int, bounds: VerdictBounds = EVERYTHING, *, newest_first: bool = False
    ) -> list[LoggedChange]:
        """Return changes, oldest or newest first."""
        query = _within(select(verdicts).where(verdicts.c.id > after), rules, bounds)
        order = verdicts.c.id.desc() if newest_first else verdicts.c.id
        with self._engine.connect() as connection:
            return [
                LoggedChange(row.id, row.delivery, VerdictChange(row.code, row.day, row.outcome))
                for row in connection.execute(query.order_by(order).limit(limit))
            ]

    def decisions(self) -> list[Decision]:
        """Return all decisions, oldest first."""
        with self._engine.connect() as connection:
            return [_decision(row) for row in connection.execute(select(decisions).order_by(decisions.c.id))]

    def decide(self, decision: Decision) -> Decision:
        """Add a decision."""
        with writing(self._engine, WriteLock.VERDICTS) as connection:
            new = insert(decisions).values(_decision_row(decision)).returning(decisions.c.id)
            return structs.replace(decision, number=int(connection.execute(new).scalar_one()))


def _judged(connection: Connection, rules: str) -> Judged | None:
    row = connection.execute(select(judged).where(judged.c.rules == rules)).one_or_none()
    return None if row is None else Judged(row.delivery, row.last, row.decision)


def _within(query: Select[Any], rules: str, bounds: VerdictBounds) -> Select[Any]:
    query = query.where(verdicts.c.rules == rules)
    if bounds.last is not None:
        query = query.where(verdicts.c.id <= bounds.last)
    if bounds.delivery is not None:
        query = query.where(verdicts.c.delivery <= bounds.delivery)
    if bounds.codes is not None:
        query = query.where(verdicts.c.code.in_(sorted(bounds.codes)))
    if bounds.days is not None:
        query = query.where(verdicts.c.day.between(*bounds.days))
    return query


def _row(rules: str, change: VerdictChange, delivery: int) -> dict[str, object]:
    return {"rules": rules, "code": change.code, "day": change.day, "outcome": change.outcome, "delivery": delivery}


def _decision_row(decision: Decision) -> dict[str, object]:
    row = {name: value for name, value in structs.asdict(decision).items() if name != "number"}
    return row | {"level": str(decision.level), "made_at": to_stored(decision.made_at)}


def _decision(row: Row[Any]) -> Decision:
    return Decision(
        number=row.id,
        code=row.code,
        first_day=row.first_day,
        last_day=row.last_day,
        level=Decimal(row.level),
        accepts=row.accepts,
        reason=row.reason,
        made_at=row.made_at.replace(tzinfo=UTC),
        takes_back=row.takes_back,
        source=row.source,
    )
