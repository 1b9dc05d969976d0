"""Add the public keys of receipts and of the log."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "signing_keys",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("kid", sa.String, nullable=False, unique=True),
        sa.Column("public_key", sa.String, nullable=False),
        sa.Column("node", sa.String, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("signing_keys")
