"""The hub: who listens to what, and what is written to whom when prices change.

It is driven by levels, not by events: what a connection is owed is a set of pairs, never a queue of prices, and what it
gets is their newest price at the moment at which it can take one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from cambist.market.book import Book
from cambist.market.pair import Pair
from cambist.stream.lanes import AT_ONCE, PING_EVERY, Lane, Reader, Selection
from cambist.stream.messages import PING, StreamName
from cambist.stream.prices import Prices

_TURN = 200
"""How many connections are written to before the loop may see to something else."""

_MAKING = 4
"""How many writes a price takes as long as to be made."""

_NOTED = 100
"""How many pairs are noted in the time of one write."""


class Hub:
    """All connections that listen. Times are seconds of a clock that only goes forward."""

    def __init__(self, prices: Prices) -> None:
        self._prices = prices
        self._selections: dict[tuple[StreamName, tuple[str, ...]], Selection] = {}
        self._heard: dict[str, int] = {}
        self._readers: set[Reader] = set()
        self._waiting: dict[Lane, None] = {}
        self.is_behind = False
        """Whether somebody could take more at once."""
        self.told = 0
        """How many prices were written."""
        self.lost = 0
        """How many connections were ended because nobody was there any more."""

    def __len__(self) -> int:
        return len(self._readers)

    @property
    def pairs(self) -> int:
        """How many pairs somebody listens to."""
        return len(self._heard)

    def join(self, reader: Reader) -> None:
        """Take in a connection, which listens to nothing yet."""
        self._readers.add(reader)

    def leave(self, reader: Reader) -> None:
        """Forget a connection."""
        self._readers.discard(reader)
        for stream in list(reader.lanes):
            self._end(reader, stream)

    def select(self, reader: Reader, stream: StreamName, pairs: Mapping[str, Pair], limit: int) -> None:
        """Let a connection listen to these pairs of a stream and no others; it is owed their prices at once."""
        self._replace(reader, stream, pairs, dict.fromkeys(pairs, 0))
        reader.choices += 1
        reader.measure(limit)

    def reduce(self, reader: Reader, stream: StreamName, pairs: Mapping[str, Pair], limit: int) -> None:
        """Let a connection listen to these of its pairs only; of those it is owed what it was owed before."""
        before = reader.lanes.get(stream)
        owed = {} if before is None else {**before.owed, **before.turn}
        self._replace(reader, stream, pairs, {symbol: owed[symbol] for symbol in pairs if symbol in owed})
        reader.measure(limit)

    def _replace(self, reader: Reader, stream: StreamName, pairs: Mapping[str, Pair], owed: Mapping[str, int]) -> None:
        before = reader.lanes.get(stream)
        self._prices.listen(pairs)
        for symbol in pairs:
            self._heard[symbol] = self._heard.get(symbol, 0) + 1
        if before is not None:
            self._end(reader, stream)
        if pairs:
            selection = self._selection(stream, tuple(sorted(pairs)))
            lane = reader.lanes[stream] = Lane(reader, selection)
            if before is not None:  # to subscribe again and again brings no pair more often
                lane.ready_at = before.ready_at
            selection.lanes.add(lane)
            lane.owed.update(owed)
            if owed:
                self._waiting[lane] = None

    def take(self, book: Book) -> Iterator[None]:
        """Tell everybody what a new book changes; between two steps the loop may see to something else."""
        stirred = self._prices.take(book)
        if not stirred:
            return
        frames: dict[str, bytes] = {}
        steps = 0
        for selection in list(self._selections.values()):
            if len(selection.symbols) > AT_ONCE:
                steps += self._owe(selection, stirred.intersection(selection.symbols), book.version)
            else:
                steps += self._made(selection, stirred, frames, book.version)
            if steps >= _TURN:
                steps = 0
                yield

    def _made(self, selection: Selection, stirred: set[str], frames: dict[str, bytes], version: int) -> int:
        """Make what is not made yet of a short list, and tell it; give how many writes that took."""
        due, steps = [], 0
        for symbol in selection.symbols:
            if symbol in stirred:
                if symbol not in frames:
                    frames[symbol] = self._prices.news(symbol, version)
                    steps += _MAKING
                if frames[symbol]:
                    due.append(symbol)
        if due:
            steps += self._tell(selection, due, b"".join([frames[symbol] for symbol in due]), version)
        return steps

    def _tell(self, selection: Selection, due: list[str], joined: bytes, version: int) -> int:
        """Write to all who can take it now what they all get, and note it for the others; give how many there are."""
        is_plain, written = selection.stream is StreamName.FX, 0
        for lane in tuple(selection.lanes):
            reader = lane.reader
            if is_plain and not (lane.owed or reader.is_paused or reader.is_limited):
                reader.wire.write(joined)
                written += 1
            else:
                for symbol in due:
                    lane.owed.setdefault(symbol, version)
                self._waiting[lane] = None
        self.told += written * len(due)
        return len(selection.lanes)

    def _owe(self, selection: Selection, symbols: Iterable[str], version: int) -> int:
        """Note what may have changed in a long list, to be made when it can be taken; give what it took, in writes."""
        due = list(symbols)
        for lane in selection.lanes if due else ():
            for symbol in due:
                lane.owed.setdefault(symbol, version)
            self._waiting[lane] = None
        return len(selection.lanes) * len(due) // _NOTED

    def settle(self, now: float) -> Iterator[None]:
        """Write what is owed to whoever may have it and can take it, in turns as `take` does."""
        self.is_behind, steps = False, 0
        for lane in tuple(self._waiting):
            steps += 1 + self._pay(lane, now)
            if steps >= _TURN:
                steps = 0
                yield

    def pay(self, reader: Reader, now: float) -> None:
        """Write what a connection is owed, as far as it can take it."""
        for lane in tuple(reader.lanes.values()):
            if lane.owed or lane.turn:
                self._pay(lane, now)

    def paused(self, reader: Reader) -> None:
        """Note that a connection takes nothing more for now."""
        reader.is_paused = True

    def resumed(self, reader: Reader, now: float) -> None:
        """Go on with a connection that takes something again: it gets the newest of what it is owed."""
        reader.is_paused, reader.is_awaited = False, False
        self.pay(reader, now)

    def heard(self, reader: Reader) -> None:
        """Note a sign of life."""
        reader.is_awaited = False

    def ping(self, now: float) -> None:
        """Ping whoever is due, and end those that gave no sign of life since the last ping."""
        for reader in tuple(self._readers):
            if now < reader.ping_at:
                continue
            if reader.is_awaited:
                self.lost += 1
                reader.wire.lost()
                continue
            reader.ping_at, reader.is_awaited = now + PING_EVERY, True
            reader.wire.write(PING)

    def _pay(self, lane: Lane, now: float) -> int:
        """Write the newest prices of what a lane is owed, the longest owed first; give of how many pairs."""
        reader = lane.reader
        self._waiting.pop(lane, None)
        if reader.is_paused:
            return 0  # it is paid when it can take something again
        turn = lane.begun(now)
        count = reader.allowed(now) if turn else 0
        batch = list(islice(turn.items(), count))
        for symbol, _ in batch:
            del turn[symbol]
            lane.owed.pop(symbol, None)  # what is told is the newest
        if batch and not turn:
            lane.ready_at = now + lane.interval
        if turn or lane.owed:
            self._waiting[lane] = None  # at the end: others come first
            self.is_behind = self.is_behind or count == AT_ONCE
        frames = [frame for symbol, since in batch if (frame := self._prices.frame(symbol, since))]
        if frames:
            reader.allowance -= len(frames)
            self.told += len(frames)
            reader.wire.write(b"".join(frames))
        return len(batch)

    def _end(self, reader: Reader, stream: StreamName) -> None:
        lane = reader.lanes.pop(stream)
        self._waiting.pop(lane, None)
        lane.owed.clear()
        lane.turn.clear()
        lane.selection.lanes.discard(lane)
        if not lane.selection.lanes:
            self._selections.pop((stream, lane.selection.symbols), None)
        self._unheard(lane.selection.symbols)

    def _unheard(self, symbols: Iterable[str]) -> None:
        silent = []
        for symbol in symbols:
            self._heard[symbol] -= 1
            if not self._heard[symbol]:
                del self._heard[symbol]
                silent.append(symbol)
        self._prices.forget(silent)

    def _selection(self, stream: StreamName, symbols: tuple[str, ...]) -> Selection:
        key = (stream, symbols)
        if key not in self._selections:
            self._selections[key] = Selection(stream, symbols)
        return self._selections[key]
