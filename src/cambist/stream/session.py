"""A session: what one connection has said so far, and what it is answered. Pure: frames in, frames out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from cambist.accounts.api_key import Digest, digest
from cambist.accounts.bearer import Bearer
from cambist.accounts.rate_limit import Bucket
from cambist.errors import BadParameter, shown
from cambist.market.pair import Pair
from cambist.stream.door import Refused
from cambist.stream.messages import Asked, Op, StreamName, answer, read, subscribed

OK, GOING_AWAY, UNSUPPORTED, POLICY, TOO_BIG = 1000, 1001, 1003, 1008, 1009
"""Why a connection is closed, by the numbers of WebSocket."""

ASKED_AT_ONCE, ASKED_A_SECOND = 100, 20.0
_MOST_NAMED = 20
_SPARE_NAMES = 200
"""How many names more than pairs are looked up: some are unknown, or of the same pair."""

_NAMES_A_FRAME = 500
"""How many names take as long as a frame."""

_MINUTE = 60.0
_NO_KEY = Digest(b"")


@dataclass(frozen=True, slots=True)
class Said:
    """What a client is told: a frame, and the number with which it is closed then; None to go on."""

    frame: bytes
    close: int | None = None


@dataclass(frozen=True, slots=True)
class State:
    """Whether prices flow: how old the newest book is, in seconds; None without one."""

    version: int
    age: float | None
    silent_after: float

    @property
    def flows(self) -> bool:
        """Whether a book came lately."""
        return self.age is not None and self.age <= self.silent_after


class House(Protocol):
    """What a session asks of the rest of the stream."""

    def admit(self, digest: Digest, now: float) -> Bearer | Refused:
        """Let in by a key, and charge the first minute."""

    def charge(self, bearer: Bearer, now: float) -> Refused | None:
        """Charge another minute, or say why it cannot be."""

    def pairs(self, names: list[str]) -> tuple[dict[str, Pair], list[str]]:
        """Give the pairs that names stand for, by symbol, and the names of none."""

    def select(self, stream: StreamName, pairs: Mapping[str, Pair]) -> None:
        """Send these pairs in that stream from now on, and no others, each at once."""

    def reduce(self, stream: StreamName, pairs: Mapping[str, Pair]) -> None:
        """Send only these of its pairs in that stream from now on, each when it changes."""

    def state(self) -> State:
        """Say whether prices flow."""


@dataclass(slots=True)
class Session:
    """One connection's state: who it is once it has brought a key, and what it listens to."""

    house: House
    bearer: Bearer | None = None
    digest: Digest = _NO_KEY
    charged_until: float = 0.0
    chosen: dict[StreamName, dict[str, Pair]] = field(default_factory=dict)
    bucket: Bucket | None = None

    def hear(self, text: bytes, now: float) -> Said:
        """Answer a message, `now` seconds since 1970."""
        try:
            asked = read(text)
        except BadParameter as wrong:
            return Said(answer(Op.ERROR, 400, now, str(wrong)))
        return self._answered(asked, now)

    def count(self, now: float, frames: int = 1) -> Said | None:
        """Count frames of any kind, or what takes as long to answer; say so where they are too many."""
        last = self.bucket or Bucket(ASKED_AT_ONCE, 0, now)
        self.bucket = last.read(last.counted + frames, now, ASKED_A_SECOND, ASKED_AT_ONCE)
        if self.bucket.level >= 0:
            return None
        return Said(answer(Op.ERROR, 429, now, f"More than {ASKED_A_SECOND:.0f} frames a second"), POLICY)

    def binary(self, now: float) -> Said:
        """Refuse a binary frame."""
        return Said(answer(Op.ERROR, 400, now, "Frames are text: binary ones are not understood"), UNSUPPORTED)

    def too_big(self, now: float, most: int) -> Said:
        """Refuse a message that is too long."""
        return Said(answer(Op.ERROR, 413, now, f"A message takes at most {most} bytes"), TOO_BIG)

    def go_on(self, found: Bearer | Refused, now: float) -> Said | None:
        """Go on as who brought the key is now, and charge the minute that begins; say why, where that ends here."""
        if isinstance(found, Refused):
            return Said(answer(Op.ERROR, found.status, now, found.sentence), POLICY)
        self.bearer, plan = found, found.plan
        count = sum(len(pairs) for pairs in self.chosen.values())
        if count > plan.stream_pairs:
            sentence = f"The plan [{plan.name}] allows {plan.stream_pairs} pairs on a connection; this one has {count}"
            return Said(answer(Op.ERROR, 429, now, sentence), POLICY)
        if now >= self.charged_until:
            refused = self.house.charge(found, now)
            if refused:
                return Said(answer(Op.ERROR, refused.status, now, refused.sentence), POLICY)
            has_slept = now >= self.charged_until + _MINUTE  # those minutes are nobody's
            self.charged_until = (now if has_slept else self.charged_until) + _MINUTE
        return None

    def _answered(self, asked: Asked, now: float) -> Said:
        deeds: dict[str, Callable[[Asked, float], Said]] = {
            Op.AUTH: self._authenticate,
            Op.SUBSCRIBE: self._subscribe,
            Op.UNSUBSCRIBE: self._unsubscribe,
            Op.STATUS: self._status,
            Op.SHUTDOWN: self._shut_down,
        }
        deed = deeds.get(asked.op)
        if deed is None:
            return Said(answer(Op.ERROR, 400, now, f"Unknown op: [{shown(asked.op)}]; there are {', '.join(deeds)}"))
        if self.bearer is None and asked.op in (Op.SUBSCRIBE, Op.UNSUBSCRIBE):
            return Said(answer(Op.ERROR, 401, now, f"Not authenticated: [auth] comes before [{asked.op}]"))
        return deed(asked, now)

    def _authenticate(self, asked: Asked, now: float) -> Said:
        if self.bearer is not None:
            return Said(answer(Op.ERROR, 400, now, "Already authenticated; another key takes another connection"))
        if not asked.key.strip():
            return Said(answer(Op.AUTH, 401, now, "No API key: bring it as [key]"), POLICY)
        hashed = digest(asked.key.strip())
        found = self.house.admit(hashed, now)
        if isinstance(found, Refused):
            return Said(answer(Op.AUTH, found.status, now, found.sentence), POLICY)
        self.bearer, self.digest, self.charged_until = found, hashed, now + _MINUTE
        cost = found.plan.stream_calls_a_minute
        return Said(answer(Op.AUTH, 200, now, "Authenticated OK", **({"calls_a_minute": cost} if cost else {})))

    def _subscribe(self, asked: Asked, now: float) -> Said:
        stream, names = _stream(asked.stream), asked.names
        if stream is None:
            return Said(answer(Op.SUBSCRIBE, 400, now, _no_stream(asked.stream)))
        most, asked_for = self.bearer.plan.stream_pairs if self.bearer else 0, len(names or [])
        if asked_for > most + _SPARE_NAMES:
            return Said(answer(Op.SUBSCRIBE, 429, now, _too_many(asked_for, most)))
        flood = self.count(now, asked_for // _NAMES_A_FRAME)
        if flood:
            return flood
        known, unknown = self.house.pairs(names or [])
        if not known:
            named = ", ".join(map(shown, unknown[:_MOST_NAMED]))
            return Said(answer(Op.SUBSCRIBE, 400, now, f"No valid pairs in [{named}]"))
        count = len(known) + sum(len(pairs) for name, pairs in self.chosen.items() if name is not stream)
        if count > most:
            return Said(answer(Op.SUBSCRIBE, 429, now, _too_many(count, most)))
        self.chosen[stream] = known
        self.house.select(stream, known)
        more = {"ignored": [shown(name) for name in unknown]} if unknown else {}
        return Said(answer(Op.SUBSCRIBE, 200, now, subscribed(len(self.chosen)), **more))

    def _unsubscribe(self, asked: Asked, now: float) -> Said:
        """End pairs of a stream; all of it where none are named; all streams where none is."""
        streams = [_stream(asked.stream)] if asked.stream else list(self.chosen)
        names, count = asked.names, 0
        flood = self.count(now, len(names or []) // _NAMES_A_FRAME)
        if flood:
            return flood
        gone = None if names is None else set(self.house.pairs(names)[0])
        for stream in streams:
            if stream is None:
                return Said(answer(Op.UNSUBSCRIBE, 400, now, _no_stream(asked.stream)))
            chosen = self.chosen.get(stream, {})
            left = {} if gone is None else {symbol: pair for symbol, pair in chosen.items() if symbol not in gone}
            count += len(chosen) - len(left)
            self._reduce(stream, left)
        return Said(answer(Op.UNSUBSCRIBE, 200, now, f"Unsubscribed from {count} pair{'' if count == 1 else 's'}"))

    def _reduce(self, stream: StreamName, pairs: dict[str, Pair]) -> None:
        if pairs:
            self.chosen[stream] = pairs
        else:
            self.chosen.pop(stream, None)
        self.house.reduce(stream, pairs)

    def _status(self, _asked: Asked, now: float) -> Said:
        state = self.house.state()
        if state.age is None:
            return Said(answer(Op.STATUS, 503, now, "There are no prices yet"))
        age = round(state.age * 1000)
        msg = "Prices flow" if state.flows else f"Prices stand still: the newest book is {state.age:.0f} s old"
        streams = {name: list(pairs) for name, pairs in self.chosen.items()}
        more = {"book": state.version, "age_ms": age, "streams": streams}
        return Said(answer(Op.STATUS, 200 if state.flows else 503, now, msg, **more))

    def _shut_down(self, _asked: Asked, now: float) -> Said:
        return Said(answer(Op.SHUTDOWN, 200, now, "Goodbye"), OK)


def _stream(name: str) -> StreamName | None:
    return next((stream for stream in StreamName if stream == name.strip().lower()), None)


def _too_many(count: int, most: int) -> str:
    return f"Too many pairs: [{count}], the plan allows {most} on a connection; nothing was changed"


def _no_stream(name: str) -> str:
    return f"Unknown stream: [{shown(name)}]; there are {', '.join(StreamName)}"
