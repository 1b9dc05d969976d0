"""The operator's port: whether the service lives, whether it is ready, and its metrics."""

from __future__ import annotations

import gc
import http.client
import json
import logging
import shutil
import socket
import ssl
import subprocess
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from tests.patience import PATIENCE
from tests.service.processes import until
from tools.ports import free_port

from cambist.history.dispute import Dispute, Disputes
from cambist.http.certificate import server_context
from cambist.http.request_parser import MAX_HEAD_BYTES
from cambist.monitoring import health_http, health_server
from cambist.monitoring.health_http import ANSWER_SECONDS, MAX_BODY, MAX_CONNECTIONS, MAX_SECONDS, TokenCheck, answer
from cambist.monitoring.health_server import (
    HealthApplication,
    SourceMetrics,
    readiness,
    serve_operator_port,
    traffic_problems,
)
from cambist.status.source_report import SourceReport, SourceReports

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def report(key: str = "ecb", **rest: Any) -> SourceReport:
    """Give the report on a source that does well; `rest` says what else."""
    facts = dict.fromkeys(("name", "home", "terms", "licence", "redistribution", "rate_type", "covers"), "a test's")
    given = {"enabled": True, "last_success": NOW, "newest": NOW - 60 * SECOND} | rest
    return SourceReport(key=key, pace="daily", **facts, **given)


FRESH = report("ecb")
LATE = report("fed", newest=NOW - timedelta(days=5))
FAILING = report("boc", last_success=None, failures=3, last_failure=NOW, why="no answer in time")
WAITING = report("boe", last_success=None, newest=None)
OFF = report("imf", enabled=False, why="its terms")


def source_reports(*reports: SourceReport, age: timedelta = SECOND, **rest: Any) -> SourceReports:
    return SourceReports(NOW - age, reports, **rest)


# Readiness


@pytest.mark.parametrize(
    "reports",
    [(FRESH,), (LATE,), (FRESH, FAILING, WAITING), (FAILING, LATE), (OFF,), (OFF, FRESH), ()],
    ids=["fresh", "late", "one of three", "late and failing", "all off", "off and fresh", "no source at all"],
)
def test_the_service_is_ready_while_one_enabled_source_answers(reports: tuple[SourceReport, ...]) -> None:
    assert readiness(source_reports(*reports), NOW, polls_sources=True) == health_server.Readiness(
        ready=True, problems=()
    )


@pytest.mark.parametrize(
    "reports",
    [(FAILING,), (WAITING,), (FAILING, WAITING), (OFF, FAILING)],
    ids=["failing", "waiting", "failing and waiting", "the only one that is on"],
)
def test_the_service_is_not_ready_if_no_source_answers(reports: tuple[SourceReport, ...]) -> None:
    assert readiness(source_reports(*reports), NOW, polls_sources=True) == health_server.Readiness(
        ready=False, problems=("no source answers",)
    )


def test_the_service_is_not_ready_before_the_first_source_reports() -> None:
    found = readiness(None, NOW, polls_sources=True)
    assert (found.ready, found.problems) == (False, ("no source has been asked yet",))


@pytest.mark.parametrize(("seconds", "is_ready"), [(0, True), (15, True), (16, False), (-30, True), (86_400, False)])
def test_the_service_is_not_ready_15_seconds_after_the_last_source_reports(seconds: int, is_ready: bool) -> None:  # noqa: FBT001
    found = readiness(source_reports(FRESH, age=seconds * SECOND), NOW, polls_sources=True)
    assert found.ready is is_ready
    assert found.problems == (() if is_ready else (f"ingest has been silent for {seconds} s",))


def test_every_problem_is_listed() -> None:
    found = readiness(source_reports(FAILING, age=90 * SECOND), NOW, polls_sources=True)
    assert found.problems == ("ingest has been silent for 90 s", "no source answers")


@pytest.mark.parametrize("last", [None, source_reports(FAILING, age=timedelta(days=9))], ids=["none", "an old one"])
def test_a_service_that_polls_no_sources_is_ready(last: SourceReports | None) -> None:
    assert readiness(last, NOW, polls_sources=False).ready is True


# Metrics


class LastReports:
    """The last source reports, which a test may replace, and a clock."""

    def __init__(self, last: SourceReports | None) -> None:
        self.last = last

    def read(self) -> SourceReports | None:
        return self.last

    @staticmethod
    def clock() -> datetime:
        return NOW


