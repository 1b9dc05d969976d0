"""The faults of a sandbox: a file of its data folder, which the operator's commands write and the sandbox watches."""

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
    """The file, and its content as it was last understood; no file is no fault. `known` are the codes it may name."""

    def __init__(self, path: Path, known: Collection[str]) -> None:
        self._path = path
        self._known = known
        self._seen: Stamp | None = None
        self.faults = Faults()

    def read(self) -> Faults:
        """Read the file. Errors: SettingRefused naming file and field."""
        try:
            text = self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return Faults()
        except (OSError, ValueError) as error:
            raise SettingRefused(f"The faults file [{self._path}] cannot be read: {error}") from error
        return read_faults(text, str(self._path), self._known)

    def look(self) -> Faults:
        """Read the file if it has changed; what is wrong with it is logged once, and the faults from before hold."""
        stamp = self._stamp()
        if stamp != self._seen:
            self._seen = stamp
            try:
                self.faults = self.read()
            except SettingRefused as refused:
                log.error("Sandbox: %s; the faults from before hold", refused)  # noqa: TRY400  a trace says no more
            else:
                log.info("Sandbox: faults: %s", "; ".join(written(self.faults).splitlines()) or "none")
        return self.faults

    def write(self, faults: Faults) -> None:
        """Put these faults in place of those in the file. Errors: SettingRefused where they cannot be read."""
        text = written(faults)
        read_faults(text, str(self._path), self._known)
        write_atomically(self._path, text.encode())

    def _stamp(self) -> Stamp | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size


def written(faults: Faults) -> str:
    """Write faults as TOML, one a line; nothing where nothing goes wrong."""
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
