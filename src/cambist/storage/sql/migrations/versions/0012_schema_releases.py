"""Add which release has brought the database to which schema."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "schema_releases",
        sa.Column("schema", sa.String, primary_key=True),
        sa.Column("release", sa.String, nullable=False),
        sa.Column("migrated_at", sa.DateTime, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("schema_releases")
