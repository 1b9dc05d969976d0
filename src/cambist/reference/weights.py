"""Units of mass, purities of precious metals, and contract grades of base metals.

The tables `units.csv`, `purities.csv` and `grades.csv` are read once at import.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType

from msgspec import Struct

from cambist.reference.assets import METALS, MetalKind
from cambist.reference.table_loader import Handle, Table, Text

_STAMP = re.compile(r"[1-9][0-9]{2,3}")


class Unit(Struct, frozen=True):
    """A unit of mass: its handle, its display name, its exact weight in grams, and the authority for it."""

    handle: Handle
    name: Text
    grams: Decimal
    authority: Text


class Purity(Struct, frozen=True):
    """A named fineness of a precious metal: `code` is the stamp, `fineness` the parts per thousand that it means."""

    code: str
    name: str
    fineness: Decimal


class PurityRow(Struct, frozen=True):
    """A purity with its metal, as a row of the table."""

    metal: Text
    code: Text
    name: Text
    fineness: Decimal

    def __post_init__(self) -> None:
        """Refuse a stamp that is not the first three or four digits of the fineness, cut or rounded."""
        _check_metal(self.metal, MetalKind.PRECIOUS)
        figure = self.fineness if len(self.code) == 3 else self.fineness * 10
        if not _STAMP.fullmatch(self.code) or int(self.code) not in (int(figure), round(figure)):
            raise ValueError(f"code: {self.code!r} is not how {self.fineness} is stamped")


class Grade(Struct, frozen=True):
    """The quality that a base metal's contract requires: the least percentage of the metal, and the standard."""

    metal: Text
    handle: Handle
    name: Text
    min_purity_pct: Decimal
    standard: Text

    def __post_init__(self) -> None:
        """Refuse a metal that has no grades."""
        _check_metal(self.metal, MetalKind.BASE)


def _check_metal(code: str, kind: MetalKind) -> None:
    if code not in METALS or METALS[code].kind is not kind:
        raise ValueError(f"metal: {code!r} is no {kind} metal")


def _check_order(row: PurityRow, before: Sequence[PurityRow]) -> None:
    if any(row.fineness >= each.fineness for each in before if each.metal == row.metal):
        raise ValueError(f"fineness: {row.fineness} is not below the one above it: the finest stands first")


def purities_of(rows: Sequence[PurityRow]) -> Mapping[str, tuple[Purity, ...]]:
    """Return the purities by metal, in the order of the rows."""
    return MappingProxyType(
        {
            metal: tuple(Purity(row.code, row.name, row.fineness) for row in rows if row.metal == metal)
            for metal in dict.fromkeys(row.metal for row in rows)
        }
    )


UNIT_TABLE = Table("units.csv", Unit, unique=("handle",))
PURITY_TABLE = Table("purities.csv", PurityRow, check=_check_order)
GRADE_TABLE = Table("grades.csv", Grade, unique=("metal",))

UNITS: Mapping[str, Unit] = MappingProxyType({unit.handle: unit for unit in UNIT_TABLE.read()})
"""Units by handle, in the order of the API. Tael and baht are the bullion trade's; the settings may change them."""

PURITIES: Mapping[str, tuple[Purity, ...]] = purities_of(PURITY_TABLE.read())
"""Purities by precious metal, the finest first."""

GRADES: Mapping[str, Grade] = MappingProxyType({grade.metal: grade for grade in GRADE_TABLE.read()})
"""Grades by base metal."""
