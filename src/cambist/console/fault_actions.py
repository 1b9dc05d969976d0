"""The console's faults of a sandbox."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from cambist.admin.installation.sandbox import ALL, FaultsAdmin
from cambist.admin.operators.parsing import parse_day
from cambist.console.actions import Route
from cambist.console.call import ConsoleCall
from cambist.errors import NotHere
from cambist.sandbox.faults import Faults


class _Codes(Struct, forbid_unknown_fields=True):
    codes: Literal["all"] | list[str]


class _Days(Struct, forbid_unknown_fields=True):
    days: list[str]


class _Delay(Struct, forbid_unknown_fields=True):
    seconds: float


class _Outlier(Struct, forbid_unknown_fields=True):
    code: str
    factor: float


def _show(call: ConsoleCall) -> dict[str, Any]:
    return _record(_admin(call).read())


def _freeze(call: ConsoleCall) -> dict[str, Any]:
    codes = call.body(_Codes).codes
    return _record(_admin(call).freeze([ALL] if codes == ALL else codes))


def _remove_days(call: ConsoleCall) -> dict[str, Any]:
    days = [parse_day("day", text) for text in call.body(_Days).days]
    return _record(_admin(call).remove_days(day for day in days if day is not None))


def _delay(call: ConsoleCall) -> dict[str, Any]:
    return _record(_admin(call).delay(call.body(_Delay).seconds))


def _distort(call: ConsoleCall) -> dict[str, Any]:
    outlier = call.body(_Outlier)
    return _record(_admin(call).distort(outlier.code, outlier.factor))


def _clear(call: ConsoleCall) -> dict[str, Any]:
    return _record(_admin(call).clear())


def _admin(call: ConsoleCall) -> FaultsAdmin:
    if not call.settings.sandbox:
        raise NotHere("Only a sandbox simulates faults")
    return FaultsAdmin(call.settings, call.installation.clock, call.who)


def _record(faults: Faults) -> dict[str, Any]:
    return {
        "stale": faults.stale,
        "since": faults.since,
        "missing": sorted(faults.missing),
        "slow": faults.slow,
        "outlier": faults.outlier,
        "codes": sorted(FaultsAdmin.codes()),
    }


FAULT_ROUTES = (
    Route("GET", "/faults", _show),
    Route("POST", "/faults/stale", _freeze),
    Route("POST", "/faults/missing", _remove_days),
    Route("POST", "/faults/slow", _delay),
    Route("POST", "/faults/outlier", _distort),
    Route("POST", "/faults/clear", _clear),
)
"""The paths of a sandbox's faults."""
