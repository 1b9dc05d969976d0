"""Checks of the machine and of the installed package."""

from __future__ import annotations

import re
import resource
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import metadata

from cambist import __version__
from cambist.admin.data_folder.start_settings import check_start_settings
from cambist.admin.doctor.finding import Finding, InstallationState, ok, problem, warning
from cambist.registry.sources.source_adapters import sources_of_other_versions
from cambist.settings import ignored_variables
from cambist.status.source_report import SourceReports
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file
from cambist.web.assets import load_assets

_NEEDED = (3, 11)
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*(?:\(?([<>=!~0-9.,\s]*)\)?)(;.*)?")
_FEW_FILES = 4096
_SKEW = timedelta(minutes=2)
_EARLIEST = datetime(2026, 1, 1, tzinfo=UTC)
"""A clock before this is wrong: this version did not exist then."""


def check_python(_installation: InstallationState) -> Iterator[Finding]:
    """Check the version of Python."""
    found = f"Python {sys.version.split()[0]}, Cambist {__version__}"
    if sys.version_info < _NEEDED:
        yield problem("python", found, "install Python 3.11 or newer, and Cambist with it")
    else:
        yield ok("python", found)


def check_dependencies(_installation: InstallationState) -> Iterator[Finding]:
    """Check that every required package is installed in a version that is allowed."""
    try:
        needed = [text for text in metadata.requires("cambist") or () if "extra ==" not in text]
    except metadata.PackageNotFoundError:
        yield warning("dependencies", "Cambist is not installed as a package", "install it: pip install .")
        return
    wrong = [fault for text in needed if (fault := _fault_of(text))]
    for fault in wrong:
        yield problem("dependencies", fault, "install what is missing: pip install . in the folder of the sources")
    if not wrong:
        yield ok("dependencies", f"{len(needed)} packages, all in allowed versions")


def _fault_of(requirement: str) -> str:
    """Return what is wrong with a required package; empty if nothing is."""
    found = _REQUIREMENT.match(requirement)
    name, allowed = (found[1], found[2] or "") if found else (requirement, "")
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return f"the package {name} is missing"
    parts = re.findall(r"(>=|<)\s*([0-9.]+)", allowed)
    fits = all((_numbers(version) >= _numbers(limit)) is (sign == ">=") for sign, limit in parts)
    return "" if fits else f"{name} {version} is not {allowed}"


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, so that 2 and 2.0 are the same."""
    numbers = [int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3]]
    return (*numbers, *[0] * (3 - len(numbers)))


def check_page_files(_installation: InstallationState) -> Iterator[Finding]:
    """Check that the files of the page came with the package."""
    count = len(load_assets(("lib", "style", "page")).files)
    if count:
        yield ok("page", f"{count} files")
    else:
        yield problem("page", "the package has no files of the page", "install Cambist again: pip install .")


def check_settings(installation: InstallationState) -> Iterator[Finding]:
    """Check what the settings name, as a start does: sources, declarations of own sources, dialects, nodes."""
    check_start_settings(installation.settings, installation.variables)
    if unknown := sources_of_other_versions(installation.settings):
        yield warning("settings", unknown, "once all nodes have one version, correct [feeds_off] or remove the key")
    ignored = len(ignored_variables(installation.variables))
    others = f"; {ignored} variables of Kubernetes are ignored" if ignored else ""
    yield ok("settings", f"all known; {installation.settings.scheme} on port {installation.settings.port}{others}")


def check_open_files(_installation: InstallationState) -> Iterator[Finding]:
    """Check how many files and connections a process may have open. The service raises the soft limit itself."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < _FEW_FILES:
        remedy = "raise it for many clients: LimitNOFILE=65536 in a systemd unit, or ulimit -Hn 65536 as root"
        yield warning("open files", f"at most {hard} in a process", remedy)
    else:
        yield ok("open files", "no limit" if hard == resource.RLIM_INFINITY else f"up to {hard} in a process")


def check_clock(installation: InstallationState) -> Iterator[Finding]:
    """Check the clock against what the service and the sources wrote: their times cannot lie in the future."""
    now = installation.now
    zone = datetime.now().astimezone().tzname() or "UTC"
    if now < _EARLIEST:
        yield problem("clock", f"it says {now:%Y-%m-%d %H:%M} UTC", "set the clock, and keep it by NTP (timedatectl)")
        return
    ahead = max((moment for moment in _times(installation) if moment > now + _SKEW), default=None)
    if ahead is not None:
        found = f"it says {now:%Y-%m-%d %H:%M:%S} UTC, but there are prices or reports of {ahead:%Y-%m-%d %H:%M:%S}"
        yield problem("clock", found, "set the clock, and keep it by NTP (timedatectl set-ntp true)")
    else:
        yield ok("clock", f"{now:%Y-%m-%d %H:%M:%S} UTC, time zone {zone}; all days of Cambist are UTC")


def _times(installation: InstallationState) -> Iterator[datetime]:
    """Yield the moments that others recorded."""
    reports = read_json_file(DataDirectory(installation.path).source_reports, SourceReports)
    if reports is None:
        return
    yield reports.written_at
    for report in reports.reports:
        yield from (moment for moment in (report.last_success, report.last_failure) if moment)
