"""What weighs and grades metals: units of mass, purities of the precious ones, contract grades of the base ones.

Read once at import from `units.csv`, `purities.csv` and `grades.csv`, in the manner of the other tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from itertools import pairwise
from types import MappingProxyType

from cambist.reference.assets import METALS, MetalKind
from cambist.reference.records import Grade, Purity, Unit
from cambist.reference.rows import Row, read_rows

__all__ = ["GRADES", "PURITIES", "UNITS", "Grade", "Purity", "Unit"]

_HANDLE = re.compile(r"[a-z]+(_[a-z]+)*")
_CODE = re.compile(r"[1-9][0-9]{2,3}")


def _units(text: str) -> Mapping[str, Unit]:
    units: dict[str, Unit] = {}
    for row in read_rows("units.csv", text, "handle,name,grams,authority"):
        row.text("authority")
        unit = Unit(_handle(row), row.text("name"), row.decimal("grams"))
        if unit.handle in units:
            raise row.broken("handle", f"{unit.handle} stands here twice")
        units[unit.handle] = unit
    return MappingProxyType(units)


def _purities(text: str) -> Mapping[str, tuple[Purity, ...]]:
    purities: dict[str, tuple[Purity, ...]] = {}
    for row in read_rows("purities.csv", text, "metal,code,name,fineness"):
        metal = _metal(row, MetalKind.PRECIOUS)
        purity = Purity(_code(row), row.text("name"), row.decimal("fineness"))
        purities[metal] = (*purities.get(metal, ()), purity)
        if any(finer.fineness <= coarser.fineness for finer, coarser in pairwise(purities[metal])):
            raise row.broken("fineness", f"{purity.fineness} is not below the one above it: the finest stands first")
    return MappingProxyType(purities)


def _grades(text: str) -> Mapping[str, Grade]:
    grades: dict[str, Grade] = {}
    for row in read_rows("grades.csv", text, "metal,handle,name,min_purity_pct,standard"):
        row.text("standard")
        metal = _metal(row, MetalKind.BASE)
        if metal in grades:
            raise row.broken("metal", f"{metal} stands here twice")
        grades[metal] = Grade(_handle(row), row.text("name"), row.decimal("min_purity_pct"))
    return MappingProxyType(grades)


def _handle(row: Row) -> str:
    handle = row.text("handle")
    if not _HANDLE.fullmatch(handle):
        raise row.broken("handle", f"{handle!r} is not a handle of small letters")
    return handle


def _metal(row: Row, kind: MetalKind) -> str:
    code = row.text("metal")
    if code not in METALS or METALS[code].kind is not kind:
        raise row.broken("metal", f"{code!r} is no {kind} metal")
    return code


def _code(row: Row) -> str:
    """Read a stamp: the first three or four digits of the fineness, cut or rounded."""
    code, fineness = row.text("code"), row.decimal("fineness")
    figure = fineness if len(code) == 3 else fineness * 10
    if not _CODE.fullmatch(code) or int(code) not in (int(figure), round(figure)):
        raise row.broken("code", f"{code!r} is not how {fineness} is stamped")
    return code


def _read(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


UNITS: Mapping[str, Unit] = _units(_read("units.csv"))
"""By handle, in the order of the interface. The tael and the baht are the trade's; an operator may set others."""

PURITIES: Mapping[str, tuple[Purity, ...]] = _purities(_read("purities.csv"))
"""By precious metal, the finest first."""

GRADES: Mapping[str, Grade] = _grades(_read("grades.csv"))
"""By base metal."""
