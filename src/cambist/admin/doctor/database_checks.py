"""Checks of the database: its file, or its server with what that allows this service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cambist import __version__
from cambist.admin.doctor.finding import Finding, InstallationState, ok, problem, warning
from cambist.clock import utc_now
from cambist.errors import CannotStart, StoreBroken
from cambist.settings import Settings, without_password
from cambist.status.cluster_report import CLOCK_TOLERANCE
from cambist.storage.sql.former_schema import refusal
from cambist.storage.sql.inspection import DatabaseReport, inspect_database, inspect_server, inspect_sessions
from cambist.storage.sql.revision import what_to_install

_SECONDS = 30.0
_RESTORE = "restore the database from a backup (docs/guides/backup.md)"
_SESSIONS_OF_WORKER, _SESSIONS_OF_STREAM, _OTHER_SESSIONS = 4, 2, 20
"""How many sessions a node has with the server at most: of each process, and of all else with some commands."""

_REMEDIES = {
    "authentication failed": "correct user and password in [database], in PGPASSWORD or in ~/.pgpass",
    "no password supplied": "put the password into [database], PGPASSWORD or ~/.pgpass",
    "too many clients": "raise max_connections of the server, or end what else uses it",
    "connection slots are reserved": "raise max_connections of the server, or end what else uses it",
    "too many connections for": "raise CONNECTION LIMIT of the role or of the database",
    "statement pooling mode": "set pool_mode = transaction in the pooler",
    "does not exist": "create the user and the database (docs/guides/postgresql.md)",
    "read-only": "name the primary in [database], or all servers, separated by commas",
    "standby": "name the primary in [database], or all servers, separated by commas",
}
"""What to do, by what the server says."""


def sessions_needed(settings: Settings) -> int:
    """Return how many sessions one node has with a server of PostgreSQL at most."""
    of_workers, of_streams = settings.workers * _SESSIONS_OF_WORKER, settings.stream_workers * _SESSIONS_OF_STREAM
    return of_workers + of_streams + _OTHER_SESSIONS


def check_database(installation: InstallationState) -> Iterator[Finding]:
    """Check the database's pages for some seconds, and whether this version knows its schema."""
    settings = installation.settings
    if settings.database:
        yield from _server_found(settings)
        return
    path = installation.path / Path(settings.database_url).name
    if not path.exists() or not path.stat().st_size:
        yield problem("database", f"{path} is missing or empty", _RESTORE)
        return
    report = inspect_database(path, _SECONDS)
    yield _schema_found(report, f"{path.stat().st_size / (1 << 20):.0f} MB")


def _server_found(settings: Settings) -> Iterator[Finding]:
    try:
        server = inspect_sessions(settings.database, _SECONDS)
        if not server.is_writable:
            found = f"{without_password(settings.database)} is a standby or read-only, and takes no writes"
            yield problem("database", found, _REMEDIES["standby"])
            return
        way = ", through a pooler" if server.is_pooled else ""
        yield _schema_found(inspect_server(settings.database, _SECONDS), without_password(settings.database) + way)
    except (StoreBroken, CannotStart) as error:
        yield problem("database", str(error), _remedy(str(error)))
        return
    ahead = (utc_now() - server.now).total_seconds()
    if abs(ahead) > CLOCK_TOLERANCE:
        found = f"the clock of this machine and that of the database's server differ by {abs(ahead):.0f} s"
        yield problem("clock", found, "set the wrong one, and keep both by NTP (timedatectl set-ntp true)")
    needed = sessions_needed(settings)
    if server.sessions < needed and not server.is_pooled:
        found = f"the server has {server.sessions} for this user; this node may need {needed}"
        yield warning("database sessions", found, "raise max_connections or CONNECTION LIMIT, or lower [workers]")


def _remedy(error: str) -> str:
    return next((remedy for said, remedy in _REMEDIES.items() if said in error), "see the message")


def _schema_found(report: DatabaseReport, more: str) -> Finding:
    if report.faults:
        return problem("database", f"damaged: {report.faults[0]}", f"{_RESTORE}; [cambist check] says more")
    if report.schema > report.newest_schema:
        migrated = f": it was migrated by {report.release}, and this is {__version__}" if report.release else ""
        remedy = what_to_install(report.release) if report.release else "install a newer Cambist"
        return problem("database", f"schema {report.schema} is of a newer Cambist{migrated}", remedy)
    if too_old := refusal(report.schema):
        return problem("database", *too_old.split(": ", 1))
    if report.schema < report.newest_schema:
        found = f"schema {report.schema or 'none'}, this version has {report.newest_schema}"
        return warning("database", found, "[cambist upgrade --check] says what the next start does")
    return ok("database", f"sound, schema {report.schema}, {more}")
