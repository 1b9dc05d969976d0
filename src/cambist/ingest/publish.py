"""From fixings to what is served: the columnar image, and the book of the newest rates."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

import numpy as np

from cambist.feeds.base import Source
from cambist.history.archive import Archive
from cambist.history.as_of import CARRY_DAYS
from cambist.history.build import Publication, build
from cambist.history.damage import Damage
from cambist.history.image import RateImage
from cambist.history.line import Line
from cambist.ingest.daily import by_code, daily_offers
from cambist.market.book import Book
from cambist.market.compose import compose
from cambist.market.consensus import agree
from cambist.market.standing import Pace
from cambist.reference.tables import reference_digest

log = logging.getLogger(__name__)

_TOLD = 20
"""How many damaged rows of a source the log names."""

_AHEAD = timedelta(days=400)
"""How far the image reaches past today: parities hold there, and a long run needs rows for its days."""

_BUILD = 4
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
    # Monthly rates have no place among days: they would be passed off as what they are not.
    daily = [source for source in sources if source.pace is not Pace.MONTHLY]
    damage = {source.key: Damage() for source in daily}
    publications = [_publication(archive, source, damage[source.key]) for source in daily]
    for key, found in damage.items():
        _tell(key, found)
    return replace(
        build(publications, today + _AHEAD, revision),
        fixed_at=tuple((source.zone.key, source.fixed_at.isoformat()) for source in daily),
        damaged=sum(map(len, damage.values())),
    )


def _tell(key: str, damage: Damage) -> None:
    for row in damage.rows[:_TOLD]:
        log.error("Archive: the row of %s is not what was filed, and is left out", row)
    if damage:
        log.error(
            "Archive: %d rows of %s are damaged and %d are gone: restore the database from a backup; "
            "what the source delivers again is filed anew. [cambist check] lists them",
            len(damage.rows),
            key,
            damage.missing,
        )


def _publication(archive: Archive, source: Source, damage: Damage) -> Publication:
    found = (
        Line(pair, np.array(rows, np.int64), np.array(rates, np.float64))
        for pair, rows, rates in archive.rates(source.key, damage)
    )
    return Publication(source.anchor, found, source.key, source.outranks_pegs, source.alias)


def build_book(archive: Archive, sources: Sequence[Source], version: int, now: datetime) -> Book:
    """Make a book of what the sources' newest fixings agree on, however old, and of what law ties to it."""
    ranked = (daily_offers(archive, source, rank, now.date()) for rank, source in enumerate(sources))
    agreed = {code: agree(offers, now) for code, offers in by_code(ranked).items()}
    return compose({code: quote for code, quote in agreed.items() if quote is not None}, version, now)
