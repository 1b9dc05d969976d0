"""Fixings of which one is in dispute: the European Central Bank's own dollar has ten times its value since two days."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from cambist.history.archive import FixingArchive
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.pricing.pair import Pair

EUR_USD = Pair("EUR", "USD")


def weekdays(until: date, count: int = 40) -> list[date]:
    """Return the Mondays to Fridays up to a day, oldest first."""
    days = (until - timedelta(days=back) for back in range(2 * count, -1, -1))
    return [day for day in days if day.weekday() < 5][-count:]


def file(archive: FixingArchive, source: str, pair: Pair, fixings: Iterable[tuple[date, str]]) -> None:
    """File the fixings of a source as one delivery."""
    found = [Fixing(source, pair, day, Decimal(value)) for day, value in fixings]
    delivery = DeliveryRecord(source, datetime.now(UTC), "https://rates.example/", f"{source} {pair} {len(found)}")
    archive.file(delivery, found)


def fair(day: date) -> str:
    """Return what a euro is worth on a day."""
    return f"1.15{day.day:02}"


def file_agreement(archive: FixingArchive, until: date, sources: Iterable[str] = ("ecb", "fed", "boj")) -> None:
    """File what several sources say about the euro in dollars: the same."""
    for source in sources:
        file(archive, source, EUR_USD, [(day, fair(day)) for day in weekdays(until)])


def file_dispute(archive: FixingArchive, until: date) -> list[date]:
    """File an agreement whose last two days the ECB disputes; return these days."""
    file_agreement(archive, until)
    wrong = weekdays(until)[-2:]
    file(archive, "ecb", EUR_USD, [(day, f"11.5{day.day:02}") for day in wrong])
    return wrong
