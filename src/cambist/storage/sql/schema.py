"""The tables. `migrations/` creates them step by step; a test compares the two."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
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
    false,
)

metadata = MetaData()

BIG = BigInteger().with_variant(Integer, "sqlite")
"""64 bits: SQLite's integers always have them, and its schema stays as it was."""

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
"""Deliveries. Times are UTC without an offset, because SQLite stores none."""

series = Table(
    "series",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source", String, nullable=False),
    Column("base", String, nullable=False),
    Column("quote", String, nullable=False),
    Column("unit", String, nullable=False, server_default=""),
    UniqueConstraint("source", "base", "quote"),
)
"""A pair as a source publishes it. `unit` is the unit of a metal's price if it is not the one that it trades in."""

fixings = Table(
    "fixings",
    metadata,
    Column("series_id", Integer, ForeignKey("series.id"), primary_key=True),
    Column("day", Date, primary_key=True),
    Column("receipt_id", Integer, ForeignKey("receipts.id"), primary_key=True),
    Column("nominal", BIG, nullable=False),
    Column("value", String, nullable=False),
    Column("published_at", DateTime),
    Column("checksum", BIG, nullable=False, server_default="0"),
    sqlite_with_rowid=False,
)
"""Published values as exact decimal text, with a checksum (see `checksum`), and with the source's time of publication.
Rows are only added: a correction has a later receipt."""

bar_series = Table(
    "bar_series",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("base", String, nullable=False),
    Column("quote", String, nullable=False),
    Column("interval", String, nullable=False),
    UniqueConstraint("base", "quote", "interval"),
)
"""A pair's bars of one length, as ISO 8601 writes it."""

bars = Table(
    "bars",
    metadata,
    Column("series_id", Integer, ForeignKey("bar_series.id"), primary_key=True),
    Column("start", BIG, primary_key=True),
    *(Column(f"{side}_{price}", String, nullable=False) for side in ("bid", "ask") for price in "ohlc"),
    sqlite_with_rowid=False,
)
"""Completed bars. The start is in seconds since 1970, prices are exact decimal text."""

quarantine = Table(
    "quarantine",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source", String, nullable=False),
    Column("base", String, nullable=False),
    Column("quote", String, nullable=False),
    Column("unit", String, nullable=False),
    Column("day", Date, nullable=False),
    Column("nominal", BIG, nullable=False),
    Column("value", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("received_at", DateTime, nullable=False),
    Column("origin", String, nullable=False),
    Column("state", String, nullable=False, server_default="waiting"),
    Column("decided_at", DateTime),
    UniqueConstraint("source", "base", "quote", "unit", "day", "nominal", "value"),
)
"""Refused fixings. `state` is waiting, accepted, rejected, or released (it was accepted in a later delivery)."""

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
)
"""The rows of deleted accounts stay, because usage refers to them; only the other names are unique."""
accounts_by_name = Index("accounts_by_name", accounts.c.name, unique=True, sqlite_where=accounts.c.deleted_at.is_(None))
"""Each dialect adds its own condition, because SQLAlchemy imports a dialect to check an argument of it."""

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

leadership = Table(
    "leadership",
    metadata,
    Column("epoch", BIG, primary_key=True, autoincrement=False),
    Column("node", String, nullable=False),
    Column("holder", String, nullable=False),
    Column("taken_at", DateTime, nullable=False),
    Column("expires_at", DateTime, nullable=False),
)
"""At most one row: which node leads the ingest, and until when unless it renews its lease, by the database's clock.

Each new leader has a higher epoch. It is the key, so that who files can hold on to it while the lease is renewed.
"""

nodes = Table(
    "nodes",
    metadata,
    Column("name", String, primary_key=True),
    Column("instance", String, nullable=False),
    Column("roles", String, nullable=False),
    Column("version", String, nullable=False),
    Column("started_at", DateTime, nullable=False),
    Column("seen_at", DateTime, nullable=False),
)
"""The nodes of a service on several machines. `instance` is new at each start; times are by the database's clock."""

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

