"""The console's problems, their history, and the runbook."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from msgspec import Struct

from cambist.admin.operators.problems import ProblemAdmin, ended_record, problem_record
from cambist.admin.operators.runbook import RUNBOOK
from cambist.console.actions import Route
from cambist.console.call import ConsoleCall

_MOST = 200
"""Problems in one answer: thousands of accounts may have used up their quotas."""


class _Named(Struct, forbid_unknown_fields=True):
    key: str
    note: str = ""


def _list(call: ConsoleCall) -> dict[str, Any]:
    admin = _admin(call)
    ended, problems = admin.history(), admin.problems()
    shown, counts = call.page(len(ended))
    return {
        "problems": [problem_record(each) for each in problems[:_MOST]],
        "total": len(problems),
        "ended": [ended_record(each) for each in ended[shown]],
        "ended_page": counts,
    }


def _acknowledge(call: ConsoleCall) -> dict[str, Any]:
    body = call.body(_Named)
    return {"problem": problem_record(_admin(call).acknowledge(body.key, body.note))}


def _withdraw(call: ConsoleCall) -> dict[str, Any]:
    return {"problem": problem_record(_admin(call).withdraw(call.body(_Named).key))}


def _runbook(_call: ConsoleCall) -> dict[str, Any]:
    return {"entries": [asdict(entry) for entry in RUNBOOK]}


def _admin(call: ConsoleCall) -> ProblemAdmin:
    return ProblemAdmin(call.settings, call.installation.clock, call.who)


PROBLEM_ROUTES = (
    Route(
        "GET",
        "/problems",
        _list,
        summary="List open and ended problems",
        query=(
            "page",
            "per_page",
        ),
    ),
    Route("POST", "/problems/acknowledge", _acknowledge, summary="Acknowledge a problem", body=_Named),
    Route("POST", "/problems/withdraw", _withdraw, summary="Withdraw an acknowledgement", body=_Named),
    Route("GET", "/runbook", _runbook, summary="Show what to do about each kind of problem"),
)
"""The paths of problems."""
