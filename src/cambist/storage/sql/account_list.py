"""Searching, ordering and paging accounts in SQL, so that a page of a long list costs what it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Date,
    Float,
    Select,
    Subquery,
    case,
    cast,
    collate,
    func,
    literal,
    or_,
    select,
    true,
)

from cambist.accounts.account_search import NEAR_PERCENT, AccountOrder, AccountSearch, AccountState
from cambist.accounts.quota import period_of
from cambist.storage.sql.backends import backend_of
from cambist.storage.sql.schema import accounts, api_keys, bought_calls, usage
from cambist.storage.sql.selects import to_stored

_QUOTA_STATES = (AccountState.NEAR, AccountState.OVER)
_NEVER = to_stored(datetime(1970, 1, 1, tzinfo=UTC))
_BY_USAGE = (AccountOrder.QUOTA, AccountOrder.CALLS)


def find_accounts(
    connection: Connection, search: AccountSearch, quotas: Mapping[str, int | None], today: date
) -> tuple[Sequence[int], int]:
    """Return the numbers of the accounts of a page, in its order, and how many accounts the search finds."""
    found: Any = select(accounts.c.id).where(accounts.c.deleted_at.is_(None), *_conditions(search))
    order: ColumnElement[Any] = collate(accounts.c.name, backend_of(connection).order_of_bytes)
    name = order
    if search.order in _BY_USAGE or search.state in _QUOTA_STATES:
        found, share, calls = _with_usage(found, quotas, today)
        if search.state in _QUOTA_STATES:
            found = found.where(*_of_quota(search.state, share))
        if search.order in _BY_USAGE:
            order = func.coalesce(share, -1.0) if search.order is AccountOrder.QUOTA else calls
    if search.order is AccountOrder.SEEN:
        seen = _last_seen()
        found = found.outerjoin(seen, seen.c.account_id == accounts.c.id)
        order = func.coalesce(seen.c.seen, _NEVER)
    total = connection.execute(select(func.count()).select_from(found.subquery())).scalar_one()
    descending = (search.order is not AccountOrder.NAME) is not search.reverse
    page = found.order_by(order.desc() if descending else order, name).offset(search.offset)
    return connection.execute(page.limit(search.limit)).scalars().all(), total


def calls_and_last_use(
    connection: Connection, numbers: Sequence[int], today: date
) -> tuple[dict[int, int], dict[int, datetime]]:
    """Return the calls of accounts in their current periods, and when their keys were last used."""
    calls = _calls_of_period(today, accounts.c.id.in_(numbers))
    seen = _last_seen(api_keys.c.account_id.in_(numbers))
    used = dict(tuple(row) for row in connection.execute(select(calls.c.account_id, calls.c.calls)))
    rows = connection.execute(select(seen.c.account_id, seen.c.seen)).all()
    return used, {number: at.replace(tzinfo=UTC) for number, at in rows if at is not None}


def _conditions(search: AccountSearch) -> list[ColumnElement[bool]]:
    found = [_has(word.lower()) for word in search.text.split()]
    if search.state is AccountState.ACTIVE:
        found.append(~accounts.c.suspended)
    elif search.state is AccountState.SUSPENDED:
        found.append(accounts.c.suspended)
    if search.plan:
        found.append(accounts.c.plan == search.plan)
    return found


def _has(word: str) -> ColumnElement[bool]:
    """Return the condition that a word is part of what describes an account."""
    columns = (accounts.c.name, accounts.c.plan, accounts.c.email, accounts.c.note)
    is_part = [func.lower(column).contains(word, autoescape=True) for column in columns]
    # A whole key may be pasted: its beginning is what is stored.
    is_prefix = func.lower(api_keys.c.prefix).startswith(word, autoescape=True)
    is_beginning = literal(word).startswith(func.lower(api_keys.c.prefix))
    of_key = select(api_keys.c.account_id).where(or_(is_prefix, is_beginning))
    states = {AccountState.ACTIVE: ~accounts.c.suspended, AccountState.SUSPENDED: accounts.c.suspended}
    of_state = [condition for state, condition in states.items() if state == word]
    return or_(*is_part, accounts.c.id.in_(of_key), *of_state)


def _with_usage(
    found: Select[Any], quotas: Mapping[str, int | None], today: date
) -> tuple[Select[Any], ColumnElement[Any], ColumnElement[Any]]:
    """Return the query with usage, the used share of the quota (NULL without one), and the calls of the period."""
    used, bought = _calls_of_period(today, true()), _bought_for_period(today)
    found = found.outerjoin(used, used.c.account_id == accounts.c.id)
    found = found.outerjoin(bought, bought.c.account_id == accounts.c.id)
    calls = func.coalesce(used.c.calls, 0)
    limits = {plan: literal(quota, BigInteger) for plan, quota in quotas.items() if quota is not None}
    if not limits:
        return found, cast(literal(None), Float), calls
    quota = case(limits, value=accounts.c.plan) + func.coalesce(bought.c.calls, 0)
    return found, cast(calls, Float) / func.nullif(quota, 0), calls


def _of_quota(state: AccountState, share: ColumnElement[Any]) -> tuple[ColumnElement[bool], ...]:
    if state is AccountState.OVER:
        return (share >= 1,)
    return share >= NEAR_PERCENT / 100, share < 1


def _period_start(today: date) -> ColumnElement[date]:
    """Return the first day of an account's current period."""
    starts = {day: literal(period_of(day, today).start, Date) for day in range(1, 32)}
    return case(starts, value=accounts.c.anchor_day)


def _calls_of_period(today: date, which: ColumnElement[bool]) -> Subquery:
    earliest = min(period_of(day, today).start for day in range(1, 32))
    return (
        select(usage.c.account_id, cast(func.sum(usage.c.calls), BigInteger).label("calls"))
        .join(accounts, accounts.c.id == usage.c.account_id)
        .where(which, usage.c.day >= earliest, usage.c.day >= _period_start(today), usage.c.day <= today)
        .group_by(usage.c.account_id)
        .subquery("used")
    )


def _bought_for_period(today: date) -> Subquery:
    return (
        select(bought_calls.c.account_id, cast(func.sum(bought_calls.c.calls), BigInteger).label("calls"))
        .join(accounts, accounts.c.id == bought_calls.c.account_id)
        .where(bought_calls.c.period_start == _period_start(today))
        .group_by(bought_calls.c.account_id)
        .subquery("bought")
    )


def _last_seen(which: ColumnElement[bool] | None = None) -> Subquery:
    seen = select(api_keys.c.account_id, func.max(api_keys.c.last_used_at).label("seen"))
    return (seen if which is None else seen.where(which)).group_by(api_keys.c.account_id).subquery("seen")
