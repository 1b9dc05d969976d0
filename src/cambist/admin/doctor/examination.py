"""Run all checks of an installation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from cambist.admin.doctor import database_checks as database
from cambist.admin.doctor import folder_checks as folder
from cambist.admin.doctor import machine_checks as machine
from cambist.admin.doctor import network_checks as network
from cambist.admin.doctor.finding import Check, Finding, InstallationState, problem
from cambist.errors import CambistError
from cambist.registry.node.serving import as_served
from cambist.settings import Settings, read_settings
from cambist.storage.data_directory import DataDirectory

CHECKS: tuple[Check, ...] = (
    machine.check_python,
    machine.check_dependencies,
    machine.check_page_files,
    machine.check_settings,
    machine.check_open_files,
    machine.check_clock,
    folder.check_folder,
    network.check_ports,
    network.check_proxies,
    network.check_tls,
)
"""The checks that need no data folder."""

FOLDER_CHECKS: tuple[Check, ...] = (
    folder.check_file_kinds,
    folder.check_owner_key,
    folder.check_disk,
    database.check_database,
    folder.check_matrix,
    folder.check_book,
    folder.check_plans,
    folder.check_named_accounts,
    folder.check_sources,
    network.check_stream,
    network.check_leftovers,
)


def examine(
    variables: Mapping[str, str], flags: Mapping[str, object], clock: Callable[[], datetime]
) -> Iterator[Finding]:
    """Yield what each check finds. Nothing is changed."""
    try:
        settings = read_settings(variables, flags)
    except CambistError as error:
        yield problem("settings", str(error), "correct it; all else was checked with the default settings")
        settings = read_settings({}, flags)
    yield from _examine(_installation(as_served(settings), variables, clock()))


def _installation(settings: Settings, variables: Mapping[str, str], now: datetime) -> InstallationState:
    directory = DataDirectory(settings.data)
    try:
        environment = directory.environment
    except CambistError:
        environment = None
    return InstallationState(settings, variables, now, environment, directory.is_claimed())


def _examine(installation: InstallationState) -> Iterator[Finding]:
    checks = (*CHECKS, *FOLDER_CHECKS)
    if installation.environment is None:  # before a first start only the server can be looked at
        checks = (*CHECKS, database.check_database) if installation.settings.database else CHECKS
    for check in checks:
        try:
            yield from check(installation)
        except (CambistError, OSError, ValueError) as error:
            name = check.__name__.removeprefix("check_").replace("_", " ")
            yield problem(name, str(error), "see the message")
