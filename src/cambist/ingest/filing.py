"""Filing of deliveries: parse, and store the fixings. What they are worth is judged afterwards."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from msgspec import structs

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.archive import DeliveryFiling
from cambist.history.fixing import DeliveryRecord, FilingResult, Fixing
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


def file_delivery(
    archive: DeliveryFiling, adapter: FixingAdapter, delivery: Delivery, progress: Progress
) -> FilingResult | None:
    """File one delivery, completely or not at all; return None if it has the same bytes as the last of its origin.

    An answer without fixings is filed too. What cannot be read, or is not positive, is left out and reported.
    Errors: SourceBroken if the content is not what the source publishes, or has fixings of future days.
    """
    source = adapter.source
    if archive.newest_digest(source.key, delivery.origin) == delivery.digest:
        return None
    parsed = _parse(adapter, delivery)
    progress(len(parsed.fixings))
    _check_not_ahead(parsed.fixings, delivery.received_at)
    of_types = _by_type(source, [fixing for fixing in parsed.fixings if fixing.value > 0])
    # The source's own rates come last: with their record, the whole delivery is filed.
    results = [_file_type(archive, source.of_type(name), fixings, delivery) for name, fixings in of_types.items()]
    not_rates = tuple(
        f"{source.key}: {each.pair} on {each.day} is {each.value}, which is no rate"
        for each in parsed.fixings
        if each.value <= 0
    )
    return _sum(results, (*parsed.left_out, *not_rates))


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


def _file_type(archive: DeliveryFiling, source: Source, fixings: list[Fixing], delivery: Delivery) -> FilingResult:
    """Store the fixings of one type; `source` has the key that they are stored under."""
    if fixings and fixings[0].rate_type:
        fixings = [structs.replace(fixing, source=source.key, rate_type="") for fixing in fixings]
    record = DeliveryRecord(source.key, delivery.received_at, delivery.origin, delivery.digest)
    return archive.file(record, fixings)


def _sum(results: Sequence[FilingResult], left_out: tuple[str, ...]) -> FilingResult:
    return FilingResult(
        added=sum(each.added for each in results),
        corrected=sum(each.corrected for each in results),
        unchanged=sum(each.unchanged for each in results),
        left_out=left_out,
        delivery=results[-1].delivery,
        days=results[-1].days,
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
