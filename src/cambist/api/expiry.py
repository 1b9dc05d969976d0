"""Until when an answer made of the current book holds, where no other book comes before."""

from __future__ import annotations

from datetime import datetime, timedelta

_MINUTE = timedelta(minutes=1)


class Expiry:
    """Begins with the end of the minute, for markets open and close, and days begin, at full minutes.

    Each price that may be used for so long only brings it nearer.
    """

    __slots__ = ("at",)

    def __init__(self, now: datetime) -> None:
        self.at = now.replace(second=0, microsecond=0) + _MINUTE

    def bring_to(self, moment: datetime) -> None:
        """End no later than at a moment."""
        self.at = min(self.at, moment)
