"""A session: who one client is, what it has subscribed to, and the replies to its messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from cambist.accounts.api_key import Digest, digest
from cambist.accounts.keyless_access import PAGE
from cambist.accounts.principal import Principal
from cambist.accounts.rate_limit import Bucket
from cambist.errors import BadParameter, shorten
from cambist.pricing.pair import Pair
from cambist.stream.billing import MINUTE
from cambist.stream.context import StreamContext
from cambist.stream.messages import Op, StreamName, StreamRequest, parse_request, status_frame
from cambist.stream.rejection import Rejection
from cambist.stream.subscription import StreamConnection

OK, GOING_AWAY, UNSUPPORTED, POLICY, TOO_BIG = 1000, 1001, 1003, 1008, 1009
"""The status codes with which a WebSocket is closed (RFC 6455, 7.4.1)."""

FRAME_BURST, FRAMES_PER_SECOND = 100, 20.0
_NAMES_IN_MESSAGE = 20
_SPARE_NAMES = 200
"""How many names may exceed the plan's pairs: some are unknown, or mean the same pair."""

_NAMES_PER_FRAME = 500
"""How many names count as one more frame, because parsing them takes as long."""

_NO_KEY = Digest(b"")


@dataclass(frozen=True, slots=True)
class Reply:
    """A frame for the client, and the code with which to close the connection after it; None keeps it open."""

    frame: bytes
    close_code: int | None = None


