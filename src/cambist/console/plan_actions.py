"""The console's plans."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
from msgspec import Struct

from cambist.admin.accounts.account_admin import AccountAdmin
from cambist.admin.accounts.plans_editor import PlansEditor
from cambist.console.account_actions import account_admin
from cambist.console.actions import Route
from cambist.console.call import ConsoleCall
from cambist.console.problems import problem_of
from cambist.errors import PlansRefused


class _Text(Struct, forbid_unknown_fields=True):
    text: str


class _Edit(Struct, forbid_unknown_fields=True):
    text: str
    version: str


def _show(call: ConsoleCall) -> dict[str, Any]:
    with account_admin(call) as admin:
        return _record(call, admin)


def _check(call: ConsoleCall) -> dict[str, Any]:
    text = call.body(_Text).text
    with account_admin(call) as admin:
        try:
            plans = _editor(call, admin).check(text)
        except PlansRefused as refused:
            problem = problem_of(refused)
            return {"valid": False, "error": str(refused), **(problem.fields if problem else {})}
    return {"valid": True, "plans": list(plans)}


def _save(call: ConsoleCall) -> dict[str, Any]:
    edit = call.body(_Edit)
    with account_admin(call) as admin:
        _editor(call, admin).save(edit.text, edit.version)
        return _record(call, admin)


def _editor(call: ConsoleCall, admin: AccountAdmin) -> PlansEditor:
    return PlansEditor(admin, call.settings, call.installation.clock, call.who)


def _record(call: ConsoleCall, admin: AccountAdmin) -> dict[str, Any]:
    file, accounts = _editor(call, admin).read(), Counter(account.plan for account in admin.accounts())
    return {
        "file": str(admin.plans_file),
        "text": file.text,
        "version": file.version,
        "applied": file.applied,
        "previous": file.previous,
        "plans": [{**msgspec.structs.asdict(plan), "accounts": accounts[name]} for name, plan in admin.plans.items()],
    }


PLAN_ROUTES = (
    Route("GET", "/plans", _show, summary="Show the plans and their file"),
    Route("POST", "/plans", _save, summary="Replace the plans file and apply it", body=_Edit),
    Route("POST", "/plans/check", _check, summary="Check a plans file and change nothing", body=_Text),
)
"""The paths of plans."""
