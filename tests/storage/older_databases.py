"""Databases of the schema before the first migration that is kept, with rows in all of their tables."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any
from zlib import crc32

from sqlalchemy import Connection, Engine, MetaData, Table, insert, select

from cambist.storage.sql.checksum import row_content, series_seed
from cambist.storage.sql.schema import schema_releases

NOON, DAY = datetime(2026, 3, 6, 12, 0, 0, 123456), date(2026, 3, 6)  # noqa: DTZ001  stored in UTC without an offset
NEW_NAMES = {"receipts": "deliveries", "receipt_id": "delivery_id", "receipt": "delivery"}
_CHECKSUM = crc32(
    row_content("2026-03-06", 1, 100, "110.20", "2026-03-06 12:00:00.123456"), series_seed("ecb", "EUR", "USD", "")
)
_DECIDED = {"state": "accepted", "decided_at": NOON}

ROWS: dict[str, dict[str, Any]] = {
    "deliveries": {
        "id": 1, "source": "ecb", "received_at": NOON, "origin": "a test", "digest": "d", "added": 1, "corrected": 0,
    },
    "series": {"id": 1, "source": "ecb", "base": "EUR", "quote": "USD", "unit": ""},
    "fixings": {
        "series_id": 1, "day": DAY, "delivery_id": 1, "nominal": 100, "value": "110.20", "published_at": NOON,
        "checksum": _CHECKSUM,
    },
    "accounts": {
        "id": 2, "name": "ann", "plan": "one", "datetime_format": "iso", "anchor_day": 7, "suspended": False,
        "created_at": NOON, "deleted_at": None, "email": "ann@rates.example",
    },
    "api_keys": {
        "id": 3, "digest": b"k" * 32, "account_id": 2, "name": "first", "prefix": "ck_abc", "created_at": NOON,
        "expires_at": None, "revoked_at": None, "last_used_at": NOON,
    },
    "bought_calls": {"id": 1, "account_id": 2, "period_start": DAY, "calls": 5_000_000_000, "bought_at": NOON},
    "usage": {
        "day": DAY, "page": 1 << 60, "account_id": 2, "endpoint": "/fetch-one", "calls": 5_000_000_000, "node": "a",
    },
    "quarantine": {
        "id": 4, "source": "ecb", "base": "EUR", "quote": "JPY", "unit": "", "day": DAY, "nominal": 1, "value": "9",
        "reason": "tröö far | off", "received_at": NOON, "origin": "a test", **_DECIDED,
    },
    "bar_series": {"id": 1, "base": "EUR", "quote": "USD", "interval": "PT1M"},
    "bars": {
        "series_id": 1, "start": 1772798400,
        **{f"{side}_{price}": "1.10" for side in ("bid", "ask") for price in "ohlc"},
    },
    "account_changes": {"id": 1, "account_id": 2},
    "leadership": {"epoch": 1 << 40, "node": "a", "holder": "h", "taken_at": NOON, "expires_at": NOON},
    "nodes": {
        "name": "a", "instance": "i", "roles": "api", "version": "0.1.0", "started_at": NOON, "seen_at": NOON,
    },
    "quota_leases": {"account_id": 2, "period_start": DAY, "node": "a", "granted": 5_000_000_000},
    "plan_versions": {"id": 1, "content": "[one]\n", "node": "a", "activated_at": NOON},
    "editions": {
        "id": 1, "name": "1-0123456789ab-0123456789abcdef", "delivery": 1, "rules": "0123456789ab",
        "digest": "0123456789abcdef", "last_rows": "20518", "recorded_at": NOON, "last_verdict": 1,
        "last_decision": 1,
    },
    "verdicts": {"id": 1, "rules": "0123456789ab", "code": "EUR", "day": 20518, "outcome": "", "delivery": 1},
    "judged": {"rules": "0123456789ab", "delivery": 1, "last": 1, "decision": 1},
    "decisions": {
        "id": 1, "code": "EUR", "first_day": 20518, "last_day": None, "level": "0.9", "accepts": True, "reason": "",
        "takes_back": None, "made_at": NOON,
    },
    "rule_texts": {"digest": "0123456789ab", "content": b"{}", "recorded_at": NOON},
    "quarantine_decisions": {"id": 1, "quarantine_id": 4, **_DECIDED},
    "signing_keys": {"id": 1, "kid": "k", "public_key": "{}", "node": "a", "created_at": NOON},
    "log_checkpoints": {"size": 1, "note": "cambist/log\n1\n", "signed_at": NOON},
}  # fmt: skip
"""One row of each table, by the new names."""


def create_former(engine: Engine) -> None:
    """Create the tables of the former schema in an empty database, as the releases that had it did."""
    statements = (Path(__file__).parent / "former" / f"{engine.dialect.name}.sql").read_text(encoding="utf-8")
    with engine.begin() as connection:
        for statement in filter(str.strip, statements.split(";")):
            connection.exec_driver_sql(statement)


def fill(engine: Engine) -> None:
    """Insert a row into each table."""
    with engine.begin() as connection:
        for table in reflected(connection).sorted_tables:
            if rows := ROWS.get(NEW_NAMES.get(table.name, table.name)):
                connection.execute(insert(table), {name: rows[new] for name, new in _names(table) if new in rows})


def _names(table: Table) -> list[tuple[str, str]]:
    return [(column.name, NEW_NAMES.get(column.name, column.name)) for column in table.c]


def reflected(connection: Connection) -> MetaData:
    found = MetaData()
    found.reflect(connection)
    return found


def rows_of(engine: Engine) -> dict[str, list[dict[str, Any]]]:
    """Return all rows of all tables by the new names, but for the one that each migration adds to."""
    left_out = {schema_releases.name, "alembic_version"}
    with engine.connect() as connection:
        tables = [table for table in reflected(connection).sorted_tables if table.name not in left_out]
        return {
            NEW_NAMES.get(table.name, table.name): [
                {NEW_NAMES.get(name, name): value for name, value in row._mapping.items()}
                for row in connection.execute(select(table).order_by(*table.primary_key))
            ]
            for table in tables
        }
