"""Add bars."""

import sqlalchemy as sa
from alembic import op

from cambist.storage.sql.schema import BIG

revision = "0004"
down_revision = "0003"

_PRICES = [f"{side}_{price}" for side in ("bid", "ask") for price in "ohlc"]


def upgrade() -> None:
    op.create_table(
        "bar_series",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("base", sa.String, nullable=False),
        sa.Column("quote", sa.String, nullable=False),
        sa.Column("interval", sa.String, nullable=False),
        sa.UniqueConstraint("base", "quote", "interval"),
    )
    op.create_table(
        "bars",
        sa.Column("series_id", sa.Integer, sa.ForeignKey("bar_series.id"), primary_key=True),
        sa.Column("start", BIG, primary_key=True),
        *(sa.Column(name, sa.String, nullable=False) for name in _PRICES),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("bars")
    op.drop_table("bar_series")
