"""Who may come in, by key: all that a request needs to know of its account, put together once per change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from cambist.accounts.account import Account, Holder
from cambist.accounts.api_key import Digest
from cambist.accounts.plan import Plan
from cambist.server.shelf import Shelf, Shelves


@dataclass(frozen=True, slots=True)
class Subscriber:
    """One key: whose it is, on which plan, until when (seconds since 1970), and the shelf that it is served from.

    `is_limited` says whether quota or rate must be looked at, `is_open` that neither key nor account was shut.
    """

    key: int
    account: Account
    plan: Plan
    ends: float
    revoked: bool
    shelf: Shelf
    tags: frozenset[str]
    is_limited: bool = True
    is_open: bool = True


Subscribers = Mapping[Digest, Subscriber]


def subscribers(holders: Mapping[Digest, Holder], plans: Mapping[str, Plan], shelves: Shelves) -> Subscribers:
    """Put keys, accounts, plans and shelves together.

    An account on a plan that the file no longer has is left out of nothing: it gets the plan with no endpoint.
    """
    return {digest: _subscriber(holder, plans, shelves) for digest, holder in holders.items()}


def _subscriber(holder: Holder, plans: Mapping[str, Plan], shelves: Shelves) -> Subscriber:
    plan = plans.get(holder.account.plan) or _nothing(holder.account.plan)
    return Subscriber(
        key=holder.key,
        account=holder.account,
        plan=plan,
        ends=holder.expires_at.timestamp() if holder.expires_at else inf,
        revoked=holder.revoked,
        shelf=shelves.get(plan.book_refresh, holder.account.datetime_format),
        tags=frozenset(plan.tags),
        is_open=not (holder.revoked or holder.account.suspended),
        is_limited=plan.calls_a_month is not None or plan.rate is not None,
    )


def _nothing(name: str) -> Plan:
    return Plan(
        name=name,
        calls_a_month=0,
        rate=None,
        burst=None,
        book_refresh=0,
        tags=(),
        history_days=None,
        stream_connections=0,
        stream_pairs=0,
        stream_messages=0,
    )
