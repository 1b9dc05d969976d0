"""Add the notes of accounts, and the sources that decisions leave out."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.add_column("accounts", sa.Column("note", sa.String, nullable=False, server_default=""))
    op.add_column("decisions", sa.Column("source", sa.String, nullable=False, server_default=""))
