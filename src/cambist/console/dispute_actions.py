"""The console's disputes."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from cambist.admin.history.decisions import (
    WantedDecision,
    WantedException,
    decision_record,
    is_held_by,
    preview_record,
)
from cambist.admin.history.disputes import DisputeAdmin
from cambist.admin.operators.parsing import parse_day
from cambist.console.actions import Route
from cambist.console.call import ConsoleCall
from cambist.errors import BadParameter, NotHere


class _Decision(Struct, forbid_unknown_fields=True, rename={"first": "from", "last": "until"}):
    level: str
    first: str | None = None
    last: str | None = None
    reason: str = ""


class _OneOfSeveral(_Decision, rename={"first": "from", "last": "until"}, kw_only=True):
    """A decision about a level, or with a `source` one that leaves it out until a day."""

    code: str
    level: str = ""
    accepts: bool = False
    source: str = ""

    def wanted(self) -> WantedDecision | WantedException:
        """Return what is wanted. Errors: BadParameter."""
        first, last = parse_day("from", self.first), parse_day("until", self.last)
        if not self.source:
            return WantedDecision(self.code, self.level, self.accepts, first, last, self.reason)
        if last is None:
            raise BadParameter("Missing until: name the last day on which the source is left out")
        return WantedException(self.code, self.source, last, first, self.reason)


class _Several(Struct, forbid_unknown_fields=True):
    decisions: list[_OneOfSeveral]


class _TakeBack(Struct, forbid_unknown_fields=True):
    number: int
    reason: str = ""


def _list(call: ConsoleCall) -> dict[str, Any]:
    with _admin(call) as admin:
        found = admin.disputes()
        decisions = admin.decisions()
    shown, counts = call.page(len(decisions))
    source = call.text("source")
    disputes = [each for each in found.disputes if not source or is_held_by(each, source)]
    return {
        "disputes": msgspec.to_builtins(disputes),
        "total": found.total,
        "complete": found.complete,
        "decisions": [decision_record(each) for each in decisions[shown]],
        "decisions_page": counts,
    }


def _show(call: ConsoleCall) -> dict[str, Any]:
    with _admin(call) as admin:
        found: dict[str, Any] = msgspec.to_builtins(admin.examine(call.parts["code"]))
        return found


def _accept(call: ConsoleCall) -> dict[str, Any]:
    return _decide(call, accepts=True)


def _reject(call: ConsoleCall) -> dict[str, Any]:
    return _decide(call, accepts=False)


def _decide(call: ConsoleCall, *, accepts: bool) -> dict[str, Any]:
    body = call.body(_Decision)
    first, last = parse_day("from", body.first), parse_day("until", body.last)
    with _admin(call) as admin:
        wanted = WantedDecision(call.parts["code"], body.level, accepts, first, last, body.reason)
        return {"decision": decision_record(admin.decide(wanted))}


def _preview(call: ConsoleCall) -> dict[str, Any]:
    wanted = [each.wanted() for each in call.body(_Several).decisions]
    with _admin(call) as admin:
        return {"previews": [preview_record(each) for each in admin.preview_all(wanted)]}


def _decide_all(call: ConsoleCall) -> dict[str, Any]:
    wanted = [each.wanted() for each in call.body(_Several).decisions]
    with _admin(call) as admin:
        return {"decisions": [decision_record(each) for each in admin.decide_all(wanted)]}


def _take_back(call: ConsoleCall) -> dict[str, Any]:
    body = call.body(_TakeBack)
    if not 0 < body.number < 10**12:
        raise BadParameter("A decision is named by its number")
    with _admin(call) as admin:
        return {"decision": decision_record(admin.take_back(body.number, body.reason))}


def _admin(call: ConsoleCall) -> DisputeAdmin:
    if call.settings.sandbox:
        raise NotHere("A sandbox has no disputes: its prices are simulated")
    return DisputeAdmin(call.settings, call.installation.clock, call.who)


DISPUTE_ROUTES = (
    Route(
        "GET",
        "/disputes",
        _list,
        summary="List held fixings and disputes, and the decisions about them",
        query=(
            "source",
            "page",
            "per_page",
        ),
    ),
    Route("POST", "/disputes/preview", _preview, summary="Show what decisions would change", body=_Several),
    Route("POST", "/disputes/decide", _decide_all, summary="Make several decisions, all or none", body=_Several),
    Route("POST", "/disputes/take-back", _take_back, summary="Take a decision back", body=_TakeBack),
    Route("GET", "/disputes/{code}", _show, summary="Show what sources say about a code"),
    Route("POST", "/disputes/{code}/accept", _accept, summary="Accept a held level", body=_Decision),
    Route("POST", "/disputes/{code}/reject", _reject, summary="Reject a level", body=_Decision),
)
"""The paths of disputes."""
