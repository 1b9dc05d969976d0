"""Add the notes of accounts."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.add_column("accounts", sa.Column("note", sa.String, nullable=False, server_default=""))
