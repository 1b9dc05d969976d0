"""The protocol of adapters: facts about a source, what to request from it, and how to parse what it sends.

An adapter knows no network and no clock: `ingest` sends its requests, at the source's own times and pace, and hands it
the content. There are three kinds: a `FixingAdapter` parses published rates of days; a `TickAdapter` parses current
quotes, which are polled; a `VenueAdapter` is a `TickAdapter` that also receives them over a WebSocket.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from itertools import islice
from zoneinfo import ZoneInfo

from cambist.errors import CellBroken, NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.history.typed_series import parse_series_key, series_key
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.pricing.tick import Tick


class Redistribution(StrEnum):
    """Whether the source's terms let what it publishes be passed on."""

    ALLOWED = "allowed"
    UNCLEAR = "unclear"
    FORBIDDEN = "forbidden"


class KnownFrom(StrEnum):
    """What the format of a source's answers is known from. One known from documentation alone is unproven."""

    RECORDED = "recorded"
    FIXTURE = "fixture"
    DOCUMENTATION = "documentation"


MAX_PAYLOAD_BYTES = 32 * 1024 * 1024
"""Bytes: no source sends more than this at once."""
MOST_FIXINGS = 1_000_000
"""Fixings of one answer."""

WEEKDAYS = frozenset(range(5))
EVERY_DAY = frozenset(range(7))


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When to poll a source: `every` so often between `start` and `end`, in the source's zone, on its working days.

    `days` are weekdays from 0 (Monday). `holidays` names the calendar of a country (`NO`) or a market (`XECB`); empty
    means that the source has no holidays. `pause` is the shortest time between two requests. `reread_days` is how many
    past days are requested again, to find corrections.
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
    """The facts about a publisher.

    `covers` describes in words what it publishes. Three fields matter for fixings: `anchor` is the currency that all
    its pairs share (under its code of the day), `fixed_at` the time of the market that a fixing shows, in `zone`, and
    `first_day` the first day that it has; `later` has the first days of currencies that are requested only later.
    `alias` is a code for the anchor at this source's rate only (BRX is the real at the PTAX). A `compiled` source
    compiles the publications of others; it is used where they have no rate. A source that `outranks_pegs` itself fixes
    currencies that are pegged by law; for pegged currencies, other sources are only used for their own anchor.
    `brings` are the currencies that have ended since, of which a backfill brings daily rates.
    `rate_types` names the further types of rates that it publishes beside its own `rate_type`: they are stored apart
    and only served where they are asked for by name. A source with a `disabled_reason` is off unless the operator
    enables it. `setting` names the setting with the operator's key, if the source needs one. `known_from` says what the
    format of its answers is known from; None for an operator's own source.
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
    later: tuple[tuple[str, date], ...] = ()
    fixed_at: time = time(0, 1)
    rate_type: RateType = RateType.OFFICIAL
    rate_types: tuple[str, ...] = ()
    alias: str = ""
    brings: tuple[str, ...] = ()
    compiled: bool = False
    outranks_pegs: bool = False
    disabled_reason: str = ""
    setting: str = ""
    known_from: KnownFrom | None = KnownFrom.RECORDED

    @property
    def is_on_by_default(self) -> bool:
        """Whether the source is used unless the operator disables it."""
        return not self.disabled_reason

    @property
    def is_of_main_market(self) -> bool:
        """Whether its rates are served where no type of rate is asked for."""
        is_apart = self.rate_type in {RateType.PARALLEL, RateType.OFFSHORE}
        return not is_apart and not parse_series_key(self.key).rate_type

    def of_type(self, rate_type: str) -> Source:
        """Return the facts about the source's rates of a further type, with the key that these are stored under."""
        return replace(self, key=series_key(self.key, rate_type), rate_types=(), alias="") if rate_type else self

    def market_time(self, day: date) -> datetime:
        """Return the time (UTC) of the market that the day's fixing shows."""
        return datetime.combine(day, self.fixed_at, self.zone).astimezone(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRequest:
    """One request to a source: a GET, or a POST if it has a body.

    `first` and `last` are the days that the answer covers, for sources of days. `subject` says what the answer does not
    say itself, for example its series; the adapter gets it back with the answer. `{key}` in the URL, headers and body
    stands for the operator's key. `content_types` are the allowed beginnings of the answer's content type; empty allows
    any. A status in `no_data_statuses` means that the source has nothing for this request. The request `before` is sent
    first, for its cookies; what the group of `token_pattern` matches in its answer replaces `{token}` in this one. The
    fields of its page that `hidden_fields` names become a part of this one's form.
    """

    url: str
    first: date = date.min
    last: date = date.max
    subject: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    content_types: tuple[str, ...] = ()
    no_data_statuses: frozenset[int] = frozenset()
    before: SourceRequest | None = None
    token_pattern: str = ""
    hidden_fields: tuple[str, ...] = ()

    @property
    def origin(self) -> str:
        """Return where the answer is from, as it is recorded. POSTs to one URL differ by their days and subject."""
        if not self.body:
            return self.url
        subject = f" ({self.subject})" if self.subject else ""
        return f"{self.url} for {self.first} to {self.last}{subject}"


_cell_errors: ContextVar[dict[str, None] | None] = ContextVar("cell_errors", default=None)
"""The errors of the cells left out of the current payload, each once; None if a broken cell fails the payload."""


class _CellGuard:
    """A context around the parsing of one cell or column. `parse_tolerantly` records a CellBroken in it and goes on."""

    def __enter__(self) -> None:
        """Enter the cell."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        """Suppress a CellBroken if it can be recorded."""
        errors = _cell_errors.get()
        if errors is None or not isinstance(error, CellBroken):
            return False
        errors[str(error)] = None
        return True


CELL_GUARD = _CellGuard()


@dataclass(frozen=True, slots=True)
class ParsedPayload:
    """The fixings of a payload, and a sentence for each cell that was left out."""

    fixings: list[Fixing]
    left_out: tuple[str, ...] = ()


class Adapter(ABC):
    """One source's adapter. It never repairs or guesses values, and it reports what it leaves out."""

    source: Source


class FixingAdapter(Adapter):
    """An adapter of a source that publishes rates of days."""

    @abstractmethod
    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Yield the requests for all rates from `first` to `last`, oldest first."""

    @abstractmethod
    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the answer to one request; `subject` is that of the request.

        Errors: NothingPublished if a well-formed answer says that there is nothing for the requested days;
        SourceBroken if it is not what the source publishes.
        """

    def parse_tolerantly(self, content: bytes, subject: str = "") -> ParsedPayload:
        """Parse one answer and leave out the cells and columns that cannot be parsed.

        Errors: as `parse`. Also SourceBroken if at least as many cells are broken as there are fixings: the layout has
        changed; and if there are more fixings than any source sends.
        """
        errors: dict[str, None] = {}
        token = _cell_errors.set(errors)
        try:
            fixings = list(islice(self.parse(content, subject), MOST_FIXINGS + 1))
        except NothingPublished:
            if not errors:
                raise
            fixings = []
        finally:
            _cell_errors.reset(token)
        if len(fixings) > MOST_FIXINGS:
            raise SourceBroken(f"{self.source.key}: sent more than {MOST_FIXINGS:,} rates, more than any source")
        if errors and len(errors) >= len(fixings):
            raise SourceBroken(next(iter(errors)))
        return ParsedPayload(fixings, tuple(errors))


PairNames = Mapping[str, Pair]
"""A source's own names of its pairs, in every spelling that it uses, by name."""


class TickAdapter(Adapter):
    """An adapter of a source that publishes current quotes."""

    @abstractmethod
    def requests(self) -> Sequence[SourceRequest]:
        """Return the requests for all current quotes."""

    @abstractmethod
    def parse_ticks(self, content: bytes, subject: str, names: PairNames) -> Iterator[Tick]:
        """Parse the answer to one request; `subject` is that of the request. Errors: SourceBroken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VenueSocket:
    """One WebSocket connection to a venue.

    `opening_frames` are sent first, with a `pause` between them. `ping` is a text to send every `ping_every`; empty if
    the protocol's own pings are enough. A connection without any frame for `silence` is treated as dead.
    """

    url: str
    opening_frames: tuple[str, ...]
    ping: str = ""
    ping_every: timedelta = timedelta(seconds=20)
    silence: timedelta = timedelta(seconds=60)
    pause: timedelta = timedelta(milliseconds=250)


@dataclass(frozen=True, slots=True)
class VenueMessage:
    """The content of a frame: ticks, a request to `reconnect`, or the source's text about what it `refused`."""

    ticks: Iterable[Tick] = ()
    reconnect: bool = False
    refused: str = ""


EMPTY_MESSAGE = VenueMessage()


class VenueAdapter(TickAdapter):
    """An adapter of an exchange: it has a list of pairs, and sends changed quotes over WebSockets."""

    @abstractmethod
    def pair_list_request(self) -> SourceRequest:
        """Return the request for the list of pairs."""

    @abstractmethod
    def parse_pair_names(self, content: bytes) -> PairNames:
        """Parse the list into the pairs that trade now, without leveraged tokens. Errors: SourceBroken."""

    @abstractmethod
    def sockets(self, names: PairNames) -> Iterator[VenueSocket]:
        """Yield the connections that send the best bid and ask of every listed pair."""

    @abstractmethod
    def parse_message(self, frame: str | bytes, names: PairNames) -> VenueMessage:
        """Parse one frame. Errors: SourceBroken."""
