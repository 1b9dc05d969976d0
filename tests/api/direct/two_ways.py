"""Two services alike, one without the direct way: what each answers to the same bytes, and what each counts."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from tests.api.direct.questions import COINS, MARKET
from tests.conftest import Client, MemoryLedger, client_of

from cambist.accounts.account import Account, DatetimeFormat, StoredKey
from cambist.accounts.api_key import digest, mint
from cambist.accounts.plan import default_plans, read_plans
from cambist.api.state.worker_state import Choices
from cambist.history.rate_matrix import RateMatrix
from cambist.http.connection import HttpConnection
from cambist.http.request_parser import Environ, ReceivedRequest
from cambist.http.responses import REQUEST_ID, request_id_of
from cambist.http.wsgi import call_wsgi
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.rate_book_assembly import assemble_rate_book
from cambist.pricing.source_kind import Pace
from cambist.reference.assets import AssetKind
from cambist.storage.shared.rate_book_file import RateBookFile

PLANS = f"""{default_plans()}
[slow]
rate = 0.5
burst = 3
tags = ["currency", "crypto", "fx", "metals"]
[few]
calls_a_month = 60
tags = ["currency", "crypto", "fx", "metals"]
[both]
calls_a_month = 1_000_000
rate = 100
burst = 50
tags = ["currency", "crypto", "fx", "metals"]
[coins]
calls_a_month = 5_000
tags = ["crypto"]
[recent]
history_days = 30
tags = ["currency"]
[minute]
book_refresh = 60
tags = ["currency", "crypto", "fx", "metals"]
"""
AGES = {
    AssetKind.COIN: timedelta(seconds=40),
    AssetKind.METAL: timedelta(minutes=10),
    AssetKind.CURRENCY: timedelta(minutes=5),
}
VARYING = ("date: ", "x-request-id: ", "content-length: ")


def make_keys(now: datetime) -> dict[str, StoredKey | None]:
    """Return keys of callers of all kinds; None for one that nobody has."""
    kinds: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("unlimited", {}, {}),
        ("unlimited", {}, {"expires_at": now + timedelta(minutes=3)}),
        ("unlimited", {}, {"revoked": True}),
        ("unlimited", {"suspended": True}, {}),
        ("unlimited", {"datetime_format": DatetimeFormat.UNIX_MS}, {}),
        ("slow", {}, {}),
        ("few", {}, {}),
        ("both", {"datetime_format": DatetimeFormat.SPACED}, {}),
        ("both", {}, {}),
        ("coins", {}, {}),
        ("recent", {}, {}),
        ("minute", {}, {}),
        ("missing", {}, {}),
    ]
    found: dict[str, StoredKey | None] = {}
    for number, (plan, of_account, rest) in enumerate(kinds, 1):
        account = replace(Account(number, f"a{number}", plan), **of_account)
        found[mint(lambda alphabet, number=number: alphabet[number])] = StoredKey(number, account, **rest)  # type: ignore[misc]
    return {**found, mint(lambda alphabet: alphabet[40]): None, "cmb_short": None}


class RandomBooks:
    """Rate books as they are read from the shared file: with old prices, fixings, crosses and gaps."""

    def __init__(self, folder: Path, chance: Random) -> None:
        self._file = RateBookFile(folder)
        self._chance = chance
        self._version = 0

    def next(self, at: datetime) -> RateBook:
        """Return another book."""
        chance = self._chance
        self._version += 1
        codes = [code for code in MARKET.codes(at.date()) if chance.random() > 0.01]
        quotes = {code: self._quote(MARKET.quote(code, at), code, at) for code in codes}
        known = {*quotes, PIVOT}
        pairs = {
            pair: self._quote(MARKET.pair_quote(pair, at), pair.base, at)
            for pair in MARKET.pairs()
            if {pair.base, pair.quote} <= known and chance.random() > 0.1
        }
        venues = frozenset(pair for pair in MARKET.pairs() if pair.base in COINS)
        self._file.publish(assemble_rate_book(quotes, self._version, at, pairs, venues))
        book = self._file.current()
        assert book is not None
        return book

    def _quote(self, quote: Quote, code: str, at: datetime) -> Quote:
        chance = self._chance
        moved = Fraction(chance.randrange(900_000, 1_100_000), 1_000_000)
        seconds = chance.choice(
            (0, 1, 3, 10) if chance.random() < 0.9 else (39, 45, 290, 400, 700, 86_400, 15 * 86_400)
        )
        as_of = at - timedelta(seconds=seconds, microseconds=chance.randrange(1_000_000))
        pace = chance.choice((Pace.REALTIME,) * 6 + (Pace.DAILY,))
        made = chance.choice((Derivation.PUBLISHED,) * 8 + (Derivation.CROSSED,))
        legs = (Pair(code, "BTC"), Pair("BTC", PIVOT)) if made is Derivation.CROSSED and code in COINS else ()
        if made is Derivation.CROSSED and not legs:
            moved *= Fraction(chance.randrange(1, 999), 997)  # no decimal
            legs = (Pair(code, "EUR"), Pair("EUR", PIVOT))
        source = chance.choice(("one", "two"))
        origin = Origin(made, (source,), legs, pace=pace)
        digits = chance.choice((4, 6, 8, 12))
        bid, ask = (
            side * moved if made is Derivation.CROSSED else Fraction(f"{float(side * moved):.{digits}g}")
            for side in (quote.bid, quote.ask)
        )
        return Quote(quote.pair, min(bid, ask), max(bid, ask), as_of, as_of, origin)


@dataclass
class Transport:
    """Keeps what a connection sends."""

    sent: list[bytes] = field(default_factory=list)
    is_closed: bool = False

    def set_write_buffer_limits(self, *_limits: int) -> None: ...
    def get_extra_info(self, _name: str) -> Any:
        return ("10.0.0.1", 1)

    def write(self, data: bytes) -> None:
        self.sent.append(bytes(data))

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.is_closed = True

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...
    def close(self) -> None: ...


class Way:
    """A server over an application, without sockets and threads."""

    now, is_ending, is_secure = 0.0, False, False

    def __init__(self, client: Client, *, is_direct: bool) -> None:
        self.client = client
        self.app: Any = client.app
        self.connections: set[HttpConnection] = set()
        self.direct_answers: Counter[str] = Counter()
        self.is_direct = is_direct
        self.body_limit = self.app.body_limit
        self._waiting: list[tuple[ReceivedRequest, HttpConnection]] = []
        self._answered: list[HttpConnection] = []

    def direct(self, data: bytes, environ: Environ | None) -> bytes | None:
        if not self.is_direct:
            return None
        before = self.counted()
        answer: bytes | None = self.app.direct(data, environ)
        if answer is not None:
            self.direct_answers[data[4:].partition(b"?")[0].partition(b" ")[0].decode()] += 1
        assert answer is not None or self.counted() == before, data
        return answer

    def counted(self) -> tuple[Any, ...]:
        """Return a copy of everything that is counted."""
        ledger: MemoryLedger = self.client.ledger
        return ledger.spent_by.copy(), ledger.admitted_by.copy(), dict(ledger.keys)

    def answer(self, request: ReceivedRequest) -> bytes | None:
        request.environ[REQUEST_ID] = request_id_of(request.environ)
        answer: bytes | None = self.app.at_once(request.environ)
        return answer

    def answer_in_thread(self, request: ReceivedRequest, connection: HttpConnection) -> None:
        self._waiting.append((request, connection))

    def refusal_delay(self, _answer: bytes, _request: ReceivedRequest | None, _peer: str) -> float:
        return 0.0

    def send_soon(self, connection: HttpConnection) -> None:
        self._answered.append(connection)

    def send_answered(self) -> None:
        if self._answered:
            self.app.settle()
        while self._answered:
            self._answered.pop().send_due()

    def departed(self, _connection: HttpConnection) -> None: ...
    def later(self, _seconds: float, _call: Callable[[], None]) -> None: ...

    def connect(self) -> tuple[HttpConnection, Transport]:
        """Return a new connection, and where it sends to."""
        transport, connection = Transport(), HttpConnection(self)
        connection.connection_made(transport)  # type: ignore[arg-type]
        return connection, transport

    def respond(self, data: bytes) -> bytes:
        """Return what a client gets for the bytes of a request."""
        connection, transport = self.connect()
        connection.data_received(data)
        self.send_answered()
        self.answer_waiting()
        connection.connection_lost(None)
        return b"".join(transport.sent)

    def answer_waiting(self) -> None:
        """Answer what waits for a thread."""
        while self._waiting:
            request, connection = self._waiting.pop()
            connection.finish(*self._in_thread(request))

    def _in_thread(self, request: ReceivedRequest) -> tuple[bytes, ReceivedRequest]:
        answer, body = call_wsgi(self.app, request, ("x", 1), "http")
        if body is not None:
            answer += b"".join(iter(body.next_piece, b""))
            body.close()
        return answer, request


def settled(response: bytes) -> list[str]:
    """Return the lines of a response without what differs from one to the next, and its body."""
    head, _, body = response.partition(b"\r\n\r\n")
    if b"content-encoding: gzip" in head and body:  # none follows a HEAD
        body = zlib.decompress(body, wbits=31)
    body = re.sub(rb'"ms":\d+', b'"ms":0', body)
    lines = head.decode("latin-1").split("\r\n")
    return [*(line.partition(" ")[0] if line.startswith(VARYING) else line for line in lines), body.decode("latin-1")]


class TwoWays:
    """Both services, the time, and the books that both see."""

    def __init__(
        self,
        matrix: RateMatrix,
        folder: Path,
        seed: int,
        start: datetime,
        longest_age: timedelta | None,
        **rest: Any,
    ) -> None:
        self.chance = Random(seed)  # noqa: S311
        self.now = start.timestamp()
        self.keys = make_keys(start)
        self._books = RandomBooks(folder, self.chance)
        book = self._books.next(start)
        stored = {digest(key): one for key, one in self.keys.items() if one is not None}
        plans = read_plans(PLANS, "plans.toml")
        choices = Choices(longest_age=longest_age, ages=AGES)
        options = {"stored_keys": stored, "plans": plans, "choices": choices, **rest}
        self.ways = [
            Way(client_of(book, matrix, **options, clock=lambda: self.now), is_direct=is_direct)
            for is_direct in (True, False)
        ]

    def _states(self) -> Iterator[Any]:
        return (way.client.worker_state for way in self.ways)

    def move(self) -> None:
        """Let time pass, and sometimes change the book."""
        chance = self.chance
        self.now += chance.choice((0, 0, 0.013, 0.2, 1.5)) if chance.random() < 0.998 else chance.choice((61, 3600))
        if chance.random() < 0.05:
            book = self._books.next(datetime.fromtimestamp(self.now, UTC))
            for state in self._states():
                state.apply_book(book)
        if chance.random() < 0.2:
            for state in self._states():
                state.tick()
