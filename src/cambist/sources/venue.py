"""The shared parts of venue adapters: common facts, and parsing lists, tickers and frames in JSON."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Generic, TypeVar
from zoneinfo import ZoneInfo

import msgspec

from cambist.errors import shorten
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.pricing.tick import Tick
from cambist.sources.base import (
    EVERY_DAY,
    PairNames,
    Redistribution,
    Schedule,
    Source,
    SourceRequest,
    VenueAdapter,
    VenueMessage,
)
from cambist.sources.parsing import PayloadReader

F = TypeVar("F")
T = TypeVar("T")

ZERO = re.compile(r"0(\.0+)?", re.ASCII)
ZERO_OR_EMPTY = re.compile(r"(0(\.0+)?)?", re.ASCII)
_CODE = re.compile(r"[A-Z0-9]{1,20}", re.ASCII)


def venue_source(**own: Any) -> Source:
    """Return the facts of a venue; `own` are those in which venues differ."""
    return Source(
        licence="public market data; check the terms before passing it on",
        redistribution=Redistribution.UNCLEAR,
        pace=Pace.REALTIME,
        zone=ZoneInfo("UTC"),
        first_day=date.max,  # it only has current prices
        schedule=Schedule(every=timedelta(minutes=1), days=EVERY_DAY),
        rate_type=RateType.MARKET,
        **own,
    )


class VenueReader(PayloadReader):
    """Parses the parts of one venue's payloads. `no_orders` matches a side without orders."""

    def __init__(self, name: str, no_orders: re.Pattern[str]) -> None:
        super().__init__(name)
        self._no_orders = no_orders

    def side(self, text: str, pair: Pair) -> Decimal | None:
        """Parse a bid or an ask; return None for a side without orders."""
        return None if self._no_orders.fullmatch(text) else self.number(text, pair)

    def best_price(self, levels: list[list[str]], pair: Pair) -> Decimal | None:
        """Return the price of the first level of a side; None for a side without levels."""
        if not levels:
            return None
        if not levels[0]:
            raise self.broken(f"{pair} has a level without a price")
        return self.side(levels[0][0], pair)

    def check_name(self, name: str, base: str, quote: str, separator: str = "") -> None:
        """Check that the name of a pair is made of its two codes. Errors: SourceBroken."""
        if name != f"{base}{separator}{quote}":
            raise self.broken(f"[{shorten(name)}] is not of [{shorten(base)}] and [{shorten(quote)}]")

    def non_empty(self, names: dict[str, Pair], what: str = "pair") -> Mapping[str, Pair]:
        """Return the names of a list. Errors: SourceBroken if it is empty."""
        if not names:
            raise self.broken(f"the list holds no {what} that trades")
        return names

    def sequence(self, pair: Pair, count: int) -> int:
        """Return the number that orders frames. Errors: SourceBroken if it is negative."""
        if count < 0:
            raise self.broken(f"{pair} has no count: {count}")
        return count

    def unix_digits(self, text: str, count: int, pair: Pair) -> int:
        """Parse a Unix time of exactly `count` digits. Errors: SourceBroken."""
        if not (text.isascii() and text.isdigit() and len(text) == count):
            raise self.broken(f"{pair} has no time: [{shorten(text)}]")
        return int(text)


def are_codes(base: str, quote: str) -> bool:
    """Return whether both are plain codes."""
    return _CODE.fullmatch(base) is not None and _CODE.fullmatch(quote) is not None


def is_leveraged(base: str, form: re.Pattern[str], coins: set[str]) -> bool:
    """Return whether a code is that of a listed coin with a suffix: `form` has the coin as its first group."""
    match = form.fullmatch(base)
    return match is not None and match[1] in coins


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Split a sequence into parts of a size; the last may be shorter."""
    return (items[at : at + size] for at in range(0, len(items), size))


def encode(request: Mapping[str, Any]) -> str:
    """Return a request to a socket as text."""
    return msgspec.json.encode(request).decode()


class JsonVenue(VenueAdapter, Generic[F]):
    """A venue that answers in JSON. `frames` decodes the frames with quotes.

    `tickers_url` is empty where no request returns all quotes.
    """

    reader: VenueReader
    list_url: str
    tickers_url: str = ""
    frames: msgspec.json.Decoder[F]

    def pair_list_request(self) -> SourceRequest:
        """Return the request for all pairs."""
        return _json_request(self.list_url)

    def requests(self) -> Sequence[SourceRequest]:
        """Return the request for all tickers, or nothing."""
        return (_json_request(self.tickers_url),) if self.tickers_url else ()

    def parse_ticks(self, content: bytes, subject: str, names: PairNames) -> Iterator[Tick]:
        """Parse all tickers; there is none for a pair that is not listed or lacks a side."""
        _ = subject
        return self._require_any(self.parse_tickers(content, names))

    def _require_any(self, ticks: Iterator[Tick]) -> Iterator[Tick]:
        is_empty = True
        for tick in ticks:
            is_empty = False
            yield tick
        if is_empty:
            raise self.reader.broken("the tickers quote no listed pair")

    def parse_message(self, frame: str | bytes, names: PairNames) -> VenueMessage:
        """Parse one frame. Errors: SourceBroken."""
        try:
            decoded = self.frames.decode(frame)
        except msgspec.ValidationError as error:
            return self._parse_other(frame, names, error)
        except (ValueError, RecursionError) as error:
            raise self.reader.broken(f"a frame cannot be read: {error}") from error
        return VenueMessage(tuple(self.parse_quotes(decoded, names)))

    def _parse_other(self, frame: str | bytes, names: PairNames, error: Exception) -> VenueMessage:
        try:
            message = self.parse_other(frame, names)
        except (ValueError, RecursionError):
            message = None
        if message is None:
            raise self.reader.broken(f"a frame is not one of the venue's: {error}") from error
        return message

    @abstractmethod
    def parse_tickers(self, content: bytes, names: PairNames) -> Iterator[Tick]:
        """Parse the answer to `tickers_url`."""

    @abstractmethod
    def parse_quotes(self, frame: F, names: PairNames) -> Iterator[Tick]:
        """Return the ticks of a frame with quotes; none for a pair that is not listed or lacks a side."""

    @abstractmethod
    def parse_other(self, frame: str | bytes, names: PairNames) -> VenueMessage | None:
        """Parse a frame without quotes; return None for one that the venue does not send.

        Errors: ValueError for one that cannot be decoded.
        """


def _json_request(url: str) -> SourceRequest:
    return SourceRequest(url=url, content_types=("application/json",))
