"""Add the signed checkpoints of the log of editions."""

import sqlalchemy as sa
from alembic import op

from cambist.storage.sql.schema import BIG

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "log_checkpoints",
        sa.Column("size", BIG, primary_key=True, autoincrement=False),
        sa.Column("note", sa.String, nullable=False),
        sa.Column("signed_at", sa.DateTime, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("log_checkpoints")
