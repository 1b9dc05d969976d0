"""Add accounts to the database of a service that does not run."""

import secrets
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import func, insert, select

from cambist.accounts.account import UNLIMITED
from cambist.accounts.api_key import digest, mint, shown_prefix
from cambist.accounts.plan import TAGS
from cambist.settings import Settings
from cambist.storage.sql.engine import open_engine
from cambist.storage.sql.schema import accounts, api_keys

LIMITED = "limited"
"""A plan with a quota and a rate that no benchmark reaches, so that both are checked and nothing is refused."""


def add_limited_plan(folder: Path) -> None:
    """Add the plan to the plans file of a data folder."""
    tags = ", ".join(f'"{tag}"' for tag in TAGS if tag != "stream")
    limits = "calls_a_month = 100_000_000_000\nrate = 1_000_000\nburst = 1_000_000"
    with (folder / "plans.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n[{LIMITED}]\n{limits}\ntags = [{tags}]\n")


def add_accounts(folder: Path, count: int, plan: str = UNLIMITED) -> list[str]:
    """Add accounts, each with one key; return the keys."""
    engine, now = open_engine(Settings(data=folder).database_url), datetime.now(UTC).replace(tzinfo=None)
    keys = [mint(secrets.choice) for _ in range(count)]
    with engine.begin() as connection:
        first = (connection.execute(select(func.max(accounts.c.id))).scalar() or 0) + 1
        rows = [
            {"id": first + number, "name": f"bench-{first + number}", "plan": plan, "created_at": now}
            for number in range(count)
        ]
        connection.execute(insert(accounts), rows)
        connection.execute(
            insert(api_keys),
            [
                {"digest": digest(key), "account_id": row["id"], "prefix": shown_prefix(key), "created_at": now}
                for row, key in zip(rows, keys, strict=True)
            ],
        )
    engine.dispose()
    return keys
