"""The watch for alerts: it looks every second whether one fires, records that once over all nodes, and delivers it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from time import monotonic, sleep

from cambist.accounts.account import Account
from cambist.accounts.alerts.alerts import AlertEvent
from cambist.accounts.alerts.definition import Way
from cambist.accounts.alerts.evaluation import (
    AlertState,
)
from cambist.accounts.alerts.messages import fired
from cambist.clock import utc_now
from cambist.errors import CambistError
from cambist.monitoring.alerts.alert_looks import AlertLooks
from cambist.monitoring.alerts.delivery import AlertDelivery, Send, text_of
from cambist.monitoring.alerts.webhook import send_webhook
from cambist.monitoring.leading import leads
from cambist.monitoring.notifications.message import Message
from cambist.monitoring.notifications.ways import send_mail
from cambist.registry.node.nodes import node_name
from cambist.registry.wiring.components import environment_of
from cambist.settings import Settings
from cambist.settings.mail import MailServer
from cambist.status.environment import Environment
from cambist.storage import Store

log = logging.getLogger(__name__)

_LOOK_SECONDS = 1.0
_IDLE_SECONDS = 3.0
"""How often the database is asked while nobody has an alert."""

_KEPT_FOR = timedelta(days=30)
_PRUNE_SECONDS = 3600.0


class AlertMail(Message, frozen=True):
    """An e-mail about an alert, with a subject of its own."""

    title: str = ""

    @property
    def subject(self) -> str:
        """One line that says what has happened."""
        return f"[{self.service}] {self.title}"


class AlertWatch:
    """Looks at all alerts, and delivers what has fired. Of several nodes the leader looks; all keep the same record."""

    def __init__(self, settings: Settings, store: Store, clock: Callable[[], datetime] = utc_now) -> None:
        self._settings = settings
        self._store = store
        self._alerts = store.alerts
        self._clock = clock
        environment = environment_of(settings)
        self._environment = "" if environment is Environment.LIVE else environment.value
        self.delivery = AlertDelivery(self._alerts, self._account, self._ways())
        self._looks = AlertLooks(settings, store, self._environment)
        self._prune_due = 0.0

    def watch(self) -> None:
        """Look at the alerts until the process ends, in a thread of its own."""
        threading.Thread(target=self._watch, name="alerts", daemon=True).start()

    def _watch(self) -> None:
        is_failing = False
        while True:
            count = 0
            try:
                count = self.check()
                is_failing = False
            except (CambistError, OSError) as error:
                if not is_failing:
                    log.warning("Alerts: %s", error)
                is_failing = True
            except Exception:
                if not is_failing:
                    log.exception("Alerts: unexpected error")
                is_failing = True
            sleep(_LOOK_SECONDS if count else _IDLE_SECONDS)

    def check(self) -> int:
        """Record what fires now, and send what is due; return how many alerts are looked at. Errors: CambistError."""
        now = self._clock()
        if not leads(self._settings, now):
            return 0
        active = self._alerts.active()
        kept: dict[int, AlertState] = {}
        for alert, outcome in self._looks.of(active, now):
            if outcome.firing is not None:
                event = fired(alert, outcome.firing, now, self._environment)
                if self._alerts.fire(alert, outcome.state, event):
                    log.info(
                        "Alerts: alert %d of account %d fires: %s", alert.number, alert.account, outcome.firing.text
                    )
            elif outcome.state != alert.state:
                kept[alert.number] = outcome.state
        if kept:
            self._alerts.keep_states(kept)
        self.delivery.send_due(now)
        if monotonic() >= self._prune_due:
            self._prune_due = monotonic() + _PRUNE_SECONDS
            self._alerts.forget(now - _KEPT_FOR)
        return len(active)

    def _account(self, number: int) -> Account | None:
        return next(iter(self._store.accounts.numbered({number})), None)

    def _ways(self) -> dict[Way, Send]:
        ways: dict[Way, Send] = {Way.WEBHOOK: self._send_webhook}
        if server := self._settings.mail_server:
            ways[Way.EMAIL] = partial(self._send_mail, server)
        return ways

    def _send_webhook(self, event: AlertEvent, _account: Account) -> None:
        secret = self._alerts.secret_of(event.alert)
        send_webhook(event, secret, self._clock().timestamp(), allows_private=self._settings.alert_private)

    def _send_mail(self, server: MailServer, event: AlertEvent, account: Account) -> None:
        text = text_of(event)
        service = self._settings.issuer or "cambist"
        title = text.partition("\n")[0]
        send_mail(server, AlertMail(service, node_name(self._settings), event.at, text, (), account.email, title))
