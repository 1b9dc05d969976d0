"""List the sources of a new data folder before any of them was asked."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from cambist.ingest.source_status import SourceStatuses
from cambist.registry.sources.source_adapters import load_adapters, reasons_off, source_keys
from cambist.settings import Settings
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import write_json_file


def list_unasked(settings: Settings, environment: Mapping[str, str], now: datetime) -> None:
    """Write reports on all sources if there are none; the ingest replaces them as soon as it runs."""
    path = DataDirectory(settings.data).source_reports
    if path.exists():
        return
    adapters = load_adapters(settings)
    off = reasons_off(settings, adapters, source_keys(settings, adapters.values(), environment))
    statuses = SourceStatuses.for_sources([adapter.source for adapter in adapters.values()], off)
    write_json_file(path, statuses.report(now, {}, {}))
