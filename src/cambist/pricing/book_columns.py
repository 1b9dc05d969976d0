"""The prices of a rate book as columns of fixed width in one block of memory, one slot for each instrument."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cambist.pricing.book_tables import BookNames, BookOrigins, QuoteName
from cambist.pricing.quote import Derivation
from cambist.pricing.source_kind import Pace

COLUMNS = (
    ("bid", "d"),
    ("ask", "d"),
    ("mid", "d"),
    ("bid_digits", "q"),
    ("ask_digits", "q"),
    ("as_of", "q"),
    ("received_at", "q"),
    ("own_as_of", "q"),
    ("sources", "I"),
    ("legs", "I"),
    ("bid_power", "b"),
    ("ask_power", "b"),
    ("made", "B"),
    ("pace", "B"),
    ("flags", "B"),
)
"""Names and formats of the columns (those of `struct`), in their order in the block."""

MADE = tuple(Derivation)
PACES = tuple(Pace)

PRESENT = 1
"""The flag of a slot that has a quote in this book."""
BID_EXACT = 2
ASK_EXACT = 4
"""The flags of sides that are exactly the scaled integer, rather than rounded to it."""

SLOTS_PER_STEP = 512

_WIDTHS = {"d": 8, "q": 8, "I": 4, "b": 1, "B": 1}
_SLOT_BYTES = sum(_WIDTHS[form] for _, form in COLUMNS)
_NOT_ZERO = re.compile(rb"[^\0]", re.DOTALL)


def capacity_for(slots: int) -> int:
    """Return for how many slots a block with `slots` instruments has space: whole steps."""
    return max(1, -(-slots // SLOTS_PER_STEP)) * SLOTS_PER_STEP


def block_size(capacity: int) -> int:
    """Return the size of a block in bytes."""
    return capacity * _SLOT_BYTES


class BookColumns:
    """The columns of a rate book, as views of one block.

    `bid`, `ask` and `mid` are float64, in the direction of the quoted pair. A side is also `digits` times ten to the
    `power`. Times are in microseconds since 1970. `sources` and `legs` are indexes in the `origins`, `made` and `pace`
    indexes in `MADE` and `PACES`. The block is in the machine's byte order; a `bytearray` can be written through its
    columns.
    """

    __slots__ = ("block", "capacity", "names", "origins", *(name for name, _ in COLUMNS))

    bid: memoryview[float]
    ask: memoryview[float]
    mid: memoryview[float]
    bid_digits: memoryview[int]
    ask_digits: memoryview[int]
    as_of: memoryview[int]
    received_at: memoryview[int]
    own_as_of: memoryview[int]
    sources: memoryview[int]
    legs: memoryview[int]
    bid_power: memoryview[int]
    ask_power: memoryview[int]
    made: memoryview[int]
    pace: memoryview[int]
    flags: memoryview[int]

    def __init__(
        self, block: bytes | bytearray | memoryview, capacity: int, names: BookNames, origins: BookOrigins
    ) -> None:
        """View a block. Errors: ValueError if it is not of the size for this capacity, or has too few slots."""
        if len(block) != block_size(capacity) or len(names.instruments) > capacity:
            raise ValueError(f"{len(block)} bytes do not hold {len(names.instruments)} of {capacity} slots")
        self.block, self.capacity, self.names, self.origins = block, capacity, names, origins
        view, start = memoryview(block), 0
        for name, form in COLUMNS:
            end = start + capacity * _WIDTHS[form]
            setattr(self, name, view[start:end].cast(form))  # type: ignore[call-overload]
            start = end

    def changed_since(self, before: BookColumns) -> list[QuoteName] | None:
        """Return the names whose quotes differ from those of an earlier book; None if its slots are others."""
        if self.names is not before.names:
            return None
        slots = {slot for width in _COMPARED for slot in _changed_slots(self, before, width)}
        return [self.names.instruments[slot][0] for slot in sorted(slots) if slot < len(self.names.instruments)]


_COMPARED = {
    width: tuple(name for name, form in COLUMNS if _WIDTHS[form] == width and form != "d") for width in (8, 4, 1)
}
"""The columns of each width but those of floats, which follow from the digits."""


def _changed_slots(now: BookColumns, before: BookColumns, width: int) -> Iterator[int]:
    """Yield the slots in which columns of this width differ."""
    differs = 0
    for name in _COMPARED[width]:
        ours, theirs = getattr(now, name).tobytes(), getattr(before, name).tobytes()
        if ours != theirs:
            # Integers of any size are the fastest exclusive-or of two blocks without a library.
            differs |= int.from_bytes(ours, "little") ^ int.from_bytes(theirs, "little")
    content, slot = differs.to_bytes(now.capacity * width, "little") if differs else b"", 0
    while match := _NOT_ZERO.search(content, slot * width):
        yield (slot := match.start() // width)
        slot += 1
