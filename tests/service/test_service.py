"""The real process, started as a newcomer starts it, on a free loopback port."""

from __future__ import annotations

import base64
import gzip
import http.client
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

import pytest
from tests.patience import PATIENCE
from tests.service.processes import COMMAND, environment, until
from tools.ports import free_port

from cambist.accounts.api_key import mint

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

UNKNOWN_KEY = mint(lambda alphabet: alphabet[9])
START_SECONDS = 120
STOP_SECONDS = 30
ANSWER_SECONDS = 20


def offline(**more: str) -> dict[str, str]:
    """These tests have sources of their own: none."""
    return environment(CAMBIST_FETCH="false", **more)


@dataclass
class Got:
    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self):
        return json.loads(self.content)


@dataclass
class Service:
    """A started service: where it answers, what it keeps, what it says."""

    process: subprocess.Popen[bytes]
    port: int
    data: Path
    out: Path
    err: Path

    @property
    def key(self) -> str:
        return (self.data / "owner.key").read_text().strip()

    def request(self, method: str, target: str, headers: dict[str, str] | None = None) -> Got:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_SECONDS)) as connection:
            return exchange(connection, method, target, headers)

    def get(self, target: str, headers: dict[str, str] | None = None) -> Got:
        """Send a GET request with the owner's key, or with other headers."""
        return self.request("GET", target, {"X-API-Key": self.key} if headers is None else headers)

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(STOP_SECONDS)

    def workers(self) -> set[int]:
        """Return the ids of the API workers: not the resource tracker, nor the first process, the usage writer."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        children = {int(number) for path in tasks.glob("*/children") for number in path.read_text().split()}
        return set(sorted(child for child in children if b"resource_tracker" not in command_line(child))[1:])


def command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def exchange(
    connection: http.client.HTTPConnection, method: str, target: str, headers: dict[str, str] | None = None
) -> Got:
    connection.request(method, target, headers=headers or {})
    response = connection.getresponse()
    content = response.read()
    return Got(response.status, {name.lower(): value for name, value in response.getheaders()}, content)


def answers(port: int) -> bool:
    try:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)) as connection:
            return exchange(connection, "GET", "/openapi.json").status == 200
    except OSError:
        return False


@contextmanager
def starting(data: Path, logs: Path, *flags: str) -> Iterator[Service]:
    """Start a service; whatever happens, it and its workers are ended."""
    logs.mkdir(exist_ok=True)
    out, err, port = logs / "out", logs / "err", free_port()
    with out.open("wb") as to_out, err.open("wb") as to_err:
        process = subprocess.Popen(
            [COMMAND, "serve", "--data", str(data), "--port", str(port), "--workers", "2", *flags],
            stdout=to_out,
            stderr=to_err,
            env=offline(),
        )
    try:
        yield Service(process, port, data, out, err)
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        finally:
            process.kill()
            process.wait(STOP_SECONDS)


@contextmanager
def serving(data: Path, logs: Path, *flags: str) -> Iterator[Service]:
    """Start a service and wait until it answers."""
    with starting(data, logs, *flags) as service:
        assert until(lambda: service.process.poll() is not None or answers(service.port), START_SECONDS)
        assert service.process.poll() is None, service.err.read_text()
        yield service


def all_end(workers: set[int], seconds: float) -> bool:
    """Say whether the workers end by themselves; end them if not."""
    ended = until(lambda: not any(command_line(worker) for worker in workers), seconds)
    for worker in workers:
        if not ended and command_line(worker):
            os.kill(worker, signal.SIGKILL)
    return ended


def refused(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments],
        env=offline(**variables),
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
    )


def assert_one_sentence(done: subprocess.CompletedProcess[str], *fragments: str) -> None:
    assert done.returncode > 0, done
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("cambist: ")
    assert all(fragment in lines[0] for fragment in fragments), lines[0]


@dataclass
class FirstStart:
    """What a newcomer's start left behind."""

    data: Path
    port: int
    out: str
    err: str
    exit_code: int
    figure: object


@pytest.fixture(scope="module")
def first_start(tmp_path_factory: pytest.TempPathFactory) -> FirstStart:
    """Start on a folder that is not there yet, ask one question, and stop."""
    folder = tmp_path_factory.mktemp("first")
    with serving(folder / "deep" / "data", folder / "logs") as service:
        figure = service.get("/fetch-one?from=EUR&to=USD").json
        exit_code = service.stop()
    return FirstStart(service.data, service.port, service.out.read_text(), service.err.read_text(), exit_code, figure)


