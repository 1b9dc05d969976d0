"""Move a database from a data folder to a server, from a server to a data folder, or between servers."""

from __future__ import annotations

from pathlib import Path

from cambist.errors import BadParameter, CannotCopy
from cambist.status.environment import Environment
from cambist.storage import STORES
from cambist.storage.data_directory import DataDirectory
from cambist.storage.sql.copying import Advance, DatabaseCopy


def copy_database(source: str, target: str, begin: Advance, advance: Advance) -> dict[str, int]:
    """Copy a database, each named by its URL or its data folder, and return the number of rows by table.

    `begin` is told how many rows will be reported to `advance`: each is copied and then compared.
    Errors: BadParameter, CannotCopy, CannotStart, StoreBroken.
    """
    urls = _url(source, "FROM"), _url(target, "TO")
    if urls[0] == urls[1]:
        raise BadParameter(f"FROM and TO are the same database: [{source}]")
    if urls[0].startswith("sqlite:///") and not Path(urls[0].removeprefix("sqlite:///")).exists():
        raise CannotCopy(f"There is no database in {source}: run [cambist serve] once, or name another folder")
    copy = DatabaseCopy(*urls)
    try:
        begin("", 2 * copy.prepare())
        copy.copy(advance)
        return copy.compare(advance)
    finally:
        copy.close()


def _url(name: str, parameter: str) -> str:
    """Return the URL of a database; that of a folder only if it is live and no service uses it."""
    if "://" in name:
        scheme = name.partition(":")[0].partition("+")[0]
        if scheme not in STORES:
            raise BadParameter(f"Invalid {parameter}: unknown scheme [{scheme}]; there are {', '.join(STORES)}")
        return name
    folder = DataDirectory(Path(name))
    if not folder.path.is_dir():
        raise BadParameter(f"Invalid {parameter}: there is no folder [{name}], and it is no URL of a database")
    if folder.environment is Environment.SANDBOX:
        raise CannotCopy(f"{name} is a sandbox, which keeps its database in its own folder")
    if folder.is_claimed():
        raise CannotCopy(f"A service uses the folder {name}: stop it before its database is copied")
    return f"sqlite:///{folder.path.resolve() / 'cambist.db'}"
