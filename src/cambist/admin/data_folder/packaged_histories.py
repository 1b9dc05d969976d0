"""Import the histories that come with the package, as fixings of their sources."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from datetime import date, datetime

from cambist.errors import CannotStart
from cambist.history.archive import DeliveryFiling
from cambist.history.fixing import Fixing
from cambist.ingest.filing import Delivery, Progress, file_delivery
from cambist.reference.packaged import PackagedFile, manifest, members
from cambist.sources.base import FixingAdapter, SourceRequest

log = logging.getLogger(__name__)


class _PackedAdapter(FixingAdapter):
    """Parses a file of the package, which holds answers that an adapter can parse."""

    def __init__(self, adapter: FixingAdapter) -> None:
        self.source = adapter.source
        self._adapter = adapter

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:  # noqa: ARG002
        """Request nothing: the file is there."""
        return iter(())

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse one answer after the other."""
        for member in members(content):
            yield from self._adapter.parse(member, subject)


def import_packaged(
    archive: DeliveryFiling, adapters: Mapping[str, FixingAdapter], now: datetime, progress: Progress
) -> None:
    """File what is not filed yet of the sources that are on. Errors: CannotStart if a file is damaged."""
    for file in manifest().files:
        if file.source not in adapters:
            continue
        delivery = Delivery(_content(file), f"{file.name} of this package", now)
        filed = file_delivery(archive, _PackedAdapter(adapters[file.source]), delivery, progress)
        if filed is not None:
            log.info("Archive: filed %d new rates of %s, %s to %s", filed.added, file.publisher, *_period(file))


def _content(file: PackagedFile) -> bytes:
    try:
        return file.content
    except (OSError, ValueError) as error:
        raise CannotStart(str(error)) from error


def _period(file: PackagedFile) -> tuple[date, date]:
    return file.first_day, file.last_day
