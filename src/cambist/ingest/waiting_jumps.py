"""Jumps of ticks that wait: for another venue that moves too, or for nobody to contradict them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import inf, log
from typing import NamedTuple

from cambist.ingest.agreed_prices import AgreedPrices
from cambist.ingest.tick_store import StoredTick
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.verdicts.tick_jumps import (
    Jump,
    TickVerdict,
    VenueTick,
    continued_jump,
    judge_tick,
    jump_limit,
)

_OLD = timedelta(minutes=15)
_OLD_LIMIT = 0.05
"""How far (log) the first price of a pair may be from its daily quote, or from an old agreed price."""

_DAILY = "daily quote"
_ACCEPTED = {TickVerdict.CONFIRMED, TickVerdict.SINGLE}


class WaitingTick(NamedTuple):
    """The newest far tick of a venue, when it was received, and its jump."""

    tick: Tick
    received_at: datetime
    jump: Jump


@dataclass(slots=True)
class WaitingJumps:
    """Decides on ticks far from the agreed price of their pair, and keeps the newest one of each venue that waits.

    A tick waits until another venue has made half of its move, or for three seconds if nobody has said the old price
    since. Beside an agreed daily quote a first price is contradicted by that.
    """

    agreed: AgreedPrices
    _waiting: dict[Pair, dict[str, WaitingTick]] = field(default_factory=dict)

    def is_near(self, pair: Pair, mid: float, at: datetime) -> bool:
        """Return whether a price is near to the agreed one of its pair, or none is agreed on."""
        reference, limit = self._reference(pair, at)
        return reference is None or abs(log(mid / reference)) <= limit

    def forget(self, pair: Pair, source: str) -> None:
        """Forget the jump of a venue, whose price is near to the agreed one again."""
        of_pair = self._waiting.get(pair)
        if of_pair and of_pair.pop(source, None) is not None and not of_pair:
            del self._waiting[pair]

    def is_accepted(self, tick: Tick, received_at: datetime, latest: Mapping[str, StoredTick]) -> bool:
        """Record a far tick, and return whether it is believed; `latest` are the last ticks of the pair by venue."""
        reference, _ = self._reference(tick.pair, received_at)
        mid = (float(tick.bid) + float(tick.ask)) / 2
        if reference is None:
            return True
        of_pair = self._waiting.setdefault(tick.pair, {})
        before = of_pair.get(tick.source)
        at, price = received_at.timestamp(), log(mid)
        jump = continued_jump(before.jump if before else None, at, price, log(reference))
        of_pair[tick.source] = WaitingTick(tick, received_at, jump)
        others = {source: waiting.jump for source, waiting in of_pair.items() if source != tick.source}
        near = {
            source: VenueTick(stored.received_at.timestamp(), log(stored_mid))
            for source, stored in latest.items()
            if source != tick.source and self.is_near(tick.pair, stored_mid := _mid(stored), received_at)
        }
        if self.agreed.is_expected_by_several(tick.pair):
            near[_DAILY] = VenueTick(inf, log(reference))
        is_accepted = judge_tick(at, price, jump, others, near) in _ACCEPTED
        if is_accepted:
            self.agreed.believe(tick.pair, mid, received_at)
            self.forget(tick.pair, tick.source)
        return is_accepted

    def pop_confirmed(self, pair: Pair) -> list[WaitingTick]:
        """Return the ticks of a pair that wait and are near to its agreed price now, and let them wait no more."""
        found = [
            each
            for each in self._waiting.get(pair, {}).values()
            if self.is_near(pair, _mid(each.tick), each.received_at)
        ]
        for each in found:
            self.forget(pair, each.tick.source)
        return found

    def _reference(self, pair: Pair, at: datetime) -> tuple[float | None, float]:
        """Return what a price of a pair is compared with, None for nothing, and how far it may be from that."""
        mid = self.agreed.mids.get(pair)
        if mid is None:
            expected = self.agreed.expected.get(pair)
            return (None if expected is None else expected.mid), _OLD_LIMIT
        is_old = at - self.agreed.times[pair] > _OLD
        return mid, _OLD_LIMIT if is_old else jump_limit(self.agreed.usual_moves.get(pair, 0.0))


def _mid(quoted: Tick | StoredTick) -> float:
    return (float(quoted.bid) + float(quoted.ask)) / 2
