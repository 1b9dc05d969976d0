"""A node of a cluster: the command `cambist serve` with settings by the environment and a folder of its own."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.cluster.clocks import WrongClock
from tools.cluster.network import Place
from tools.cluster.processes import Process, descendants, send

COMMAND = str(Path(sys.executable).parent / "cambist")
_STOP_SECONDS = 30
_COMMAND_SECONDS = 60
_SHOWN = 15
"""How many characters of its name a process shows."""


@dataclass
class Node:
    """One node; `settings` are the CAMBIST_* variables that all nodes share.

    `clock` sets its clock; without one it has that of this machine.
    """

    number: int
    folder: Path
    place: Place
    settings: Mapping[str, str]
    process: subprocess.Popen[bytes] | None = None
    paused: list[int] = field(default_factory=list)
    clock: WrongClock | None = None

    @property
    def name(self) -> str:
        """The node's name."""
        return f"node-{self.number}"

    @property
    def data(self) -> Path:
        """Its data folder."""
        return self.folder / self.name

    @property
    def log(self) -> Path:
        """Its log."""
        return self.folder / f"{self.name}.log"

    @property
    def url(self) -> str:
        """The address of its API."""
        return f"http://{self.place.address}:{self.place.port}"

    @property
    def environment(self) -> dict[str, str]:
        """The variables for its commands."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CAMBIST_")}
        own = {
            "DATA": self.data, "HOST": self.place.address, "PORT": self.place.port, "NODE": self.name,
            "STREAM_PORT": self.place.stream_port, "OPERATOR_PORT": self.place.operator_port,
        }  # fmt: skip
        clock = self.clock.variables if self.clock else {}
        return {**kept, **clock, **self.settings, **{f"CAMBIST_{name}": str(value) for name, value in own.items()}}

    def start(self) -> None:
        """Start it if it does not run."""
        if not self.runs:
            with self.log.open("ab") as log:
                self.process = subprocess.Popen(
                    [*self.place.prefix, COMMAND, "serve"],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment, start_new_session=True,
                )  # fmt: skip

    @property
    def runs(self) -> bool:
        """Whether its supervisor runs."""
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """Stop it in order."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
            self.process = None

    def kill(self) -> None:
        """Kill all its processes at once, as a machine that loses its power."""
        if self.process is not None:
            below = self.processes()
            for pid in (self.process.pid, *(each.pid for each in below)):
                send(pid, signal.SIGKILL)
            self.process.wait()
            self.process, self.paused = None, []

    def processes(self, name: str = "") -> list[Process]:
        """Return its processes below the supervisor: those whose name begins with `name`."""
        if self.process is None:
            return []
        return [each for each in descendants(self.process.pid) if each.name.startswith(name[:_SHOWN])]

    def pause(self, name: str = "") -> list[int]:
        """Stop processes, all of them and the supervisor without a name; return how many that were."""
        chosen = [each.pid for each in self.processes(name)]
        if not name and self.process is not None:
            chosen.append(self.process.pid)
        for pid in chosen:
            send(pid, signal.SIGSTOP)
        self.paused += chosen
        return chosen

    def resume(self) -> None:
        """Let all paused processes go on."""
        for pid in self.paused:
            send(pid, signal.SIGCONT)
        self.paused = []

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of Cambist as an operator does on this node."""
        command = [*self.place.prefix, COMMAND, *arguments]
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=_COMMAND_SECONDS, check=False
        )

    def get(self, path: str, key: str, timeout: float = 5) -> tuple[int, Any]:
        """Return the status and the content of an answer; 0 if there is none."""
        with contextlib.closing(
            http.client.HTTPConnection(self.place.address, self.place.port, timeout=timeout)
        ) as connection:
            try:
                connection.request("GET", path, headers={"X-API-Key": key})
                response = connection.getresponse()
                return response.status, json.loads(response.read())
            except (OSError, http.client.HTTPException, ValueError):
                return 0, None
