"""The log of verdicts: on which days another than the preferred source was published, as it was found at each moment.

Rows are only added, for each version of the rules apart. What they leave out follows from the fixings and the ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Protocol

from msgspec import Struct


class VerdictChange(Struct, frozen=True):
    """A day whose outcome has changed: the source that is published now, HELD, WITHDRAWN, or PREFERRED."""

    code: str
    day: int
    outcome: str


class LoggedChange(Struct, frozen=True):
    """A change with its number in the log, and the last delivery that was known."""

    number: int
    delivery: int
    change: VerdictChange


class Judged(Struct, frozen=True):
    """Up to which delivery and decision all fixings are judged by some rules, and the number of the last change."""

    delivery: int
    last: int
    decision: int = 0


class Decision(Struct, frozen=True):
    """What the operator decided about a level of a code: its fixings near it are accepted, or rejected.

    It holds from `first_day` until `last_day` (counted from 1970-01-01; None for no end). `level` is in units per US
    dollar, exact. With a `source` it leaves that source out: all its fixings are rejected, and the level is 0.
    `takes_back` is the number of the decision that this one ends; then the rest repeats that one.
    """

    number: int
    code: str
    first_day: int
    last_day: int | None
    level: Decimal
    accepts: bool
    reason: str
    made_at: datetime
    takes_back: int | None = None
    source: str = ""


def holding(decisions: Iterable[Decision]) -> list[Decision]:
    """Return the decisions that hold, in their order: those that no other has taken back."""
    known = list(decisions)
    ended = {each.takes_back for each in known}
    return [each for each in known if each.takes_back is None and each.number not in ended]


def holding_by_code(decisions: Iterable[Decision]) -> dict[str, list[Decision]]:
    """Return the decisions that hold by their codes."""
    found: dict[str, list[Decision]] = {}
    for each in holding(decisions):
        found.setdefault(each.code, []).append(each)
    return found


class VerdictBounds(Struct, frozen=True):
    """Which changes to read: up to the number `last` and the delivery `delivery`, of some codes between two days.

    None reads all.
    """

    last: int | None = None
    delivery: int | None = None
    codes: frozenset[str] | None = None
    days: tuple[int, int] | None = None


EVERYTHING = VerdictBounds()


class VerdictLog(Protocol):
    """A store of verdicts. No row is ever changed or removed."""

    def judged(self, rules: str) -> Judged | None:
        """Return how far the fixings are judged by a version of the rules; None if they never were."""

    def append(self, rules: str, changes: Sequence[VerdictChange], now: Judged) -> Judged | None:
        """Add changes, and note what is judged by these rules `now`, where `last` is still the change before them.

        None, and nothing is added, if that is not the last change, or if more is judged already: another process was
        faster.
        """

    def outcomes(self, rules: str, bounds: VerdictBounds = EVERYTHING) -> dict[str, dict[int, str]]:
        """Return the outcomes by code and day that differ from what is preferred."""

    def changes(
        self, rules: str, after: int, limit: int, bounds: VerdictBounds = EVERYTHING, *, newest_first: bool = False
    ) -> list[LoggedChange]:
        """Return the changes after a number that are within the bounds, oldest first, or the newest ones first."""

    def decisions(self) -> list[Decision]:
        """Return all decisions of the operator, oldest first."""

    def decide(self, decision: Decision) -> Decision:
        """Add a decision and return it with its number. Errors: StoreBroken."""
