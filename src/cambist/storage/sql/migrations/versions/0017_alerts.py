"""Create the tables of alerts."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_table(
        "alerts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), nullable=False),
        sa.Column("definition", sa.String, nullable=False),
        sa.Column("secret", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("fired", sa.Integer, nullable=False, server_default="0"),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("ended_at", sa.DateTime),
        sa.Column("removed_at", sa.DateTime),
        sqlite_autoincrement=True,
    )
    op.create_index("alerts_of_account", "alerts", ["account_id"])
    op.create_table(
        "alert_events",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("alert_id", sa.Integer, sa.ForeignKey("alerts.id"), nullable=False),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), nullable=False),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.Column("way", sa.String, nullable=False),
        sa.Column("address", sa.String, nullable=False),
        sa.Column("body", sa.String, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("due", sa.DateTime),
        sa.Column("delivered_at", sa.DateTime),
        sa.Column("failure", sa.String, nullable=False, server_default=""),
        sqlite_autoincrement=True,
    )
    op.create_index("alert_events_of_account", "alert_events", ["account_id"])
    op.create_index("alert_events_due", "alert_events", ["due"])
