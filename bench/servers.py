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

from children import named
from load import HOST
from processes import await_ready, free_port, running, status_of, stop

DIALECTS = (
    "frankfurter,openexchangerates,fixer,currencylayer,exchangerateapi,coingecko,cryptocompare,coinbase,currconv,"
    "yahoo,ecb"
)


@dataclass
class Cambist:
    """A data folder, and a service that can be started on it several times."""

    data: Path
    threads: int
    pinned: bool
    is_sandbox: bool = False

    def __post_init__(self) -> None:
        self.log, self.port = self.data.with_suffix(".log"), free_port()
        self.data.mkdir(mode=0o700, exist_ok=True)

    @property
    def headers(self) -> dict[str, str]:
        """The header with the owner's key."""
        return {"X-API-Key": self.key}

    @property
    def key(self) -> str:
        """The owner's key, which the first start wrote to the data folder."""
        return (self.data / "owner.key").read_text().strip()

    @contextmanager
    def started(
        self, workers: int = 1, *, with_stream: bool = False
    ) -> Iterator[tuple[subprocess.Popen[bytes], float]]:
        """Start it; yield the process and the seconds until its first answer."""
        self._ports = {"operator port": free_port(), "stream": free_port() if with_stream else 0}
        with running(self._command(workers), self.log, pinned=self.pinned) as process:
            yield process, await_ready(process, self._status, self.log)
            stop(process)

    def processes(self, supervisor: int) -> dict[str, list[int]]:
        """Return the pids of the running service's processes by name."""
        rest = "sandbox and usage writer" if self.is_sandbox else "usage writer"
        found = named(supervisor, {**self._ports, "worker": self.port}, rest)
        return {name: pids for name, pids in found.items() if pids}

    def _status(self) -> int | None:
        """Request the currencies; return the status, or None if there is no key yet."""
        try:
            return status_of(self.port, "/currencies", self.headers)
        except FileNotFoundError:
            return None

    def _command(self, workers: int) -> list[str]:
        """Return the command that a user would type."""
        serve = ["serve", "--data", str(self.data), "--host", HOST, "--port", str(self.port)]
        # Sources are not asked, because ingest has its own benchmark. A publisher takes the place of ingest.
        serve += ["--dialects", DIALECTS]
        serve += ["--sandbox" if self.is_sandbox else "--no-fetch"]
        serve += ["--operator-port", str(self._ports["operator port"]), "--stream-port", str(self._ports["stream"])]
        return [*_cambist(), *serve, "--workers", str(workers), "--threads", str(self.threads)]


def _cambist() -> list[str]:
    """Return the command installed with this Python, unless BENCH_COMMAND names another."""
    named_command = os.environ.get("BENCH_COMMAND")
    return shlex.split(named_command) if named_command else [str(Path(sys.executable).with_name("cambist"))]


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
