"""The console's usage: calls by day, account and endpoint, for bar charts."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import Any

from cambist.admin.accounts.account_admin import DailyCalls
from cambist.console.account_actions import account_admin
from cambist.console.actions import Route
from cambist.console.call import ConsoleCall
from cambist.errors import BadParameter

_DEFAULT = timedelta(days=29)
_LONGEST = timedelta(days=3660)
_MOST_ROWS, _MOST_ACCOUNTS = 2000, 100


def _show(call: ConsoleCall) -> dict[str, Any]:
    since, until = _days(call)
    with account_admin(call) as admin:
        name = call.text("account")
        rows = [row for row in admin.usage(admin.account(name) if name else None, since) if row.day <= until]
    by_account = _totals("account", Counter[str](), rows)
    newest = sorted(rows, key=lambda row: (-row.day.toordinal(), row.account, row.endpoint))
    return {
        "since": since,
        "until": until,
        "total": sum(row.calls for row in rows),
        "by_day": _by_day(rows, since, until),
        "by_account": by_account[:_MOST_ACCOUNTS],
        "accounts_left_out": max(0, len(by_account) - _MOST_ACCOUNTS),
        "by_endpoint": _totals("endpoint", Counter[str](), rows),
        "rows": [_row(row) for row in newest[:_MOST_ROWS]],
        "rows_left_out": max(0, len(newest) - _MOST_ROWS),
    }


def _days(call: ConsoleCall) -> tuple[date, date]:
    until = call.day("until") or call.now().date()
    since = call.day("since") or until - _DEFAULT
    if since > until:
        raise BadParameter(f"Invalid days: [{since}] lies after [{until}]")
    return max(since, until - _LONGEST), until


def _by_day(rows: list[DailyCalls], since: date, until: date) -> list[dict[str, Any]]:
    calls = Counter[date]()
    for row in rows:
        calls[row.day] += row.calls
    days = (since + timedelta(days=number) for number in range((until - since).days + 1))
    return [{"day": day, "calls": calls[day]} for day in days]


def _totals(name: str, calls: Counter[str], rows: list[DailyCalls]) -> list[dict[str, Any]]:
    for row in rows:
        calls[getattr(row, name)] += row.calls
    return [{name: each, "calls": count} for each, count in calls.most_common()]


def _row(row: DailyCalls) -> dict[str, Any]:
    return {"day": row.day, "account": row.account, "endpoint": row.endpoint, "calls": row.calls}


USAGE_ROUTES = (
    Route(
        "GET",
        "/usage",
        _show,
        summary="Show calls by day, account and endpoint",
        query=(
            "account",
            "since",
            "until",
        ),
    ),
)
"""The path of usage."""