@pytest.fixture(scope="module")
def service(first_start: FirstStart, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A second start on the same folder, with the access log on: what most tests talk to."""
    with serving(first_start.data, tmp_path_factory.mktemp("second") / "logs", "--access-log") as started:
        yield started


@pytest.fixture
def spare(first_start: FirstStart, tmp_path: Path) -> Path:
    """A filled data folder of a test's own."""
    held = {"cambist.lock", "cambist.db-shm", "cambist.db-wal"}
    copied = tmp_path / "data"
    shutil.copytree(first_start.data, copied, ignore=lambda _, names: held & set(names))
    return copied


def test_a_newcomers_start_prints_the_key_once_with_a_curl_line(first_start):
    key = (first_start.data / "owner.key").read_text().strip()
    curl = [line.strip().removeprefix("Next").strip() for line in first_start.out.splitlines() if "| curl " in line]
    address = f"http://127.0.0.1:{first_start.port}/fetch-one?from=EUR&to=USD"
    assert curl == [f"sed 's/^/X-API-Key: /' {first_start.data}/owner.key | curl -H @- '{address}'"]
    assert first_start.out.split().count(key) == 1
    assert str(first_start.data / "owner.key") in first_start.out
    assert "cmb_" not in first_start.err


def test_the_printed_question_is_answered(first_start):
    assert first_start.figure["result"] == {"USD": 1.1172}


def test_the_data_folder_is_left_for_its_owner_alone(first_start):
    assert stat.S_IMODE(first_start.data.stat().st_mode) == 0o700
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in first_start.data.rglob("*")}
    assert first_start.data / "owner.key" in modes
    assert {path: mode for path, mode in modes.items() if mode != (0o700 if path.is_dir() else 0o600)} == {}


def test_sigterm_ends_the_service_with_exit_code_0(first_start):
    assert first_start.exit_code == 0
    assert "Traceback" not in first_start.err


def test_a_second_start_prints_no_key_and_imports_nothing_again(first_start, service):
    assert re.search(r"filed \d{6,} new", first_start.err)
    log = service.err.read_text()
    out = service.out.read_text()
    assert "Address" in out
    assert "cmb_" not in out
    assert "all filed" in log
    assert " new ECB" not in log
    assert "Image: built" not in log
    assert "Traceback" not in log


@pytest.mark.parametrize(
    ("target", "fragment"),
    [
        ("/fetch-one?from=EUR&to=USD", '"result":{"USD":1.1172},"updated":"2026-10-30T13:15:00Z"'),
        ("/fetch-one?from=USD&to=JPY", '"result":{"JPY":157.2502685}'),
        ("/fetch-one?from=IDR&to=EUR", '"result":{"EUR":0.00004932141136}'),
        ("/fetch-multi?from=EUR&to=USD,HRK,BGN", '"results":{"USD":1.1172,"HRK":7.5345,"BGN":1.95583}'),
        ("/fetch-all?from=USD", '"AED":3.6725,'),
        ("/fetch-many-to-one?from=EUR,USD&to=", '"from":{"EUR":1.1172,"USD":1}'),
        ("/fetch-matrix?from=EUR&to=USD,EUR", '"matrix":{"EUR":{"USD":1.1172,"EUR":1}}'),
        ("/convert?from=USD&to=JPY&amount=100", '"amount":100,"result":{"JPY":15725.03,"rate":157.2502685}'),
        ("/historical?date=1999-01-04&from=EUR&to=USD", '"results":{"USD":1.1789}'),
        ("/historical?date=2026-10-25&from=EUR&to=USD", '"results":{"USD":1.1193}'),
        ("/time-series?from=DEM&to=FRF&start=2001-07-14&end=2001-07-14", '{"2001-07-14":3.353854885}'),
        ("/currencies", '"EUR":"Euro"'),
    ],
)
def test_the_figures_come_over_http(service, target, fragment):
    got = service.get(target)
    assert (got.status, got.headers["content-type"]) == (200, "application/json")
    assert fragment in got.content.decode()
    assert int(got.headers["content-length"]) == len(got.content)


def test_the_same_day_has_the_same_etag_from_every_worker(service):
    tags = {service.get("/historical?date=2026-10-23&from=EUR").headers["etag"] for _ in range(20)}
    (tag,) = tags
    got = service.get("/historical?date=2026-10-23&from=EUR", {"X-API-Key": service.key, "If-None-Match": tag})
    assert (got.status, got.content) == (304, b"")


