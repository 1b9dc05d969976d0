"""What the operator sees of the sources: which there are, and what the last bulletin says of them."""

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
    """A source, and why it is off; empty where it is on."""

    source: Source
    disabled_reason: str


def list_sources(settings: Settings, environment: Mapping[str, str]) -> list[ListedSource]:
    """Give every source, best first, the operator's own last. Errors: SourceRefused, SettingRefused."""
    found = load_adapters(settings)
    off = reasons_off(settings, found, source_keys(settings, found.values(), environment))
    return [ListedSource(adapter.source, off.get(key, "")) for key, adapter in found.items()]


def read_source_reports(settings: Settings) -> SourceReports:
    """Give the last bulletin of the data folder. Errors: BadParameter where there is none."""
    path = DataDirectory(settings.data).source_reports
    source_reports = read_json_file(path, SourceReports)
    if source_reports is None:
        raise BadParameter(
            f"There is no bulletin on the sources in {path}: a service that asks them writes it, see [cambist serve]"
        )
    return source_reports
