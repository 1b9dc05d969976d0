"""Rates of a further type that a source publishes beside its own, such as the second rate of an issuer.

They are kept under a key of their own, `source:type`. What reads the series of a source by its key never meets them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TYPE_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
"""The name of a rate type: one of `RateType`, or what a source calls a rate of its own, such as `segment_3`."""

CLOSES = "closes"
"""The source key of the closes of coins in the archive. No source may have it."""

_MARK = ":"
"""No key of a source contains it."""


class SeriesKey(NamedTuple):
    """A source, and the type of rates; empty for the source's own type."""

    source: str
    rate_type: str


def series_key(source: str, rate_type: str) -> str:
    """Return the key under which a source's rates of a type are kept; without a type, the source's own key."""
    return f"{source}{_MARK}{rate_type}" if rate_type else source


def parse_series_key(key: str) -> SeriesKey:
    """Return the source and the type of a key."""
    source, _, rate_type = key.partition(_MARK)
    return SeriesKey(source, rate_type)
