"""Decisions on disputed levels and left-out sources: what is wanted, what was decided, and both as JSON has them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from msgspec import structs

from cambist.accounts.names import echo
from cambist.history.choices import Choice
from cambist.history.code_judgement import day_of
from cambist.history.dispute import Dispute, ServedRate
from cambist.history.verdict_log import Decision


@dataclass(frozen=True, slots=True)
class WantedDecision:
    """What an operator wants to decide about: a code, and a level or a source that says it, from a day until another.

    Without a first day it begins with the dispute, and without a last day it has no end.
    """

    code: str
    level: str
    accepts: bool
    first: date | None = None
    last: date | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class WantedException:
    """A source that is to be left out for a code until a day, from another one on; by default from today on."""

    code: str
    source: str
    last: date
    first: date | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DecisionPreview:
    """A decision that is not taken yet: what is served now, and what would be served with it."""

    decision: Decision
    now: ServedRate | None
    choice: Choice


@dataclass(frozen=True, slots=True)
class DecidedLevel:
    """A decision, whether it holds, and by which number it was taken back."""

    decision: Decision
    holds: bool
    taken_back_by: int | None


def decision_detail(decision: Decision) -> str:
    """Return a decision as the audit log describes it."""
    until = "" if decision.last_day is None else f" until {day_of(decision.last_day)}"
    reason = f": {echo(decision.reason)}" if decision.reason else ""
    level = f"without {decision.source}" if decision.source else f"{decision.level:f}"
    return f"{decision.code} {level} from {day_of(decision.first_day)}{until}{reason}"


def is_held_by(dispute: Dispute, source: str) -> bool:
    """Return whether the newest fixing of a source is held in a dispute."""
    return any(each.source == source and each.status == "held" for each in dispute.fixings)


def preview_record(preview: DecisionPreview) -> dict[str, Any]:
    """Return a decision that is not taken yet as JSON has it: what is served now, and what would be."""
    decision, choice = preview.decision, preview.choice
    return {
        "code": decision.code,
        "decision": _verb(decision),
        "level": None if decision.source else f"{decision.level:f}",
        "source": decision.source or None,
        "from": day_of(decision.first_day),
        "until": None if decision.last_day is None else day_of(decision.last_day),
        "now": None if preview.now is None else structs.asdict(preview.now),
        "serves": None if choice.serves is None else structs.asdict(choice.serves),
        "status": choice.status,
        "days": choice.days,
    }


def _verb(decision: Decision) -> str:
    if decision.source:
        return "leave out"
    return "accept" if decision.accepts else "reject"


def decision_record(each: DecidedLevel) -> dict[str, Any]:
    """Return a decision as JSON has it; the level is a string with the digits that it was decided with."""
    decision = each.decision
    return {
        "number": decision.number,
        "code": decision.code,
        "decision": _verb(decision),
        "level": None if decision.source else f"{decision.level:f}",
        "source": decision.source or None,
        "from": day_of(decision.first_day),
        "until": None if decision.last_day is None else day_of(decision.last_day),
        "reason": decision.reason,
        "made_at": decision.made_at,
        "holds": each.holds,
        "taken_back_by": each.taken_back_by,
    }
