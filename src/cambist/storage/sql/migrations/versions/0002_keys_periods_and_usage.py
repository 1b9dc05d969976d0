"""Add expiry and revocation of keys, suspension and deletion of accounts, extra calls, and usage."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from cambist.storage.sql.schema import BIG

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    _replace_accounts()
    _replace_api_keys()
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
        sqlite_with_rowid=False,
    )


def _replace_accounts() -> None:
    op.rename_table("accounts", "old_accounts")
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
    )
    kept: Any = {f"{op.get_bind().dialect.name}_where": sa.text("deleted_at IS NULL")}
    op.create_index("accounts_by_name", "accounts", ["name"], unique=True, **kept)
    op.execute("INSERT INTO accounts (id, name, plan, created_at) SELECT id, name, plan, created_at FROM old_accounts")


def _replace_api_keys() -> None:
    op.drop_index("api_keys_of_account")
    op.rename_table("api_keys", "old_api_keys")
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
    columns = "digest, account_id, prefix, created_at"
    op.execute(f"INSERT INTO api_keys ({columns}) SELECT {columns} FROM old_api_keys")  # noqa: S608  no input in it
    op.drop_table("old_api_keys")
    op.drop_table("old_accounts")


def downgrade() -> None:
    raise NotImplementedError("usage cannot be unlearned: restore a backup")
