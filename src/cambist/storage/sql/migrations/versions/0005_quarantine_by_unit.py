"""Make the unit part of what identifies a fixing in quarantine."""

import sqlalchemy as sa
from alembic import op

from cambist.storage.sql.schema import BIG

revision = "0005"
down_revision = "0004"

_COLUMNS = "id, source, base, quote, unit, day, nominal, value, reason, received_at, origin, state, decided_at"


def upgrade() -> None:
    op.rename_table("quarantine", "old_quarantine")
    op.create_table(
        "quarantine",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("source", sa.String, nullable=False),
        sa.Column("base", sa.String, nullable=False),
        sa.Column("quote", sa.String, nullable=False),
        sa.Column("unit", sa.String, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("nominal", BIG, nullable=False),
        sa.Column("value", sa.String, nullable=False),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("received_at", sa.DateTime, nullable=False),
        sa.Column("origin", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False, server_default="waiting"),
        sa.Column("decided_at", sa.DateTime),
        sa.UniqueConstraint("source", "base", "quote", "unit", "day", "nominal", "value"),
    )
    op.execute(f"INSERT INTO quarantine ({_COLUMNS}) SELECT {_COLUMNS} FROM old_quarantine")  # noqa: S608  no input in it
    op.drop_table("old_quarantine")


def downgrade() -> None:
    raise NotImplementedError(
        "without the unit, some fixings in quarantine would be identical: restore a backup instead"
    )
