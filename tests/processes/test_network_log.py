"""What the log says of the network, once each."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest
from tests.status.test_network import lost
from tests.status.test_source_report import NOW, report

from cambist.processes.network_log import NetworkLog
from cambist.status.source_report import SourceReports


def test_begin_and_end_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    network_log, later = NetworkLog(), NOW + timedelta(minutes=1)
    offline = SourceReports(NOW, tuple(lost(key) for key in "abc"))
    online = SourceReports(later, (report(last_success=later), *(lost(key) for key in "abc")))
    for reports in (offline, offline, online, online):
        network_log.tell(reports, None)
    assert [record.getMessage() for record in caplog.records] == [
        "No network: no rates are stored yet: no answer in time",
        "Network: sources can be reached again",
        "Ingest: 1 of 4 sources heard, 0 of 0 currencies fresh",
    ]


def test_progress_is_told_when_more_is_heard_and_not_too_often(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    network_log = NetworkLog()
    for seconds, heard in ((0, 1), (1, 2), (16, 2), (40, 2)):
        at = NOW + timedelta(seconds=seconds)
        sources = (report(key=str(key), last_success=at if key < heard else None) for key in range(3))
        network_log.tell(SourceReports(at, tuple(sources)), None)
    assert [record.getMessage()[:27] for record in caplog.records] == [
        "Ingest: 1 of 3 sources hear",
        "Ingest: 2 of 3 sources hear",
    ]
