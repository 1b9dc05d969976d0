"""The tables of accounts, keys, usage and plans."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Date, DateTime, ForeignKey, Index, Integer, LargeBinary, String, Table, false

from cambist.storage.sql.schema.base import BIG, metadata

accounts = Table(
    "accounts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("plan", String, nullable=False),
    Column("datetime_format", String, nullable=False, server_default="iso"),
    Column("anchor_day", Integer, nullable=False, server_default="1"),
    Column("suspended", Boolean, nullable=False, server_default=false()),
    Column("created_at", DateTime, nullable=False),
    Column("deleted_at", DateTime),
    Column("email", String, nullable=False, server_default=""),
    Column("note", String, nullable=False, server_default=""),
)
"""The rows of deleted accounts stay, because usage refers to them; only the other names are unique."""
accounts_by_name = Index("accounts_by_name", accounts.c.name, unique=True, sqlite_where=accounts.c.deleted_at.is_(None))
"""Each backend adds its own condition, because SQLAlchemy imports a dialect to check an argument of it."""

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("digest", LargeBinary(32), nullable=False, unique=True),
    Column("account_id", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("name", String, nullable=False, server_default=""),
    Column("prefix", String, nullable=False),
    Column("created_at", DateTime, nullable=False),
    Column("expires_at", DateTime),
    Column("revoked_at", DateTime),
    Column("last_used_at", DateTime),
    Index("api_keys_of_account", "account_id"),
)
"""API keys by the SHA-256 of the key, which is shown only once."""

account_changes = Table(
    "account_changes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account_id", Integer, ForeignKey("accounts.id"), nullable=False),
    sqlite_autoincrement=True,
)
"""Which accounts have changed, or their keys or extra calls, in the order of the changes. Processes that have all keys
in memory read what is new."""

bought_calls = Table(
    "bought_calls",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account_id", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("period_start", Date, nullable=False),
    Column("calls", BIG, nullable=False),
    Column("bought_at", DateTime, nullable=False),
    Index("bought_calls_of_account", "account_id"),
)
"""Extra calls, each for one period."""

usage = Table(
    "usage",
    metadata,
    Column("day", Date, primary_key=True),
    Column("page", BIG, primary_key=True),
    Column("account_id", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("endpoint", String, primary_key=True),
    Column("calls", BIG, nullable=False),
    Column("node", String, nullable=False, server_default=""),
    Column("checksum", BIG, nullable=False, server_default="0"),
    Index("usage_of_account", "account_id", "day"),
    sqlite_with_rowid=False,
)
"""Usage. A row is a total of one counter file, whose number is `page`: storing it again changes nothing (ADR 11).
`node` is the node that counted; empty for a service on one machine. The checksum detects damage (`usage_checksum`)."""

quota_leases = Table(
    "quota_leases",
    metadata,
    Column("account_id", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("period_start", Date, primary_key=True),
    Column("node", String, primary_key=True),
    Column("granted", BIG, nullable=False),
)
"""How many calls of a period's quota each node may answer in all, used or not. Their sum never exceeds the quota."""

plan_versions = Table(
    "plan_versions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("content", String, nullable=False),
    Column("node", String, nullable=False),
    Column("activated_at", DateTime, nullable=False),
    sqlite_autoincrement=True,
)
"""The plans of a service on several machines, as each change put them into effect; the last ones are in effect."""
