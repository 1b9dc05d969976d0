"""Accounts and keys as JSON has them, for commands and the console alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cambist.accounts.quota import quota_of

if TYPE_CHECKING:
    from cambist.accounts.account import Account, KeyRecord
    from cambist.accounts.account_search import ListedAccount
    from cambist.admin.accounts.account_admin import AccountAdmin
    from cambist.admin.accounts.keys import CreatedKey


def account_record(admin: AccountAdmin, account: Account) -> dict[str, Any]:
    """Return an account; a quota of null means no limit."""
    plan, period = admin.plans.get(account.plan), admin.period(account)
    return {
        "name": account.name,
        "number": account.number,
        "plan": account.plan,
        "plan_known": plan is not None,
        "suspended": account.suspended,
        "anchor_day": account.anchor_day,
        "datetime_format": account.datetime_format,
        "email": account.email or None,
        "note": account.note,
        "period": {"start": period.start, "end": period.end},
        "quota": quota_of(plan, account, period) if plan else 0,
        "bought": [{"period_start": start, "calls": calls} for start, calls in account.bought],
    }


def listed_record(admin: AccountAdmin, listed: ListedAccount) -> dict[str, Any]:
    """Return an account of a list, with its calls in this period and when it last called."""
    return {**account_record(admin, listed.account), "used": listed.used, "last_seen": listed.last_seen}


def key_record(admin: AccountAdmin, key: KeyRecord) -> dict[str, Any]:
    """Return a key: everything but the key itself."""
    return {
        "account": key.account,
        "prefix": key.prefix,
        "name": key.name,
        "created_at": key.created_at,
        "last_used_at": key.last_used_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "state": admin.keys.state(key),
    }


def created_key_record(account: str, created: CreatedKey) -> dict[str, Any]:
    """Return a new key, without its text."""
    new = created.new
    return {"account": account, "prefix": new.prefix, "name": new.name, "expires_at": new.expires_at}
