"""The faults file of a sandbox: commands write it, and the sandbox polls it."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from pathlib import Path

from cambist.errors import SettingRefused
from cambist.sandbox.faults import Faults, read_faults
from cambist.storage.atomic_file import write_atomically

log = logging.getLogger(__name__)

Stamp = tuple[int, int, int]


class FaultsFile:
    """The faults file, and its last valid content. Without a file there are no faults. `codes` may be named in it."""

    def __init__(self, path: Path, codes: Collection[str]) -> None:
        self._path = path
        self._codes = codes
        self._seen: Stamp | None = None
        self.faults = Faults()

    def read(self) -> Faults:
        """Read the file. Errors: SettingRefused, which names the file and the field."""
        try:
            text = self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return Faults()
        except (OSError, ValueError) as error:
            raise SettingRefused(f"The faults file [{self._path}] cannot be read: {error}") from error
        return read_faults(text, str(self._path), self._codes)

    def poll(self) -> Faults:
        """Read the file if it has changed. If it is invalid, log why, once, and keep the old faults."""
        stamp = self._stamp()
        if stamp != self._seen:
            self._seen = stamp
            try:
                self.faults = self.read()
            except SettingRefused as refused:
                log.error("Sandbox: %s; the old faults stay", refused)  # noqa: TRY400  a trace would add nothing
            else:
                log.info("Sandbox: faults: %s", "; ".join(faults_as_toml(self.faults).splitlines()) or "none")
        return self.faults

    def write(self, faults: Faults) -> None:
        """Replace the faults in the file. Errors: SettingRefused if the file would be invalid."""
        text = faults_as_toml(faults)
        read_faults(text, str(self._path), self._codes)
        write_atomically(self._path, text.encode())

    def _stamp(self) -> Stamp | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size


def faults_as_toml(faults: Faults) -> str:
    """Return faults as TOML, one a line; empty without faults."""
    lines = []
    if faults.stale and faults.since is not None:
        stale = '"all"' if faults.stale == "all" else _array(f'"{code}"' for code in faults.stale)
        lines += [f"stale = {stale}", f"since = {faults.since.isoformat()}"]
    if faults.missing:
        lines.append(f"missing = {_array(day.isoformat() for day in sorted(faults.missing))}")
    if faults.slow:
        lines.append(f"slow = {faults.slow}")
    if faults.outlier:
        lines += ["[outlier]", *(f'"{code}" = {factor}' for code, factor in faults.outlier.items())]
    return "".join(f"{line}\n" for line in lines)


def _array(values: Iterable[str]) -> str:
    return f"[{', '.join(values)}]"
