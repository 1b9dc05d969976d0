"""A counter: eight bytes with a count below 2**48 and a check of it. An unused one is 0.

The count is multiplied by an odd number, modulo 2**64. Multiplying by its inverse gives the count back. From a damaged
counter it gives a number that is too large: always if one bit is flipped, otherwise but for one in 65,536. Counters can
be added as they are: calls are added to one by one addition, and a sum of counters is the counter of the sum.

A counter is read and written through an aligned `memoryview` of format `Q`. Each access is one load or store of the
processor, so no other process sees half of it.
"""

from __future__ import annotations

BYTES = 8
COUNT = (1 << 48) - 1
"""The largest count."""

FACTOR = 0x9E3779B97F4A7C15
"""Knuth's multiplicative hash: every bit of the count reaches the high bits of the product."""

ALL_BITS = (1 << 64) - 1
INVERSE = pow(FACTOR, -1, ALL_BITS + 1)


def with_check(count: int) -> int:
    """Return the counter for a count below 2**48."""
    return count * FACTOR & ALL_BITS


def is_valid(counter: int) -> bool:
    """Return whether the check is right."""
    return counter * INVERSE & ALL_BITS <= COUNT


def count_of(counter: int) -> int:
    """Return the count, or 0 if the check is wrong."""
    count = counter * INVERSE & ALL_BITS
    return count if count <= COUNT else 0


def sum_of(counters: memoryview[int]) -> int:
    """Return the sum of the counts of valid counters."""
    return sum(counters) * INVERSE & ALL_BITS
