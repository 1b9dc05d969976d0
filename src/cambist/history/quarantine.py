"""The quarantine as its users see it: refused fixings, each waiting for somebody to decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple, Protocol, Self

from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair


class QuarantineState(StrEnum):
    """What became of a refused fixing. Released are those that passed in a later delivery."""

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
    """Where refused fixings wait. They come with their delivery: see `Archive.file`."""

    def quarantined(self, state: QuarantineState | None = QuarantineState.WAITING) -> Sequence[QuarantinedFixing]:
        """Give what is in that state, or all there ever was, oldest first."""

    def decisions(self, source: str) -> Mapping[FixingKey, QuarantineState]:
        """Give what is known of a source's refused fixings."""

    def count_waiting(self, source: str) -> int:
        """Count what waits of a source."""

    def decide(self, number: int, state: QuarantineState, at: datetime) -> QuarantinedFixing | None:
        """Decide about one that waits; None where there is none of that number, or it was decided already."""