def metrics(last: SourceReports | None) -> dict[tuple[str, ...], float]:
    """Give every sample by its name, its source, and what else it is of."""
    registry, last_reports = CollectorRegistry(), LastReports(last)
    registry.register(SourceMetrics(last_reports.read, last_reports.clock))
    return samples(generate_latest(registry).decode())


def samples(text: str) -> dict[tuple[str, ...], float]:
    return {
        (sample.name.removeprefix("cambist_"), *(value for _, value in sorted(sample.labels.items(), reverse=True))): (
            sample.value
        )
        for family in text_string_to_metric_families(text)
        if family.name.startswith("cambist_source") or family.name.startswith("cambist_book")
        for sample in family.samples
    }


def test_before_the_first_source_reports_there_are_no_metrics_of_sources() -> None:
    assert metrics(None) == {}


def test_every_source_has_its_condition_lag_failures_held_and_ticks() -> None:
    kraken = report(
        "kraken",
        ticks=1200,
        refused={"crossed": 3, "stale": 1},
        held=2,
        held_since=NOW.date(),
        newest=NOW - 1.5 * SECOND,
    )
    assert metrics(source_reports(kraken, FAILING, OFF, book_version=0)) == {
        ("source_condition", "kraken", "fresh"): 1,
        ("source_condition", "boc", "failing"): 1,
        ("source_condition", "imf", "off"): 1,
        ("source_lag_seconds", "kraken"): 1.5,
        ("source_lag_seconds", "boc"): 60,
        ("source_lag_seconds", "imf"): 60,
        ("source_failures", "kraken"): 0,
        ("source_failures", "boc"): 3,
        ("source_failures", "imf"): 0,
        ("source_held", "kraken"): 2,
        ("source_held", "boc"): 0,
        ("source_held", "imf"): 0,
        ("source_held_seconds", "kraken"): 43_200,
        ("source_ticks_total", "kraken"): 1200,
        ("source_ticks_total", "boc"): 0,
        ("source_ticks_total", "imf"): 0,
        ("source_ticks_refused_total", "kraken", "crossed"): 3,
        ("source_ticks_refused_total", "kraken", "stale"): 1,
        ("book_version",): 0,
    }


def test_disputes_are_counted_with_the_age_of_the_oldest() -> None:
    assert disputes_of(Disputes()) == {"cambist_disputes": 0, "cambist_dispute_oldest_seconds": 0}
    day = NOW.date()
    open_since = [Dispute("EUR", day - timedelta(days=2), day, "held", None, None, None, ())] * 2
    assert disputes_of(Disputes(tuple(open_since), 7)) == {
        "cambist_disputes": 7,
        "cambist_dispute_oldest_seconds": 2.5 * 86400,
    }


def disputes_of(disputes: Disputes) -> dict[str, float]:
    collector = SourceMetrics(lambda: source_reports(disputes=disputes), lambda: NOW)
    return {each.name: each.samples[0].value for each in collector.collect() if "dispute" in each.name}


def test_a_source_without_any_quote_has_no_lag() -> None:
    found = metrics(source_reports(WAITING))
    assert found["source_condition", "boe", "waiting"] == 1
    assert ("source_lag_seconds", "boe") not in found


def test_the_book_has_its_version_and_its_age() -> None:
    found = metrics(source_reports(FRESH, book_version=41, book_at=NOW - timedelta(milliseconds=250)))
    assert (found["book_version",], found["book_age_seconds",]) == (41, 0.25)
    assert ("book_age_seconds",) not in metrics(source_reports(FRESH, book_version=0))


# The port


