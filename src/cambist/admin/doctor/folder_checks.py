"""Checks of the data folder and the files in it."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from cambist.admin.doctor.finding import Finding, InstallationState, ok, problem, warning
from cambist.errors import CambistError
from cambist.registry.accounts.keyless_accounts import missing_accounts
from cambist.registry.accounts.plans import plans_file, read_plans_file
from cambist.registry.wiring.components import open_store
from cambist.status.environment import Environment, check_rate_book, check_rate_matrix
from cambist.status.network import no_network
from cambist.status.source_report import Condition, SourceReports
from cambist.storage.atomic_file import unfinished_files
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file
from cambist.storage.shared.rate_book_file import stored_rate_book
from cambist.storage.shared.rate_matrix_file import open_rate_matrix

_LITTLE_SPACE, _FAIR_SPACE = 100 << 20, 1 << 30
_OLD_FIXING = timedelta(days=7)
_SILENT = timedelta(minutes=1)
_MOST_NAMED = 5
_START = "start the service: it is built again"


def check_folder(installation: InstallationState) -> Iterator[Finding]:
    """Check that the folder exists, is one of the settings' environment, and is private and writable."""
    path = installation.path
    if installation.environment is None:
        yield warning("data folder", f"no service has run in {path}", "run [cambist serve] once, or name --data")
        return
    chosen = Environment.SANDBOX if installation.settings.sandbox else Environment.LIVE
    if installation.environment is not chosen and installation.environment is Environment.SANDBOX:
        yield warning("data folder", f"{path} is a sandbox, the settings are not", "serve it with --sandbox")
    elif installation.environment is not chosen:
        yield problem("data folder", f"{path} is live, and cannot be a sandbox", "name another folder with --data")
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        yield problem("data folder", f"you cannot write to {path}", f"run as its owner, {path.owner()}")
    else:
        yield from _check_mode("data folder", path, 0o700, f"{path.resolve()}, {installation.environment}")


def check_file_kinds(installation: InstallationState) -> Iterator[Finding]:
    """Check that files are files, folders are folders, and nothing belongs to another user."""
    DataDirectory(installation.path).check_kinds()
    owner = installation.path.stat().st_uid
    foreign = sorted(each.name for each in installation.path.rglob("*") if each.lstat().st_uid != owner)
    if foreign:
        remedy = f"as root: chown -R {installation.path.owner()} {installation.path}"
        yield problem("files", f"of another user: {', '.join(foreign[:_MOST_NAMED])}", remedy)
    abandoned = unfinished_files(installation.path)
    if abandoned:
        found = f"{len(abandoned)} unfinished, of a process that was killed"
        yield warning("files", found, "nothing: the next start removes them")
    if not foreign and not abandoned:
        yield ok("files", "all of one user, none unfinished")


def check_owner_key(installation: InstallationState) -> Iterator[Finding]:
    """Check that nobody else can read the owner's key."""
    file = DataDirectory(installation.path).owner_key
    if file.exists():
        yield from _check_mode("owner's key", file, 0o600, f"{file.name}, readable by you alone")
    else:
        remedy = "nothing, if you keep it elsewhere; else create one: cambist key create owner"
        yield warning("owner's key", f"there is no {file.name}", remedy)


def _check_mode(check: str, path: Path, mode: int, found: str) -> Iterator[Finding]:
    actual = stat.S_IMODE(path.stat().st_mode)
    if actual & 0o077:
        yield problem(check, f"other users can read {path} (mode {actual:04o})", f"chmod {mode:o} {path}")
    else:
        yield ok(check, found)


def check_disk(installation: InstallationState) -> Iterator[Finding]:
    """Check the free space on the disk of the data folder."""
    free = shutil.disk_usage(installation.path).free
    found, remedy = f"{free / (1 << 30):.1f} GB free", "free some space on the disk of the data folder"
    if free < _LITTLE_SPACE:
        yield problem("disk", found, remedy)
    elif free < _FAIR_SPACE:
        yield warning("disk", found, remedy)
    else:
        yield ok("disk", found)


