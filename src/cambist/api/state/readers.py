"""What a worker reads while it answers: the archive, the votes behind its rates, and the keys that sign receipts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from cambist.api.state.alert_book import AlertBook
from cambist.api.state.known_history import KnownHistory
from cambist.history.bars import NO_BARS, BarReader
from cambist.history.code_verdict import CodeVerdict
from cambist.history.coin_closes import ReadCoinSeries
from cambist.history.corrections import ReadCorrections, ReadFeed, ReadVintages, no_corrections, no_feed, no_vintages
from cambist.history.coverage import ReadCoverage, no_coverage
from cambist.history.explanation import ReadVotes, no_votes
from cambist.history.fixing import ReceivedFixing
from cambist.history.known_state import Mark
from cambist.history.price_moves import ReadMove, no_moves
from cambist.history.published_fixings import FixingLookup
from cambist.history.source_rates import ReadSourceRates, no_source_rates
from cambist.receipts.signer import NoReceipts, ReceiptSigner

ReadClose = Callable[[str, date], ReceivedFixing | None]
"""Reads the close of a coin on a day. Errors: RateUnavailable if the archive cannot be read now."""


ReadVerdict = Callable[[str, Mark | None, str, date], CodeVerdict | None]
"""Reads the verdict on the fixings behind a code's rate of a day, as an edition or a mark knew it.

None if nothing is known about it. Errors: RateUnavailable, StoreBusy.
"""


def no_closes(_coin: str, _day: date) -> None:
    """Read closes where nothing is archived: no coin has one."""


def no_coin_series(_coin: str, _first: date, _last: date) -> None:
    """Read closes of many days where nothing is archived."""


@dataclass(frozen=True)
class Readers:
    """What a worker reads besides its rate book and matrix; the defaults are those of a service without an archive."""

    votes: ReadVotes = no_votes
    """Reads the votes behind the quotes of the newest rate book."""
    bars: BarReader = NO_BARS
    moves: ReadMove = no_moves
    closes: ReadClose = no_closes
    known_closes: Callable[[int, str, date], ReceivedFixing | None] | None = None
    """Reads as `closes` what deliveries up to a number said."""
    coin_series: ReadCoinSeries = no_coin_series
    """Reads the closes of a coin on many days."""
    fixings: FixingLookup | None = None
    """Reads fixings as they were published."""
    known_fixings: Callable[[int, str, str, date], Sequence[ReceivedFixing]] | None = None
    """Reads as `fixings` what deliveries up to a number said."""
    source_rates: ReadSourceRates = no_source_rates
    """Reads the rates of several sources side by side."""
    coverage: ReadCoverage = no_coverage
    """Reads which source has which pairs, and since when."""
    corrections: ReadCorrections = no_corrections
    """Reads what sources have corrected."""
    feed: ReadFeed = no_feed
    """Reads all corrections in the order in which they were learnt."""
    vintages: ReadVintages = no_vintages
    """Reads everything that was received for a day about a pair."""
    verdicts: ReadVerdict | None = None
    """Reads the verdicts behind daily rates; None where nothing is archived."""
    known_history: KnownHistory | None = None
    """Rebuilds what was known at an edition; None in a sandbox."""
    receipts: ReceiptSigner = NoReceipts()  # noqa: RUF009
    """Signs receipts of answers."""
    alerts: AlertBook | None = None
    """The alerts of accounts."""
    log_folder: Path | None = None
    """The static files of the log of editions."""
