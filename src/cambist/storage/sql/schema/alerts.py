"""The tables of alerts."""

from __future__ import annotations

from sqlalchemy import Column, DateTime, ForeignKey, Index, Integer, String, Table

from cambist.storage.sql.schema.base import metadata

alerts = Table(
    "alerts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account_id", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("definition", String, nullable=False),
    Column("secret", String, nullable=False),
    Column("state", String, nullable=False),
    Column("fired", Integer, nullable=False, server_default="0"),
    Column("created_at", DateTime, nullable=False),
    Column("ended_at", DateTime),
    Column("removed_at", DateTime),
    Index("alerts_of_account", "account_id"),
    sqlite_autoincrement=True,
)
"""Alerts. Definition and state are JSON; `fired` is compared when an alert fires, so that one node records it."""

alert_events = Table(
    "alert_events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("alert_id", Integer, ForeignKey("alerts.id"), nullable=False),
    Column("account_id", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("at", DateTime, nullable=False),
    Column("way", String, nullable=False),
    Column("address", String, nullable=False),
    Column("body", String, nullable=False),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("due", DateTime),
    Column("delivered_at", DateTime),
    Column("failure", String, nullable=False, server_default=""),
    Index("alert_events_of_account", "account_id"),
    Index("alert_events_due", "due"),
    sqlite_autoincrement=True,
)
"""What has fired. `attempts` is compared when an event is sent, so that one process sends it."""
