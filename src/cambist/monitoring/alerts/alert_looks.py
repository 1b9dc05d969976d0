"""What is seen now of what alerts are about: rates, publishers, corrections and quotas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from time import monotonic

from cambist.accounts.alerts.alerts import Alert
from cambist.accounts.alerts.definition import When
from cambist.accounts.alerts.evaluation import (
    Outcome,
    look_at_corrections,
    look_at_publisher,
    look_at_quota,
    look_at_rate,
)
from cambist.accounts.quota import period_of, quota_of
from cambist.errors import CambistError, RateBookDamaged
from cambist.history.correction_feed import CorrectionFeed
from cambist.monitoring.alerts.seen_corrections import SeenCorrections
from cambist.pricing.cross_rates import midpoint
from cambist.pricing.freshness import first_stale_code, fresh_for
from cambist.pricing.number_format import plain_float
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Quote
from cambist.pricing.rate_book import PairPrice, RateBook
from cambist.reference.assets import AssetKind
from cambist.registry.accounts.plans import current_plans
from cambist.registry.archiving.known_history import open_correction_feed
from cambist.registry.wiring.components import max_ages
from cambist.settings import Settings
from cambist.status.source_report import SourceReports
from cambist.storage import Store
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file
from cambist.storage.shared.rate_book_file import RateBookFile

_SLOW_SECONDS = 30.0
"""How often quotas and corrections are looked at: they need the database."""


class AlertLooks:
    """Looks at alerts, with the rate book, the reports on sources and the database of a service."""

    def __init__(self, settings: Settings, store: Store, environment: str) -> None:
        self._settings = settings
        self._store = store
        self._environment = environment
        self._folder = DataDirectory(settings.data)
        self._book_file = RateBookFile(self._folder.path)
        self._ages = max_ages(settings)
        self._feed: CorrectionFeed | None = None
        self._slow_due = 0.0

    def of(self, active: Iterable[Alert], now: datetime) -> Iterator[tuple[Alert, Outcome]]:
        """Yield what follows for each alert from what is seen now. Errors: CambistError."""
        alerts = list(active)
        yield from self._look_at_rates([alert for alert in alerts if alert.definition.watches_rate], now)
        yield from self._look_at_publishers([each for each in alerts if each.definition.when is When.PUBLISHED], now)
        if monotonic() < self._slow_due:
            return
        self._slow_due = monotonic() + _SLOW_SECONDS
        yield from self._look_at_corrections([each for each in alerts if each.definition.when is When.CORRECTED], now)
        yield from self._look_at_quotas([each for each in alerts if each.definition.when is When.QUOTA], now)

    def _look_at_rates(self, alerts: list[Alert], now: datetime) -> Iterator[tuple[Alert, Outcome]]:
        book = self._book() if alerts else None
        if book is None:
            return

        def is_fresh(quote: Quote | PairPrice, kind: AssetKind) -> bool:
            return fresh_for(quote, kind, self._ages, now) >= timedelta()

        for alert in alerts:
            with suppress(CambistError):  # without a rate, or with an old one, nothing is known
                pair = Pair(alert.definition.base, alert.definition.quote)
                is_stale = first_stale_code(book, (pair.base, pair.quote), is_fresh)
                if not is_stale:
                    rate = midpoint(book, pair)
                    shown = float(plain_float(rate.value))
                    yield alert, look_at_rate(alert.definition, alert.state, shown, rate.as_of, now)

    def _book(self) -> RateBook | None:
        with suppress(RateBookDamaged):
            return self._book_file.current()
        return None

    def _look_at_publishers(self, alerts: list[Alert], now: datetime) -> Iterator[tuple[Alert, Outcome]]:
        reports = read_json_file(self._folder.source_reports, SourceReports) if alerts else None
        newest = {report.key: report.last for report in reports.reports} if reports else {}
        for alert in alerts:
            yield alert, look_at_publisher(alert.definition, alert.state, newest.get(alert.definition.source), now)

    def _look_at_corrections(self, alerts: list[Alert], now: datetime) -> Iterator[tuple[Alert, Outcome]]:
        newest = self._store.editions.newest() if alerts and not self._environment else None
        if newest is None:
            return
        if self._feed is None:
            self._feed = open_correction_feed(self._settings, self._store)
        seen = SeenCorrections(self._feed, newest)
        for alert in alerts:
            asked, place = alert.definition, alert.state.place
            days = seen.days(place, Pair(asked.base, asked.quote)) if place else ()
            yield alert, look_at_corrections(asked, alert.state, days, seen.place, now)

    def _look_at_quotas(self, alerts: list[Alert], now: datetime) -> Iterator[tuple[Alert, Outcome]]:
        if not alerts:
            return
        plans, today = current_plans(self._folder.path), now.date()
        accounts = {each.number: each for each in self._store.accounts.numbered({alert.account for alert in alerts})}
        calls = self._store.usage.by_day(today - timedelta(days=31))
        for alert in alerts:
            account = accounts.get(alert.account)
            plan = plans.get(account.plan) if account else None
            if account is None or plan is None:
                continue
            period = period_of(account.anchor_day, today)
            quota = quota_of(plan, account, period)
            used = sum(count for day, count in calls.get(account.number, {}).items() if day >= period.start)
            if quota:
                yield alert, look_at_quota(alert.definition, alert.state, used, quota, period, now)
