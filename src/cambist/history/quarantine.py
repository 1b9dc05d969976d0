"""The quarantine: fixings that failed validation and wait for the operator's decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple, Protocol, Self

from cambist.history.fixing import FilingResult, Fixing
from cambist.pricing.pair import Pair


class QuarantineState(StrEnum):
    """The state of a fixing in quarantine. A released one was valid in a later delivery."""

    WAITING = "waiting"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    RELEASED = "released"


@dataclass(frozen=True, slots=True)
class QuarantinedFixing:
    """A fixing in quarantine."""

    number: int
    fixing: Fixing
    reason: str
    received_at: datetime
    origin: str
    state: QuarantineState
    decided_at: datetime | None


@dataclass(frozen=True, slots=True)
class AcceptedFixing:
    """A fixing that was accepted, and how it changed the archive."""

    quarantined: QuarantinedFixing
    filed: FilingResult


@dataclass(frozen=True, slots=True)
class QuarantineDecision:
    """What was decided about the refused fixing `quarantined`, and when."""

    number: int
    quarantined: int
    state: QuarantineState
    decided_at: datetime


class FixingKey(NamedTuple):
    """What identifies a refused fixing of a source."""

    pair: Pair
    unit: str
    day: date
    nominal: int
    value: Decimal

    @classmethod
    def of(cls, fixing: Fixing) -> Self:
        """Return what identifies a fixing."""
        return cls(fixing.pair, fixing.unit, fixing.day, fixing.nominal, fixing.value)


class Quarantine(Protocol):
    """A store of refused fixings. They are added by `FixingArchive.file`, with their delivery.

    `FixingArchive.accept` accepts one, because it is stored in the same moment.
    """

    def quarantined(self, state: QuarantineState | None = QuarantineState.WAITING) -> Sequence[QuarantinedFixing]:
        """Return the fixings in that state, or in any state, oldest first."""

    def decisions(self, source: str) -> Mapping[FixingKey, QuarantineState]:
        """Return the state of each refused fixing of a source."""

    def count_waiting(self, source: str) -> int:
        """Return the number of waiting fixings of a source."""

    def decide(self, number: int, state: QuarantineState, at: datetime) -> QuarantinedFixing | None:
        """Set the state of a waiting fixing and return it; None if no fixing with that number is waiting."""

    def decided(self, after: int = 0) -> Sequence[QuarantineDecision]:
        """Return all decisions after a number, oldest first. None is ever changed or removed."""
