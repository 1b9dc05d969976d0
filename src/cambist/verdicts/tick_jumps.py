"""Jumps of ticks: which far tick of a venue is used at once, which waits, and which is contradicted.

A tick beyond the larger of 0.5 % and ten usual moves waits. Another venue confirms it that has made at least half of
the move in the same direction within a minute, if at least as many venues have moved as have spoken since at the old
price, counted from the first mover on. Time alone confirms it only while nobody contradicts it: a single venue is
believed after three seconds, and said to be single. Times are seconds on any clock, prices logarithms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

LEAST_JUMP, JUMP_MOVES = 0.005, 10.0
HALF = 0.5
WINDOW = 60.0
PATIENCE = 3.0
SAME_JUMP = 0.25
"""A later tick continues a waiting jump if it is within this part of the move of where it began."""


class TickVerdict(Enum):
    """What becomes of a tick. SINGLE: it is used, but no other venue has confirmed it."""

    NEAR = "near"
    CONFIRMED = "confirmed"
    SINGLE = "single"
    WAITING = "waiting"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Jump:
    """A jump of a venue that began `since`, to `price`, away from the agreed price `agreed`."""

    since: float
    price: float
    agreed: float


@dataclass(frozen=True, slots=True)
class VenueTick:
    """The newest tick of a venue that is near to the agreed price: when it came, and its price."""

    at: float
    price: float


def jump_limit(usual_move: float) -> float:
    """Return how far a tick may be from the agreed price without waiting."""
    return max(LEAST_JUMP, JUMP_MOVES * usual_move)


def continued_jump(before: Jump | None, at: float, price: float, agreed: float) -> Jump:
    """Return the jump that a far tick makes: the one before if it continues that, or a new one."""
    if before is not None and abs(price - before.price) <= SAME_JUMP * abs(before.price - before.agreed):
        return before
    return Jump(at, price, agreed)


def judge_tick(
    at: float, price: float, jump: Jump, others: Mapping[str, Jump], near: Mapping[str, VenueTick]
) -> TickVerdict:
    """Return the verdict on a far tick of one venue.

    `jump` is the venue's own jump, `others` those of the other venues that wait, and `near` the newest ticks of the
    venues that are near to the agreed price.
    """
    move = price - jump.agreed
    movers = [each for each in others.values() if _confirms(each, at, move, jump.agreed)]
    since = min(each.since for each in (jump, *movers))
    deniers = sum(tick.at > since for venue, tick in near.items() if venue not in others)
    if movers and len(movers) + 1 >= deniers:
        return TickVerdict.CONFIRMED
    if deniers:
        return TickVerdict.CONTRADICTED
    return TickVerdict.SINGLE if at - jump.since >= PATIENCE else TickVerdict.WAITING


def _confirms(other: Jump, at: float, move: float, agreed: float) -> bool:
    moved = other.price - agreed
    return at - other.since <= WINDOW and moved * move > 0 and abs(moved) >= HALF * abs(move)
