"""A scenario as data: it decides all that happens, so that it can be written down, replayed and made smaller."""

from __future__ import annotations

from datetime import date

import msgspec

INGEST, QUOTA, YEAR, LEADER = "ingest", "quota", "year", "leader"
"""The worlds that there are."""


ALL_PAIRS = -1


class Jump(msgspec.Struct, frozen=True):
    """A true jump of a currency, from an hour (UTC) of a day on (counted from the first day).

    Dollars cost `factor` times as much then.
    """

    code: str
    day: int
    hour: float
    factor: float


class Mistake(msgspec.Struct, frozen=True):
    """A mistake of a source about one of its pairs or ALL_PAIRS, on some days from `day` on (from the first day).

    `shown_days` is after how many days the source corrects what it said of a day; 0 if it never does. `size` is the
    factor by which a fixing is wrong, where the kind of mistake does not say it.
    """

    source: str
    kind: str
    pair: int
    day: int
    days: int = 1
    shown_days: int = 0
    size: float = 1.0


class Fault(msgspec.Struct, frozen=True):
    """A fault of a machine: `hour` hours after the start, at the next but `step` statement of a node's database.

    `amount` says how much or for how long, in a unit that the kind of fault decides.
    """

    kind: str
    hour: float
    node: int = 0
    step: int = 0
    amount: float = 0.0


class Call(msgspec.Struct, frozen=True):
    """A request of an account to a node, so many seconds after the start, that costs some calls."""

    second: float
    node: int
    account: int
    cost: int


class Scenario(msgspec.Struct, frozen=True):
    """What is simulated: the sources and their mistakes, true jumps, the faults, and the calls of clients.

    All sources publish the currencies of `pegged`, which a law ties to the dollar.
    `world` is the kind of simulation: INGEST, QUOTA, LEADER, or YEAR, which is about many sources for long.
    """

    seed: int
    world: str
    first_day: date
    days: int
    sources: tuple[str, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    faults: tuple[Fault, ...] = ()
    calls: tuple[Call, ...] = ()
    nodes: int = 1
    jumps: tuple[Jump, ...] = ()
    pegged: tuple[str, ...] = ()

    def encoded(self) -> str:
        """Return the scenario as JSON, to replay it."""
        return msgspec.json.encode(self).decode()


def decode_scenario(text: str) -> Scenario:
    """Return a scenario from its JSON. Errors: msgspec.ValidationError, msgspec.DecodeError."""
    return msgspec.json.decode(text, type=Scenario)