editions = Table(
    "editions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("receipt", Integer, nullable=False),
    Column("rules", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("last_rows", String, nullable=False),
    Column("recorded_at", DateTime, nullable=False),
    Column("last_verdict", Integer),
    Index("editions_by_name", "name"),
    Index("editions_by_receipt", "receipt"),
    sqlite_autoincrement=True,
)
"""The editions of the history, each before its first answer; an edition that comes again has a second row. `receipt` is
the highest that it shows, `digest` the SHA-256 of its rate matrix. Rows are only added. `last_rows` has the newest day
of each source, counted from 1970-01-01. `last_verdict` is the last change of a verdict that it shows."""

verdicts = Table(
    "verdicts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("rules", String, nullable=False),
    Column("code", String, nullable=False),
    Column("day", Integer, nullable=False),
    Column("outcome", String, nullable=False),
    Column("receipt", Integer, nullable=False),
    Index("verdicts_by_code", "rules", "code", "day"),
    sqlite_autoincrement=True,
)
"""The log of verdicts (see `history.verdict_log`), by the version of the rules; days are counted from 1970-01-01. Rows
are only added. `receipt` is the last delivery that was known."""

judged = Table(
    "judged",
    metadata,
    Column("rules", String, primary_key=True),
    Column("receipt", Integer, nullable=False),
    Column("last", Integer, nullable=False),
    Column("decision", Integer, nullable=False, server_default="0"),
)
"""Up to which delivery and decision a version of the rules has judged, and its last row of `verdicts`."""

decisions = Table(
    "decisions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("code", String, nullable=False),
    Column("first_day", Integer, nullable=False),
    Column("last_day", Integer),
    Column("level", String, nullable=False),
    Column("accepts", Boolean, nullable=False),
    Column("reason", String, nullable=False),
    Column("takes_back", Integer),
    Column("made_at", DateTime, nullable=False),
    Index("decisions_by_code", "code"),
    sqlite_autoincrement=True,
)
"""What the operator decided about the level of a code (exact decimal text, units per US dollar) from a day on, and
until one, or that another decision is taken back. Rows are only added."""

rule_texts = Table(
    "rule_texts",
    metadata,
    Column("digest", String, primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("recorded_at", DateTime, nullable=False),
)
"""The rules of editions by their version, and reference tables by their SHA-256. Rows are only added."""

quarantine_decisions = Table(
    "quarantine_decisions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("quarantine_id", Integer, ForeignKey("quarantine.id"), nullable=False),
    Column("state", String, nullable=False),
    Column("decided_at", DateTime, nullable=False),
    Index("decisions_of_quarantine", "quarantine_id"),
    sqlite_autoincrement=True,
)
"""What was decided about refused fixings, in the order of the decisions. Rows are only added; the last one is also the
state in `quarantine`."""

signing_keys = Table(
    "signing_keys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kid", String, nullable=False, unique=True),
    Column("public_key", String, nullable=False),
    Column("node", String, nullable=False),
    Column("created_at", DateTime, nullable=False),
    sqlite_autoincrement=True,
)
"""The public keys with which nodes sign receipts and the log, by RFC 7638 thumbprint. Rows are only added: the newest
key of a node is its current one, and the former ones verify what they have signed."""

log_checkpoints = Table(
    "log_checkpoints",
    metadata,
    Column("size", BIG, primary_key=True, autoincrement=False),
    Column("note", String, nullable=False),
    Column("signed_at", DateTime, nullable=False),
)
"""The signed checkpoints of the log, by the number of its entries, which are the first rows of `editions`. Rows are
only added: what was signed once must remain true."""

schema_releases = Table(
    "schema_releases",
    metadata,
    Column("schema", String, primary_key=True),
    Column("release", String, nullable=False),
    Column("migrated_at", DateTime, nullable=False),
)
"""Which release has brought this database to which schema, so that an older one can name it. It is not copied."""
