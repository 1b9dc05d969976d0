"""Damaged rows: fixings in the archive that are not what was stored."""

from __future__ import annotations

from dataclasses import dataclass, field

from cambist.pricing.pair import Pair


@dataclass(frozen=True, slots=True)
class DamagedRow:
    """A row whose checksum does not fit; `day` and `delivery` are the values that it has now."""

    source: str
    pair: Pair
    day: str
    delivery: str

    def __str__(self) -> str:
        return f"{self.source} {self.pair} {self.day} (delivery {self.delivery})"


@dataclass(slots=True)
class DamageReport:
    """The damage found while the rows of a source were read: the damaged rows, and how many are missing."""

    rows: list[DamagedRow] = field(default_factory=list)
    missing: int = 0

    def __len__(self) -> int:
        return len(self.rows) + self.missing
