"""Upgrade a data folder to this release, or say what that would do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from cambist import __version__
from cambist.admin.data_folder.start_settings import check_start_settings
from cambist.errors import BadParameter, CambistError
from cambist.registry.accounts.plans import plans_file, read_plans_file
from cambist.registry.wiring.components import environment_of, open_store
from cambist.settings import Settings, read_settings
from cambist.storage.data_directory import DataDirectory
from cambist.storage.sql.former_schema import refusal
from cambist.storage.sql.inspection import DatabaseReport, inspect_database, inspect_server
from cambist.storage.sql.migration_copy import copy_path, needed_space
from cambist.storage.sql.revision import steps_after, what_to_install

_WITHIN_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class UpgradePlan:
    """What an upgrade would do. `schema` is the database's, and `steps` the migrations to the `target`.

    Sizes are in bytes, and None for a database on a server. `copy` is where the database is copied before; it is empty
    if nothing is. `problems` are why this release would refuse to start, a sentence each.
    """

    release: str
    schema: str
    target: str
    steps: tuple[str, ...]
    size: int | None
    needed: int | None
    free: int | None
    copy: str
    is_running: bool
    problems: tuple[str, ...]


def plan_upgrade(environment: Mapping[str, str], options: Mapping[str, object], *, with_copy: bool) -> UpgradePlan:
    """Return what an upgrade would do, without changing anything. Errors: BadParameter, CannotStart, SettingRefused."""
    settings = read_settings(environment, options)
    folder = DataDirectory(settings.data)
    database = settings.data / "cambist.db"
    if settings.database:
        report, space = inspect_server(settings.database, _WITHIN_SECONDS), None
    elif database.exists():
        report, space = inspect_database(database, _WITHIN_SECONDS), needed_space(database, with_copy=with_copy)
    else:
        raise BadParameter(f"There is no database in {settings.data}: the first start creates it, nothing is upgraded")
    steps = steps_after(report.schema)
    is_copied = with_copy and bool(steps) and space is not None
    return UpgradePlan(
        release=__version__,
        schema=report.schema,
        target=report.newest_schema,
        steps=steps,
        size=space.size if space else None,
        needed=space.needed if space and steps else None,
        free=space.free if space else None,
        copy=str(copy_path(database, report.newest_schema)) if is_copied else "",
        is_running=folder.is_claimed(),
        problems=tuple(_problems(settings, environment, report)),
    )


def _problems(settings: Settings, environment: Mapping[str, str], report: DatabaseReport) -> Iterator[str]:
    """Yield why a start of this release would be refused, or would be one without plans or sources of the operator."""
    if report.faults:
        yield f"the database is damaged: {report.faults[0]}"
    if too_old := refusal(report.schema):
        yield too_old
    if report.schema > report.newest_schema:
        migrated = f", migrated by {report.release}" if report.release else ""
        remedy = what_to_install(report.release) if report.release else "install a newer release"
        known = f"this release, {__version__}, knows those up to {report.newest_schema}"
        yield f"the database has schema {report.schema}{migrated}; {known}; {remedy}"
    plans = plans_file(settings.data)
    checks: list[Callable[[], object]] = [
        lambda: DataDirectory(settings.data).check(environment_of(settings)),
        lambda: check_start_settings(settings, environment),
        *([lambda: read_plans_file(plans)] if plans.exists() else []),
    ]
    for check in checks:
        try:
            check()
        except CambistError as error:
            yield str(error)


def upgrade_database(settings: Settings, *, with_copy: bool) -> None:
    """Migrate the database of a stopped service. Errors: CannotStart if it runs, StoreBroken."""
    folder = DataDirectory(settings.data)
    folder.claim(environment_of(settings))
    store = open_store(settings)
    try:
        store.migrate(with_copy=with_copy)
    finally:
        store.close()
        folder.release()
