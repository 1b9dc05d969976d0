"""Filing what a source delivered: read whole, check, keep the receipt."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from cambist.errors import FeedBroken
from cambist.feeds.base import FixingFeed
from cambist.history.archive import Archive
from cambist.history.fixing import Filed, Fixing, Receipt

Progress = Callable[[int], None]
"""Told of every further fixing that was read."""

_FUTURE = timedelta(days=2)


def file_delivery(
    archive: Archive, feed: FixingFeed, content: bytes, origin: str, received_at: datetime, progress: Progress
) -> Filed | None:
    """File one delivery of `feed`, whole or not at all; None when the same bytes were the last from there.

    Errors: FeedBroken when the content is not what the source publishes, or holds days to come.
    """
    digest = hashlib.sha256(content).hexdigest()
    if archive.newest_digest(feed.source.key, origin) == digest:
        return None
    receipt = Receipt(feed.source.key, received_at, origin, digest)
    return archive.file(receipt, _accepted(feed.read(content), received_at, progress))


def _accepted(fixings: Iterator[Fixing], received_at: datetime, progress: Progress) -> Iterator[Fixing]:
    """Refuse days to come: a stray one would carry wrong rates forward and hide the days before it."""
    latest = (received_at + _FUTURE).date()
    for fixing in fixings:
        if fixing.day > latest:
            raise FeedBroken(f"{fixing.source}: {fixing.pair} is dated {fixing.day}, which is yet to come")
        progress(1)
        yield fixing
