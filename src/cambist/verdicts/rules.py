"""The constants of the rules by which verdicts are derived, each with what it means.

Weights are in votes: one fixing of a source that publishes itself has the weight 1. Distances are differences of
natural logarithms: 0.01 is about 1 %.
"""

from __future__ import annotations

from math import log

from msgspec import Struct

RULES_VERSION = 2
"""Changes whenever a verdict could change for the same fixings. Verdicts of another version are derived again."""


class Rules(Struct, frozen=True):
    """The constants. Every default was measured with `make judge`."""

    compiled_weight: float = 0.7
    """A source that compiles others is not a witness of its own."""
    compiled_most: float = 1.0
    """All compiled sources together weigh no more than one original."""
    issuer_weight: float = 2.0
    """The issuer of a currency knows its rate best."""
    beside_issuer_most: float = 1.8
    """Together all others weigh less than the issuer, so that its second fixing decides."""
    accepted_weight: float = 3.0
    """What an operator accepted."""
    carried_weight: float = 0.5
    """A source that has not published today still stands by its last fixing; halved for each working day it missed."""
    carried_days: int = 5
    """For so many days."""
    carried_most: float = 1.0
    """All carried fixings together weigh no more than one fresh one."""
    repeats: int = 4
    """Digits that were repeated so often while the others moved weigh nothing; fewer repeats proportionally less."""
    late_weight: float = 0.25
    """The weight of a source that publishes the others' rates of the day before."""
    late_ratio: float = 0.35
    """It is so much nearer to the day before than to the day, in the median."""
    late_rows: int = 16
    """Over so many rows."""
    late_least: int = 8
    """With so many fixings to compare."""
    late_volatility: float = 0.002
    """Only if the rate moves so much a day: otherwise it cannot be seen."""

    window: int = 30
    """Rows before a day by which its usual moves and distances are measured."""
    short_window: int = 8
    """Rows that are enough to notice that a market has become restless."""
    volatility: tuple[float, float, float] = (0.0003, 0.005, 0.05)
    """The least daily move, the one assumed while little is known, and the largest."""
    spread: tuple[float, float, float] = (0.0002, 0.001, 0.02)
    """The same for the distance between sources."""
    same_least: float = 0.004
    """Fixings nearer than this are at the same level."""
    same_spreads: float = 8.0
    """Or nearer than so many spreads."""
    same_moves: float = 3.0
    """Or nearer than so many daily moves."""
    same_most: float = 0.04
    """But never farther than this."""
    jump_least: float = 0.015
    """A move up to this is no jump."""
    jump_moves: float = 7.0
    """Nor is one of so many daily moves."""
    jump_same: float = 1.5
    """Nor one of so many times the distance of one level."""
    jump_most: float = 0.20
    """A larger move is always a jump."""
    lone_least: float = 0.04
    """The same limits for the only fixing of a day that nothing carried can confirm."""
    lone_moves: float = 10.0
    aftershock: float = 0.5
    """After a jump, moves up to this part of it are no jumps."""
    aftershock_decay: float = 0.85
    """Less so with each row after it."""
    aftershock_rows: int = 16

    jump: float = 1.5
    """The price of a jump: dearer than to hold one fixing once, cheaper than to hold it twice."""
    unit_jump: float = 5.0
    """The price of a jump that looks like a mistaken unit, which two originals must make together."""
    unproven_yields: float = 0.5
    """The price at which a level that one source alone ever said yields to two others."""
    leaves_peg: float = 1.0
    """The additional price of leaving a legal peg."""
    older_hour: float = 0.88
    """The part of its weight that a fixing of an earlier hour has against one of a later hour: a tie goes to the newer,
    unless the rate comes back, because that costs two rough moves."""
    before_event: float = 0.28
    """The part of its weight that a fixing at the old level has against a jump: it was published before."""
    peg: float = 0.03
    """How far from a legal peg a rate may be."""
    units: tuple[float, ...] = (10, 31.1034768, 100, 1000, 10_000, 100_000, 1_000_000)
    """The factors of mistaken units: nominals, and the grams of a troy ounce."""
    unit_tolerance: float = 0.02
    """How far from such a factor a jump may be. A larger move that is no jump may come on top of it."""
    best_ranked: float = 0.45
    """What speaks for the best-ranked source on the very first day."""
    implausible: float = 1.3
    """What speaks against a first level that is far from the packaged one, in weights of all fixings."""
    plausible: float = log(3)
    rough: float = 0.03
    """The price of each daily move above three that a level makes in a day: of two that disagree, the smoother wins."""
    rough_day: float = 0.09
    rough_path: float = 0.4
    """The most that one day and all days may cost: this decides ties, never a majority."""

    prune: float = 6.0
    """Paths that are dearer than the cheapest by this are given up."""
    states: int = 10
    """So many paths are kept at most."""
    open_rows: int = 30
    """After so many rows what was decided is settled."""
    restart_days: int = 92
    """After so many days without any fixing the next one is the first again."""

    agreed_same: float = 1.5
    """A fixing agrees if it is within so many times the distance of one level."""
    near_least: float = 0.0015
    """A published fixing is as near to the middle of those that agree."""
    near_spreads: float = 3.0
    near_moves: float = 0.5
    disputed: float = 1 / 3
    """A day is disputed if this part of the weights is elsewhere."""


RULES = Rules()
