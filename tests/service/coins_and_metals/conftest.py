"""Two worlds to ask the same questions: a sandbox, and a service whose sources are played on a loopback port."""

from __future__ import annotations

import contextlib
import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

REPOSITORY = Path(__file__).parents[3]
PLAYER = REPOSITORY / "tests" / "loopback" / "play.py"
IS_RECORDED = (REPOSITORY.parent / "shared" / "payloads").is_dir()
"""Whether the real recordings are here; of the small files, which stand in for them, less is heard."""

"""Seconds; on a machine of its own each thing takes less than twenty."""

STOP_SECONDS = 60
MAX_AGE = 5
"""Seconds for which a sandbox serves a price that stands still: few, as a test waits for the end of them."""

PRECIOUS, BASE = ("XAU", "XAG", "XPT", "XPD"), ("XAL", "XCU", "XPB", "XNI", "XZN")
SETTINGS = {
    "sandbox": {
        "CAMBIST_SANDBOX": "true",
        "CAMBIST_COIN_MAX_AGE": f"PT{MAX_AGE}S",
        "CAMBIST_METAL_MAX_AGE": f"PT{MAX_AGE}S",
    },
    "sources": {
        "CAMBIST_FEEDS_ON": "swissquote,sina,westmetall",
        # Sources without metals, whose currencies others have as well: so that filing is soon done.
        "CAMBIST_FEEDS_OFF": "bcb,bdi,bis,bnm,boc,boe,boi,boj,cbt,cnb,"
        "fawazahmed0,fed,hkma,hmrc,inforeuro,mnb,nbg,norges,rba,riksbank,tcmb",
    },
}
TOGETHER = 20
"""How often answers are asked for again before they are found to be of one book."""


@dataclass
class Got:
    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def cost(self) -> int:
        return int(self.headers["x-calls-cost"])


@dataclass
class World:
    """A started service, and how to ask it."""

    name: str
    data: Path
    port: int
    log: Path
    is_recorded: bool
    _connection: http.client.HTTPConnection | None = field(default=None, repr=False)

    max_age = MAX_AGE

    @property
    def is_sandbox(self) -> bool:
        return self.name == "sandbox"

    def ask(self, target: str, key: str | None = None) -> Got:
        """Ask once, as the owner unless another key is given."""
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        headers = {"X-API-Key": key or (self.data / "owner.key").read_text().strip()}
        try:
            self._connection.request("GET", target, headers=headers)
            response = self._connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException):
            self.hang_up()
            raise
        return Got(response.status, {name.lower(): value for name, value in response.getheaders()}, content)

    def hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def priced(self, target: str) -> Got:
        """Ask for what has to be there. A 503 has some time to pass: a busy machine may hold up a sandbox's prices."""
        end = time.monotonic() + PATIENCE
        while (got := self.ask(target)).status == 503 and time.monotonic() < end:
            time.sleep(0.1)
        assert got.status == 200, (target, got.content)
        return got

    def body(self, target: str) -> Any:
        return self.priced(target).json

    def together(self, *targets: str) -> list[Any]:
        """Give answers of one book: they are asked for again until the first has not changed meanwhile."""
        for _ in range(TOGETHER):
            *bodies, again = [self.body(target) for target in (*targets, targets[0])]
            if {**bodies[0], "ms": 0} == {**again, "ms": 0}:
                return bodies
        raise AssertionError(f"[{targets[0]}] never stood still")

    def until(self, happens: Callable[[], object], seconds: float = PATIENCE) -> bool:
        return until(happens, seconds)

    def command(self, *arguments: str) -> str:
        """Run a command of the operator's on the service's folder; give what it prints."""
        command = [COMMAND, *arguments, "--data", self.data]
        done = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True, timeout=PATIENCE)
        return done.stdout

    def is_up(self) -> bool:
        try:
            return self.ask("/metals/list").status == 200
        except (OSError, http.client.HTTPException):
            return False

    def missing(self) -> list[str]:
        """Say what is not yet priced by those who trade it: bitcoin, ether, each metal."""
        missing = [coin for coin in ("BTC", "ETH") if self.ask(f"/fetch-one?from={coin}&to=EUR").status != 200]
        for metal in PRECIOUS + BASE:
            got = self.ask(f"/metals/spot?metal={metal}")
            traded_by = "swissquote" if metal in PRECIOUS and not self.is_sandbox else ""
            if got.status != 200 or traded_by not in got.json["source"]:
                missing.append(f"{metal}: {got.content.decode()}")
        # The last that is asked for of what Swissquote deals.
        is_there = self.is_sandbox or "XAUAUD" in self.body("/metals/instruments")["instruments"]
        return missing if is_there else [*missing, "XAUAUD"]


@contextlib.contextmanager
def played(folder: Path) -> Iterator[str]:
    """Play the sources; give the address at which they are asked."""
    ready = folder / "port"
    process = subprocess.Popen(
        [sys.executable, str(PLAYER), "--ready", str(ready), "--for", "600", "--rate", "150"], env=environment()
    )
    with ended_in_the_end(process):
        assert until(lambda: ready.exists() or process.poll() is not None, PATIENCE)
        yield f"http://127.0.0.1:{int(ready.read_text())}"


@pytest.fixture(scope="package", params=["sandbox", "sources"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A service that prices coins and metals: those of a simulated market, or those of recorded sources."""
    folder = tmp_path_factory.mktemp(request.param)
    port = free_port()
    started = World(request.param, folder / "data", port, folder / "log", IS_RECORDED)
    settings = dict(SETTINGS[request.param])
    copy_first_start(started.data, is_sandbox=started.is_sandbox)
    with contextlib.ExitStack() as stack:
        if not started.is_sandbox:
            settings["CAMBIST_GATEWAY"] = stack.enter_context(played(folder))
        command = [COMMAND, "serve", "--data", started.data, "--port", str(port), "--workers", "1", "--threads", "2"]
        log = stack.enter_context(started.log.open("wb"))
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment(**settings))
        stack.enter_context(ended_in_the_end(process))
        stack.callback(started.hang_up)
        until(lambda: process.poll() is not None or started.is_up(), PATIENCE)
        assert process.poll() is None, started.log.read_text()
        assert until(lambda: not started.missing(), PATIENCE), (started.missing(), started.log.read_text()[-3000:])
        yield started
