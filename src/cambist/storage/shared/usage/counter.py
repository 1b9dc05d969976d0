"""A counter: eight bytes with a count in the low 48 bits and a check of it in the high 16. An unused one is 0.

A counter is read and written through an aligned `memoryview` of format `Q`. Each access is one load or store of the
processor, so no other process sees half of it.
"""

from __future__ import annotations

BYTES = 8
COUNT = (1 << 48) - 1
CHECK = 0xFFFF << 48
FACTOR = 0x9E3779B97F4A7C15
"""Knuth's multiplicative hash: bits 48 to 63 of the product depend on every bit of the count."""


def with_check(count: int) -> int:
    """Return the counter for a count below 2**48."""
    return count | count * FACTOR & CHECK


def is_valid(counter: int) -> bool:
    """Return whether the check matches the count."""
    count = counter & COUNT
    return counter == count | count * FACTOR & CHECK


def count_of(counter: int) -> int:
    """Return the count, or 0 if the check is wrong."""
    return counter & COUNT if is_valid(counter) else 0