def check_matrix(installation: InstallationState) -> Iterator[Finding]:
    """Check the checksum of the rate matrix and the age of its newest fixing."""
    environment = installation.environment or Environment.LIVE
    try:
        matrix = check_rate_matrix(open_rate_matrix(DataDirectory(installation.path).matrix), environment)
    except CambistError as error:
        yield problem("rate matrix", str(error), _START)
        return
    age = installation.now.date() - matrix.last_fixing
    found = f"{len(matrix.codes)} currencies, newest fixing of {matrix.last_fixing}"
    if age > _OLD_FIXING:
        yield warning("rate matrix", f"{found}, {age.days} days ago", "let the service ask the sources (setting fetch)")
    else:
        yield ok("rate matrix", found)


def check_book(installation: InstallationState) -> Iterator[Finding]:
    """Check the rate book and its age."""
    try:
        book = stored_rate_book(installation.path)
        if book is None:
            yield problem("rate book", "there is none", _START)
            return
        check_rate_book(book, installation.environment or Environment.LIVE)
    except CambistError as error:
        yield problem("rate book", str(error), _START)
        return
    age = installation.now - book.as_of
    found = f"version {book.version}, {len(book.quotes)} codes, of {book.as_of:%Y-%m-%d %H:%M} UTC"
    if age > _OLD_FIXING:
        remedy = "look at [cambist sources status]" if installation.is_served else "start the service"
        yield warning("rate book", f"{found}, {age.days} days ago", remedy)
    else:
        yield ok("rate book", found)


def check_plans(installation: InstallationState) -> Iterator[Finding]:
    """Check the plans file."""
    path = plans_file(installation.path)
    try:
        plans = read_plans_file(path)[1]
    except CambistError as error:
        yield problem("plans", str(error), "correct the file; [cambist plans check] checks it again")
        return
    yield ok("plans", f"{', '.join(plans)}")


def check_named_accounts(installation: InstallationState) -> Iterator[Finding]:
    """Check that the accounts exist that pay for calls without a key, if the settings name any."""
    settings = installation.settings
    if not (settings.page_account or settings.dialect_account):
        return
    store = open_store(settings)
    try:
        missing = list(missing_accounts(settings, store.accounts))
    finally:
        store.close()
    for sentence in missing:
        found, remedy = sentence.split(": ", 1)
        yield problem("accounts without keys", found, remedy)
    if not missing:
        yield ok("accounts without keys", "those that the settings name exist")


def check_sources(installation: InstallationState) -> Iterator[Finding]:
    """Check the last report on the sources: whether it is new, and which fail or are late."""
    reports = read_json_file(DataDirectory(installation.path).source_reports, SourceReports)
    if installation.environment is Environment.SANDBOX:
        yield ok("sources", "none: a sandbox simulates its prices")
    elif not installation.settings.fetch:
        yield warning("sources", "none is asked (setting fetch is false)", "set it to true for new rates")
    elif reports is None:
        yield warning("sources", "there is no report yet", "start the service")
    else:
        yield from _check_reports(installation, reports)


def _check_reports(installation: InstallationState, reports: SourceReports) -> Iterator[Finding]:
    age = installation.now - reports.written_at
    if installation.is_served and age > _SILENT:
        found = f"the last report is {age.total_seconds():.0f} s old, although the service runs"
        yield problem("sources", found, "look into the log for errors of the ingest process; restart the service")
    found_none = no_network(reports)
    if found_none is not None:
        remedy = f"connect it, or see the setting proxy; the commonest reason: {found_none.why}"
        yield warning("sources", found_none.sentence, remedy)
        return
    by_condition: dict[Condition, list[str]] = {}
    for report in reports.reports:
        by_condition.setdefault(report.condition(reports.written_at), []).append(report.key)
    for condition in (Condition.FAILING, Condition.LATE, Condition.HELD):
        keys = by_condition.get(condition, [])
        if keys:
            more = f" and {len(keys) - _MOST_NAMED} more" if len(keys) > _MOST_NAMED else ""
            found = f"{len(keys)} {condition}: {', '.join(keys[:_MOST_NAMED])}{more}"
            yield warning("sources", found, "[cambist sources status] says why; without a network all fail")
    yield ok(
        "sources", f"{len(by_condition.get(Condition.FRESH, []))} work, {len(by_condition.get(Condition.OFF, []))} off"
    )
