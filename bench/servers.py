"""The two servers that are compared: the service, and a server with a constant answer."""

import functools
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from load import HOST
from processes import await_ready, free_port, running, status_of, stop


@dataclass
class Cambist:
    """A data folder, and a service that can be started on it several times."""

    folder: Path
    threads: int
    pinned: bool
    is_sandbox: bool = False

    def __post_init__(self) -> None:
        name = "sandbox" if self.is_sandbox else "service"
        self.data, self.log, self.port = self.folder / name, self.folder / f"{name}.log", free_port()
        self.data.mkdir(mode=0o700)

    @property
    def headers(self) -> dict[str, str]:
        """The header with the owner's key."""
        return {"X-API-Key": self.key}

    @property
    def key(self) -> str:
        """The owner's key, which the first start wrote to the data folder."""
        return (self.data / "owner.key").read_text().strip()

    @contextmanager
    def started(self) -> Iterator[tuple[subprocess.Popen[bytes], float]]:
        """Start it; yield the process and the seconds until its first answer."""
        with running(self._command(), self.log, pinned=self.pinned) as process:
            yield process, await_ready(process, self._status, self.log)
            stop(process)

    def _status(self) -> int | None:
        """Request the currencies; return the status, or None if there is no key yet."""
        try:
            return status_of(self.port, "/currencies", self.headers)
        except FileNotFoundError:
            return None

    def _command(self) -> list[str]:
        """Return the command that a user would type."""
        serve = ["serve", "--data", str(self.data), "--host", HOST, "--port", str(self.port)]
        # Sources are not asked, because ingest has its own benchmark. Metals and coins have no prices without sources,
        # so they are measured in a sandbox. Its market runs on the server's core, and slows down the constant as much.
        serve += ["--sandbox" if self.is_sandbox else "--no-fetch", "--operator-port", "0", "--stream-port", "0"]
        return [*_cambist(), *serve, "--workers", "1", "--threads", str(self.threads)]


def _cambist() -> list[str]:
    """Return the command installed with this Python, unless BENCH_COMMAND names another."""
    named = os.environ.get("BENCH_COMMAND")
    return shlex.split(named) if named else [str(Path(sys.executable).with_name("cambist"))]


@contextmanager
def constant(folder: Path, threads: int, *, pinned: bool) -> Iterator[int]:
    """Start the server with the constant answer; yield its port."""
    port, log = free_port(), folder / "constant.log"
    script = str(Path(__file__).with_name("constant_server.py"))
    command = [sys.executable, script, "--port", str(port), "--threads", str(threads)]
    with running(command, log, pinned=pinned) as process:
        await_ready(process, functools.partial(status_of, port, "/", {}), log)
        yield port
        stop(process)
