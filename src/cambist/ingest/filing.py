"""Filing what a source delivered: read whole, judge, keep the receipt."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.archive import FixingArchive
from cambist.history.fixing import FilingResult, Fixing, Receipt
from cambist.history.quarantine import Quarantine
from cambist.history.rate_matrix import RateMatrix
from cambist.ingest.fixing_validator import FixingValidator
from cambist.ingest.other_sources import read_other_sources
from cambist.pricing.validation import in_future
from cambist.sources.base import FixingAdapter, ParsedPayload, Source

Progress = Callable[[int], None]
"""Told how many further fixings were read."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came: the bytes, from where, when (UTC), and what the feed has to be told about them."""

    content: bytes
    origin: str
    received_at: datetime
    subject: str = ""

    @property
    def digest(self) -> str:
        """The name of the bytes."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class FilingContext:
    """Where deliveries are filed, and the history that they are judged by; None before there is one.

    `sources` are all those whose fixings are here: each is compared with the others.
    """

    archive: FixingArchive
    quarantine: Quarantine
    matrix: RateMatrix | None = None
    sources: Sequence[Source] = ()


def file_delivery(
    files: FilingContext, adapter: FixingAdapter, delivery: Delivery, progress: Progress
) -> FilingResult | None:
    """File one delivery of `adapter`, whole or not at all; None when the same bytes were the last from there.

    What the rules refuse goes to quarantine. While something of the source waits there, its bytes are read again:
    what other sources have said since may let it pass. That a source has nothing for the days asked is filed as well.
    A cell or column that cannot be read is left out, and said so in what is given.
    Errors: SourceBroken when the content is not what the source publishes, or is of days to come.
    """
    source, digest = adapter.source, delivery.digest
    is_known = files.archive.newest_digest(source.key, delivery.origin) == digest
    if is_known and not files.quarantine.count_waiting(source.key):
        return None
    receipt = Receipt(source.key, delivery.received_at, delivery.origin, digest)
    taken = _taken(adapter, delivery)
    fixings = taken.fixings
    progress(len(fixings))
    _check_not_ahead(fixings, delivery.received_at)
    days = [fixing.day for fixing in fixings] or [delivery.received_at.date()]
    first, last = min(days), max(days)
    codes = {fixing.pair.other(source.anchor) for fixing in fixings} | {source.anchor}
    validator = FixingValidator(
        source=source,
        matrix=files.matrix,
        before=files.archive.last_before(source.key, first),
        decisions=files.quarantine.decisions(source.key),
        today=delivery.received_at.date(),
        filed=files.archive.fixings_between(source.key, first, last),
        others=read_other_sources(files.archive, files.sources, source, codes, first, last),
    )
    validated = validator.validate(fixings)
    return replace(files.archive.file(receipt, validated.accepted, validated.refused), left_out=taken.left_out)


def _taken(adapter: FixingAdapter, delivery: Delivery) -> ParsedPayload:
    try:
        return adapter.parse_tolerantly(delivery.content, delivery.subject)
    except NothingPublished:
        return ParsedPayload([])


def _check_not_ahead(fixings: Sequence[Fixing], received_at: datetime) -> None:
    for fixing in fixings:
        reason = in_future(fixing.day, received_at.date())
        if reason is not None:
            raise SourceBroken(f"{fixing.source}: {fixing.pair} is {reason}")
