"""The tables of fixings, bars, and what is derived from fixings."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    UniqueConstraint,
)

from cambist.storage.sql.schema.base import BIG, metadata

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source", String, nullable=False),
    Column("received_at", DateTime, nullable=False),
    Column("origin", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("added", Integer, nullable=False),
    Column("corrected", Integer, nullable=False),
    Index("deliveries_of_source", "source", "origin"),
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
    Column("delivery_id", Integer, ForeignKey("deliveries.id"), primary_key=True),
    Column("nominal", BIG, nullable=False),
    Column("value", String, nullable=False),
    Column("published_at", DateTime),
    Column("checksum", BIG, nullable=False, server_default="0"),
    sqlite_with_rowid=False,
)
"""Published values as exact decimal text, with a checksum (see `checksum`), and with the source's time of publication.
Rows are only added: a correction has a later delivery."""

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

verdicts = Table(
    "verdicts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("rules", String, nullable=False),
    Column("code", String, nullable=False),
    Column("day", Integer, nullable=False),
    Column("outcome", String, nullable=False),
    Column("delivery", Integer, nullable=False),
    Index("verdicts_by_code", "rules", "code", "day"),
    sqlite_autoincrement=True,
)
"""The log of verdicts (see `history.verdict_log`), by the version of the rules; days are counted from 1970-01-01. Rows
are only added. `delivery` is the last delivery that was known."""

judged = Table(
    "judged",
    metadata,
    Column("rules", String, primary_key=True),
    Column("delivery", Integer, nullable=False),
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
    Column("source", String, nullable=False, server_default=""),
    Index("decisions_by_code", "code"),
    sqlite_autoincrement=True,
)
"""What the operator decided about the level of a code (exact decimal text, units per US dollar) from a day on, and
until one, or that another decision is taken back. With a `source` all its fixings are rejected, whatever their level.
Rows are only added."""

editions = Table(
    "editions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("delivery", Integer, nullable=False),
    Column("rules", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("last_rows", String, nullable=False),
    Column("recorded_at", DateTime, nullable=False),
    Column("last_verdict", Integer),
    Column("last_decision", Integer),
    Index("editions_by_name", "name"),
    Index("editions_by_delivery", "delivery"),
    sqlite_autoincrement=True,
)
"""The editions of the history, each before its first answer; an edition that comes again has a second row. `delivery`
is the highest that it shows, `digest` the SHA-256 of its rate matrix. Rows are only added. `last_rows` has the newest
day of each source, counted from 1970-01-01. `last_verdict` is the last change of a verdict that it shows,
`last_decision` the last decision that its verdicts follow."""

rule_texts = Table(
    "rule_texts",
    metadata,
    Column("digest", String, primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("recorded_at", DateTime, nullable=False),
)
"""The rules of editions by their version, and reference tables by their SHA-256. Rows are only added."""
