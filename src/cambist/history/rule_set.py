"""Rules: all that a rate matrix is built by beside fixings: the sources and their ranks, the tables, the code."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from cambist.errors import StoreBroken

_VERSION_DIGITS = 12
_A_WINTER_DAY = date(2026, 1, 15)


class SourceRule(Struct, frozen=True):
    """The facts about a source that decide what its fixings become; `fixed_at` is in the time zone `zone`."""

    key: str
    anchor: str
    alias: str
    outranks_pegs: bool
    zone: str
    fixed_at: str
    compiled: bool = False

    @property
    def market_hour(self) -> float:
        """The hour (UTC) of the market that its fixings show, in winter."""
        moment = datetime.combine(_A_WINTER_DAY, time.fromisoformat(self.fixed_at), ZoneInfo(self.zone)).astimezone(UTC)
        return moment.hour + moment.minute / 60


class RuleSet(Struct, frozen=True):
    """The rules of a rate matrix.

    `build` is the way of building, `sources` are the daily sources that were on, best first, `tables` the digests of
    the reference tables by file name, and `verdicts` the version of the rules that verdicts are derived by.
    """

    build: int
    sources: tuple[SourceRule, ...]
    tables: dict[str, str]
    verdicts: int = 0

    @property
    def content(self) -> bytes:
        """The rules as JSON, always the same for the same rules."""
        return msgspec.json.encode(self, order="sorted")

    @property
    def version(self) -> str:
        """Twelve hex digits, the same for the same rules on every node."""
        return hashlib.sha256(self.content).hexdigest()[:_VERSION_DIGITS]


def text_digest(content: bytes) -> str:
    """Return the SHA-256 of a text, by which it is stored."""
    return hashlib.sha256(content).hexdigest()


def table_digests(texts: Mapping[str, bytes]) -> dict[str, str]:
    """Return the digests of tables by file name."""
    return {name: text_digest(content) for name, content in texts.items()}


def parse_rule_set(content: bytes) -> RuleSet:
    """Parse the content of rules. Errors: StoreBroken."""
    try:
        return msgspec.json.decode(content, type=RuleSet)
    except (ValueError, RecursionError) as error:
        raise StoreBroken(f"The rules of an edition cannot be read: {error}") from error