def test_head_has_headers_and_no_body_and_the_connection_lives_on(service):
    with closing(http.client.HTTPConnection("127.0.0.1", service.port, timeout=ANSWER_SECONDS)) as connection:
        headers = {"X-API-Key": service.key}
        head = exchange(connection, "HEAD", "/fetch-one?from=EUR&to=USD", headers)
        socket_before = connection.sock
        assert (head.status, head.content) == (200, b"")
        assert head.headers["x-calls-cost"] in {"0", "1"}  # nothing where another test had it kept
        for _ in range(5):
            got = exchange(connection, "GET", "/fetch-one?from=EUR&to=USD", headers)
            assert (got.status, got.json["result"]) == (200, {"USD": 1.1172})
        assert exchange(connection, "GET", "/nowhere").status == 404
        assert exchange(connection, "POST", "/fetch-one").status == 405
        assert exchange(connection, "OPTIONS", "/fetch-one").status == 204
        assert exchange(connection, "GET", "/currencies", headers).status == 200
        assert connection.sock is socket_before is not None


@pytest.mark.parametrize("page", ["/docs", "/docs/"])
def test_the_reference_and_its_assets_load_without_a_key(service, page):
    got = service.request("GET", page)
    assert (got.status, got.headers["content-type"].partition(";")[0]) == (200, "text/html")
    links = re.findall(r'(?:src|href)="([^"]+\.(?:css|js|json))"', got.content.decode())
    assert len(links) == 5
    for link in links:
        target = urljoin(page, link)
        plain = service.request("GET", target)
        packed = service.request("GET", target, headers={"Accept-Encoding": "gzip"})
        assert (plain.status, packed.status, packed.headers["content-encoding"]) == (200, 200, "gzip")
        assert gzip.decompress(packed.content) == plain.content
    document = service.request("GET", urljoin(page, links[-1]))
    assert document.json["openapi"].startswith("3.")


def test_the_reference_loads_nothing_from_elsewhere(service):
    assert b"://" not in service.request("GET", "/docs").content


def test_percent_encoding_survives_the_server(service):
    assert service.get("/fetch-multi?from=%65ur&to=USD%2CJPY").json["results"] == {"USD": 1.1172, "JPY": 175.68}
    assert service.get("/fetch-one?to=%e9").json["code"] == "bad_parameter"
    assert service.get("/fetch-one?to=%zz").json["code"] == "bad_parameter"
    assert service.get("/%e9%00").json["code"] == "unknown_path"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_another_method_is_405_in_the_one_shape(service, method):
    got = service.request(method, "/fetch-one")
    assert (got.status, list(got.json), got.headers["allow"]) == (405, ["error", "code"], "GET, HEAD, OPTIONS")


def test_a_header_of_64_kb_does_no_harm(service):
    got = service.get("/currencies", {"X-API-Key": service.key, "X-Big": "x" * 64 * 1024})
    assert 200 <= got.status < 500
    assert service.get("/currencies").status == 200


def test_a_key_of_64_kb_is_refused_and_the_service_lives_on(service):
    got = service.get("/currencies", {"X-API-Key": "x" * 64 * 1024})
    assert 400 <= got.status < 500
    assert service.get("/currencies").status == 200


def test_a_header_beyond_the_servers_limit_is_refused_and_the_service_lives_on(service):
    with closing(socket.create_connection(("127.0.0.1", service.port), ANSWER_SECONDS)) as connection:
        try:
            connection.sendall(b"GET /currencies HTTP/1.1\r\nHost: x\r\nX-Big: " + b"x" * 1024 * 1024 + b"\r\n\r\n")
            status = connection.recv(12)
        except ConnectionError:
            status = b""
    assert status == b"" or re.fullmatch(rb"HTTP/1\.1 4\d\d", status)
    assert service.get("/currencies").status == 200


@pytest.mark.parametrize("raw", [b"nonsense\r\n\r\n", b"\0\0\0\0\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01"])
def test_what_is_not_http_does_no_harm(service, raw):
    with closing(socket.create_connection(("127.0.0.1", service.port), ANSWER_SECONDS)) as connection:
        connection.sendall(raw)
        connection.shutdown(socket.SHUT_WR)
        try:
            status = connection.recv(12)
        except ConnectionError:
            status = b""
    assert status == b"" or status.startswith(b"HTTP/1.1 4")
    assert service.get("/currencies").status == 200


