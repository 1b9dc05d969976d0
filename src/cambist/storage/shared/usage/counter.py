"""A cell: eight bytes that hold a count in their low 48 bits and a check of it in the high 16; untouched, it is 0.

A cell is read and written through a `memoryview` of format `Q`, aligned: one load or store of the processor each, which
no other process sees half done.
"""

from __future__ import annotations

BYTES = 8
COUNT = (1 << 48) - 1
CHECK = 0xFFFF << 48
FACTOR = 0x9E3779B97F4A7C15
"""Knuth's multiplicative hash: bits 48 to 63 of the product depend on every bit of the count."""


def sealed(count: int) -> int:
    """Give the cell that holds `count`, which is below 2**48."""
    return count | count * FACTOR & CHECK


def is_sound(cell: int) -> bool:
    """Tell whether a cell was written by us, and not torn or foreign."""
    count = cell & COUNT
    return cell == count | count * FACTOR & CHECK


def sound_count(cell: int) -> int:
    """Give what a cell holds, 0 when it is not sound."""
    return cell & COUNT if is_sound(cell) else 0
