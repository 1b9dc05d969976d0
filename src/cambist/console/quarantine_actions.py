"""The console's quarantine."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from cambist.admin.overview import DataOverview
from cambist.admin.quarantine import QuarantineAdmin
from cambist.admin.quarantine_context import Points
from cambist.admin.records import accepted_record, quarantine_record
from cambist.console.call import ConsoleCall
from cambist.console.router import Route
from cambist.errors import BadParameter, NotHere


class _Decision(Struct, forbid_unknown_fields=True):
    numbers: list[int]
    reason: str = ""


def _list(call: ConsoleCall) -> dict[str, Any]:
    with _admin(call) as admin:
        every = admin.quarantined(decided=call.text("all") == "true")
    source = call.text("source")
    found = [each for each in every if source in ("", each.fixing.source)]
    shown, counts = call.page(len(found))
    sources = sorted({each.fixing.source for each in every})
    return {"fixings": [quarantine_record(each) for each in found[shown]], **counts, "sources": sources}


def _show(call: ConsoleCall) -> dict[str, Any]:
    text = call.parts["number"]
    if not (text.isascii() and text.isdecimal() and len(text) < 12):
        raise BadParameter("A fixing in quarantine is named by its number")
    matrix = DataOverview(call.settings).rate_matrix()
    with _admin(call) as admin:
        each = admin.find(int(text))
        around = admin.neighbours(each, matrix)
    return {
        "fixing": quarantine_record(each),
        "rate": float(each.fixing.rate),
        "since": around.since,
        "until": around.until,
        "own": _points(around.own),
        "others": [{"source": source, "points": _points(points)} for source, points in around.others.items()],
        "agreed": _points(around.agreed),
    }


def _accept(call: ConsoleCall) -> dict[str, Any]:
    wanted = call.body(_Decision)
    with _admin(call) as admin:
        return {"accepted": [accepted_record(each) for each in admin.accept(wanted.numbers, wanted.reason)]}


def _reject(call: ConsoleCall) -> dict[str, Any]:
    wanted = call.body(_Decision)
    with _admin(call) as admin:
        return {"rejected": [quarantine_record(each) for each in admin.reject(wanted.numbers, wanted.reason)]}


def _admin(call: ConsoleCall) -> QuarantineAdmin:
    if call.settings.sandbox:
        raise NotHere("A sandbox has no quarantine: its prices are simulated")
    return QuarantineAdmin(call.settings, call.installation.clock, call.who)


def _points(points: Points) -> list[dict[str, Any]]:
    return [{"day": day, "rate": rate} for day, rate in points.items()]


QUARANTINE_ROUTES = (
    Route("GET", "/quarantine", _list),
    Route("GET", "/quarantine/{number}", _show),
    Route("POST", "/quarantine/accept", _accept),
    Route("POST", "/quarantine/reject", _reject),
)
"""The paths of the quarantine."""
