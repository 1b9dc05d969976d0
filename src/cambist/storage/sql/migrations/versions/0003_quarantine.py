"""Add the quarantine of refused fixings, and the unit of metals that are priced per gram."""

import sqlalchemy as sa
from alembic import op

from cambist.storage.sql.schema import BIG

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("series", sa.Column("unit", sa.String, nullable=False, server_default=""))
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
        sa.UniqueConstraint("source", "base", "quote", "day", "nominal", "value"),
    )


def downgrade() -> None:
    op.drop_table("quarantine")
    op.drop_column("series", "unit")
