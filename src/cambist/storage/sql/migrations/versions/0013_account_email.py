"""Add the e-mail address of an account, to which alarms about its quota are sent."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("accounts", sa.Column("email", sa.String, nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("accounts", "email")
