"""Jumps of ticks that wait: for another venue that moves too, or for nobody to contradict them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import inf, log
from typing import NamedTuple

from cambist.ingest.agreed_prices import AgreedPrices
from cambist.ingest.tick_store import StoredTick, TickStore
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.verdicts.tick_jumps import (
    WINDOW,
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


class WaitingTick(NamedTuple):
    """The newest far tick of a venue, when it was received, and its jump."""

    tick: Tick
    received_at: datetime
    jump: Jump


class SingleJump(NamedTuple):
    """A jump that was believed because nobody contradicted it: of which venue, and the agreed price before it."""

    source: str
    before: float
    received_at: datetime


@dataclass(slots=True)
class WaitingJumps:
    """Decides on ticks far from the agreed price of their pair, and keeps the newest one of each venue that waits.

    A tick waits until another venue has made half of its move, or for three seconds if nobody has said the old price
    since. What one venue alone said is taken back when it or another one says the old price. A first price beside an
    agreed daily quote is contradicted by that.
    """

    agreed: AgreedPrices
    tick_store: TickStore
    _waiting: dict[Pair, dict[str, WaitingTick]] = field(default_factory=dict)
    _singles: dict[Pair, SingleJump] = field(default_factory=dict)

    def is_near(self, pair: Pair, mid: float, at: datetime) -> bool:
        """Return whether a price is near to the agreed one of its pair, or none is agreed on."""
        reference, limit = self._reference(pair, at)
        return reference is None or abs(log(mid / reference)) <= limit

    def forget(self, pair: Pair, source: str) -> None:
        """Forget the jump of a venue, whose price is near to the agreed one, and that one alone has made the last."""
        single = self._singles.get(pair)
        if single is not None and single.source != source:
            del self._singles[pair]
        of_pair = self._waiting.get(pair)
        if of_pair and of_pair.pop(source, None) is not None and not of_pair:
            del self._waiting[pair]

    def is_accepted(self, tick: Tick, received_at: datetime) -> bool:
        """Record a far tick, and return whether it is believed."""
        if self._takes_back(tick, received_at):
            return True
        reference, _ = self._reference(tick.pair, received_at)
        mid = (float(tick.bid) + float(tick.ask)) / 2
        if reference is None:
            return True
        of_pair = self._waiting.setdefault(tick.pair, {})
        before = of_pair.get(tick.source)
        jump = continued_jump(before.jump if before else None, received_at.timestamp(), log(mid), log(reference))
        of_pair[tick.source] = WaitingTick(tick, received_at, jump)
        return self._is_believed(of_pair[tick.source], received_at, reference)

    def pop_singles(self, now: datetime) -> list[WaitingTick]:
        """Return the ticks that are believed by now though no other came, and let them wait no more."""
        found = []
        for each in [each for of_pair in self._waiting.values() for each in of_pair.values()]:
            reference, _ = self._reference(each.tick.pair, now)
            if reference is not None and self._is_believed(each, now, reference):
                found.append(each)
        return found

    def _is_believed(self, waiting: WaitingTick, now: datetime, reference: float) -> bool:
        tick, jump, pair = waiting.tick, waiting.jump, waiting.tick.pair
        of_pair, latest = self._waiting[pair], self.tick_store.by_source(pair)
        others = {source: each.jump for source, each in of_pair.items() if source != tick.source}
        near = {
            source: VenueTick(stored.received_at.timestamp(), log(mid))
            for source, stored in latest.items()
            if source != tick.source and self.is_near(pair, mid := _mid(stored), now)
        }
        if self.agreed.is_expected_by_several(pair):
            near[_DAILY] = VenueTick(inf, log(reference))
        verdict = judge_tick(now.timestamp(), log(_mid(tick)), jump, others, near)
        if verdict not in {TickVerdict.CONFIRMED, TickVerdict.SINGLE}:
            return False
        if verdict is TickVerdict.SINGLE:
            self._singles[pair] = SingleJump(tick.source, reference, now)
        self.agreed.believe(pair, _mid(tick), now)
        self.forget(pair, tick.source)
        return True

    def _takes_back(self, tick: Tick, received_at: datetime) -> bool:
        """Return whether a tick says the price from before a jump that one venue alone has made."""
        single = self._singles.get(tick.pair)
        if single is None:
            return False
        is_recent = received_at - single.received_at <= _OLD
        if not is_recent or abs(log(_mid(tick) / single.before)) > jump_limit(0.0):
            return False
        del self._singles[tick.pair]
        if single.source != tick.source:
            self.tick_store.drop(tick.pair, single.source)
        self.agreed.believe(tick.pair, _mid(tick), received_at)
        return True

    def pop_confirmed(self, pair: Pair, now: datetime) -> list[WaitingTick]:
        """Return the ticks of a pair that are near to its agreed price now, and let them wait no more.

        Those that have waited for longer than a jump confirms others are dropped: a price that comes to where a venue
        was long ago does not confirm it, and to the bars a tick received long ago means that the clock was set back.
        """
        found = []
        for each in list(self._waiting.get(pair, {}).values()):
            is_over = (now - each.received_at).total_seconds() > WINDOW
            is_near = self.is_near(pair, _mid(each.tick), now)
            if is_over or is_near:
                self.forget(pair, each.tick.source)
            if is_near and not is_over:
                found.append(each)
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
