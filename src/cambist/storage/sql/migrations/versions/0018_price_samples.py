"""Create the table of price samples."""

import sqlalchemy as sa
from alembic import op

from cambist.storage.sql.schema import BIG

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.create_table(
        "price_samples",
        sa.Column("at", BIG, primary_key=True, autoincrement=False),
        sa.Column("mids", sa.LargeBinary, nullable=False),
    )
