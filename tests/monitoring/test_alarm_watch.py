"""The watch for troubles, with a real webhook: each alarm once, over restarts, failing ways and several nodes."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.monitoring.receivers import MailReceiver, Webhook, serving

from cambist.accounts.account import Account
from cambist.accounts.plan import default_plans
from cambist.accounts.usage_counters import CounterTotal
from cambist.admin.operators.problems import ProblemAdmin
from cambist.errors import StoreBroken
from cambist.monitoring import alarm_watch, outbox
from cambist.monitoring.alarm_watch import AlarmWatch, read_alarms
from cambist.settings import Settings
from cambist.status.cluster_report import ClusterReport, NodeReport
from cambist.status.source_report import SourceReport, SourceReports
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import write_json_file
from cambist.storage.sql import SqlStore

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
FACTS = dict.fromkeys(("name", "home", "terms", "licence", "redistribution", "rate_type", "covers"), "a test's")
ALARM = "The source ecb fails: no answer in time (since 2026-11-20 12:00 UTC)"
RESOLVED = "Resolved: The source ecb fails: no answer in time (it had begun on 2026-11-20 12:00 UTC)"


class Service:
    """A data folder with reports, and watches of it that follow each other."""

    def __init__(self, folder: Path, url: str, store: SqlStore, **settings: object) -> None:
        given = {"data": folder, "notify_webhook": url, "notify_after": timedelta()} | settings
        self.settings = Settings(**given)  # type: ignore[arg-type]
        self.folder, self.store, self.now = DataDirectory(folder), store, NOW
        self.restart()

    def restart(self) -> None:
        self.watch = AlarmWatch(self.settings, self.store, lambda: self.now)

    def check(self, *, fails: bool, minutes: int = 1) -> None:
        failed = {"last_success": None, "failures": 1, "last_failure": NOW, "why": "no answer in time"}
        report = SourceReport(
            key="ecb", pace="daily", enabled=True, **FACTS,
            **(failed if fails else {"last_success": self.now, "newest": self.now}),
        )  # fmt: skip
        write_json_file(self.folder.source_reports, SourceReports(self.now, (report,)))
        self.watch.check()
        self.now += timedelta(minutes=minutes)

    def lead(self, *, leads: bool) -> None:
        own = NodeReport(name="a", instance="i", roles=("api",), version="1", written_at=self.now, leads=leads)
        write_json_file(self.folder.cluster_report, ClusterReport(written_at=self.now, node="a", nodes=(own,)))


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    with serving(Webhook()) as server:
        yield server


@pytest.fixture
def service(tmp_path: Path, webhook: Webhook, small_store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> Service:
    plenty = SimpleNamespace(free=10**12, total=2 * 10**12)
    monkeypatch.setattr(alarm_watch.shutil, "disk_usage", lambda _path: plenty)
    (tmp_path / "plans.current").write_text(default_plans())
    return Service(tmp_path, webhook.url, small_store)


def test_an_alarm_is_sent_once_and_its_end_once(service: Service, webhook: Webhook) -> None:
    for fails in (True, True, True, False, False, False):
        service.check(fails=fails)
    assert webhook.texts == [ALARM, RESOLVED]


def test_a_restart_sends_nothing_twice(service: Service, webhook: Webhook) -> None:
    for fails in (True, True, False, False):
        service.check(fails=fails)
        service.restart()
    assert webhook.texts == [ALARM, RESOLVED]


def test_a_way_that_fails_is_tried_again_ever_less_often_and_also_after_a_restart(
    service: Service, webhook: Webhook, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    times = iter(range(10_000, 20_000, 5))
    monkeypatch.setattr(alarm_watch, "monotonic", lambda: float(next(times)))
    webhook.status = 500
    for _ in range(40):
        service.check(fails=True, minutes=0)
    assert 4 <= len(webhook.received) <= 9  # and not forty times
    assert read_alarms(service.settings).waiting["webhook"][0].text == ALARM
    webhook.status, webhook.received = 200, []
    service.restart()
    service.check(fails=True)
    assert webhook.texts == [ALARM]
    assert read_alarms(service.settings).waiting == {"webhook": ()}
    assert [record.getMessage() for record in caplog.records] == [
        "Alarms: The webhook at 127.0.0.1 answers with 500; it is tried again"
    ]


def test_the_oldest_messages_are_given_up_when_too_many_wait(
    service: Service, webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "_MOST", 3)
    webhook.status = 500
    for number in range(10):
        service.check(fails=number % 2 == 0)
    assert len(read_alarms(service.settings).waiting["webhook"]) == 3


def test_only_the_leader_sends_and_a_new_leader_repeats_nothing(service: Service, webhook: Webhook) -> None:
    node = Service(service.settings.data, webhook.url, service.store, redis="redis://cache", node="a")
    for fails, leads in ((True, False), (True, False), (True, True), (True, True), (False, True), (False, True)):
        node.lead(leads=leads)
        node.check(fails=fails)
    assert webhook.texts == [RESOLVED]
    assert [body["node"] for _, _, body in webhook.received] == ["a"]


def test_each_node_tells_of_its_own_disk(service: Service, webhook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    node = Service(service.settings.data, webhook.url, service.store, redis="redis://cache", node="a")
    full = SimpleNamespace(free=10**6, total=10**12)
    monkeypatch.setattr(alarm_watch.shutil, "disk_usage", lambda _path: full)
    node.lead(leads=False)
    node.check(fails=True)
    assert webhook.texts == ["The disk of the data folder is full: 1 MB are free (since 2026-11-20 12:00 UTC)"]


@pytest.mark.long
def test_the_owner_of_an_account_is_told_of_its_quota(
    service: Service, webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alarm_watch, "_QUOTA_SECONDS", 0.0)
    monkeypatch.setattr(alarm_watch, "_PAUSE_FACTOR", 0)
    with serving(MailReceiver()) as server:
        mail = f"smtp://127.0.0.1:{server.port}?from=rates@example.org&to=operator@example.org&starttls=never"
        told = Service(service.settings.data, webhook.url, service.store, notify_email=mail)
        shop = told.store.accounts.create(Account(0, "shop", "one", email="shop@example.org"))
        other = told.store.accounts.create(Account(0, "other", "one"))
        for calls in (799_999, 800_000, 900_000, 1_000_000):
            totals = [CounterTotal(NOW.date(), 1, each.number, "fetch-one", calls) for each in (shop, other)]
            told.store.usage.store_totals(totals)
            told.check(fails=False)
        told.now = NOW.replace(month=12)
        told.check(fails=False)
    owners = [each for each in server.received if each["To"] == "shop@example.org"]
    assert [each.get_content().partition(" (")[0].strip() for each in owners] == [
        "The account shop has used 80 % of its quota of 1000000 calls until 2026-11-30",
        "The account shop has used 100 % of its quota of 1000000 calls until 2026-11-30",
        "Resolved: The account shop has used 100 % of its quota of 1000000 calls until 2026-11-30",
    ]
    assert {each["To"] for each in server.received} == {"shop@example.org", "operator@example.org"}
    assert len(webhook.received) == 3
    assert all("other has used" in body["text"] for _, _, body in webhook.received)
    assert not any("other" in each.get_content() for each in owners)


def test_a_refused_address_holds_up_no_other_owner(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(alarm_watch, "_QUOTA_SECONDS", 0.0)
    with serving(MailReceiver()) as server:
        server.refused = {"gone@example.org"}
        mail = f"smtp://127.0.0.1:{server.port}?from=rates@example.org&to=operator@example.org&starttls=never"
        told = Service(service.settings.data, "", service.store, notify_email=mail)
        for name, email in (("a", "gone@example.org"), ("b", "here@example.org")):
            account = told.store.accounts.create(Account(0, name, "one", email=email))
            told.store.usage.store_totals([CounterTotal(NOW.date(), 1, account.number, "fetch-one", 1_000_000)])
        told.check(fails=False)
    assert {each["To"] for each in server.received} == {"here@example.org", "operator@example.org"}
    assert read_alarms(told.settings).waiting == {"email": (), "account_email": ()}
    assert "the message is given up: [cambist] The account a has used 100 %" in caplog.text
    assert "gone@example.org" not in caplog.text


def test_a_database_that_is_gone_hides_no_other_alarm(service: Service, webhook: Webhook) -> None:
    class Gone:
        def by_day(self, *_: object) -> None:
            raise StoreBroken("The database cannot be reached")

    service.watch._store = SimpleNamespace(usage=Gone())  # type: ignore[assignment]
    service.check(fails=True)
    assert webhook.texts == [ALARM]


def test_an_alarm_that_has_ended_is_kept_with_its_acknowledgement_over_restarts(service: Service) -> None:
    service.check(fails=True)
    ProblemAdmin(service.settings, lambda: service.now, "console 7").acknowledge("source:ecb", "known")
    service.check(fails=False)
    service.restart()
    service.check(fails=False)
    (ended,) = read_alarms(service.settings).ended
    assert (ended.key, ended.since, ended.ended_at) == ("source:ecb", NOW, NOW + timedelta(minutes=1))
    assert ended.acknowledged is not None
    assert ended.acknowledged.note == "known"
    assert list(service.folder.acknowledged.iterdir()) == []


def test_alarms_are_recorded_where_nobody_is_told(service: Service) -> None:
    quiet = Service(service.settings.data, "", service.store)
    quiet.check(fails=True)
    assert list(read_alarms(quiet.settings).alarms) == ["source:ecb"]
