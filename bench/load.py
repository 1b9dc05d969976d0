"""What is sent to a server and what comes back, whichever client does the sending."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

HOST = "127.0.0.1"
CONNECTIONS = 32


class NotMeasuredError(Exception):
    """Something did not work, so there is no figure (a slow figure is not an error)."""


@dataclass(frozen=True)
class Calls:
    """The calls of one workload: a path is drawn at random from `paths` each time."""

    port: int
    paths: tuple[str, ...]
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Load:
    """What a server did under load: answers a second, latency in ms."""

    answers: float
    p50: float
    p99: float


Client = Callable[[Calls, int, int], Load]
"""A load generator: the calls, for so many seconds, drawn with this seed."""


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the nearest-rank percentile, a value that was really measured."""
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]
