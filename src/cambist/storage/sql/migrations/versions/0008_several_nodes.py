"""Add what several nodes share: who leads the ingest, the nodes, the parts of quotas, and the plans."""

import sqlalchemy as sa
from alembic import op

from cambist.storage.sql.schema import BIG

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("usage", sa.Column("node", sa.String, nullable=False, server_default=""))
    op.create_index("usage_of_account", "usage", ["account_id", "day"])
    op.create_table(
        "leadership",
        sa.Column("epoch", BIG, primary_key=True, autoincrement=False),
        sa.Column("node", sa.String, nullable=False),
        sa.Column("holder", sa.String, nullable=False),
        sa.Column("taken_at", sa.DateTime, nullable=False),
        sa.Column("expires_at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "nodes",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("instance", sa.String, nullable=False),
        sa.Column("roles", sa.String, nullable=False),
        sa.Column("version", sa.String, nullable=False),
        sa.Column("started_at", sa.DateTime, nullable=False),
        sa.Column("seen_at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "quota_leases",
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), primary_key=True),
        sa.Column("period_start", sa.Date, primary_key=True),
        sa.Column("node", sa.String, primary_key=True),
        sa.Column("granted", BIG, nullable=False),
    )
    op.create_table(
        "plan_versions",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("content", sa.String, nullable=False),
        sa.Column("node", sa.String, nullable=False),
        sa.Column("activated_at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    for table in ("plan_versions", "quota_leases", "nodes", "leadership"):
        op.drop_table(table)
    op.drop_index("usage_of_account", "usage")
    op.drop_column("usage", "node")
