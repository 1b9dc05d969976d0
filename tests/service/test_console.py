"""The console of a real service: it is on the operator's port only, and what it changes is in effect at once."""

from __future__ import annotations

import http.client
import json
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)


@dataclass
class ServedConsole:
    """A service with a console, and the session of who is signed in."""

    data: Path
    port: int
    operator_port: int
    variables: dict[str, str]
    cookie: str = ""
    csrf: str = ""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.operator_port}"

    def send(self, port: int, method: str, path: str, body: str = "", **headers: str) -> Answer:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
            connection.request(
                method, path, body.encode() or None, {name: text for name, text in headers.items() if text}
            )
            answer = connection.getresponse()
            return Answer(answer.status, {name.lower(): text for name, text in answer.getheaders()}, answer.read())

    def open_link(self, link: str, **headers: str) -> Answer:
        form = {"Origin": self.origin, "Content-Type": "application/x-www-form-urlencoded"}
        return self.send(self.operator_port, "POST", "/console/sign-in", urlsplit(link).query, **form | headers)

    def get(self, path: str, **headers: str) -> Answer:
        return self.send(self.operator_port, "GET", f"/console/api{path}", Cookie=self.cookie, **headers)

    def post(self, path: str, body: object, **headers: str) -> Answer:
        own = {"Cookie": self.cookie, "Origin": self.origin, "Content-Type": "application/json"}
        own["X-CSRF-Token"] = self.csrf
        return self.send(self.operator_port, "POST", f"/console/api{path}", json.dumps(body), **own | headers)

    def command(self, *arguments: str) -> str:
        ended = subprocess.run(
            [COMMAND, *arguments], env=self.variables, capture_output=True, text=True, check=True, timeout=60
        )
        return ended.stdout

    def answers(self) -> bool:
        try:
            return self.send(self.port, "GET", "/docs").status == 200 and self.health() == 200
        except OSError:
            return False

    def health(self) -> int:
        return self.send(self.operator_port, "GET", "/health/ready").status


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedConsole]:
    data, port, operator_port = tmp_path_factory.mktemp("console") / "data", free_port(), free_port()
    copy_first_start(data)
    variables = environment(
        CAMBIST_FETCH="false",
        CAMBIST_DATA=str(data),
        CAMBIST_PORT=str(port),
        CAMBIST_OPERATOR_PORT=str(operator_port),
        CAMBIST_WORKERS="1",
    )
    console = ServedConsole(data, port, operator_port, variables)
    with (data.parent / "log").open("wb") as log:
        process = subprocess.Popen([COMMAND, "serve"], env=variables, stdout=log, stderr=log)
        with ended_in_the_end(process):
            assert until(console.answers, PATIENCE), (data.parent / "log").read_text()
            yield console


@pytest.fixture
def signed_in(console: ServedConsole) -> ServedConsole:
    answer = console.open_link(console.command("console").strip())
    assert answer.status == 303
    console.cookie = answer.headers["set-cookie"].partition(";")[0]
    console.csrf = console.get("/session").json["csrf"]
    return console


def test_a_printed_link_signs_in_once(console: ServedConsole) -> None:
    link = console.command("console").strip()
    assert link.startswith(f"{console.origin}/console/sign-in?token=")
    address = urlsplit(link)
    page = console.send(console.operator_port, "GET", f"{address.path}?{address.query}")
    assert (page.status, b"<form" in page.content) == (200, True)
    first, second = console.open_link(link), console.open_link(link)
    assert (first.status, first.headers["location"], second.status) == (303, "/", 403)


def test_the_public_port_has_no_console(signed_in: ServedConsole) -> None:
    for path in ("/console/sign-in", "/console/api/session", "/console/api/overview", "/console/", "/console"):
        assert signed_in.send(signed_in.port, "GET", path, Cookie=signed_in.cookie).status == 404


def test_foreign_hosts_and_origins_are_refused(signed_in: ServedConsole) -> None:
    assert signed_in.get("/session", Host="attacker.example").status == 421
    for origin in ("https://attacker.example", f"http://127.0.0.1:{signed_in.port}"):
        assert signed_in.get("/session", Origin=origin).json["code"] == "foreign_origin"
        assert signed_in.post("/sign-out", {}, Origin=origin).json["code"] == "foreign_origin"
    assert signed_in.post("/sign-out", {}, **{"X-CSRF-Token": "guessed"}).json["code"] == "csrf"
    link = signed_in.command("console").strip()
    assert signed_in.open_link(link, Host="attacker.example").status == 421
    assert signed_in.get("/session").status == 200


def test_a_key_works_at_once_and_is_gone_at_once(signed_in: ServedConsole) -> None:
    made = signed_in.post("/accounts", {"name": "alice", "plan": "one"})
    assert made.status == 201
    key, prefix = made.json["created"]["key"], made.json["created"]["prefix"]

    def status() -> int:
        return signed_in.send(signed_in.port, "GET", "/currencies", **{"X-API-Key": key}).status

    assert until(lambda: status() == 200, PATIENCE)
    assert signed_in.post(f"/accounts/alice/keys/{prefix}/revoke", {}).json["key"]["state"] == "revoked"
    assert until(lambda: status() == 401, PATIENCE)
    entries = json.loads(signed_in.command("audit", "--json"))
    assert [each["action"] for each in entries[:2]] == ["key.revoke", "account.create"]
    assert key not in (signed_in.data / "audit.log").read_text() + (signed_in.data.parent / "log").read_text()


def test_the_overview_shows_the_running_service(signed_in: ServedConsole) -> None:
    found = signed_in.get("/overview").json
    assert (found["ready"], found["problems"], found["environment"]) == (True, [], "live")
    assert found["book"]["version"] >= 1
    assert found["matrix"]["currencies"] > 20
    assert {"name": "API workers", "working": True, "note": f"answers on port {signed_in.port}"} in found["processes"]


def test_health_and_metrics_need_no_session(console: ServedConsole) -> None:
    assert console.health() == 200
    assert b"cambist_" in console.send(console.operator_port, "GET", "/metrics").content
    assert console.send(console.operator_port, "GET", "/console/api/overview").json["code"] == "signed_out"
