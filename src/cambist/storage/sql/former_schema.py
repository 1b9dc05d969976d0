"""The schema before the one that migrations begin with: databases that have it are moved, older ones are refused."""

from __future__ import annotations

from sqlalchemy import Connection

FORMER_SCHEMA = "0015"

_UPGRADES_OLDER = "8fa8fce4d1"
"""A commit from before releases had numbers, which upgrades databases of all schemas to the former one."""

_CHANGED = (
    "ALTER TABLE receipts RENAME TO deliveries",
    "ALTER TABLE fixings RENAME COLUMN receipt_id TO delivery_id",
    "ALTER TABLE verdicts RENAME COLUMN receipt TO delivery",
    "ALTER TABLE judged RENAME COLUMN receipt TO delivery",
    "ALTER TABLE editions RENAME COLUMN receipt TO delivery",
    "ALTER TABLE editions ADD COLUMN last_decision INTEGER",
    "DROP INDEX receipts_of_source",
    "CREATE INDEX deliveries_of_source ON deliveries (source, origin)",
    "DROP INDEX editions_by_receipt",
    "CREATE INDEX editions_by_delivery ON editions (delivery)",
    "UPDATE alembic_version SET version_num = '0016'",
)
_RENAMED_ON_POSTGRESQL = (
    "ALTER SEQUENCE receipts_id_seq RENAME TO deliveries_id_seq",
    "ALTER INDEX receipts_pkey RENAME TO deliveries_pkey",
    "ALTER TABLE fixings RENAME CONSTRAINT fixings_receipt_id_fkey TO fixings_delivery_id_fkey",
)


def refusal(schema: str) -> str:
    """Return why a database of a schema is too old for this release, and what to do; empty if it is not."""
    if not schema or schema >= FORMER_SCHEMA:
        return ""
    return (
        f"The database has schema {schema}, and this release upgrades databases from schema {FORMER_SCHEMA} on: run "
        f"[cambist upgrade] of the commit {_UPGRADES_OLDER} first, then this one"
    )


def move_from_former(connection: Connection) -> None:
    """Give a database of the former schema the names and columns of the first one."""
    on_server = () if connection.dialect.name == "sqlite" else _RENAMED_ON_POSTGRESQL
    for statement in (*_CHANGED, *on_server):
        connection.exec_driver_sql(statement)
