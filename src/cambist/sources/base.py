"""The protocol of adapters: facts about a source, what to request from it, and how to parse what it sends.

An adapter knows no network and no clock: `ingest` sends its requests, at the source's own times and pace, and hands it
the content. There are three kinds: a `FixingAdapter` parses published rates of days; a `TickAdapter` parses current
quotes, which are polled; a `VenueAdapter` is a `TickAdapter` that also receives them over a WebSocket.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from cambist.errors import CellBroken, NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.pricing.tick import Tick


class Redistribution(StrEnum):
    """Whether the source's terms let what it publishes be passed on."""

    ALLOWED = "allowed"
    UNCLEAR = "unclear"
    FORBIDDEN = "forbidden"


MAX_PAYLOAD_BYTES = 32 * 1024 * 1024
"""Bytes: no source sends more than this at once."""

WEEKDAYS = frozenset(range(5))
EVERY_DAY = frozenset(range(7))


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When to ask: `every` so often between `start` and `end` of the source's clock, on its working days.

    `holidays` names the calendar whose days are none: a country (`NO`) or a market (`XECB`); empty for none.
    `pause` is what politeness asks between two requests; `reread_days` how many days back corrections are looked for.
    """

    start: time = time(0)
    end: time = time(23, 59)
    every: timedelta = timedelta(minutes=20)
    days: frozenset[int] = WEEKDAYS
    holidays: str = ""
    pause: timedelta = timedelta(seconds=1)
    reread_days: int = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A publisher's facts.

    `covers` says for people what it publishes. `anchor` is the currency that all its pairs share, `fixed_at` the hour,
    in `zone`, of the market that a fixing shows, `first_day` the first day that can be had of it; the three matter for
    fixings. `alias` is a code that stands for the anchor at this source's rate alone (BRX is the real at the PTAX).
    `compiled` says that it compiles what others publish: it is heard where they are not. One that `outranks_pegs` fixes
    currencies itself that the law pegs; of any other source only the anchor's own rate is heard there. `setting` names
    the setting with the operator's key, where one is needed.
    """

    key: str
    name: str
    home: str
    terms: str
    licence: str
    redistribution: Redistribution
    pace: Pace
    covers: str
    zone: ZoneInfo
    first_day: date
    schedule: Schedule
    anchor: str = PIVOT
    fixed_at: time = time(0, 1)
    rate_type: RateType = RateType.OFFICIAL
    alias: str = ""
    compiled: bool = False
    outranks_pegs: bool = False
    disabled_reason: str = ""
    setting: str = ""

    @property
    def is_on_by_default(self) -> bool:
        """Whether it is asked unless the operator says otherwise: what is off says why."""
        return not self.disabled_reason

    def market_time(self, day: date) -> datetime:
        """Give the moment of the market that the day's fixing shows, UTC."""
        return datetime.combine(day, self.fixed_at, self.zone).astimezone(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRequest:
    """One request to a source: a GET, or a POST if it has a body.

    `first` and `last` are the days that the answer covers, for sources of days. `subject` says what the answer does not
    say itself, for example its series; the adapter gets it back with the answer. `{key}` in the URL and headers stands
    for the operator's key. `content_types` are the allowed beginnings of the answer's content type; empty allows any. A
    status in `no_data_statuses` means that the source has nothing for this request.
    """

    url: str
    first: date = date.min
    last: date = date.max
    subject: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    content_types: tuple[str, ...] = ()
    no_data_statuses: frozenset[int] = frozenset()

    @property
    def origin(self) -> str:
        """Say where the answer is from, as receipts keep it: what is posted to one address differs by its days."""
        return f"{self.url} for {self.first} to {self.last}" if self.body else self.url


_left_out: ContextVar[dict[str, None] | None] = ContextVar("left_out", default=None)
"""What is left out of the answer that is being taken, each once; None where an answer is read whole or not at all."""


class _CellGuard:
    """Around the reading of one cell or column: a broken one costs only itself where somebody notes it, else all."""

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        """Note a cell that cannot be read, and go on."""
        noted = _left_out.get()
        if noted is None or not isinstance(error, CellBroken):
            return False
        noted[str(error)] = None
        return True


CELL_GUARD = _CellGuard()


@dataclass(frozen=True, slots=True)
class ParsedPayload:
    """What was read of an answer, and in a sentence each what was left out."""

    fixings: list[Fixing]
    left_out: tuple[str, ...] = ()


class Adapter(ABC):
    """One source's adapter. It extracts; it never rescues or guesses, and says what it leaves out."""

    source: Source


class FixingAdapter(Adapter):
    """Reads published rates of days."""

    @abstractmethod
    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Give what to ask for everything of the days from `first` to `last`, oldest first."""

    @abstractmethod
    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Read one answer; `subject` is the inquiry's.

        Errors: NothingPublished where it says, well-formed, that there is nothing for the days asked; SourceBroken
        when it is anything but what the source publishes.
        """

    def parse_tolerantly(self, content: bytes, subject: str = "") -> ParsedPayload:
        """Read one answer in which a cell or a column that cannot be read costs only itself.

        Errors: as `read`; also SourceBroken where more of it is unreadable than readable: the layout has changed.
        """
        noted: dict[str, None] = {}
        token = _left_out.set(noted)
        try:
            fixings = list(self.parse(content, subject))
        except NothingPublished:
            if not noted:
                raise
            fixings = []
        finally:
            _left_out.reset(token)
        if noted and len(noted) >= len(fixings):
            raise SourceBroken(next(iter(noted)))
        return ParsedPayload(fixings, tuple(noted))


PairNames = Mapping[str, Pair]
"""A source's own names of its pairs, in every spelling that it uses."""


class TickAdapter(Adapter):
    """Reads quotes of this moment."""

    @abstractmethod
    def requests(self) -> Sequence[SourceRequest]:
        """Give what to ask for all current quotes."""

    @abstractmethod
    def parse_ticks(self, content: bytes, subject: str, names: PairNames) -> Iterator[Tick]:
        """Read one answer to what is asked; `subject` is the inquiry's. Errors: SourceBroken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VenueSocket:
    """One WebSocket connection: where to, what to send first, and what keeps it alive.

    `ping` is a text to be sent every so often, empty where the protocol's own pings do. Without any frame for
    `silence` the connection is dead, however open it looks. `pause` is kept between two frames of `opening_frames`.
    """

    url: str
    opening_frames: tuple[str, ...]
    ping: str = ""
    ping_every: timedelta = timedelta(seconds=20)
    silence: timedelta = timedelta(seconds=60)
    pause: timedelta = timedelta(milliseconds=250)


@dataclass(frozen=True, slots=True)
class VenueMessage:
    """What a frame said: ticks; or that the connection must be made anew; or what the source refused, in its words."""

    ticks: Iterable[Tick] = ()
    reconnect: bool = False
    refused: str = ""


EMPTY_MESSAGE = VenueMessage()


class VenueAdapter(TickAdapter):
    """An exchange: it lists pairs, tells all quotes at once when asked, and each as it changes over sockets."""

    @abstractmethod
    def pair_list_request(self) -> SourceRequest:
        """Give what to ask for the list of pairs."""

    @abstractmethod
    def parse_pair_names(self, content: bytes) -> PairNames:
        """Read the list: every pair that trades now, leveraged tokens left out. Errors: SourceBroken."""

    @abstractmethod
    def sockets(self, names: PairNames) -> Iterator[VenueSocket]:
        """Give the connections that bring the best bid and ask of every listed pair."""

    @abstractmethod
    def parse_message(self, frame: str | bytes, names: PairNames) -> VenueMessage:
        """Read one frame. Errors: SourceBroken."""
