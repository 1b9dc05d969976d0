"""Add the editions of the history, their rules, and the decisions about refused fixings as rows that only grow."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "editions",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("receipt", sa.Integer, nullable=False),
        sa.Column("rules", sa.String, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("last_rows", sa.String, nullable=False),
        sa.Column("recorded_at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("editions_by_name", "editions", ["name"])
    op.create_index("editions_by_receipt", "editions", ["receipt"])
    op.create_table(
        "rule_texts",
        sa.Column("digest", sa.String, primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("recorded_at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "quarantine_decisions",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("quarantine_id", sa.Integer, sa.ForeignKey("quarantine.id"), nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("decided_at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("decisions_of_quarantine", "quarantine_decisions", ["quarantine_id"])
    op.execute(
        "INSERT INTO quarantine_decisions (quarantine_id, state, decided_at) "
        "SELECT id, state, COALESCE(decided_at, received_at) FROM quarantine WHERE state <> 'waiting' "
        "ORDER BY decided_at, id"
    )


def downgrade() -> None:
    for table in ("quarantine_decisions", "rule_texts", "editions"):
        op.drop_table(table)
