"""The console's sources."""

from __future__ import annotations

from typing import Any

from cambist.admin.sources.activity import day_columns, source_days
from cambist.admin.sources.source_list import SourceRequests
from cambist.console.actions import Route
from cambist.console.call import ConsoleCall
from cambist.status.source_activity import SLOT
from cambist.status.source_report import SourceReport

_SHOWN = (
    *("key", "name", "home", "terms", "pace", "covers", "rate_type", "why", "enabled", "last_success", "last_failure"),
    *("failures", "newest", "codes", "pairs", "first", "last", "held", "held_since", "ticks", "refused", "left_out"),
)


def _list(call: ConsoleCall) -> dict[str, Any]:
    requests = _requests(call)
    reports = requests.reports()
    can_ask = reports is not None and call.settings.fetch and not call.settings.sandbox
    return {
        "written_at": reports.written_at if reports else None,
        "can_ask": can_ask,
        "sources": [_record(call, requests, each, can_ask=can_ask) for each in (reports.reports if reports else ())],
    }


def _record(call: ConsoleCall, requests: SourceRequests, report: SourceReport, *, can_ask: bool) -> dict[str, Any]:
    lag = report.lag(call.now())
    return {
        **{name: getattr(report, name) for name in _SHOWN},
        "condition": report.condition(call.now()),
        "lag_seconds": None if lag is None else lag.total_seconds(),
        "asked_at": requests.asked_at(report.key),
        "can_ask": can_ask and report.enabled,
    }


def _ask(call: ConsoleCall) -> dict[str, Any]:
    key = call.parts["key"]
    return {"key": key, "asked_at": _requests(call).ask(key)}


def _activity(call: ConsoleCall) -> dict[str, Any]:
    days = source_days(call.settings, call.now())
    return {
        "slot_seconds": SLOT.total_seconds(),
        "starts": [slot.start for slot in days[0].slots] if days else [],
        "sources": {day.key: day_columns(day.slots) for day in days},
    }


def _requests(call: ConsoleCall) -> SourceRequests:
    return SourceRequests(call.settings, call.installation.clock, call.who)


SOURCE_ROUTES = (
    Route("GET", "/sources", _list, summary="List the sources and their condition"),
    Route("GET", "/sources/activity", _activity, summary="Show what was asked of the sources"),
    Route("POST", "/sources/{key}/ask", _ask, 202, summary="Ask a source now"),
)
"""The paths of sources."""
