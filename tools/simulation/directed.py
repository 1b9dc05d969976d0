"""Scenarios made by hand: small ones in which every planted fault shows."""

from __future__ import annotations

from datetime import date

from tools.simulation.generator import make_scenario
from tools.simulation.scenario import ALL_PAIRS, Fault, Jump, Mistake, Scenario
from tools.simulation.truth import FREE_CODES

_MONDAY = date(1971, 3, 1)
_SOURCES = ("fed", "boe", "norges")

CORRECTIONS = Scenario(
    seed=1,
    world="ingest",
    first_day=_MONDAY,
    days=5,
    sources=_SOURCES,
    mistakes=(
        Mistake("fed", "revised", pair=0, day=0, shown_days=1),
        Mistake("boe", "hundred", pair=1, day=1, shown_days=2),
        Mistake("boe", "revised", pair=2, day=2, shown_days=2),
        Mistake("norges", "slipped", pair=2, day=3),
        Mistake("norges", "typed", pair=1, day=1, days=2),
        Mistake("norges", "late", pair=2, day=1, shown_days=2),
        Mistake("boe", "ahead", pair=3, day=3, shown_days=1),
    ),
)
"""Mistakes that are corrected and that are not, fixings that come late, and one of a day to come."""

BROKEN_MACHINE = Scenario(
    seed=2,
    world="ingest",
    first_day=_MONDAY,
    days=4,
    sources=_SOURCES,
    mistakes=(Mistake("boe", "hundred", pair=1, day=1, shown_days=1),),
    faults=(
        Fault("killed", hour=14.0, step=16),
        Fault("locked", hour=32.0, amount=3.0),
        Fault("killed", hour=38.0, step=30),
        Fault("full", hour=60.0, amount=3.0),
    ),
)
"""A node that is killed twice, a database that is locked, and a disk that is full, each while something is filed."""

LIAR = Scenario(
    seed=1,
    world="ingest",
    first_day=_MONDAY,
    days=4,
    sources=("fed", "boe", "norges", "dnb"),
    mistakes=(Mistake("boe", "slipped", pair=0, day=0, days=3),),
)
"""A source that is wrong from its first fixing on, so that nothing can be compared with it."""

JUMP = Scenario(
    seed=3,
    world="ingest",
    first_day=_MONDAY,
    days=12,
    sources=("fed", "boe", "norges", "riksbank"),
    mistakes=(
        Mistake("boe", "hundred", pair=1, day=4, days=2),
        Mistake("fed", "slipped", pair=0, day=3, shown_days=1),
        Mistake("norges", "typed", pair=1, day=2, shown_days=1),
    ),
    jumps=tuple(Jump(code, day=8, hour=0.0, factor=1.6) for code in FREE_CODES),
)
"""A devaluation of every currency, which all sources make, each at its own hour."""

DECISION = Scenario(seed=5, world="ingest", first_day=_MONDAY, days=12, sources=("fed", "hkma", "boe"))
"""An operator who decides about levels on calm days."""

MONTHS = Scenario(
    seed=4,
    world="year",
    first_day=_MONDAY,
    days=150,
    sources=("fed", "boe", "riksbank", "hkma"),
    mistakes=(
        Mistake("hkma", "typed", pair=ALL_PAIRS, day=77, shown_days=63),
        Mistake("fed", "hundred", pair=0, day=60, days=2),
        Mistake("boe", "drift", pair=1, day=70, days=9, shown_days=9),
    ),
    jumps=(Jump("GBP", day=50, hour=13.0, factor=0.7), Jump("SEK", day=80, hour=7.0, factor=1.9)),
)
"""Some months, after which a source corrects what it said in the first of them."""

ALONE = Scenario(
    seed=6,
    world="ingest",
    first_day=_MONDAY,
    days=10,
    sources=("boj",),
    mistakes=(Mistake("boj", "hundred", pair=ALL_PAIRS, day=2, days=6),),
)
"""A source that is alone, and wrong by a unit for some days."""

FEW = Scenario(
    seed=6,
    world="ingest",
    first_day=_MONDAY,
    days=17,
    sources=("fed", "norges", "boj", "hkma"),
    mistakes=(Mistake("boj", "typed", pair=ALL_PAIRS, day=3),),
)
"""A source that is wrong on one day."""

BEST_WRONG = Scenario(
    seed=6,
    world="ingest",
    first_day=_MONDAY,
    days=17,
    sources=("boj", "norges", "rba", "hkma"),
    mistakes=(Mistake("boj", "slipped", pair=ALL_PAIRS, day=7, days=4),),
)
"""The best source is wrong for some days."""

QUOTAS = make_scenario(9)
"""Two or three nodes that answer calls around midnight, of which a period begins on one."""

LEADERS = Scenario(
    seed=1,
    world="leader",
    first_day=_MONDAY,
    days=1,
    nodes=3,
    faults=(
        Fault("paused", hour=30.3 / 3600, step=1, amount=12.0),
        Fault("no database", hour=70.0 / 3600, step=1, amount=15.0),
        Fault("no Redis", hour=100.0 / 3600, node=0, amount=5.0),
        Fault("flushed", hour=105.001 / 3600),
        Fault("ended", hour=115.0 / 3600, step=1),
        Fault("paused", hour=130.9 / 3600, step=1, amount=20.0),
    ),
)
"""Three nodes whose leader is paused, cut off from the database, and killed. Redis is emptied just as a node is linked
again, whose old book is the first that comes there then."""

DIRECTED = {
    "corrections": CORRECTIONS, "broken machine": BROKEN_MACHINE, "liar": LIAR, "jump": JUMP, "decision": DECISION,
    "months": MONTHS,
    "alone": ALONE,
    "few": FEW,
    "best wrong": BEST_WRONG,
    "quotas": QUOTAS, "leaders": LEADERS,
}  # fmt: skip
