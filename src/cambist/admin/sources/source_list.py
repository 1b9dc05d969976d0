"""The list of all sources, and the last reports on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from cambist.accounts.names import echo
from cambist.admin.operators.audit import AuditRecorder
from cambist.errors import BadParameter, NotHere
from cambist.registry.sources.asked_sources import ask_source, asked_at
from cambist.registry.sources.source_adapters import RESERVED_KEYS, is_declared, load_adapters, reasons_off, source_keys
from cambist.settings import Settings
from cambist.sources.base import Source
from cambist.status.source_report import SourceReports
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file
from cambist.suggestions import did_you_mean


class SourceKind(StrEnum):
    """What describes a source: a module of Cambist, a built-in declaration, or a declaration of the operator's."""

    MODULE = "module"
    DECLARATION = "declaration"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class ListedSource:
    """A source, why it is off (empty if it is on), and what describes it."""

    source: Source
    disabled_reason: str
    kind: SourceKind


def list_sources(settings: Settings, environment: Mapping[str, str]) -> list[ListedSource]:
    """Return every source, best first, declared ones last. Errors: SourceRefused, SettingRefused."""
    found = load_adapters(settings)
    off = reasons_off(settings, found, source_keys(settings, found.values(), environment))
    return [ListedSource(adapter.source, off.get(key, ""), _kind(key)) for key, adapter in found.items()]


def _kind(key: str) -> SourceKind:
    if key not in RESERVED_KEYS:
        return SourceKind.OWN
    return SourceKind.DECLARATION if is_declared(key) else SourceKind.MODULE


class SourceRequests:
    """Asks sources on an operator's request, and shows their reports; `who` is recorded in the audit log."""

    def __init__(self, settings: Settings, clock: Callable[[], datetime], who: str = "") -> None:
        self._settings = settings
        self._clock = clock
        self._folder = DataDirectory(settings.data)
        self._audit = AuditRecorder(settings, clock, who)

    def reports(self) -> SourceReports | None:
        """Return the last reports; None if no service has asked a source yet."""
        return read_json_file(self._folder.source_reports, SourceReports)

    def asked_at(self, key: str) -> datetime | None:
        """Return when an operator last asked for a source."""
        return asked_at(self._folder, key)

    def ask(self, key: str) -> datetime:
        """Let the service poll a source now, and return the moment. Errors: BadParameter, NotHere."""
        if self._settings.sandbox or not self._settings.fetch:
            raise NotHere("This service asks no sources")
        reports = {report.key: report for report in read_source_reports(self._settings).reports}
        if key not in reports:
            raise BadParameter(f"Unknown source: [{echo(key)}]; {did_you_mean(key, reports)}")
        if not reports[key].enabled:
            raise BadParameter(f"The source [{key}] is off: {reports[key].why}")
        now = self._clock()
        with self._audit.action("source.ask", key):
            ask_source(self._folder, key, now)
        return now


def read_source_reports(settings: Settings) -> SourceReports:
    """Return the last source reports of the data directory. Errors: BadParameter if there are none."""
    path = DataDirectory(settings.data).source_reports
    source_reports = read_json_file(path, SourceReports)
    if source_reports is None:
        raise BadParameter(
            f"There is no source report in {path}: a service that asks sources writes it, see [cambist serve]"
        )
    return source_reports
