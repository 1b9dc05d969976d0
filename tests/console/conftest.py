"""A console over WSGI without a server, and a browser that is signed in to it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cambist.accounts.account import OWNER, UNLIMITED, Account
from cambist.accounts.plan import default_plans
from cambist.admin.operators.audit import AuditFilter, audit_entries
from cambist.admin.operators.sign_in_links import SignInLinks
from cambist.console.application import ConsoleApplication
from cambist.console.routes import console_application
from cambist.monitoring.health_server import HealthApplication
from cambist.settings import Settings
from cambist.status.environment import Environment
from cambist.storage.data_directory import DataDirectory
from cambist.storage.sql import SqlStore

HOST = "127.0.0.1:8002"
ORIGIN = f"http://{HOST}"


@dataclass
class Clock:
    """A clock that tests set, and the time since the start of its machine."""

    now: datetime = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
    seconds: float = 1000.0
    start: str = "a start"

    def __call__(self) -> datetime:
        return self.now

    def elapsed(self) -> tuple[str, float]:
        return self.start, self.seconds

    def advance(self, **duration: float) -> None:
        """Let time pass."""
        self.now += timedelta(**duration)
        self.seconds += timedelta(**duration).total_seconds()

    def jump(self, **duration: float) -> None:
        """Set the clock."""
        self.now += timedelta(**duration)


@dataclass(frozen=True)
class Got:
    """An answer."""

    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def refusal(self) -> tuple[int, str]:
        assert self.json["error"]
        return self.status, self.json["code"]


@dataclass
class Browser:
    """Sends requests to a console, as a browser does from the console's own page."""

    application: ConsoleApplication
    links: SignInLinks
    cookie: str = ""
    csrf: str = ""
    headers: dict[str, str] = field(default_factory=lambda: {"Host": HOST})

    def send(self, method: str, target: str, body: bytes = b"", **headers: str) -> Got:
        path, _, query = target.partition("?")
        environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query}
        environ |= {"wsgi.input": io.BytesIO(body), "wsgi.errors": sys.stderr}
        if body:
            environ["CONTENT_LENGTH"] = str(len(body))
        sent = {**self.headers, "Cookie": f"cambist-console={self.cookie}" if self.cookie else "", **headers}
        for name, value in sent.items():
            variable = name.upper().replace("-", "_")
            if value:
                environ[variable if variable == "CONTENT_TYPE" else f"HTTP_{variable}"] = value
        began: list[Any] = []
        content = b"".join(self.application(environ, lambda *heading: began.extend(heading)))
        return Got(int(began[0][:3]), {name.lower(): value for name, value in began[1]}, content)

    def get(self, path: str, **headers: str) -> Got:
        return self.send("GET", f"/console/api{path}", **headers)

    def post(self, path: str, body: object = None, **headers: str) -> Got:
        content = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()
        own = {"Origin": ORIGIN, "Content-Type": "application/json", "X-CSRF-Token": self.csrf}
        return self.send("POST", f"/console/api{path}", content, **own | headers)

    def open_link(self, token: str, **headers: str) -> Got:
        """Press the button on the page of a link."""
        form = {"Origin": ORIGIN, "Content-Type": "application/x-www-form-urlencoded"}
        return self.send("POST", "/console/sign-in", f"token={token}".encode(), **form | headers)

    def sign_in(self) -> None:
        signed_in = self.open_link(self.links.create())
        assert (signed_in.status, signed_in.headers["location"]) == (303, "/")
        self.cookie = signed_in.headers["set-cookie"].partition("=")[2].partition(";")[0]
        self.csrf = self.get("/session").json["csrf"]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def console_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("console") / "data"
    directory = DataDirectory(folder)
    directory.claim(Environment.LIVE)
    directory.release()
    store = SqlStore(f"sqlite:///{folder / 'cambist.db'}")
    store.migrate()
    store.accounts.create(Account(0, OWNER, UNLIMITED))
    store.close()
    (folder / "plans.toml").write_text(default_plans())
    return folder


@pytest.fixture
def folder(tmp_path: Path, console_data: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    for path in console_data.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.fixture
def settings(folder: Path) -> Settings:
    return Settings(data=folder)


@pytest.fixture
def visitor(settings: Settings, clock: Clock) -> Browser:
    """A browser that is not signed in."""
    health = HealthApplication(lambda: None, clock, polls_sources=False)
    application = console_application(settings, health, None, clock, clock.elapsed)
    return Browser(application, SignInLinks(settings, clock, clock.elapsed))


@pytest.fixture
def browser(visitor: Browser) -> Browser:
    """A browser that is signed in."""
    visitor.sign_in()
    return visitor


@pytest.fixture
def audited(settings: Settings) -> Callable[..., list[tuple[str, str, str]]]:
    """Return action, object and result of the last entries of the audit log, newest first."""

    def audited(count: int = 1) -> list[tuple[str, str, str]]:
        return [(each.action, each.on, each.result) for each in audit_entries(settings, AuditFilter(limit=count))]

    return audited