def asked(port: int, path: str, host: str = "localhost", method: str = "GET") -> tuple[int, dict[str, str], str]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request(method, path, headers={"Host": host})
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read().decode()


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What listens; the service leaves that to the end of its process, a test must not."""
    made: list[Any] = []
    make = health_server.listen

    def remembered(*given: Any) -> Any:
        made.append(make(*given))
        return made[-1]

    monkeypatch.setattr(health_server, "listen", remembered)
    yield made
    for server in made:
        server.shutdown()
        server.server_close()


def serve_health(port: int, reports: LastReports, *, polls_sources: bool, host: str = "localhost") -> None:
    serve_operator_port(port, HealthApplication(reports.read, reports.clock, polls_sources), host)


@pytest.fixture
def last_reports() -> LastReports:
    return LastReports(source_reports(FRESH, book_version=7, book_at=NOW))


@pytest.fixture
def port(last_reports: LastReports, servers: list[Any]) -> int:
    """The port of a service that asks."""
    _ = servers
    port = free_port()
    serve_health(port, last_reports, polls_sources=True)
    return port


def test_the_live_check_succeeds_as_long_as_the_port_answers(port: int, last_reports: LastReports) -> None:
    last_reports.last = None
    status, headers, body = asked(port, "/health/live")
    assert (status, json.loads(body)) == (200, {"live": True})
    assert (headers["content-type"], headers["cache-control"]) == ("application/json", "no-store")


def test_the_ready_check_answers_200_or_503_with_the_problems(port: int, last_reports: LastReports) -> None:
    status, _, body = asked(port, "/health/ready")
    assert (status, json.loads(body)) == (200, {"ready": True, "problems": []})
    last_reports.last = source_reports(FAILING)
    status, headers, body = asked(port, "/health/ready")
    assert (status, json.loads(body)) == (503, {"ready": False, "problems": ["no source answers"]})
    assert headers["cache-control"] == "no-store"


def test_the_ready_check_of_a_service_that_polls_no_sources_succeeds(
    last_reports: LastReports, servers: list[Any]
) -> None:
    last_reports.last = None
    serve_health(port := free_port(), last_reports, polls_sources=False)
    assert len(servers) == 1
    assert asked(port, "/health/ready")[0] == 200


def test_metrics_are_read_at_each_scrape(port: int, last_reports: LastReports) -> None:
    collector = SourceMetrics(last_reports.read, last_reports.clock)
    REGISTRY.register(collector)
    try:
        status, headers, body = asked(port, "/metrics")
        assert (status, headers["content-type"].startswith("text/plain")) == (200, True)
        assert samples(body)["book_version",] == 7
        assert samples(body)["source_condition", "ecb", "fresh"] == 1
        last_reports.last = source_reports(WAITING, book_version=8)
        found = samples(asked(port, "/metrics")[2])
        assert found["book_version",] == 8
        assert ("source_condition", "ecb", "fresh") not in found
    finally:
        REGISTRY.unregister(collector)


@pytest.mark.long(every=3)
@pytest.mark.parametrize("path", ["/", "/health", "/health/ready/", "/metrics/x", "/fetch-one"])
def test_any_other_path_is_404_and_lists_the_paths(port: int, path: str) -> None:
    status, _, body = asked(port, path)
    assert (status, json.loads(body)) == (
        404,
        {"error": "There are /health/live, /health/ready, /health/traffic and /metrics"},
    )


@pytest.mark.long(every=3)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "BREW"])
def test_another_method_is_405_at_its_paths_and_404_at_all_others(port: int, method: str) -> None:
    for path in ("/health/live", "/health/ready", "/metrics"):
        status, headers, _ = asked(port, path, method=method)
        assert (status, headers["allow"]) == (405, "GET, HEAD")
    assert asked(port, "/nothing", method=method)[0] == 404


def test_the_port_is_open_on_loopback_only(port: int, servers: list[Any]) -> None:
    assert [server.server_address for server in servers] == [("127.0.0.1", port)]


def test_a_slow_client_does_not_hold_up_others(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as slow:
        slow.sendall(b"GET /health/live HTTP/1.1\r\n")
        assert asked(port, "/health/live")[0] == 200


def test_probes_are_not_logged(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    asked(port, "/health/live")
    assert capsys.readouterr() == ("", "")


def test_a_taken_port_is_logged_once_and_used_when_it_is_free(
    last_reports: LastReports,
    servers: list[Any],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tries: list[float] = []
    monkeypatch.setattr(health_server, "sleep", lambda seconds: (tries.append(seconds), time.sleep(0.01)))
    with socket.socket() as other:
        other.bind(("127.0.0.1", taken := free_port()))
        other.listen()
        with caplog.at_level(logging.WARNING):
            serve_health(taken, last_reports, polls_sources=True)
        assert until(lambda: len(tries) >= 5, PATIENCE)
        assert servers == []
        assert caplog.messages == [f"Operator's port: cannot listen on 127.0.0.1 port {taken}: Address already in use"]
    assert until(lambda: bool(servers), PATIENCE)
    assert asked(taken, "/health/live")[0] == 200


def test_requests_without_a_thread_do_not_count_as_being_answered(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        for _ in range(3 * MAX_CONNECTIONS):
            with pytest.raises((OSError, http.client.HTTPException)):
                asked(port, "/health/live")
    assert asked(port, "/health/live")[0] == 200


@pytest.mark.long
def test_a_thousand_idle_connections_make_few_threads_and_the_port_still_answers(port: int) -> None:
    before = threading.active_count()
    with ExitStack() as held:
        for _ in range(1000):
            held.enter_context(socket.create_connection(("127.0.0.1", port), 10))
        assert threading.active_count() - before <= 2 * MAX_CONNECTIONS + 1

        def is_answered() -> bool:
            with suppress(http.client.HTTPException, OSError):  # closed while the threads of others end
                return asked(port, "/health/live")[0] == 200
            return False

        assert until(is_answered, MAX_SECONDS)


def test_a_connection_without_a_request_is_closed_in_time(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cambist.monitoring.health_http.MAX_SECONDS", 0.1)
    with socket.create_connection(("127.0.0.1", port), 10) as silent:
        silent.sendall(b"GET /health/live HTTP/1.1\r\n")
        assert silent.recv(1) == b""


@pytest.mark.long(every=3)
@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8002", "127.0.0.1:9", "[::1]", "[::1]:8002"])
def test_it_answers_under_loopbacks_names(port: int, host: str) -> None:
    assert asked(port, "/health/live", host)[0] == 200


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    "host", ["attacker.example", "attacker.example:8002", "127.0.0.1.attacker.example", "", "[::2]:1"]
)
def test_another_host_is_421(port: int, host: str) -> None:
    status, headers, body = asked(port, "/metrics", host)
    assert (status, headers["content-type"]) == (421, "application/json")
    assert json.loads(body)["error"].startswith(f"Unknown host: [{host}], there are ")


@pytest.mark.parametrize(
    ("host", "asked_as"), [("rates.internal", "rates.internal:8002"), ("FD00::7", "[fd00::7]:8002")]
)
def test_it_answers_under_the_host_that_is_set(
    last_reports: LastReports, servers: list[Any], host: str, asked_as: str
) -> None:
    _ = servers
    serve_health(port := free_port(), last_reports, polls_sources=True, host=host)
    assert asked(port, "/health/live", asked_as)[0] == 200


# What a peer without a session can cost


def exchanged(port: int, data: bytes) -> bytes:
    """Send bytes, and return all that comes until the port ends the connection."""
    with socket.create_connection(("127.0.0.1", port), 10) as client:
        client.sendall(data)
        received = b""
        while piece := client.recv(65_536):
            received += piece
    return received


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("data", "status"),
    [
        pytest.param(b"GET /" + b"a" * MAX_HEAD_BYTES, 414, id="a long line"),
        pytest.param(b"GET / HTTP/1.1\r\nA: " + b"a" * MAX_HEAD_BYTES, 431, id="a long header"),
        pytest.param(b"GET / HTTP/1.1\r\n" + (b"A: " + b"a" * 1000 + b"\r\n") * 33, 431, id="long headers together"),
        pytest.param(b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200, 431, id="many headers"),
    ],
)
def test_a_head_is_bounded_as_that_of_the_api_is(port: int, data: bytes, status: int) -> None:
    assert exchanged(port, data).startswith(b"HTTP/1.0 %d " % status)


def test_a_head_up_to_the_bound_is_read(port: int) -> None:
    head = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n" + (b"A: " + b"a" * 1000 + b"\r\n") * 32
    assert len(head) < MAX_HEAD_BYTES
    assert exchanged(port, head + b"\r\n").startswith(b"HTTP/1.0 200 ")


@pytest.mark.long(every=3)
@pytest.mark.parametrize("request_line", [b"GET /health/live", b"GET /metrics", b"GET /nothing", b"GET  / x"])
def test_every_answer_has_the_headers_of_security_and_names_no_software(port: int, request_line: bytes) -> None:
    headers = exchanged(port, request_line + b" HTTP/1.1\r\nHost: localhost\r\n\r\n").partition(b"\r\n\r\n")[0].lower()
    assert b"\r\nx-content-type-options: nosniff" in headers
    assert b"\r\nreferrer-policy: no-referrer" in headers
    assert b"\r\nserver:" not in headers
    assert b"python" not in headers


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    "sent", [b"", b"GET", b"nonsense\r\n\r\n", b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"]
)
def test_an_ended_connection_is_freed_without_the_collector(
    port: int, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    kept: list[weakref.ref[Any]] = []
    setup = health_http._QuietHandler.setup

    def noted(self: Any) -> None:
        kept.append(weakref.ref(self))
        kept.append(weakref.ref(self.request))
        setup(self)

    monkeypatch.setattr(health_http._QuietHandler, "setup", noted)
    gc.collect()
    gc.disable()
    try:
        with socket.create_connection(("127.0.0.1", port), 10) as client:
            client.sendall(sent)
            client.shutdown(socket.SHUT_WR)
            while client.recv(65_536):
                pass
        end = time.monotonic() + 10
        while any(each() is not None for each in kept) and time.monotonic() < end:
            time.sleep(0.01)
        assert len(kept) == 2
        assert [each() for each in kept] == [None, None]
    finally:
        gc.enable()


# Whether requests should be sent here


@pytest.mark.parametrize(
    ("pace", "age", "problems"),
    [
        ("realtime", 900, []),
        ("realtime", 901, ["the prices are 901 s old"]),
        ("daily", 90_000, []),
    ],
)
def test_requests_are_wanted_as_long_as_prices_are_fresh_enough(pace: str, age: int, problems: list[str]) -> None:
    reports = source_reports(msgspec.structs.replace(FRESH, pace=pace), book_at=NOW - age * SECOND, age=3600 * SECOND)
    assert traffic_problems(reports, NOW, 900 * SECOND) == problems


def test_requests_are_wanted_where_no_report_is_known() -> None:
    assert traffic_problems(None, NOW, SECOND) == []
    assert traffic_problems(source_reports(FAILING), NOW, SECOND) == []


def test_the_traffic_check_answers_200_or_503_whatever_the_ready_check_says(servers: list[Any]) -> None:
    _ = servers
    problems: list[str] = []
    health = HealthApplication(lambda: None, lambda: NOW, True, lambda: ["Redis is away"], lambda: problems)
    serve_operator_port(port := free_port(), health)
    assert asked(port, "/health/ready")[0] == 503
    status, _, body = asked(port, "/health/traffic")
    assert (status, json.loads(body)) == (200, {"traffic": True, "problems": []})
    problems.append("the API answers with 500")
    status, _, body = asked(port, "/health/traffic")
    assert (status, json.loads(body)) == (503, {"traffic": False, "problems": problems})


# The token


def test_metrics_need_the_token_if_there_is_one_and_health_checks_never(last_reports: LastReports) -> None:
    health = HealthApplication(last_reports.read, last_reports.clock, polls_sources=True)

    def status(token: str, path: str, sent: str = "") -> str:
        said: list[str] = []
        environ = {"PATH_INFO": path, "REQUEST_METHOD": "GET", "HTTP_AUTHORIZATION": sent, "QUERY_STRING": ""}
        list(TokenCheck(health, token)(environ, lambda line, _headers: said.append(line[:3])))
        return said[0]

    assert [status("", path) for path in ("/metrics", "/health/live", "/admin/v1/plans")] == ["200", "200", "403"]
    assert [status("secret", path) for path in ("/metrics", "/health/live", "/admin")] == ["401", "200", "401"]
    assert [status("secret", "/metrics", sent) for sent in ("Bearer secret", "bearer secret")] == ["200", "200"]
    assert {status("secret", "/metrics", sent) for sent in ("Bearer secre", "Basic secret", "secret", "Bearer é")} == {
        "401"
    }


# A busy machine


class SlowApplication:
    """Answers when a test allows it, with the length of the body."""

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Semaphore(0), threading.Event()

    def __call__(self, environ: dict[str, Any], start: Any) -> Any:
        self.begun.release()
        assert self.may_end.wait(30)
        return answer(start, "200 OK", len(environ["wsgi.input"].read()))


@pytest.fixture
def slow(servers: list[Any]) -> Iterator[tuple[int, SlowApplication]]:
    _ = servers
    application = SlowApplication()
    serve_operator_port(port := free_port(), application)
    yield port, application
    application.may_end.set()


def begun(port: int, application: SlowApplication, held: ExitStack) -> socket.socket:
    client = held.enter_context(socket.create_connection(("127.0.0.1", port), 10))
    client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert application.begun.acquire(timeout=10)
    return client


def test_an_answer_that_takes_longer_than_a_request_may_is_sent(
    slow: tuple[int, SlowApplication], monkeypatch: pytest.MonkeyPatch
) -> None:
    port, application = slow
    monkeypatch.setattr("cambist.monitoring.health_http.MAX_SECONDS", 0.05)
    with ExitStack() as held:
        client = begun(port, application, held)
        with socket.create_connection(("127.0.0.1", port), 10) as silent:
            assert silent.recv(1) == b""  # the deadline of requests has passed, and been enforced
        application.may_end.set()
        assert client.recv(65_536).startswith(b"HTTP/1.0 200 OK")
    assert ANSWER_SECONDS > 5


def test_an_answer_that_never_comes_ends_its_connection(
    slow: tuple[int, SlowApplication], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cambist.monitoring.health_http.ANSWER_SECONDS", 0.05)
    with ExitStack() as held:
        assert begun(*slow, held).recv(1) == b""


def test_one_more_request_than_are_answered_at_once_is_told_so(slow: tuple[int, SlowApplication]) -> None:
    port, application = slow
    with ExitStack() as held:
        clients = [begun(port, application, held) for _ in range(MAX_CONNECTIONS)]
        status, headers, body = asked(port, "/")
        assert (status, headers["retry-after"]) == (503, "1")
        assert json.loads(body) == {"error": "The operator's port answers 16 requests at once: try again"}
        application.may_end.set()
        assert all(client.recv(65_536).startswith(b"HTTP/1.0 200 OK") for client in clients)


def test_a_place_is_free_once_its_client_has_seen_the_end(
    slow: tuple[int, SlowApplication], monkeypatch: pytest.MonkeyPatch
) -> None:
    port, application = slow
    ends, count_ended = threading.Event(), health_http._Server._count_ended

    def counts_later(server: Any) -> None:
        ends.wait(60)
        count_ended(server)

    monkeypatch.setattr(health_http._Server, "_count_ended", counts_later)
    with ExitStack() as held:
        clients = [begun(port, application, held) for _ in range(MAX_CONNECTIONS)]
        application.may_end.set()
        for client in clients:
            while client.recv(65_536):
                pass
        assert asked(port, "/")[0] == 200
        ends.set()


@pytest.mark.long(every=2)
@pytest.mark.parametrize(("length", "read"), [(0, 0), (MAX_BODY, MAX_BODY), (MAX_BODY + 1, 0)])
def test_a_body_is_read_up_to_its_bound(slow: tuple[int, SlowApplication], length: int, read: int) -> None:
    port, application = slow
    application.may_end.set()
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % length
    answered = exchanged(port, head + b"b" * min(length, MAX_BODY))
    assert answered.endswith(b"\r\n\r\n%d" % read)


# Other addresses and HTTPS


def test_beyond_loopback_it_answers_under_any_name(last_reports: LastReports, servers: list[Any]) -> None:
    health = HealthApplication(last_reports.read, last_reports.clock, polls_sources=True)
    serve_operator_port(port := free_port(), health, address="0.0.0.0")  # noqa: S104  what a container does
    assert [server.server_address for server in servers] == [("0.0.0.0", port)]  # noqa: S104
    assert asked(port, "/health/live", "10.0.0.7:8002")[0] == 200


def written_certificate(folder: Path) -> tuple[Path, Path]:
    if not shutil.which("openssl"):
        pytest.skip("the certificate is made with openssl")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    made = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    files = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*made.split(), *files], check=True, capture_output=True, timeout=PATIENCE)
    return certificate, key


def test_it_answers_by_https_with_a_certificate(last_reports: LastReports, servers: list[Any], tmp_path: Path) -> None:
    _ = servers
    certificate, key = written_certificate(tmp_path)
    health = HealthApplication(last_reports.read, last_reports.clock, polls_sources=True)
    serve_operator_port(port := free_port(), health, certificate=server_context(certificate, key))
    trusting = ssl.create_default_context(cafile=certificate)
    with (
        socket.create_connection(("127.0.0.1", port), 10),  # says nothing, and holds up nobody
        closing(http.client.HTTPSConnection("localhost", port, timeout=10, context=trusting)) as connection,
    ):
        connection.request("GET", "/health/live")
        assert json.loads(connection.getresponse().read()) == {"live": True}
    assert exchanged(port, b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")[:5] != b"HTTP/"
