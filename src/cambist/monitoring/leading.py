"""Whether this node is the one that tells of what all nodes see."""

from __future__ import annotations

from datetime import datetime, timedelta

from cambist.settings import Settings
from cambist.status.cluster_report import ClusterReport
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file

_REPORT_AGE = timedelta(seconds=15)


def leads(settings: Settings, now: datetime) -> bool:
    """Return whether this node leads, or is alone."""
    if not settings.is_node:
        return True
    report = read_json_file(DataDirectory(settings.data).cluster_report, ClusterReport)
    if report is None or now - report.written_at > _REPORT_AGE:
        return False
    return report.own is not None and report.own.leads
