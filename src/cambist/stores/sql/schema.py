"""The tables. `migrations/` builds them step by step; a test holds the two together."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Date,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)

metadata = MetaData()

receipts = Table(
    "receipts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source", String, nullable=False),
    Column("received_at", DateTime, nullable=False),
    Column("origin", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("added", Integer, nullable=False),
    Column("corrected", Integer, nullable=False),
    Index("receipts_of_source", "source", "origin"),
)
"""Deliveries. Times are UTC without an offset, for SQLite keeps none."""

series = Table(
    "series",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source", String, nullable=False),
    Column("base", String, nullable=False),
    Column("quote", String, nullable=False),
    UniqueConstraint("source", "base", "quote"),
)
"""A pair as a source publishes it."""

fixings = Table(
    "fixings",
    metadata,
    Column("series_id", Integer, ForeignKey("series.id"), primary_key=True),
    Column("day", Date, primary_key=True),
    Column("receipt_id", Integer, ForeignKey("receipts.id"), primary_key=True),
    Column("nominal", Integer, nullable=False),
    Column("value", String, nullable=False),
    sqlite_with_rowid=False,
)
"""Published values as exact decimal text. Rows are only ever added: a correction has a later receipt."""

accounts = Table(
    "accounts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("plan", String, nullable=False),
    Column("created_at", DateTime, nullable=False),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("digest", LargeBinary(32), primary_key=True),
    Column("account_id", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("prefix", String, nullable=False),
    Column("created_at", DateTime, nullable=False),
    Index("api_keys_of_account", "account_id"),
)
"""Keys by the SHA-256 of what was shown once."""
