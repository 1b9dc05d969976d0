"""The console's view of the audit log."""

from __future__ import annotations

from typing import Any

from cambist.admin.operators.audit import AuditFilter, audit_entries
from cambist.admin.operators.parsing import parse_moment
from cambist.console.actions import Route
from cambist.console.call import ConsoleCall

_MOST = 1000
_FIELDS = ("number", "at", "who", "action", "on", "detail", "result")


def _list(call: ConsoleCall) -> dict[str, Any]:
    limit = call.number("limit", 100, _MOST)
    wanted = AuditFilter(
        who=call.text("who"),
        action=call.text("action"),
        on=call.text("on"),
        since=parse_moment("since", call.text("since") or None),
        before=call.number("before", 1) if call.text("before") else None,
        limit=limit + 1,
    )
    found = audit_entries(call.settings, wanted)
    shown = found[:limit]
    return {
        "entries": [{name: getattr(each, name) for name in _FIELDS} for each in shown],
        "next_before": shown[-1].number if len(found) > limit else None,
    }


AUDIT_ROUTES = (
    Route(
        "GET",
        "/audit",
        _list,
        summary="Read the audit log, newest entries first",
        query=(
            "who",
            "action",
            "on",
            "since",
            "before",
        ),
    ),
)
"""The path of the audit log."""