def test_a_query_of_64_kb_is_refused_and_the_service_lives_on(service):
    assert 400 <= service.get("/currencies?x=" + "x" * 64 * 1024).status < 500
    assert service.get("/currencies").status == 200


@pytest.mark.parametrize("name", [b"Authorization: Basic", b"Authorization: Bearer", b"X-API-Key:"])
def test_a_header_beyond_ascii_is_401_and_not_a_failure(service, name):
    assert service.get("/fetch-one?from=EUR&to=USD").status == 200  # kept from here on
    with closing(socket.create_connection(("127.0.0.1", service.port), ANSWER_SECONDS)) as connection:
        request = b"GET /fetch-one?from=EUR&to=USD HTTP/1.1\r\nHost: x\r\n%b \xc3\xa9\xff\r\n\r\n"
        connection.sendall(request % name)
        assert connection.recv(12) == b"HTTP/1.1 401"


def test_a_taken_port_is_refused_in_one_sentence(service, tmp_path):
    done = refused("serve", "--data", str(tmp_path / "d"), "--port", str(service.port), "--log-level", "warning")
    assert_one_sentence(done, str(service.port), "127.0.0.1")
    assert service.get("/currencies").status == 200


@pytest.mark.long
def test_a_data_path_under_a_regular_file_is_refused_in_one_sentence(tmp_path):
    (tmp_path / "file").write_text("I am no folder")
    for path in (tmp_path / "file" / "data", tmp_path / "file"):
        done = refused("serve", "--data", str(path), "--port", str(free_port()), "--log-level", "warning")
        assert_one_sentence(done, str(path))
    assert (tmp_path / "file").read_text() == "I am no folder"


def test_a_data_folder_in_use_is_refused_in_one_sentence(service):
    done = refused("serve", "--data", str(service.data), "--port", str(free_port()), "--log-level", "warning")
    assert_one_sentence(done, str(service.data), "in use")
    assert service.get("/currencies").status == 200


def test_a_database_url_with_an_unknown_scheme_is_refused_in_one_sentence(tmp_path):
    variables = {"CAMBIST_DATABASE": "mongodb://secret:word@127.0.0.1/x"}
    done = refused("serve", "--data", str(tmp_path / "d"), "--log-level", "warning", **variables)
    assert_one_sentence(done, "[mongodb]")
    assert "secret" not in done.stderr


@pytest.mark.parametrize(
    ("variable", "nearest"), [("CAMBIST_PROT", "CAMBIST_PORT"), ("CAMBIST_WORKER", "CAMBIST_WORKERS")]
)
def test_an_unknown_variable_is_refused_and_the_nearest_named(tmp_path, variable, nearest):
    done = refused("serve", "--data", str(tmp_path / "d"), **{variable: "1"})
    assert_one_sentence(done, f"[{variable}]", f"[{nearest}]")
    assert not (tmp_path / "d").exists()


def test_a_setting_out_of_range_is_refused_in_one_sentence(tmp_path):
    done = refused("serve", "--data", str(tmp_path / "d"), CAMBIST_PORT="70000")
    assert_one_sentence(done, "port")
    assert not (tmp_path / "d").exists()


def test_the_log_of_a_days_use_names_no_key(service):
    typo = service.key[:-1] + ("A" if service.key[-1] != "A" else "B")
    targets = [
        "/fetch-one?from=EUR&to=USD",
        "/fetch-multi?to=EUR",
        "/fetch-all?from=EUR",
        "/fetch-many-to-one?from=EUR&to=USD",
        "/fetch-matrix?from=EUR&to=USD",
        "/convert?to=EUR&amount=1",
        "/historical?date=2026-10-30",
        "/time-series?to=EUR",
        "/currencies?",
        "/fetch-one?to=ZZZ",
        "/nowhere?",
        "/docs?",
        "/openapi.json?",
    ]
    statuses = set()
    keys = (service.key, UNKNOWN_KEY, typo, "hunter2-hunter2")
    for key in keys:
        half = base64.b64encode(f"{key}:x".encode()).decode()
        other_half = base64.b64encode(f"x:{key}".encode()).decode()
        for target in targets:
            with closing(http.client.HTTPConnection("127.0.0.1", service.port, timeout=ANSWER_SECONDS)) as connection:
                for more, headers in (
                    (f"&api_key={key}", {}),
                    (f"&api%5Fkey={key}", {}),
                    ("", {"X-API-Key": key}),
                    ("", {"Authorization": f"Bearer {key}"}),
                    ("", {"Authorization": f"Basic {half}"}),
                    ("", {"Authorization": f"Basic {other_half}"}),
                ):
                    got = exchange(connection, "GET", target + more, headers)
                    statuses.add(got.status)
                    assert key not in got.content.decode()
    assert statuses == {200, 400, 401, 404, 429}  # of so many bad keys the last are refused unseen
    log = service.err.read_text() + service.out.read_text()
    assert '"GET /time-series" 200' in log
    assert not [key for key in keys if key in log or key[6:] in log]
    assert "api_key" not in log
    assert "cmb_" not in log
    assert "?" not in log


