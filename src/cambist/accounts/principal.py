"""Who brings a key: all that must be known of its account to let it in, put together once per change. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Self

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """One key: whose it is, on which plan, until when (seconds since 1970).

    `is_limited` says whether quota or rate must be looked at, `is_open` that neither key nor account was shut.
    """

    key: int
    account: Account
    plan: Plan
    ends: float
    revoked: bool
    tags: frozenset[str]
    is_limited: bool = True
    is_open: bool = True

    @classmethod
    def of(cls, stored_key: StoredKey, plans: Mapping[str, Plan], **more: Any) -> Self:
        """Put a key, its account and its plan together; on a plan that is no longer there it opens nothing."""
        plan = plans.get(stored_key.account.plan) or _nothing(stored_key.account.plan)
        return cls(
            key=stored_key.key,
            account=stored_key.account,
            plan=plan,
            ends=stored_key.expires_at.timestamp() if stored_key.expires_at else inf,
            revoked=stored_key.revoked,
            tags=frozenset(plan.tags),
            is_limited=plan.calls_a_month is not None or plan.rate is not None,
            is_open=not (stored_key.revoked or stored_key.account.suspended),
            **more,
        )


Principals = Mapping[Digest, Principal]


def _nothing(name: str) -> Plan:
    return Plan(name=name, calls_a_month=0, tags=())
