"""Filing of deliveries: parse, validate, and store the fixings with a receipt."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from msgspec import structs

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.archive import FixingArchive
from cambist.history.fixing import FilingResult, Fixing, Receipt, RefusedFixing
from cambist.history.quarantine import Quarantine
from cambist.history.rate_matrix import RateMatrix
from cambist.ingest.delivery_columns import anchor_pairs
from cambist.ingest.fixing_validator import FixingValidator
from cambist.ingest.other_sources import ComparedSources, read_other_sources
from cambist.pricing.anchor import anchor_in, anchors_of
from cambist.pricing.pair import Pair
from cambist.pricing.validation import in_future
from cambist.sources.base import FixingAdapter, ParsedPayload, Source

Progress = Callable[[int], None]
"""Called with the number of fixings that were parsed."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """The bytes of an answer, where they are from, when they were received (UTC), and the subject of the request."""

    content: bytes
    origin: str
    received_at: datetime
    subject: str = ""

    @property
    def digest(self) -> str:
        """The SHA-256 of the content."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class FilingContext:
    """Where deliveries are filed, and the history that they are validated against, None if there is none yet.

    `sources` are all sources whose fixings are stored: each is compared with the others.
    """

    archive: FixingArchive
    quarantine: Quarantine
    matrix: RateMatrix | None = None
    sources: ComparedSources = field(default_factory=ComparedSources)


def file_delivery(
    context: FilingContext, adapter: FixingAdapter, delivery: Delivery, progress: Progress
) -> FilingResult | None:
    """File one delivery, completely or not at all; return None if it has the same bytes as the last of its origin.

    Fixings that the rules refuse go to quarantine. While some of the source wait there, the same bytes are validated
    again, because other sources may confirm them by now. An answer without fixings is filed too. A cell or column that
    cannot be read is left out and reported in the result.
    Errors: SourceBroken if the content is not what the source publishes, or has fixings of future days.
    """
    source, digest = adapter.source, delivery.digest
    is_same = context.archive.newest_digest(source.key, delivery.origin) == digest
    if is_same and not count_waiting(context.quarantine, source):
        return None
    parsed = _parse(adapter, delivery)
    progress(len(parsed.fixings))
    _check_not_ahead(parsed.fixings, delivery.received_at)
    of_types = _by_type(source, parsed.fixings)
    # The source's own rates come last: with their receipt, the whole delivery is filed.
    results = [_file_type(context, source.of_type(name), fixings, delivery) for name, fixings in of_types.items()]
    return _sum(results, parsed.left_out)


def count_waiting(quarantine: Quarantine, source: Source) -> int:
    """Return the number of a source's waiting fixings, of all types."""
    return sum(quarantine.count_waiting(source.of_type(name).key) for name in ("", *source.rate_types))


def _by_type(source: Source, fixings: Sequence[Fixing]) -> dict[str, list[Fixing]]:
    """Return the fixings by type, the source's own type last. Errors: SourceBroken for a type that it does not have."""
    of_types: dict[str, list[Fixing]] = {fixing.rate_type: [] for fixing in fixings if fixing.rate_type}
    of_types[""] = []
    for name in of_types:
        if name and name not in source.rate_types:
            raise SourceBroken(f"{source.key}: [{name}] is not one of its types of rates")
    for fixing in fixings:
        of_types[fixing.rate_type].append(fixing)
    return of_types


def _file_type(context: FilingContext, source: Source, fixings: list[Fixing], delivery: Delivery) -> FilingResult:
    """Validate and store the fixings of one type; `source` has the key that they are stored under."""
    if fixings and fixings[0].rate_type:
        fixings = [structs.replace(fixing, source=source.key, rate_type="") for fixing in fixings]
    days = {fixing.day for fixing in fixings} or {delivery.received_at.date()}
    first, last = min(days), max(days)
    pairs = {fixing.pair for fixing in fixings}
    by_anchor = _by_anchor(source, pairs)
    anchors = {pair for code in by_anchor for pair in anchor_pairs(code)}
    filed = context.archive.filed_values(source.key, pairs | anchors, first, last)
    before = context.archive.last_before(source.key, first)
    accepted: list[Fixing] = []
    refused: list[RefusedFixing] = []
    for anchor, own in by_anchor.items():
        codes = {pair.other(anchor) for pair in own} | {anchor}
        known = own | anchor_pairs(anchor)
        validator = FixingValidator(
            source=replace(source, anchor=anchor),
            # The matrix has the rates of the main market, and those by law: neither is what other types are compared
            # with.
            matrix=context.matrix if source.is_of_main_market else None,
            before={pair: fixing for pair, fixing in before.items() if anchor_in(pair, source.anchor) == anchor},
            decisions=context.quarantine.decisions(source.key),
            today=delivery.received_at.date(),
            filed=filed.only(known),
            others=read_other_sources(context.archive, context.sources, source, codes, first, last),
        )
        validated = validator.validate([fixing for fixing in fixings if fixing.pair in own])
        accepted += validated.accepted
        refused += validated.refused
    receipt = Receipt(source.key, delivery.received_at, delivery.origin, delivery.digest)
    return context.archive.file(receipt, accepted, refused, filed)


def _by_anchor(source: Source, pairs: set[Pair]) -> dict[str, set[Pair]]:
    """Return the pairs by the code of the anchor that they have, the oldest code first."""
    found: dict[str, set[Pair]] = {}
    for anchor in reversed(anchors_of(source.anchor)):
        own = {pair for pair in pairs if anchor_in(pair, source.anchor) == anchor}
        if own:
            found[anchor] = own
    return found or {source.anchor: set()}


def _sum(results: Sequence[FilingResult], left_out: tuple[str, ...]) -> FilingResult:
    return FilingResult(
        added=sum(each.added for each in results),
        corrected=sum(each.corrected for each in results),
        unchanged=sum(each.unchanged for each in results),
        refused=sum(each.refused for each in results),
        left_out=left_out,
    )


def _parse(adapter: FixingAdapter, delivery: Delivery) -> ParsedPayload:
    try:
        return adapter.parse_tolerantly(delivery.content, delivery.subject)
    except NothingPublished:
        return ParsedPayload([])


def _check_not_ahead(fixings: Sequence[Fixing], received_at: datetime) -> None:
    ahead = {day for day in {fixing.day for fixing in fixings} if in_future(day, received_at.date())}
    for fixing in fixings if ahead else ():
        reason = in_future(fixing.day, received_at.date())
        if reason is not None:
            raise SourceBroken(f"{fixing.source}: {fixing.pair} is {reason}")
