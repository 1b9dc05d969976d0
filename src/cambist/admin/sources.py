"""The list of all sources, and the last reports on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cambist.errors import BadParameter
from cambist.registry.sources import load_adapters, reasons_off, source_keys
from cambist.settings import Settings
from cambist.sources.base import Source
from cambist.status.source_report import SourceReports
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file


@dataclass(frozen=True, slots=True)
class ListedSource:
    """A source, and why it is off; empty if it is on."""

    source: Source
    disabled_reason: str


def list_sources(settings: Settings, environment: Mapping[str, str]) -> list[ListedSource]:
    """Return every source, best first, declared ones last. Errors: SourceRefused, SettingRefused."""
    found = load_adapters(settings)
    off = reasons_off(settings, found, source_keys(settings, found.values(), environment))
    return [ListedSource(adapter.source, off.get(key, "")) for key, adapter in found.items()]


def read_source_reports(settings: Settings) -> SourceReports:
    """Return the last source reports of the data directory. Errors: BadParameter if there are none."""
    path = DataDirectory(settings.data).source_reports
    source_reports = read_json_file(path, SourceReports)
    if source_reports is None:
        raise BadParameter(
            f"There is no bulletin on the sources in {path}: a service that asks them writes it, see [cambist serve]"
        )
    return source_reports
