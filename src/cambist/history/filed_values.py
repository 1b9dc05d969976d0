"""Filed values: what the archive holds for the days of a delivery, to compare the delivery with."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple


class FiledValue(NamedTuple):
    """The nominal and the digits of a fixing in the archive."""

    nominal: int
    digits: str


DayValues = Mapping[date, FiledValue]
