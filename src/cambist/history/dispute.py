"""Disputes as records: what of a code is open, what each source says, and what is served until it is settled."""

from __future__ import annotations

from datetime import date

from msgspec import Struct

MOST = 50
"""How many disputes a report names."""


class ServedRate(Struct, frozen=True):
    """What is served: one source's fixing of a day, in units per US dollar."""

    source: str
    day: date
    units: float


class SaidRate(Struct, frozen=True):
    """The newest fixing of a source, in units per US dollar, and what it was found to be.

    `percent` is how far it is above the level that is served, None if it was rejected; `why` is why it is held.
    """

    source: str
    day: date
    units: float
    status: str
    why: str
    weight: float
    percent: float | None


class Dispute(Struct, frozen=True):
    """A code whose newest days are disputed or held, or of which a source that comes before the served one is held.

    It is open `since` a day, without a break until `day`, the newest one. `served` is None if nothing is. `other` is
    the level that most of the rest say, in units per US dollar. `originals_needed` is how many more sources of their
    own would have to say another level to change what is served; None if none is open.
    """

    code: str
    since: date
    day: date
    status: str
    served: ServedRate | None
    other: float | None
    originals_needed: int | None
    fixings: tuple[SaidRate, ...]


class Disputes(Struct, frozen=True):
    """The open disputes, oldest first, at most `MOST` of all that there are; `decision` is the last one they follow.

    They are not `complete` while codes are still judged after a start.
    """

    disputes: tuple[Dispute, ...] = ()
    total: int = 0
    decision: int = 0
    complete: bool = True


class HeldFixings(Struct, frozen=True):
    """How many of a source's newest fixings are held, since when the first of them is, and whether all are."""

    count: int = 0
    since: date | None = None
    all: bool = False