def test_a_path_cannot_write_a_line_of_its_own_into_the_log(service):
    assert service.get("/x%0A2026-11-20T00:00:00Z%20ERROR%20forged").status == 404
    assert service.get("/currencies").status == 200
    assert until(lambda: "forged" in service.err.read_text(), PATIENCE)
    assert not [line for line in service.err.read_text().splitlines() if line.startswith("2026-11-20T00:00:00Z ERROR")]


def test_a_worker_that_is_killed_is_replaced_and_the_service_answers(service):
    before = service.workers()
    assert len(before) == 2
    killed, spared = sorted(before)
    os.kill(killed, signal.SIGKILL)
    assert until(lambda: len(service.workers()) == 2 and killed not in service.workers(), PATIENCE)
    assert spared in service.workers()
    assert until(lambda: answers(service.port), PATIENCE)
    assert [service.get("/fetch-one?from=EUR&to=USD").status for _ in range(20)] == [200] * 20
    assert service.process.poll() is None


def test_sigterm_lets_every_answer_in_flight_finish(spare, tmp_path):
    with serving(spare, tmp_path / "logs") as service:
        codes = list(service.get("/fetch-all").json["results"])[:90]
        connections = [http.client.HTTPConnection("127.0.0.1", service.port, timeout=ANSWER_SECONDS) for _ in range(16)]
        for connection in connections:  # so that each of them has been taken on by a worker
            assert exchange(connection, "GET", "/docs").status == 200
        for number, connection in enumerate(connections):
            turned = ",".join(codes[number:] + codes[:number])  # a question that no answer is kept for
            connection.request("GET", f"/fetch-matrix?from={turned}&to={turned}", headers={"X-API-Key": service.key})
        assert connections[0].sock.recv(1, socket.MSG_PEEK)
        service.process.terminate()
        complete = 0
        for connection in connections:
            with closing(connection), connection.getresponse() as response:
                matrix = json.loads(response.read())["matrix"]
                complete += response.status == 200 and len(matrix) == len(codes)
        assert service.process.wait(STOP_SECONDS) == 0
        assert not answers(service.port)
    assert complete == 16  # as many long answers as one account may have waiting
    assert "Traceback" not in service.err.read_text()


@pytest.mark.long
def test_a_stopped_service_leaves_no_process_and_frees_its_folder(spare, tmp_path):
    with serving(spare, tmp_path / "logs") as service:
        workers = service.workers()
        assert len(workers) == 2
        assert service.stop() == 0
        assert all_end(workers, 10)
        with serving(spare, tmp_path / "again") as again:
            assert again.get("/currencies").status == 200


def test_workers_end_when_their_supervisor_is_killed(spare, tmp_path):
    with serving(spare, tmp_path / "logs") as service:
        workers = service.workers()
        loaded = [Path(f"/proc/{worker}/maps") for worker in workers]
        assert until(lambda: all("rates.image" in maps.read_text() for maps in loaded), PATIENCE)
        time.sleep(0.5)  # from the map to the watch
        service.process.kill()
        service.process.wait(STOP_SECONDS)
        assert all_end(workers, 10)
        assert not answers(service.port)


def test_workers_end_also_when_their_supervisor_is_killed_before_they_are_loaded(spare, tmp_path):
    with starting(spare, tmp_path / "logs") as service:
        assert until(lambda: len(service.workers()) == 2, START_SECONDS)
        workers = service.workers()
        service.process.kill()
        service.process.wait(STOP_SECONDS)
        assert all_end(workers, 8)
        assert not answers(service.port)
