"""What a source's word is worth: how fast it speaks, and for which market."""

from __future__ import annotations

from enum import StrEnum


class Pace(StrEnum):
    """How fast a source speaks, the freshest class first."""

    REALTIME = "real-time"
    INTRADAY = "intraday"
    DAILY = "daily"
    MONTHLY = "monthly"


class RateType(StrEnum):
    """Which market a rate is of. Rates of two types are never mixed (ADR 14)."""

    OFFICIAL = "official"
    MARKET = "market"
    OFFSHORE = "offshore"
    PARALLEL = "parallel"
    SIMULATED = "simulated"
