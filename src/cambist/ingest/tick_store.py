"""The tape: the latest tick of every pair from every source, each judged as it comes, and what the sources agree on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from cambist.history.bar_aggregator import BarAggregator
from cambist.ingest.bar_writer import IsOpen, has_bars, is_within_hours
from cambist.pricing.consensus import Offer, agree
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.tick import Tick
from cambist.pricing.trading_hours import hours_of, last_traded
from cambist.pricing.validation import JUMP, tick_refusal
from cambist.sources.base import Source

_AHEAD = timedelta(minutes=1)
_LATE = "out of order"
_CONFIRMED_AFTER = timedelta(seconds=10)
_CONFIRMED_WITHIN = 0.05
_CONFIRMED_BEFORE = timedelta(minutes=1)
"""How long after a source's jump another one that makes it too confirms it: later it is a jump of its own."""


@dataclass(slots=True)
class _Print:
    """A tick on the tape."""

    bid: Decimal
    ask: Decimal
    as_of: datetime
    received_at: datetime
    sequence: int
    offer: Offer | None = None

    @property
    def mid(self) -> float:
        return (float(self.bid) + float(self.ask)) / 2


@dataclass(slots=True)
class TickStore:
    """Takes ticks; `sources` are ranked, best first. Those of pairs that have bars are folded as they come.

    `bar_time` returns the time that bars go by for a reading of the machine's clock.
    """

    sources: Mapping[str, Source]
    is_open: IsOpen = lambda _pair, _now: True
    folding: BarAggregator | None = None
    bar_time: Callable[[datetime], datetime] = lambda now: now
    taken: Counter[str] = field(default_factory=Counter)
    refused: dict[str, Counter[str]] = field(default_factory=dict)
    listing: frozenset[Pair] = frozenset()
    _listed: dict[str, frozenset[Pair]] = field(default_factory=dict)
    _latest: dict[Pair, dict[str, _Print]] = field(default_factory=dict)
    _mids: dict[Pair, float] = field(default_factory=dict)
    _words: dict[Pair, str] = field(default_factory=dict)
    _jumps: dict[tuple[Pair, str], tuple[datetime, float]] = field(default_factory=dict)
    _changed: set[Pair] = field(default_factory=set)

    def take(self, tick: Tick, received_at: datetime) -> str | None:
        """Judge a tick and put it on the tape; give the reason where it is refused, the last good one staying."""
        reason = self._reason(tick, received_at)
        if reason is not None:
            if reason == _LATE:
                self._fold_late(tick, received_at)
            self.refused.setdefault(tick.source, Counter())[reason] += 1
            return reason
        self.taken[tick.source] += 1
        as_of = received_at if tick.as_of is None else min(tick.as_of, received_at)
        prints = self._latest.setdefault(tick.pair, {})
        if self.folding is not None and has_bars(tick.pair):
            self._fold(tick, as_of, received_at, prints.get(tick.source))
        prints[tick.source] = _Print(tick.bid, tick.ask, as_of, received_at, tick.sequence)
        self._changed.add(tick.pair)
        return None

    def _fold(self, tick: Tick, as_of: datetime, received_at: datetime, before: _Print | None) -> None:
        """Fold a tick into the bars of its pair, by whom the published word is now.

        Not what a source only repeats, nor what is of closed hours, though it came in open ones.
        """
        is_repeated = before is not None and (tick.bid, tick.ask, as_of) == (before.bid, before.ask, before.as_of)
        if self.folding is None or is_repeated:
            return
        now = self.bar_time(received_at)
        moment = now if tick.as_of is None else min(tick.as_of, now)
        if is_within_hours(tick.pair, moment, self.is_open):
            self.folding.take(tick, moment, now, self._words.get(tick.pair, ""))

    def _fold_late(self, tick: Tick, received_at: datetime) -> None:
        """Fold a tick that a newer one of its source has overtaken: it is no latest word, but belongs to its bar."""
        newer = self._latest[tick.pair][tick.source]
        if tick.as_of is None or tick.as_of >= newer.as_of or not has_bars(tick.pair):
            return
        if tick_refusal(tick.bid, tick.ask, self._mids.get(tick.pair)) is None:
            self._fold(tick, tick.as_of, received_at, newer)

    def expect(self, pair: Pair, mid: float) -> None:
        """Say about what a pair is worth, before any tick of it was taken."""
        self._mids.setdefault(pair, mid)

    def list_pairs(self, source: str, pairs: Iterable[Pair]) -> None:
        """Note which pairs a venue lists now."""
        self._listed[source] = frozenset(pairs)
        self.listing = frozenset[Pair]().union(*self._listed.values())

    def begin_again(self, source: str) -> None:
        """Forget a source's sequences: it counts anew on every connection."""
        for prints in self._latest.values():
            if source in prints:
                prints[source].sequence = 0

    def changed(self) -> set[Pair]:
        """Give the pairs that have had ticks since this was asked last."""
        changed, self._changed = self._changed, set()
        return changed

    def pairs(self) -> set[Pair]:
        """Give every pair on the tape."""
        return set(self._latest)

    def agreed(self, pair: Pair, now: datetime) -> Quote | None:
        """Give what the sources agree on for a pair; None where none has spoken lately.

        In closed hours that is what they agreed on when the market closed.
        """
        offers = [self._offer(pair, source, tick) for source, tick in self._latest.get(pair, {}).items()]
        moment = now if self.is_open(pair, now) else last_traded(hours_of(pair), now).as_of
        quote = agree(offers, moment)
        if quote is not None:
            self._mids[pair] = (float(quote.bid) + float(quote.ask)) / 2
            self._words[pair] = quote.origin.sources[0]
        return quote

    def _offer(self, pair: Pair, key: str, tick: _Print) -> Offer:
        if tick.offer is None:
            source = self.sources[key]
            origin = Origin(Derivation.PUBLISHED, (key,), pace=source.pace)
            quote = Quote(pair, Fraction(tick.bid), Fraction(tick.ask), tick.as_of, tick.received_at, origin)
            tick.offer = Offer(
                key, quote, source.pace, source.rate_type, list(self.sources).index(key), source.compiled
            )
        return tick.offer

    def _reason(self, tick: Tick, received_at: datetime) -> str | None:
        if tick.as_of is not None and tick.as_of > received_at + _AHEAD:
            return "dated ahead of our clock"
        before = self._latest.get(tick.pair, {}).get(tick.source)
        if before is not None and (
            0 < tick.sequence < before.sequence or (tick.as_of is not None and tick.as_of < before.as_of)
        ):
            return _LATE
        if not self._is_of_open_hours(tick, received_at):
            return "outside the market's hours"
        reason = tick_refusal(tick.bid, tick.ask, self._mids.get(tick.pair))
        if reason is None:
            self._jumps.pop((tick.pair, tick.source), None)  # who came back has not stayed there
        if reason == JUMP and self._is_confirmed(tick, received_at):
            return None
        return reason

    def _is_of_open_hours(self, tick: Tick, received_at: datetime) -> bool:
        """Say whether a tick is of a market that was open: one that comes later may still be its last word."""
        return self.is_open(tick.pair, received_at) or (tick.as_of is not None and self.is_open(tick.pair, tick.as_of))

    def _is_confirmed(self, tick: Tick, now: datetime) -> bool:
        """Say whether a jump is believed: another source has just made it too, or this one has stayed there."""
        mid = (float(tick.bid) + float(tick.ask)) / 2
        key = (tick.pair, tick.source)
        since, first = self._jumps.setdefault(key, (now, mid))
        if abs(mid / first - 1) > _CONFIRMED_WITHIN:
            since, _ = self._jumps[key] = (now, mid)
        others = (jump for (pair, source), jump in self._jumps.items() if pair == tick.pair and source != tick.source)
        together = any(
            now - began <= _CONFIRMED_BEFORE and abs(mid / other - 1) <= _CONFIRMED_WITHIN for began, other in others
        )
        if together or now - since >= _CONFIRMED_AFTER:
            self._mids[tick.pair] = mid
            return True
        return False
