"""Add the log of verdicts and the decisions about levels; what waits in quarantine becomes part of the archive."""

from collections import defaultdict
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from alembic import op

from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.storage.sql.backends import backend_of
from cambist.storage.sql.checksum import series_seed, stored_rows
from cambist.storage.sql.schema import quarantine, receipts, series

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "verdicts",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("rules", sa.String, nullable=False),
        sa.Column("code", sa.String, nullable=False),
        sa.Column("day", sa.Integer, nullable=False),
        sa.Column("outcome", sa.String, nullable=False),
        sa.Column("receipt", sa.Integer, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("verdicts_by_code", "verdicts", ["rules", "code", "day"])
    op.create_table(
        "judged",
        sa.Column("rules", sa.String, primary_key=True),
        sa.Column("receipt", sa.Integer, nullable=False),
        sa.Column("last", sa.Integer, nullable=False),
        sa.Column("decision", sa.Integer, nullable=False, server_default="0"),
    )
    op.create_table(
        "decisions",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("code", sa.String, nullable=False),
        sa.Column("first_day", sa.Integer, nullable=False),
        sa.Column("last_day", sa.Integer),
        sa.Column("level", sa.String, nullable=False),
        sa.Column("accepts", sa.Boolean, nullable=False),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("takes_back", sa.Integer),
        sa.Column("made_at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("decisions_by_code", "decisions", ["code"])
    op.add_column("editions", sa.Column("last_verdict", sa.Integer))
    _move_waiting(op.get_bind())


def _move_waiting(connection: sa.Connection) -> None:
    """File what waits in quarantine, unless its source has published another value of the same day since."""
    now = datetime.now(UTC).replace(tzinfo=None)
    waiting = sa.select(quarantine).where(quarantine.c.state == "waiting").order_by(quarantine.c.received_at)
    deliveries: dict[tuple[str, str], dict[tuple[str, str, str, Any], Any]] = defaultdict(dict)
    for row in connection.execute(waiting).all():
        deliveries[row.source, row.origin][row.base, row.quote, row.unit, row.day] = row
    for (source, origin), rows in deliveries.items():
        known = [row for row in rows.values() if _is_newest(connection, row)]
        if not known:
            continue
        receipt = receipts.insert().values(
            source=source, received_at=now, origin=origin, digest="", added=len(known), corrected=0
        )
        number = connection.execute(receipt.returning(receipts.c.id)).scalar_one()
        for row in known:
            _file(connection, number, row)
    released = quarantine.update().where(quarantine.c.state == "waiting").values(state="released", decided_at=now)
    connection.execute(released)


def _is_newest(connection: sa.Connection, row: Any) -> bool:
    of_pair = sa.select(series).where(
        series.c.source == row.source, series.c.base == row.base, series.c.quote == row.quote
    )
    found = connection.execute(of_pair).one_or_none()
    if found is None:
        return True
    later = sa.text(
        "SELECT count(*) FROM fixings JOIN receipts ON receipts.id = fixings.receipt_id "
        "WHERE series_id = :series AND day = :day AND received_at > :received_at"
    ).bindparams(
        sa.bindparam("series", found.id),
        sa.bindparam("day", row.day, sa.Date),
        sa.bindparam("received_at", row.received_at, sa.DateTime),
    )
    return bool(found.unit == row.unit and not connection.execute(later).scalar_one())


def _file(connection: sa.Connection, receipt: int, row: Any) -> None:
    names = {"source": row.source, "base": row.base, "quote": row.quote, "unit": row.unit}
    of_pair = sa.select(series.c.id).where(*(series.c[name] == value for name, value in names.items()))
    number = connection.execute(of_pair).scalar_one_or_none()
    if number is None:
        number = connection.execute(series.insert().values(**names).returning(series.c.id)).scalar_one()
    fixing = Fixing(row.source, Pair(row.base, row.quote), row.day, Decimal(row.value), row.nominal, row.unit)
    seed = series_seed(row.source, row.base, row.quote, row.unit)
    backend_of(connection).insert_fixings(connection, list(stored_rows(number, seed, receipt, [fixing])))


def downgrade() -> None:
    op.drop_column("editions", "last_verdict")
    for table in ("decisions", "judged", "verdicts"):
        op.drop_table(table)
