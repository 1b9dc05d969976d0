"""Add the checksum and the time of publication of fixings."""

from typing import Any
from zlib import crc32

import sqlalchemy as sa
from alembic import op

from cambist.storage.sql.checksum import series_seed
from cambist.storage.sql.schema import BIG

revision = "0006"
down_revision = "0005"

_FILL = """
UPDATE fixings SET checksum = (
    SELECT row_checksum(
        CAST(printf('%s|%s|%s|%s|%s', day, receipt_id, nominal, value, published_at) AS BLOB),
        source, base, quote, unit
    )
    FROM series WHERE series.id = fixings.series_id
)
"""


def upgrade() -> None:
    op.add_column("fixings", sa.Column("published_at", sa.DateTime))
    op.add_column("fixings", sa.Column("checksum", BIG, nullable=False, server_default="0"))
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":
        return  # other databases have been supported since later: there are no rows
    # The rows are assumed to be undamaged: there is no earlier checksum to compare them with.
    driver: Any = connection.connection.driver_connection
    driver.create_function("row_checksum", 5, _checksum, deterministic=True)
    connection.exec_driver_sql(_FILL)


def _checksum(content: bytes, *series: str) -> int:
    return crc32(content, series_seed(*series))


def downgrade() -> None:
    op.drop_column("fixings", "checksum")
    op.drop_column("fixings", "published_at")
