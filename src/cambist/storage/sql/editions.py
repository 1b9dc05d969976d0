"""The editions of the history in SQL, and the rules that they were made by."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, func, insert, select

from cambist.history.edition import RecordedEdition, parse_edition_name
from cambist.history.rate_matrix import FIRST_DAY, RateMatrix
from cambist.history.rule_set import RuleSet, parse_rule_set
from cambist.history.verdict_log import Judged
from cambist.storage.sql.backends import WriteLock, backend_of, writing
from cambist.storage.sql.fencing import LEADER_EPOCH
from cambist.storage.sql.schema import editions, rule_texts
from cambist.storage.sql.selects import to_stored

_LAST_VERDICT = func.coalesce(editions.c.last_verdict, 0)
_ONE_TICK = timedelta(microseconds=1)


class SqlEditions:
    """The `Editions` protocol in SQL.

    Each node records what it answers from, whoever leads: these rows are not fenced.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(**{LEADER_EPOCH: None})

    def record(
        self, matrix: RateMatrix, rules: RuleSet, tables: dict[str, bytes], judged: Judged | None = None
    ) -> RecordedEdition:
        """Record the edition of a rate matrix, unless it is the newest."""
        texts = {rules.version: rules.content} | {rules.tables[name]: text for name, text in tables.items()}
        with writing(self._engine, WriteLock.EDITIONS) as connection:
            now = backend_of(connection).now(connection)
            # Write before reading, as for a delivery.
            known = backend_of(connection).insert(rule_texts).on_conflict_do_nothing()
            connection.execute(known, [_text_row(digest, text, now) for digest, text in texts.items()])
            newest = _first(connection, _newest_first())
            if newest is not None and newest.name == matrix.edition:
                return newest
            if newest is not None:  # a clock that was set back does not change their order
                now = max(now, to_stored(newest.recorded_at) + _ONE_TICK)
            added = insert(editions).values(_edition_row(matrix, now, judged)).returning(editions)
            return _edition(connection.execute(added).one())

    def find(self, name: str) -> RecordedEdition | None:
        """Return an edition by its name."""
        return self._one(select(editions).where(editions.c.name == name).order_by(editions.c.id).limit(1))

    def known_at(self, moment: datetime) -> RecordedEdition | None:
        """Return the newest edition of a moment."""
        return self._one(_newest_first().where(editions.c.recorded_at <= to_stored(moment)))

    def newest(self) -> RecordedEdition | None:
        """Return the newest edition."""
        return self._one(_newest_first())

    def after(self, number: int, limit: int) -> list[RecordedEdition]:
        """Return the next editions."""
        query = select(editions).where(editions.c.id > number).order_by(editions.c.id).limit(limit)
        with self._engine.connect() as connection:
            return [_edition(row) for row in connection.execute(query)]

    def first_showing(self, delivery: int) -> RecordedEdition | None:
        """Return the first edition that shows a delivery."""
        return self._one(select(editions).where(editions.c.delivery >= delivery).order_by(editions.c.id).limit(1))

    def first_by(self, rules: str, verdict: int = 0) -> RecordedEdition | None:
        """Return the first edition by some rules that shows a change of a verdict."""
        query = select(editions).where(editions.c.rules == rules, verdict <= _LAST_VERDICT)
        return self._one(query.order_by(editions.c.id).limit(1))

    def last_before(self, rules: str, verdict: int) -> RecordedEdition | None:
        """Return the newest edition by some rules that does not show a change of a verdict yet."""
        return self._one(_newest_first().where(editions.c.rules == rules, verdict > _LAST_VERDICT))

    def rules(self, version: str) -> RuleSet | None:
        """Return the rules of a version."""
        content = self.table(version)
        return None if content is None else parse_rule_set(content)

    def table(self, digest: str) -> bytes | None:
        """Return a text by its digest."""
        query = select(rule_texts.c.content).where(rule_texts.c.digest == digest)
        with self._engine.connect() as connection:
            content = connection.execute(query).scalar_one_or_none()
        return None if content is None else bytes(content)

    def _one(self, query: Select[Any]) -> RecordedEdition | None:
        with self._engine.connect() as connection:
            return _first(connection, query)


def _newest_first() -> Select[Any]:
    return select(editions).order_by(editions.c.id.desc()).limit(1)


def _first(connection: Connection, query: Select[Any]) -> RecordedEdition | None:
    row = connection.execute(query).one_or_none()
    return None if row is None else _edition(row)


def _text_row(digest: str, content: bytes, now: datetime) -> dict[str, object]:
    return {"digest": digest, "content": content, "recorded_at": now}


def _edition_row(matrix: RateMatrix, now: datetime, judged: Judged | None) -> dict[str, object]:
    name = parse_edition_name(matrix.edition)
    if name is None:
        raise ValueError(f"The rate matrix has no edition: [{matrix.edition}]")
    return {
        "name": matrix.edition,
        "delivery": name.delivery,
        "rules": name.rules,
        "digest": matrix.digest,
        "last_rows": " ".join(str(_day_number(day)) for day in matrix.last_fixings),
        "recorded_at": now,
        "last_verdict": None if judged is None else judged.last,
        "last_decision": None if judged is None else judged.decision,
    }


def _day_number(day: date) -> int:
    return (day - FIRST_DAY).days


def _edition(row: Row[Any]) -> RecordedEdition:
    return RecordedEdition(
        number=row.id,
        name=row.name,
        delivery=row.delivery,
        rules=row.rules,
        digest=row.digest,
        recorded_at=row.recorded_at.replace(tzinfo=UTC),
        last_rows=tuple(map(int, row.last_rows.split())),
        last_verdict=row.last_verdict,
        last_decision=row.last_decision,
    )
