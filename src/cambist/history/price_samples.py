"""Price samples: what each code was worth every five minutes, for the changes of the last day and week."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from msgspec import Struct

SAMPLED_EVERY = timedelta(minutes=5)

KEPT_FOR = timedelta(days=7, hours=1)
"""How long samples are kept: the longest window, and what it may begin late."""


class PriceSample(Struct, frozen=True):
    """The midpoint in the pivot of one unit of each code at a moment, a multiple of `SAMPLED_EVERY`."""

    at: datetime
    mids: Mapping[str, float]


class PriceSampleReader(Protocol):
    """Reads price samples."""

    def after(self, moment: datetime, limit: int) -> Sequence[PriceSample]:
        """Return the first `limit` samples after a moment, the oldest first. Errors: StoreBroken."""


class PriceSampleStore(PriceSampleReader, Protocol):
    """A store of price samples."""

    def file(self, sample: PriceSample, before: datetime) -> None:
        """Store a sample unless there is one of its moment, and remove those before another. Errors: StoreBroken."""
