"""Signing in to the console: a link works once and not for long, and nothing but the console's own page is trusted."""

from __future__ import annotations

import hashlib
import io
import stat
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest
from tests.console.conftest import HOST, ORIGIN, Browser, Clock
from tests.patience import PATIENCE

from cambist.admin.operators.sign_in_links import SignInLinks
from cambist.clock import uptime
from cambist.console.http import MAX_FORM
from cambist.console.sessions import MAX_FAILURES, MAX_SESSIONS
from cambist.errors import CannotStart, LinkRefused
from cambist.settings import Settings


def test_a_link_signs_in_once(visitor: Browser) -> None:
    token = visitor.links.create()
    first, second = visitor.open_link(token), visitor.open_link(token)
    assert (first.status, second.status) == (303, 403)
    assert b"used already, or has expired" in second.content
    assert "set-cookie" not in second.headers


def test_the_address_after_signing_in_has_no_token(visitor: Browser) -> None:
    assert visitor.open_link(visitor.links.create()).headers["location"] == "/"


def test_the_cookie_is_hidden_from_scripts_and_from_other_sites(visitor: Browser) -> None:
    cookie = visitor.open_link(visitor.links.create()).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/console"} <= set(cookie.split("; "))


def test_looking_at_a_link_does_not_use_it_up(visitor: Browser) -> None:
    token = visitor.links.create()
    for _ in range(3):
        page = visitor.send("GET", f"/console/sign-in?token={token}")
        assert (page.status, "set-cookie" in page.headers) == (200, False)
        assert f'value="{token}"'.encode() in page.content
    assert visitor.open_link(token).status == 303


def test_a_link_expires_after_five_minutes(visitor: Browser, clock: Clock) -> None:
    early, late = visitor.links.create(), visitor.links.create()
    clock.advance(seconds=299)
    assert visitor.open_link(early).status == 303
    clock.advance(seconds=1)
    assert visitor.send("GET", f"/console/sign-in?token={late}").status == 403
    assert visitor.open_link(late).status == 403


@pytest.mark.parametrize("token", ["", "a" * 43, "../cambist.db", "a" * 5000, "%00"])
def test_an_unknown_token_is_refused(visitor: Browser, token: str) -> None:
    assert visitor.open_link(token).status == 403
    assert visitor.send("GET", f"/console/sign-in?token={token}").status == 403


def test_what_a_link_says_is_shown_as_text(visitor: Browser) -> None:
    page = visitor.send("GET", "/console/sign-in?token=%22%3E%3Cscript%3E")
    assert b"<script" not in page.content


