"""Where the service of a data folder listens: it writes that down, and the commands of the folder read it."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from cambist.settings import Settings
from cambist.storage.atomic_file import Unwritable
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file, write_json_file

log = logging.getLogger(__name__)


class ServedSettings(msgspec.Struct, frozen=True):
    """The settings by which others find a service. They hold as long as it has the folder."""

    host: str
    port: int
    stream_port: int
    operator_port: int
    operator_host: str
    operator_tls_cert: str | None
    operator_tls_key: str | None
    path_prefix: str
    tls_cert: str | None
    tls_key: str | None
    console: bool
    fetch: bool
    sandbox: bool


@contextmanager
def served(settings: Settings) -> Iterator[None]:
    """Have the data folder say where its service listens; a full disk does not keep it from serving."""
    file = DataDirectory(settings.data).served_settings
    chosen = {name: getattr(settings, name) for name in ServedSettings.__struct_fields__}
    paths = {name: str(path.absolute()) for name, path in chosen.items() if isinstance(path, Path)}
    try:
        write_json_file(file, ServedSettings(**{**chosen, **paths}))
    except Unwritable as error:
        log.warning("Commands will not find this service by its data folder: %s", error)
        _remove(file)
    try:
        yield
    finally:
        _remove(file)


def _remove(file: Path) -> None:
    with suppress(OSError):
        file.unlink()


def as_served(settings: Settings, chosen: Collection[str] = ()) -> Settings:
    """Return the settings with what the service of the data folder was started with, if one runs there.

    The names in `chosen` stay: they were given to the command itself.
    """
    folder = DataDirectory(settings.data)
    found = read_json_file(folder.served_settings, ServedSettings)
    if found is None or not folder.is_claimed():  # it was killed
        return settings
    values = {name: value for name, value in msgspec.structs.asdict(found).items() if name not in chosen}
    for name in ("tls_cert", "tls_key", "operator_tls_cert", "operator_tls_key"):
        if values.get(name) is not None:
            values[name] = Path(values[name])
    return msgspec.structs.replace(settings, **values)
