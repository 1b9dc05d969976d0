"""An archive of what three central banks published in 2026, made for tests: NBP, CNB and the Bank of England."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from tests.reading import read_with

from cambist.history.fixing import GRAM, DeliveryRecord, Fixing
from cambist.history.source_rates import read_source_rates
from cambist.pricing.pair import Pair
from cambist.reference.holiday_calendars import on_calendar
from cambist.status.source_report import SourceReport, SourceReports
from cambist.storage.sql import SqlStore

FIRST, LAST = date(2026, 1, 1), date(2026, 11, 19)
RECEIVED = datetime(2026, 11, 20, 11, tzinfo=UTC)
ANCHORS = {"nbp": "PLN", "cnb": "CZK", "boe": "GBP"}
WEEKLY = "ETB"
"""A currency that NBP publishes on Wednesdays only, in its table B."""


def working_days(country: str, first: date = FIRST, last: date = LAST) -> list[date]:
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    return [day for day in days if day.weekday() < 5 and not on_calendar(country, day)]


def to_places(number: int, places: int) -> Decimal:
    """Return a decimal number with zeros at its end, as banks publish them."""
    return Decimal(number).scaleb(-places)


def of_nbp() -> Iterator[Fixing]:
    for place, day in enumerate(working_days("PL")):
        yield Fixing("nbp", Pair("USD", "PLN"), day, to_places(36000 + place, 4))
        yield Fixing("nbp", Pair("JPY", "PLN"), day, to_places(22900 + place, 6))
        yield Fixing("nbp", Pair("XDR", "PLN"), day, to_places(49000 + place, 4))
        yield Fixing("nbp", Pair("XAU", "PLN"), day, Decimal("601.5"), unit=GRAM)
        if day.weekday() == 2:
            yield Fixing("nbp", Pair(WEEKLY, "PLN"), day, Decimal("0.0241"))
            yield Fixing("nbp", Pair("RUB", "PLN"), day, Decimal("0.0453"))


def of_cnb() -> Iterator[Fixing]:
    """The baht is published for 1 unit until June, and for 100 from then on; Bulgaria's lev ends in February."""
    for place, day in enumerate(working_days("CZ")):
        yield Fixing("cnb", Pair("USD", "CZK"), day, to_places(20600 + place, 3))
        yield Fixing("cnb", Pair("JPY", "CZK"), day, Decimal("13.250"), 100)
        amount = 1 if day < date(2026, 6, 1) else 100
        yield Fixing("cnb", Pair("THB", "CZK"), day, Decimal("0.657") * amount, amount)
        if day < date(2026, 3, 1):
            yield Fixing("cnb", Pair("BGN", "CZK"), day, Decimal("12.941"))


def of_boe() -> Iterator[Fixing]:
    for place, day in enumerate(working_days("GB")):
        yield Fixing("boe", Pair("GBP", "USD"), day, to_places(13000 + place, 4))
        yield Fixing("boe", Pair("GBP", "JPY"), day, Decimal("211.8330"))
        if day >= date(2026, 3, 4):
            yield Fixing("boe", Pair("GBP", "EUR"), day, Decimal("1.152"))


def file_banks(store: SqlStore) -> SqlStore:
    """File what the three banks published into a new store."""
    store.migrate()
    for key, fixings in (("nbp", of_nbp()), ("cnb", of_cnb()), ("boe", of_boe())):
        store.archive.file(DeliveryRecord(key, RECEIVED, "a test", key), list(fixings))
    return store


def report_of(key: str, anchor: str) -> SourceReport:
    facts = dict.fromkeys(("name", "home", "terms", "licence", "redistribution", "covers"), "")
    return SourceReport(**facts, key=key, anchor=anchor, pace="daily", rate_type="official", enabled=True)


def ask_banks(client: Any, store: SqlStore) -> Any:
    """Let a client's service have the archive of the banks, beside the sources that it has."""
    state = client.worker_state
    read_with(
        state,
        fixings=store.archive.published_fixings,
        source_rates=lambda *asked: read_source_rates(store.archive.pair_series, *asked),
    )
    known = state.source_reports.reports
    banks = (report_of(key, anchor) for key, anchor in ANCHORS.items())
    state.apply_source_reports(SourceReports(RECEIVED, (*known, *banks)))
    return client
