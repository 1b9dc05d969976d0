"""Create the schema. A database of the schema before is moved to it by `former_schema`."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from cambist.storage.sql.schema import BIG

revision = "0016"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("source", sa.String, nullable=False),
        sa.Column("received_at", sa.DateTime, nullable=False),
        sa.Column("origin", sa.String, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("added", sa.Integer, nullable=False),
        sa.Column("corrected", sa.Integer, nullable=False),
    )
    op.create_index("deliveries_of_source", "deliveries", ["source", "origin"])
    op.create_table(
        "series",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("source", sa.String, nullable=False),
        sa.Column("base", sa.String, nullable=False),
        sa.Column("quote", sa.String, nullable=False),
        sa.Column("unit", sa.String, nullable=False, server_default=""),
        sa.UniqueConstraint("source", "base", "quote"),
    )
    op.create_table(
        "fixings",
        sa.Column("series_id", sa.Integer, sa.ForeignKey("series.id"), primary_key=True),
        sa.Column("day", sa.Date, primary_key=True),
        sa.Column("delivery_id", sa.Integer, sa.ForeignKey("deliveries.id"), primary_key=True),
        sa.Column("nominal", BIG, nullable=False),
        sa.Column("value", sa.String, nullable=False),
        sa.Column("published_at", sa.DateTime),
        sa.Column("checksum", BIG, nullable=False, server_default="0"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "bar_series",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("base", sa.String, nullable=False),
        sa.Column("quote", sa.String, nullable=False),
        sa.Column("interval", sa.String, nullable=False),
        sa.UniqueConstraint("base", "quote", "interval"),
    )
    op.create_table(
        "bars",
        sa.Column("series_id", sa.Integer, sa.ForeignKey("bar_series.id"), primary_key=True),
        sa.Column("start", BIG, primary_key=True),
        *(sa.Column(f"{side}_{price}", sa.String, nullable=False) for side in ("bid", "ask") for price in "ohlc"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "quarantine",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("source", sa.String, nullable=False),
        sa.Column("base", sa.String, nullable=False),
        sa.Column("quote", sa.String, nullable=False),
        sa.Column("unit", sa.String, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("nominal", BIG, nullable=False),
        sa.Column("value", sa.String, nullable=False),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("received_at", sa.DateTime, nullable=False),
        sa.Column("origin", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False, server_default="waiting"),
        sa.Column("decided_at", sa.DateTime),
        sa.UniqueConstraint("source", "base", "quote", "unit", "day", "nominal", "value"),
    )
    op.create_table(
        "quarantine_decisions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("quarantine_id", sa.Integer, sa.ForeignKey("quarantine.id"), nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("decided_at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("decisions_of_quarantine", "quarantine_decisions", ["quarantine_id"])
    op.create_table(
        "verdicts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("rules", sa.String, nullable=False),
        sa.Column("code", sa.String, nullable=False),
        sa.Column("day", sa.Integer, nullable=False),
        sa.Column("outcome", sa.String, nullable=False),
        sa.Column("delivery", sa.Integer, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("verdicts_by_code", "verdicts", ["rules", "code", "day"])
    op.create_table(
        "judged",
        sa.Column("rules", sa.String, primary_key=True),
        sa.Column("delivery", sa.Integer, nullable=False),
        sa.Column("last", sa.Integer, nullable=False),
        sa.Column("decision", sa.Integer, nullable=False, server_default="0"),
    )
    op.create_table(
        "decisions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("code", sa.String, nullable=False),
        sa.Column("first_day", sa.Integer, nullable=False),
        sa.Column("last_day", sa.Integer),
        sa.Column("level", sa.String, nullable=False),
        sa.Column("accepts", sa.Boolean, nullable=False),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("takes_back", sa.Integer),
        sa.Column("made_at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("decisions_by_code", "decisions", ["code"])
    op.create_table(
        "editions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("delivery", sa.Integer, nullable=False),
        sa.Column("rules", sa.String, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("last_rows", sa.String, nullable=False),
        sa.Column("recorded_at", sa.DateTime, nullable=False),
        sa.Column("last_verdict", sa.Integer),
        sa.Column("last_decision", sa.Integer),
        sqlite_autoincrement=True,
    )
    op.create_index("editions_by_delivery", "editions", ["delivery"])
    op.create_index("editions_by_name", "editions", ["name"])
    op.create_table(
        "rule_texts",
        sa.Column("digest", sa.String, primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("recorded_at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("plan", sa.String, nullable=False),
        sa.Column("datetime_format", sa.String, nullable=False, server_default="iso"),
        sa.Column("anchor_day", sa.Integer, nullable=False, server_default="1"),
        sa.Column("suspended", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("deleted_at", sa.DateTime),
        sa.Column("email", sa.String, nullable=False, server_default=""),
    )
    kept: Any = {f"{op.get_bind().dialect.name}_where": sa.text("deleted_at IS NULL")}
    op.create_index("accounts_by_name", "accounts", ["name"], unique=True, **kept)
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("digest", sa.LargeBinary(32), nullable=False, unique=True),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), nullable=False),
        sa.Column("name", sa.String, nullable=False, server_default=""),
        sa.Column("prefix", sa.String, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("expires_at", sa.DateTime),
        sa.Column("revoked_at", sa.DateTime),
        sa.Column("last_used_at", sa.DateTime),
    )
    op.create_index("api_keys_of_account", "api_keys", ["account_id"])
    op.create_table(
        "account_changes",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "bought_calls",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), nullable=False),
        sa.Column("period_start", sa.Date, nullable=False),
        sa.Column("calls", BIG, nullable=False),
        sa.Column("bought_at", sa.DateTime, nullable=False),
    )
    op.create_index("bought_calls_of_account", "bought_calls", ["account_id"])
    op.create_table(
        "usage",
        sa.Column("day", sa.Date, primary_key=True),
        sa.Column("page", BIG, primary_key=True),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), primary_key=True),
        sa.Column("endpoint", sa.String, primary_key=True),
        sa.Column("calls", BIG, nullable=False),
        sa.Column("node", sa.String, nullable=False, server_default=""),
        sa.Column("checksum", BIG, nullable=False, server_default="0"),
        sqlite_with_rowid=False,
    )
    op.create_index("usage_of_account", "usage", ["account_id", "day"])
    op.create_table(
        "quota_leases",
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), primary_key=True),
        sa.Column("period_start", sa.Date, primary_key=True),
        sa.Column("node", sa.String, primary_key=True),
        sa.Column("granted", BIG, nullable=False),
    )
    op.create_table(
        "plan_versions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("content", sa.String, nullable=False),
        sa.Column("node", sa.String, nullable=False),
        sa.Column("activated_at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "leadership",
        sa.Column("epoch", BIG, primary_key=True, autoincrement=False),
        sa.Column("node", sa.String, nullable=False),
        sa.Column("holder", sa.String, nullable=False),
        sa.Column("taken_at", sa.DateTime, nullable=False),
        sa.Column("expires_at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "nodes",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("instance", sa.String, nullable=False),
        sa.Column("roles", sa.String, nullable=False),
        sa.Column("version", sa.String, nullable=False),
        sa.Column("started_at", sa.DateTime, nullable=False),
        sa.Column("seen_at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "signing_keys",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("kid", sa.String, nullable=False, unique=True),
        sa.Column("public_key", sa.String, nullable=False),
        sa.Column("node", sa.String, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "log_checkpoints",
        sa.Column("size", BIG, primary_key=True, autoincrement=False),
        sa.Column("note", sa.String, nullable=False),
        sa.Column("signed_at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "schema_releases",
        sa.Column("schema", sa.String, primary_key=True),
        sa.Column("release", sa.String, nullable=False),
        sa.Column("migrated_at", sa.DateTime, nullable=False),
    )


def downgrade() -> None:
    raise NotImplementedError("what was received cannot be unlearned: restore a backup")