@dataclass(slots=True)
class Session:
    """The state of one connection: its owner once it has authenticated, and its subscriptions.

    `address` is the client's address, None before `open`. `is_from_page`: a browser says that the page of this service
    opened the connection; it needs no key if the page is open. Times are in seconds since 1970.
    """

    context: StreamContext
    connection: StreamConnection
    address: str | None = None
    is_from_page: bool = False
    principal: Principal | None = None
    digest: Digest = _NO_KEY
    charged_until: float = 0.0
    pairs_by_stream: dict[StreamName, dict[str, Pair]] = field(default_factory=dict)
    feeds: set[str] = field(default_factory=set)
    bucket: Bucket | None = None

    def open(self, address: str, now: float) -> Reply:
        """Greet a client, or refuse it if its address has too many connections without a key."""
        self.address = address
        if self.context.admission.add_unauthenticated(address):
            return Reply(status_frame(Op.CONNECT, 200, now, "Connected to Cambist"))
        return _closing_error(429, now, "Too many connections from this address have not sent an API key yet")

    def close(self) -> None:
        """End the subscriptions, and stop counting the connection. Called once, when the socket is closed."""
        self.context.broadcaster.remove(self.connection)
        self._end_feeds(self.feeds)
        if self.principal is not None:
            self.context.admission.release(self.principal)
        elif self.address is not None:
            self.context.admission.remove_unauthenticated(self.address)

    def handle(self, message: bytes, now: float) -> Reply:
        """Reply to a message."""
        try:
            request = parse_request(message)
        except BadParameter as wrong:
            return Reply(status_frame(Op.ERROR, 400, now, str(wrong)))
        is_feed = _feed_name(request) in self.context.feeds
        handlers: dict[str, Callable[[StreamRequest, float], Reply]] = {
            Op.AUTH: self._authenticate,
            Op.SUBSCRIBE: self._subscribe_to_feed if is_feed else self._subscribe,
            Op.UNSUBSCRIBE: self._unsubscribe_from_feed if is_feed else self._unsubscribe,
            Op.STATUS: self._status,
            Op.SHUTDOWN: self._shut_down,
        }
        handler = handlers.get(request.op)
        if handler is None:
            text = f"Unknown op: [{shorten(request.op)}]; there are {', '.join(handlers)}"
            return Reply(status_frame(Op.ERROR, 400, now, text))
        if self.principal is None and request.op in (Op.SUBSCRIBE, Op.UNSUBSCRIBE):
            return Reply(status_frame(Op.ERROR, 401, now, f"Not authenticated: [auth] comes before [{request.op}]"))
        return handler(request, now)

    def count_frames(self, now: float, frames: int = 1) -> Reply | None:
        """Count frames, or work that takes as long; return a reply that closes the connection if they are too many."""
        last = self.bucket or Bucket(FRAME_BURST, 0, now)
        self.bucket = last.read(last.counted + frames, now, FRAMES_PER_SECOND, FRAME_BURST)
        if self.bucket.level >= 0:
            return None
        return _closing_error(429, now, f"More than {FRAMES_PER_SECOND:.0f} frames a second")

    def reject_binary(self, now: float) -> Reply:
        """Reject a binary frame."""
        return Reply(status_frame(Op.ERROR, 400, now, "Binary frames are not supported: send text frames"), UNSUPPORTED)

    def reject_too_big(self, now: float, limit: int) -> Reply:
        """Reject a message that is too long."""
        return Reply(
            status_frame(Op.ERROR, 413, now, f"The message is too long: at most {limit} bytes are allowed"), TOO_BIG
        )

    def renew(self, now: float) -> Reply | None:
        """Apply changes of key and plan, and charge a new minute; return a reply if the connection must be closed."""
        found = self.context.admission.lookup(self.digest, now)
        if isinstance(found, Rejection):
            return _closing_error(found.status, now, found.message)
        before, self.principal, plan = self.principal, found, found.plan
        count = sum(len(pairs) for pairs in self.pairs_by_stream.values())
        if count > plan.stream_pairs:
            text = f"The plan [{plan.name}] allows {plan.stream_pairs} pairs on a connection; this one has {count}"
            return _closing_error(429, now, text)
        self.charged_until = min(self.charged_until, now + MINUTE)  # the clock may have been set back
        if now >= self.charged_until:
            charged = self.context.billing.charge_minute(found, self.charged_until, now)
            if isinstance(charged, Rejection):
                return _closing_error(charged.status, now, charged.message)
            self.charged_until = charged
        if before is None or plan is not before.plan:
            self.connection.set_limit(plan.stream_messages)
            for name in self.feeds:
                self.context.feeds[name].subscribe(self.connection, found, None)
        return None

    def _authenticate(self, request: StreamRequest, now: float) -> Reply:
        if self.principal is not None:
            text = "Already authenticated; open another connection to use another key"
            return Reply(status_frame(Op.ERROR, 400, now, text))
        key = request.key.strip()
        is_visitor = not key and self.is_from_page and PAGE in self.context.admission.principals.by_digest
        if not key and not is_visitor:
            return Reply(status_frame(Op.AUTH, 401, now, "No API key: send it as [key]"), POLICY)
        hashed = PAGE if is_visitor else digest(key)
        admitted = self.context.admission.admit(hashed, self.address or "", now)
        if isinstance(admitted, Rejection):
            return Reply(status_frame(Op.AUTH, admitted.status, now, admitted.message), POLICY)
        found = admitted.principal
        self.context.broadcaster.add(self.connection)
        self.principal, self.digest, self.charged_until = found, hashed, admitted.charged_until
        cost = found.plan.stream_calls_a_minute
        more = {"calls_a_minute": cost} if cost else {}
        return Reply(status_frame(Op.AUTH, 200, now, "Authenticated OK", **more))

    def _subscribe(self, request: StreamRequest, now: float) -> Reply:
        stream, names = _stream_named(request.stream), request.names or []
        if stream is None:
            return Reply(status_frame(Op.SUBSCRIBE, 400, now, self._unknown_stream(request.stream)))
        limit = self.principal.plan.stream_pairs if self.principal else 0
        if len(names) > limit + _SPARE_NAMES:
            return Reply(status_frame(Op.SUBSCRIBE, 429, now, _too_many_pairs(len(names), limit)))
        flood = self.count_frames(now, len(names) // _NAMES_PER_FRAME)
        if flood:
            return flood
        pairs, unknown = self.context.prices.parse_pairs(names)
        if not pairs:
            listed = ", ".join(map(shorten, unknown[:_NAMES_IN_MESSAGE]))
            return Reply(status_frame(Op.SUBSCRIBE, 400, now, f"No valid pairs in [{listed}]"))
        count = len(pairs) + sum(len(others) for name, others in self.pairs_by_stream.items() if name is not stream)
        if count > limit:
            return Reply(status_frame(Op.SUBSCRIBE, 429, now, _too_many_pairs(count, limit)))
        self.pairs_by_stream[stream] = pairs
        self.context.broadcaster.subscribe(self.connection, stream, pairs, self._price_limit)
        more = {"ignored": [shorten(name) for name in unknown]} if unknown else {}
        return Reply(status_frame(Op.SUBSCRIBE, 200, now, _subscribed(self._stream_count), **more))

    def _subscribe_to_feed(self, request: StreamRequest, now: float) -> Reply:
        name = _feed_name(request)
        feed = self.context.feeds[name]
        if request.names:
            text = f"The stream [{name}] has no pairs: leave out [pairs]"
            return Reply(status_frame(Op.SUBSCRIBE, 400, now, text))
        if self.principal is None or feed.group not in self.principal.tags:
            return Reply(status_frame(Op.SUBSCRIBE, 403, now, f"The plan does not include the group [{feed.group}]"))
        if feed.is_personal and self.principal.is_visitor:
            return Reply(status_frame(Op.SUBSCRIBE, 401, now, f"The stream [{name}] needs an API key"))
        self.feeds.add(name)
        since = feed.since
        feed.subscribe(self.connection, self.principal, request.since)
        more = {} if since == "" else {"since": since}
        return Reply(status_frame(Op.SUBSCRIBE, 200, now, _subscribed(self._stream_count), **more))

    def _unsubscribe_from_feed(self, request: StreamRequest, now: float) -> Reply:
        name = _feed_name(request)
        self._end_feeds({name})
        return Reply(status_frame(Op.UNSUBSCRIBE, 200, now, f"Unsubscribed from the {name}"))

    def _end_feeds(self, names: set[str]) -> None:
        for name in tuple(names):
            self.context.feeds[name].unsubscribe(self.connection)
            self.feeds.discard(name)

    def _unsubscribe(self, request: StreamRequest, now: float) -> Reply:
        """Unsubscribe from pairs of a stream; without `pairs` from all pairs, without `stream` from all streams."""
        if not request.stream and request.names is None:
            self._end_feeds(self.feeds)
        streams = [_stream_named(request.stream)] if request.stream else list(self.pairs_by_stream)
        names, count = request.names, 0
        flood = self.count_frames(now, len(names or []) // _NAMES_PER_FRAME)
        if flood:
            return flood
        removed = None if names is None else set(self.context.prices.parse_pairs(names)[0])
        for stream in streams:
            if stream is None:
                return Reply(status_frame(Op.UNSUBSCRIBE, 400, now, self._unknown_stream(request.stream)))
            before = self.pairs_by_stream.get(stream, {})
            left = {} if removed is None else {symbol: before[symbol] for symbol in before if symbol not in removed}
            count += len(before) - len(left)
            self._keep_only(stream, left)
        text = f"Unsubscribed from {count} pair{'' if count == 1 else 's'}"
        return Reply(status_frame(Op.UNSUBSCRIBE, 200, now, text))

    def _keep_only(self, stream: StreamName, pairs: dict[str, Pair]) -> None:
        if pairs:
            self.pairs_by_stream[stream] = pairs
        else:
            self.pairs_by_stream.pop(stream, None)
        self.context.broadcaster.keep_only(self.connection, stream, pairs, self._price_limit)

    @property
    def _stream_count(self) -> int:
        return len(self.pairs_by_stream) + len(self.feeds)

    @property
    def _price_limit(self) -> int:
        return self.principal.plan.stream_messages if self.principal else 0

    def _unknown_stream(self, name: str) -> str:
        return f"Unknown stream: [{shorten(name)}]; there are {', '.join((*StreamName, *self.context.feeds))}"

    def _status(self, _request: StreamRequest, now: float) -> Reply:
        status = self.context.prices.status(now)
        if status.age is None:
            return Reply(status_frame(Op.STATUS, 503, now, "There are no prices yet"))
        text = "Prices flow" if status.is_live else f"Prices stand still: the newest book is {status.age:.0f} s old"
        streams: dict[str, list[str]] = {name: list(pairs) for name, pairs in self.pairs_by_stream.items()}
        streams |= {name: [] for name in sorted(self.feeds)}
        more = {"book": status.version, "age_ms": round(status.age * 1000), "streams": streams}
        return Reply(status_frame(Op.STATUS, 200 if status.is_live else 503, now, text, **more))

    def _shut_down(self, _request: StreamRequest, now: float) -> Reply:
        return Reply(status_frame(Op.SHUTDOWN, 200, now, "Goodbye"), OK)


def _closing_error(status: int, now: float, text: str) -> Reply:
    return Reply(status_frame(Op.ERROR, status, now, text), POLICY)


def _stream_named(name: str) -> StreamName | None:
    return next((stream for stream in StreamName if stream == name.strip().lower()), None)


def _subscribed(count: int) -> str:
    return f"Subscribed to {count} stream{'' if count == 1 else 's'}"


def _too_many_pairs(count: int, limit: int) -> str:
    return f"Too many pairs: [{count}], the plan allows {limit} on a connection; nothing was changed"


def _feed_name(request: StreamRequest) -> str:
    return request.stream.strip().lower()
