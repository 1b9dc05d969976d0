"""The watch for troubles: it tells the operator of each when it begins and when it ends, also over restarts.

The owner of an account that has an e-mail address is told of its quota as well.

Of several nodes all follow what is wrong, but only the leader tells of sources, the rate book and quotas, so that a new
leader tells nothing twice. Each node tells of its own disk and certificate.
"""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from time import monotonic, sleep, thread_time

from msgspec import field

from cambist.clock import utc_now
from cambist.errors import CambistError
from cambist.monitoring.leading import leads
from cambist.monitoring.machine_metrics import certificate_ends
from cambist.monitoring.notifications.message import Message, compose
from cambist.monitoring.notifications.ways import account_way, notification_ways
from cambist.monitoring.outbox import Outbox
from cambist.monitoring.troubles import QUOTA, certificate_troubles, disk_troubles, quota_troubles, source_troubles
from cambist.registry.accounts.plans import current_plans
from cambist.registry.node.acknowledgements import acknowledgements, forget_acknowledgement
from cambist.registry.node.nodes import node_name
from cambist.settings import Settings
from cambist.status.alarm import RecordedAlarms, Trouble, ended_alarms, update_alarms, with_history
from cambist.status.source_report import SourceReports
from cambist.storage import AccountStore
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file, write_json_file

log = logging.getLogger(__name__)

_CHECK_SECONDS = 5.0
_QUOTA_SECONDS = 60.0
_PAUSE_FACTOR = 50
"""Looking at quotas takes at most one part in so many of a core."""

_LONGEST_PERIOD = timedelta(days=31)
HISTORY_DAYS, _MOST_ENDED = 30, 500
"""How long alarms that have ended are kept, and how many at most."""

OWN_KINDS = frozenset({"disk", "certificate"})
"""The kinds of which each node tells."""


class AlarmState(RecordedAlarms, frozen=True):
    """What is kept in a file: the alarms, and the messages that each way has not taken yet."""

    waiting: dict[str, tuple[Message, ...]] = field(default_factory=dict)


def read_alarms(settings: Settings) -> AlarmState:
    """Return what the service of a data folder has recorded; nothing if it has recorded nothing."""
    return read_json_file(DataDirectory(settings.data).alarms, AlarmState) or AlarmState()


class AlarmWatch:
    """Looks every few seconds for troubles, and sends what is to be told."""

    def __init__(self, settings: Settings, store: AccountStore, clock: Callable[[], datetime] = utc_now) -> None:
        self._settings = settings
        self._store = store
        self._clock = clock
        self._folder = DataDirectory(settings.data)
        self._service = settings.issuer or "cambist"
        self._node = node_name(settings)
        state = read_alarms(settings)
        self._alarms, self._ended = state.alarms, state.ended
        self._outbox = Outbox({**notification_ways(settings), **account_way(settings)}, state.waiting)
        self._written = state
        self._quota_due = 0.0
        self._quota: list[Trouble] | None = None
        self._emails: dict[str, str] = {}

    def watch(self) -> None:
        """Look for troubles until the process ends, in a thread of its own: a way may take long to fail."""
        threading.Thread(target=self._watch, name="alarms", daemon=True).start()

    def _watch(self) -> None:
        is_failing = False
        while True:
            try:
                self.check()
                is_failing = False
            except (CambistError, OSError) as error:
                if not is_failing:
                    log.warning("Alarms: %s", error)
                is_failing = True
            except Exception:
                if not is_failing:
                    log.exception("Alarms: unexpected error")
                is_failing = True
            sleep(_CHECK_SECONDS)

    def check(self) -> None:
        """Find troubles, record which alarms begin and end, and send messages that are due. Errors: OSError."""
        now = self._clock()
        troubles, unknown = self._troubles(now)
        before, known = self._alarms, acknowledgements(self._folder)
        self._alarms, notices = update_alarms(before, troubles, now, self._settings.notify_after, unknown)
        self._ended = with_history(ended_alarms(before, notices, known), self._ended, now, HISTORY_DAYS, _MOST_ENDED)
        if not leads(self._settings, now):
            notices = [notice for notice in notices if notice.key.partition(":")[0] in OWN_KINDS]
        if notices:
            self._outbox.add(compose(self._service, self._node, now, notices))
        for notice in notices:
            if email := self._emails.get(notice.key):
                self._outbox.add(compose(self._service, self._node, now, [notice], email))
        self._write()  # before it is sent: after a crash it is sent, and not lost
        for key in known.keys() - self._alarms.keys():
            forget_acknowledgement(self._folder, key)
        while self._outbox.send(monotonic()):
            self._write()

    def _write(self) -> None:
        state = AlarmState(self._alarms, self._ended, self._outbox.waiting.copy())
        if state != self._written:
            write_json_file(self._folder.alarms, state)
            self._written = state

    def _troubles(self, now: datetime) -> tuple[list[Trouble], set[str]]:
        """Return the troubles, and the kinds of which nothing is known now."""
        disk = shutil.disk_usage(self._folder.path)
        found = [*disk_troubles(disk.free, disk.total)]
        if self._settings.tls_cert is not None:
            found += certificate_troubles(certificate_ends(self._settings.tls_cert), now)
        unknown: set[str] = set()
        if self._settings.fetch or self._settings.sandbox:
            reports = read_json_file(self._folder.source_reports, SourceReports)
            found += source_troubles(reports, now)
            unknown |= _unknown_kinds(reports, found)
        quota = self._quota_troubles(now)
        return [*found, *(quota or ())], unknown | ({QUOTA} if quota is None else set())

    def _quota_troubles(self, now: datetime) -> list[Trouble] | None:
        """Return what is wrong with quotas, as it was last found; None if the database cannot be asked."""
        if monotonic() < self._quota_due:
            return self._quota
        began = thread_time()
        try:
            self._quota = self._find_quota_troubles(now)
        except CambistError as error:
            log.debug("Alarms: quotas are not known now: %s", error)
            self._quota = None
        self._quota_due = monotonic() + max(_QUOTA_SECONDS, _PAUSE_FACTOR * (thread_time() - began))
        return self._quota

    def _find_quota_troubles(self, now: datetime) -> list[Trouble]:
        plans, today = current_plans(self._folder.path), now.date()
        if all(plan.calls_a_month is None for plan in plans.values()):
            return []
        calls = self._store.usage.by_day(today - _LONGEST_PERIOD)
        accounts = [account for account in self._store.accounts.all() if account.number in calls]
        self._emails = {f"{QUOTA}:{account.name}": account.email for account in accounts if account.email}
        return [*quota_troubles(accounts, plans, calls, today)]


def _unknown_kinds(reports: SourceReports | None, found: list[Trouble]) -> set[str]:
    """Return of which kinds nothing is known: while ingest is silent, its last report says nothing about sources."""
    is_silent = reports is None or any(trouble.kind == "ingest" for trouble in found)
    return {"source", "held", "dispute", "book"} if is_silent else set()
