"""A sandbox with the page, started for browsers; and the browser, if this machine has one."""

from __future__ import annotations

import http.client
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

"""Seconds until a sandbox answers, on a busy machine."""

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome") or ""


def missing_requirement(chromium: str = CHROMIUM, package: str = "playwright") -> str:
    """Return what is missing to test the page in a browser, or an empty string."""
    if find_spec(package) is None:
        return f"the package {package} is not installed: `make test` installs it where there is a package registry"
    return "" if chromium else "there is no chromium in PATH"


@dataclass
class PageService:
    """A started sandbox. `url` is that of the page, `operator_url` that of the operator's port."""

    process: subprocess.Popen[bytes]
    data: Path
    log: Path
    port: int
    stream_port: int
    operator_port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def operator_url(self) -> str:
        return f"http://127.0.0.1:{self.operator_port}/"

    @property
    def key(self) -> str:
        return (self.data / "owner.key").read_text().strip()

    def run(self, *arguments: str) -> str:
        """Run a command of `cambist` on the data of this sandbox."""
        command = [COMMAND, *arguments, "--data", str(self.data)]
        done = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True, timeout=PATIENCE)
        return done.stdout

    def text(self, target: str, **headers: str) -> tuple[int, str]:
        """Ask the API, with the owner's key unless `headers` say otherwise."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("GET", target, headers=headers or {"X-API-Key": self.key})
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def json(self, target: str) -> Any:
        status, text = self.text(target)
        assert status == 200, text
        return msgspec.json.decode(text)

    def answers(self) -> bool:
        """Return whether it answers, or has ended; a service without sources has neither coins nor their reports."""
        try:
            return self.process.poll() is not None or self.text("/fetch-one?from=USD&to=EUR")[0] == 200
        except OSError:
            return False

    def is_up(self) -> bool:
        if self.process.poll() is not None:
            return True
        try:
            # Prices of all kinds, and the reports on sources, are there some seconds after the first answers.
            targets = ["/sources", *(f"/fetch-one?from={code}&to=EUR" for code in ("USD", "BTC", "XAU"))]
            return all(self.text(target)[0] == 200 for target in targets)
        except OSError:
            return False


@contextmanager
def serving_page(folder: Path, *, is_sandbox: bool = True, **settings: str) -> Iterator[PageService]:
    """Serve a sandbox until the end of the block; `settings` are variables without their prefix, in lower case.

    A service that is no sandbox asks no sources: a test publishes its rate books.
    """
    ports = {name: free_port() for name in ("port", "stream_port", "operator_port")}
    chosen = {f"CAMBIST_{name.upper()}": str(value) for name, value in {**ports, "workers": "1", **settings}.items()}
    data, log = folder / "data", folder / "log"
    if not data.exists():
        copy_first_start(data, is_sandbox=is_sandbox)
    with log.open("wb") as to:
        command = [COMMAND, "serve", "--sandbox" if is_sandbox else "--no-fetch", "--data", str(data)]
        process = subprocess.Popen(command, env=environment(**chosen), stdout=to, stderr=to)
    service = PageService(process, data, log, **ports)
    with ended_in_the_end(process):
        assert until(service.is_up if is_sandbox else service.answers, PATIENCE), log.read_text()
        assert process.poll() is None, log.read_text()
        yield service