def test_of_many_attempts_at_once_one_succeeds(settings: Settings, clock: Clock) -> None:
    links, results = SignInLinks(settings, clock, clock.elapsed), []
    token, start = links.create(), threading.Barrier(8)

    def consume() -> None:
        start.wait()
        try:
            links.consume(token)
        except LinkRefused:
            results.append(False)
        else:
            results.append(True)

    threads = [threading.Thread(target=consume) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [False] * 7 + [True]


def test_the_data_folder_has_only_the_digest_of_a_token(settings: Settings, clock: Clock) -> None:
    token = SignInLinks(settings, clock, clock.elapsed).create()
    (file,) = (settings.data / "console").iterdir()
    assert file.name == hashlib.sha256(token.encode()).hexdigest()
    assert token not in file.read_text()
    assert token not in (settings.data / "audit.log").read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_expired_links_are_removed_when_another_is_made(settings: Settings, clock: Clock) -> None:
    links = SignInLinks(settings, clock, clock.elapsed)
    links.create()
    clock.advance(minutes=6)
    links.create()
    assert len(list((settings.data / "console").iterdir())) == 1


@pytest.mark.parametrize(("change", "name"), [({"console": False}, "console"), ({"operator_port": 0}, "operator_port")])
def test_there_is_no_link_to_a_console_that_is_switched_off(settings: Settings, change: dict, name: str) -> None:
    off = Settings(data=settings.data, **change)
    with pytest.raises(CannotStart, match=rf"There is no console: the setting \[{name}\]"):
        SignInLinks(off, Clock()).create()


def test_failed_attempts_are_limited_and_a_link_that_works_is_never_refused_because_of_them(
    visitor: Browser, clock: Clock, settings: Settings
) -> None:
    for _ in range(MAX_FAILURES):
        assert visitor.open_link("a" * 43).status == 403
    recorded = (settings.data / "audit.log").read_bytes()
    assert visitor.open_link("a" * 43).status == 429
    assert (settings.data / "audit.log").read_bytes() == recorded
    assert visitor.open_link(visitor.links.create()).status == 303
    clock.advance(minutes=1)
    assert visitor.open_link("a" * 43).status == 403


class Unread(io.BytesIO):
    """A body that must not be read."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise AssertionError(size)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/console/api/plans", 401),
        ("/console/api/sign-out", 401),
        ("/console/nothing", 404),
        ("/console/sign-in", 413),
    ],
)
def test_no_body_is_read_without_a_session(visitor: Browser, path: str, status: int) -> None:
    environ = {"REQUEST_METHOD": "POST", "PATH_INFO": path, "HTTP_HOST": HOST, "HTTP_ORIGIN": ORIGIN}
    environ["wsgi.errors"] = sys.stderr
    began: list[str] = []
    visitor.application(
        environ | {"CONTENT_LENGTH": str(MAX_FORM + 1), "wsgi.input": Unread()}, lambda status, _: began.append(status)
    )
    assert began[0].startswith(f"{status} ")


def test_a_form_of_another_site_does_not_sign_in(visitor: Browser) -> None:
    token = visitor.links.create()
    for origin in ("https://attacker.example", "null", "", "http://127.0.0.1:8000"):
        assert visitor.open_link(token, Origin=origin).status == 403
    assert visitor.open_link(token).status == 303


def test_without_a_session_everything_is_refused(visitor: Browser) -> None:
    assert visitor.get("/session").refusal == (401, "signed_out")
    assert visitor.get("/overview").refusal == (401, "signed_out")
    assert visitor.post("/sign-out").refusal == (401, "signed_out")
    visitor.cookie = "made-up"
    assert visitor.get("/session").refusal == (401, "signed_out")


def test_a_session_ends_when_it_is_idle(browser: Browser, clock: Clock) -> None:
    clock.advance(minutes=29)
    assert browser.post("/sign-out", b"{}", **{"X-CSRF-Token": "wrong"}).status == 403  # an activity, though refused
    clock.advance(minutes=29)
    assert browser.get("/session").status == 200
    clock.advance(minutes=2)
    assert browser.get("/session").refusal == (401, "signed_out")


@pytest.mark.long
def test_what_the_page_asks_by_itself_does_not_keep_a_session(browser: Browser, clock: Clock) -> None:
    for _ in range(29):
        clock.advance(minutes=1)
        assert browser.get("/overview").status == 200
    clock.advance(minutes=2)
    assert browser.get("/overview").refusal == (401, "signed_out")


@pytest.mark.long
def test_a_session_ends_after_twelve_hours(browser: Browser, clock: Clock) -> None:
    for _ in range(12 * 4 - 1):
        clock.advance(minutes=15)
        browser.post("/unknown")
        browser.post("/sign-out", **{"X-CSRF-Token": "wrong"})
    assert browser.get("/session").status == 200
    clock.advance(minutes=15)
    assert browser.get("/session").refusal == (401, "signed_out")


def test_signing_out_ends_the_session(browser: Browser, audited: Callable[..., list]) -> None:
    answer = browser.post("/sign-out")
    assert (answer.status, answer.json) == (200, {"signed_in": False})
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert browser.get("/session").refusal == (401, "signed_out")
    assert [action for action, _, _ in audited(3)] == ["console.sign-out", "console.sign-in", "console.link"]


def test_the_oldest_of_too_many_sessions_ends(visitor: Browser, clock: Clock) -> None:
    visitor.sign_in()
    first = visitor.cookie
    for _ in range(MAX_SESSIONS):
        clock.advance(seconds=1)
        visitor.sign_in()
    assert visitor.get("/session").status == 200
    visitor.cookie = first
    assert visitor.get("/session").status == 401


@pytest.mark.parametrize(
    "origin", ["https://attacker.example", "http://127.0.0.1:8000", "http://localhost:8002", "null"]
)
def test_a_cookie_is_worth_nothing_to_another_origin(browser: Browser, origin: str) -> None:
    assert browser.get("/session", Origin=origin).refusal == (403, "foreign_origin")
    assert browser.post("/sign-out", Origin=origin).refusal == (403, "foreign_origin")
    assert browser.get("/session").status == 200


def test_a_change_must_name_its_origin(browser: Browser) -> None:
    assert browser.post("/sign-out", Origin="").refusal == (403, "foreign_origin")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_read_from_another_site_is_refused(browser: Browser, site: str) -> None:
    assert browser.get("/session", **{"Sec-Fetch-Site": site}).refusal == (403, "foreign_origin")
    assert browser.get("/session", **{"Sec-Fetch-Site": "same-origin"}).status == 200


def test_the_page_may_be_reached_through_a_tunnel_or_proxy(browser: Browser) -> None:
    for origin in ("http://localhost:9000", "https://localhost:9000"):
        refused = browser.post("/sign-out", Origin=origin, Host="localhost:9000", **{"X-CSRF-Token": "wrong"})
        assert refused.refusal == (403, "csrf")


def test_a_request_without_a_host_is_refused(browser: Browser) -> None:
    assert browser.get("/session", Host="").refusal == (403, "foreign_origin")


@pytest.mark.parametrize("token", ["", "wrong", "é"])
def test_a_change_needs_the_csrf_token(browser: Browser, token: str) -> None:
    assert browser.post("/sign-out", **{"X-CSRF-Token": token}).refusal == (403, "csrf")


def test_the_csrf_token_of_another_session_is_refused(browser: Browser) -> None:
    other = browser.csrf
    browser.sign_in()
    browser.csrf = other
    assert browser.post("/sign-out").refusal == (403, "csrf")


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded"])
def test_a_change_must_be_json(browser: Browser, kind: str) -> None:
    assert browser.post("/sign-out", **{"Content-Type": kind}).refusal == (415, "not_json")


def test_a_large_body_is_refused(browser: Browser) -> None:
    assert browser.post("/sign-out", b" " * (1 << 20) + b"{}").refusal == (413, "too_large")


def test_unknown_paths_and_methods_are_refused_in_words(browser: Browser) -> None:
    assert browser.get("/nothing").refusal == (404, "unknown_path")
    assert browser.send("GET", "/console/nothing").refusal == (404, "unknown_path")
    assert browser.get("/accounts/").refusal == (404, "unknown_path")
    assert browser.post("/accounts//suspend").refusal == (404, "unknown_path")
    assert browser.post("/overview").refusal == (405, "wrong_method")
    assert browser.post("/overview").json["error"] == "[/overview] takes GET"


@pytest.mark.parametrize("path", ["/", "/console/sign-in"])
@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "BREW", "WEBSOCKET"])
def test_another_method_at_a_page_is_405(browser: Browser, method: str, path: str) -> None:
    assert browser.send(method, path).refusal == (405, "wrong_method")
    assert browser.send(method, "/nothing").status == 404


def test_only_the_session_of_the_console_counts_among_cookies(browser: Browser) -> None:
    others = f"bad[=1; other=2; cambist-console={browser.cookie}"
    assert browser.get("/session", Cookie=others).status == 200


def test_no_answer_may_be_stored_or_framed(browser: Browser) -> None:
    for answer in (browser.get("/session"), browser.get("/nothing"), browser.send("GET", "/console/sign-in")):
        assert answer.headers["cache-control"] == "no-store"
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_other_paths_are_health_checks_and_metrics(visitor: Browser) -> None:
    assert visitor.send("GET", "/health/live").json == {"live": True}
    assert visitor.send("GET", "/metrics").status == 200
    assert visitor.send("GET", "/nothing").status == 404


@pytest.mark.parametrize("hours", [2, -2, 24, -24])
def test_a_clock_that_jumps_prolongs_no_session_and_locks_nobody_out(
    browser: Browser, clock: Clock, hours: int
) -> None:
    for _ in range(MAX_FAILURES):
        browser.open_link("a" * 43)
    clock.jump(hours=hours)
    assert browser.get("/session").refusal == (401, "signed_out")
    assert browser.open_link("a" * 43).status == 403
    browser.sign_in()
    assert browser.get("/session").status == 200


@pytest.mark.parametrize("hours", [2, -2, 24, -24])
def test_a_clock_that_jumps_neither_ends_a_link_nor_revives_one(visitor: Browser, clock: Clock, hours: int) -> None:
    ended = visitor.links.create()
    clock.advance(minutes=4)
    usable = visitor.links.create()
    clock.advance(minutes=2)
    clock.jump(hours=hours)
    assert visitor.open_link(ended).status == 403
    assert visitor.send("GET", f"/console/sign-in?token={usable}").status == 200
    clock.advance(minutes=3)
    assert visitor.open_link(usable).status == 403
    assert visitor.open_link(visitor.links.create()).status == 303


def test_a_link_ends_with_the_run_of_the_machine(visitor: Browser, clock: Clock) -> None:
    token = visitor.links.create()
    clock.start = "another start"
    assert visitor.open_link(token).status == 403
    clock.start, clock.seconds = "a start", 10.0
    assert visitor.open_link(token).status == 403


def test_what_is_no_link_in_the_folder_is_refused(visitor: Browser, settings: Settings) -> None:
    token = visitor.links.create()
    (file,) = (settings.data / "console").iterdir()
    for content in ("", "2026-11-20T12:05:00+00:00\n", "a start\n", "\xff"):
        file.write_text(content, encoding="latin-1")
        assert visitor.open_link(token).status == 403


def test_all_processes_of_the_machine_read_the_same_uptime() -> None:
    start, before = uptime()
    code = "from cambist.clock import uptime; print(*uptime())"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, timeout=PATIENCE
    ).stdout
    assert shown.split()[0] == start
    assert before < float(shown.split()[1]) < uptime()[1]
