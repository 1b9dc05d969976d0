"""Add the checksum of usage."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from cambist.storage.sql.schema import BIG
from cambist.storage.sql.usage_checksum import usage_checksum

revision = "0014"
down_revision = "0013"

_AT_ONCE = 5_000
_KEY = ("day", "page", "account_id", "endpoint")
_usage = sa.table(
    "usage",
    sa.column("day", sa.Date),
    sa.column("page", BIG),
    sa.column("account_id", sa.Integer),
    sa.column("endpoint", sa.String),
    sa.column("calls", BIG),
    sa.column("checksum", BIG),
)


def upgrade() -> None:
    op.add_column("usage", sa.Column("checksum", BIG, nullable=False, server_default="0"))
    # The rows are assumed to be undamaged: there is no earlier checksum to compare them with.
    connection = op.get_bind()
    filled = _usage.update().where(*(_usage.c[name] == sa.bindparam(f"of_{name}") for name in _KEY))
    filled = filled.values(checksum=sa.bindparam("sum"))
    rows = connection.execute(sa.select(*(_usage.c[name] for name in _KEY), _usage.c.calls)).all()
    for start in range(0, len(rows), _AT_ONCE):
        connection.execute(filled, [_values(row) for row in rows[start : start + _AT_ONCE]])


def _values(row: Any) -> dict[str, object]:
    key = {f"of_{name}": getattr(row, name) for name in _KEY}
    return key | {"sum": usage_checksum(row.day, row.page, row.account_id, row.endpoint, row.calls)}


def downgrade() -> None:
    op.drop_column("usage", "checksum")
