"""Damage: what the archive holds no longer as it was filed."""

from __future__ import annotations

from dataclasses import dataclass, field

from cambist.pricing.pair import Pair


@dataclass(frozen=True, slots=True)
class DamagedRow:
    """A fixing's row that is not what was filed; `day` and `receipt` are what it says now."""

    source: str
    pair: Pair
    day: str
    receipt: str

    def __str__(self) -> str:
        return f"{self.source} {self.pair} {self.day} (receipt {self.receipt})"


@dataclass(slots=True)
class DamageReport:
    """What was found damaged while a source's rows were read: those left out, and how many are not there at all."""

    rows: list[DamagedRow] = field(default_factory=list)
    missing: int = 0

    def __len__(self) -> int:
        return len(self.rows) + self.missing
