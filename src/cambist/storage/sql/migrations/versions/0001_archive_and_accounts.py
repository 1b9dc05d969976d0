"""Add the archive of fixings, and accounts with their keys."""

import sqlalchemy as sa
from alembic import op

from cambist.storage.sql.schema import BIG

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "receipts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("source", sa.String, nullable=False),
        sa.Column("received_at", sa.DateTime, nullable=False),
        sa.Column("origin", sa.String, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("added", sa.Integer, nullable=False),
        sa.Column("corrected", sa.Integer, nullable=False),
    )
    op.create_index("receipts_of_source", "receipts", ["source", "origin"])
    op.create_table(
        "series",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("source", sa.String, nullable=False),
        sa.Column("base", sa.String, nullable=False),
        sa.Column("quote", sa.String, nullable=False),
        sa.UniqueConstraint("source", "base", "quote"),
    )
    op.create_table(
        "fixings",
        sa.Column("series_id", sa.Integer, sa.ForeignKey("series.id"), primary_key=True),
        sa.Column("day", sa.Date, primary_key=True),
        sa.Column("receipt_id", sa.Integer, sa.ForeignKey("receipts.id"), primary_key=True),
        sa.Column("nominal", BIG, nullable=False),
        sa.Column("value", sa.String, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String, nullable=False, unique=True),
        sa.Column("plan", sa.String, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "api_keys",
        sa.Column("digest", sa.LargeBinary(32), primary_key=True),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), nullable=False),
        sa.Column("prefix", sa.String, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
    )
    op.create_index("api_keys_of_account", "api_keys", ["account_id"])


def downgrade() -> None:
    for table in ("api_keys", "accounts", "fixings", "series", "receipts"):
        op.drop_table(table)
