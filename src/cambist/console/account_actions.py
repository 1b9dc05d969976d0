"""The console's accounts and keys."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from msgspec import Struct

from cambist.accounts.account import Account, DatetimeFormat
from cambist.accounts.account_search import AccountOrder, AccountSearch, AccountState
from cambist.admin.accounts.account_admin import AccountAdmin
from cambist.admin.accounts.keys import CreatedKey
from cambist.admin.accounts.records import account_record, created_key_record, key_record, listed_record
from cambist.admin.operators.parsing import parse_choice, parse_datetime_format, parse_day, parse_duration, parse_moment
from cambist.console.actions import Route
from cambist.console.call import ConsoleCall
from cambist.errors import BadParameter


class _NewAccount(Struct, forbid_unknown_fields=True):
    name: str
    plan: str
    anchor_day: int | None = None
    datetime_format: str = "iso"
    email: str = ""


class _Plan(Struct, forbid_unknown_fields=True):
    plan: str


class _Email(Struct, forbid_unknown_fields=True):
    email: str


class _Note(Struct, forbid_unknown_fields=True):
    note: str


class _Purchase(Struct, forbid_unknown_fields=True):
    calls: int
    day: str | None = None


class _NewKey(Struct, forbid_unknown_fields=True):
    name: str = ""
    expires_at: str | None = None


class _End(Struct, forbid_unknown_fields=True):
    at: str


class _Overlap(Struct, forbid_unknown_fields=True):
    overlap: str = "PT24H"


def account_admin(call: ConsoleCall) -> AccountAdmin:
    """Open the accounts, for changes by who calls."""
    return AccountAdmin(call.settings, call.installation.clock, call.who)


def _list(call: ConsoleCall) -> dict[str, Any]:
    size, page = call.page_size(), call.number("page", 1)
    search = AccountSearch(
        call.text("search"),
        parse_choice("state", call.text("state") or None, AccountState),
        parse_choice("order", call.text("order") or None, AccountOrder) or AccountOrder.NAME,
        reverse=call.text("reverse") == "true",
        offset=(page - 1) * size,
        limit=size,
    )
    with account_admin(call) as admin:
        found = admin.find(search)
        shown, counts = call.page(found.total)
        if shown.start != search.offset:
            found = admin.find(replace(search, offset=shown.start))
        accounts = [listed_record(admin, each) for each in found.rows]
        return {"accounts": accounts, **counts, "plans": list(admin.plans)}


def _show(call: ConsoleCall) -> dict[str, Any]:
    with account_admin(call) as admin:
        account = _account(admin, call)
        keys = [key_record(admin, key) for key in admin.keys.keys_of(account)]
        return {"account": _record(admin, account), "keys": keys}


def _create(call: ConsoleCall) -> dict[str, Any]:
    wanted = call.body(_NewAccount)
    times = parse_datetime_format(wanted.datetime_format) or DatetimeFormat.ISO
    with account_admin(call) as admin:
        account, created = admin.create(wanted.name, wanted.plan, wanted.anchor_day, times, wanted.email)
        return {"account": _record(admin, account), "created": _created(account, created)}


def _suspend(call: ConsoleCall) -> dict[str, Any]:
    return _change(call, suspended=True)


def _resume(call: ConsoleCall) -> dict[str, Any]:
    return _change(call, suspended=False)


def _change(call: ConsoleCall, *, suspended: bool) -> dict[str, Any]:
    with account_admin(call) as admin:
        return {"account": _record(admin, admin.suspend(_account(admin, call), suspended=suspended))}


def _change_plan(call: ConsoleCall) -> dict[str, Any]:
    plan = call.body(_Plan).plan
    with account_admin(call) as admin:
        return {"account": _record(admin, admin.change_plan(_account(admin, call), plan))}


def _change_email(call: ConsoleCall) -> dict[str, Any]:
    email = call.body(_Email).email
    with account_admin(call) as admin:
        return {"account": _record(admin, admin.change(_account(admin, call), email=email))}


def _change_note(call: ConsoleCall) -> dict[str, Any]:
    note = call.body(_Note).note
    with account_admin(call) as admin:
        return {"account": _record(admin, admin.change(_account(admin, call), note=note))}


def _buy(call: ConsoleCall) -> dict[str, Any]:
    purchase = call.body(_Purchase)
    day = parse_day("day", purchase.day)
    with account_admin(call) as admin:
        account, _ = admin.add_calls(_account(admin, call), purchase.calls, day)
        return {"account": _record(admin, account)}


def _create_key(call: ConsoleCall) -> dict[str, Any]:
    wanted = call.body(_NewKey)
    expires_at = parse_moment("expires_at", wanted.expires_at or None)
    with account_admin(call) as admin:
        account = _account(admin, call)
        return {"created": _created(account, admin.keys.create(account, wanted.name, expires_at))}


def _revoke(call: ConsoleCall) -> dict[str, Any]:
    with account_admin(call) as admin:
        return {"key": key_record(admin, admin.keys.revoke(_account(admin, call), call.parts["prefix"]))}


def _expire(call: ConsoleCall) -> dict[str, Any]:
    at = parse_moment("at", call.body(_End).at)
    if at is None:
        raise BadParameter("Missing parameter: [at]")
    with account_admin(call) as admin:
        return {"key": key_record(admin, admin.keys.expire(_account(admin, call), call.parts["prefix"], at))}


def _rotate(call: ConsoleCall) -> dict[str, Any]:
    overlap = parse_duration("overlap", call.body(_Overlap).overlap)
    with account_admin(call) as admin:
        account = _account(admin, call)
        created, old = admin.keys.rotate(account, call.parts["prefix"], overlap)
        return {"created": _created(account, created), "old": key_record(admin, old)}


def _account(admin: AccountAdmin, call: ConsoleCall) -> Account:
    return admin.account(call.parts["name"])


def _record(admin: AccountAdmin, account: Account) -> dict[str, Any]:
    return {**account_record(admin, account), "used": admin.calls_used(account)}


def _created(account: Account, created: CreatedKey) -> dict[str, Any]:
    return {**created_key_record(account.name, created), "key": created.text}


ACCOUNT_ROUTES = (
    Route(
        "GET",
        "/accounts",
        _list,
        summary="List accounts, page by page",
        query=(
            "search",
            "state",
            "order",
            "reverse",
            "page",
            "per_page",
        ),
    ),
    Route("POST", "/accounts", _create, 201, summary="Create an account with a first key", body=_NewAccount),
    Route("GET", "/accounts/{name}", _show, summary="Show an account and its keys"),
    Route("POST", "/accounts/{name}/suspend", _suspend, summary="Suspend an account: its keys are refused"),
    Route("POST", "/accounts/{name}/resume", _resume, summary="Resume a suspended account"),
    Route("POST", "/accounts/{name}/plan", _change_plan, summary="Put an account on another plan", body=_Plan),
    Route("POST", "/accounts/{name}/email", _change_email, summary="Change the address of an account", body=_Email),
    Route("POST", "/accounts/{name}/note", _change_note, summary="Change the note on an account", body=_Note),
    Route("POST", "/accounts/{name}/buy", _buy, summary="Add calls to the quota of one period", body=_Purchase),
    Route("POST", "/accounts/{name}/keys", _create_key, 201, summary="Create a key", body=_NewKey),
    Route("POST", "/accounts/{name}/keys/{prefix}/revoke", _revoke, summary="Revoke a key at once"),
    Route("POST", "/accounts/{name}/keys/{prefix}/expire", _expire, summary="Let a key end at a moment", body=_End),
    Route(
        "POST",
        "/accounts/{name}/keys/{prefix}/rotate",
        _rotate,
        201,
        summary="Replace a key, with an overlap",
        body=_Overlap,
    ),
)
"""The paths of accounts and keys."""
