"""The requests of a workload and the figures of a measurement, for every load generator."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

HOST = "127.0.0.1"
CONNECTIONS = 32


class NotMeasuredError(Exception):
    """Something did not work, so there is no figure. A slow figure is not an error."""


@dataclass(frozen=True)
class Calls:
    """The requests of one workload: each has a random path of `paths`."""

    port: int
    paths: tuple[str, ...]
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Load:
    """The figures of a measurement: answers a second, and latencies in ms."""

    answers: float
    p50: float
    p99: float


Client = Callable[[Calls, int, int], Load]
"""A load generator: it gets the calls, the seconds and a random seed."""


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the nearest-rank percentile, which is one of the values."""
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]
