"""The kind of a source: how often it publishes, and the rates of which market."""

from __future__ import annotations

from enum import StrEnum


class Pace(StrEnum):
    """How often a source publishes, the most frequent first."""

    REALTIME = "real-time"
    INTRADAY = "intraday"
    DAILY = "daily"
    MONTHLY = "monthly"


class RateType(StrEnum):
    """The market of a rate. Rates of two types are never compared with each other (ADR 14)."""

    OFFICIAL = "official"
    MARKET = "market"
    OFFSHORE = "offshore"
    PARALLEL = "parallel"
    SIMULATED = "simulated"
