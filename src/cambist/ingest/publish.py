"""From fixings to what is served: the columnar image, and the book of the newest rates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta

from cambist.feeds.base import Source
from cambist.history.archive import Archive
from cambist.history.as_of import CARRY_DAYS
from cambist.history.build import Publication, build
from cambist.history.fixing import Known
from cambist.history.image import RateImage
from cambist.history.latest import latest_quotes
from cambist.market.book import Book
from cambist.market.compose import compose
from cambist.market.pair import PIVOT
from cambist.market.quote import Quote
from cambist.reference.tables import reference_digest

_AHEAD = timedelta(days=400)
"""How far the image reaches past today: parities hold there, and a long run needs rows for its days."""

_BUILD = 1
"""Counted up when the way of building changes, so that an older image is not taken for a current one."""


def image_revision(archive: Archive) -> str:
    """Name what an image of the archive is built from: its fixings, the tables, the way of building."""
    return f"{archive.revision()}-{reference_digest()}-{_BUILD}"


def is_current(image: RateImage, archive: Archive, today: date) -> bool:
    """Say whether the image still shows the archive, and has rows for the weeks to come."""
    return image.revision == image_revision(archive) and image.last_day > today + timedelta(days=CARRY_DAYS)


def build_image(archive: Archive, sources: Sequence[Source], today: date) -> RateImage:
    """Build the image of all that the archive knows; `sources` are best first."""
    revision = image_revision(archive)
    publications = (Publication(source.anchor, archive.fixings(source.key)) for source in sources)
    return build(publications, today + _AHEAD, revision)


def build_book(archive: Archive, sources: Sequence[Source], version: int, now: datetime) -> Book:
    """Make a book of each currency's newest fixing, however old, and of what law ties to it."""
    quotes: dict[str, Quote] = {}
    for source in reversed(sources):
        newest = archive.newest(source.key)
        pivots = _pivots(archive, source, {known.fixing.day for known in newest})
        quotes |= latest_quotes(newest, pivots, source.anchor, source.market_time, now.date())
    return compose(quotes, version, now)


def _pivots(archive: Archive, source: Source, days: Iterable[date]) -> list[Known]:
    of_days = (known for day in days for known in archive.on_day(source.key, day))
    return [known for known in of_days if PIVOT in (known.fixing.pair.base, known.fixing.pair.quote)]
