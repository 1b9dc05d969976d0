"""What SECURITY.md says of connections, held against the real service with real sockets."""

from __future__ import annotations

import http.client
import json
import resource
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import until
from tests.service.test_service import Service, serving

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

WORKERS = 2
OF_ONE_ADDRESS = 128
IN_ALL = 512
CLOSED_ANYWAY = 10
"""Seconds after which a silent connection is closed, however few there are."""
UNREAD = 800
MOST_OF_UNREAD = 400
"""MB that so many unread answers of a large file may take of the workers."""
DOCUMENT = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture(scope="module", autouse=True)
def many_files() -> Iterator[None]:
    """Let this process open as many sockets as these tests hold."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 8192:
        pytest.skip(f"the machine allows {hard} open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("connections")
    copy_first_start(folder / "data")
    with serving(folder / "data", folder / "logs", "--access-log") as started:
        yield started


def held(service: Service, count: int, stack: ExitStack, sent: bytes = b"", addresses: int = 1) -> list[socket.socket]:
    """Open so many connections from so many addresses of loopback, and send the same on each."""
    opened = []
    for number in range(count):
        source = (f"127.0.0.{number % addresses + 1}", 0)
        client = stack.enter_context(socket.create_connection(("127.0.0.1", service.port), 20, source_address=source))
        client.sendall(sent)
        opened.append(client)
    return opened


def established(service: Service) -> int:
    """Count the connections that the service holds."""
    local, state = f":{service.port:04X}", "01"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[1].endswith(local) and row[3] == state for row in rows)


def memory(service: Service) -> int:
    """Give what the workers hold in memory of their own, in MB."""
    found = 0
    for worker in service.workers():
        status = dict(
            line.split(":") for line in Path(f"/proc/{worker}/status").read_text().splitlines() if ":\t" in line
        )
        found += int(status["RssAnon"].split()[0]) // 1024
    return found


def seconds_to_the_end(client: socket.socket) -> float:
    begun = time.monotonic()
    client.settimeout(25)
    while client.recv(65536):
        pass
    return time.monotonic() - begun


def test_a_connection_without_a_request_is_closed_after_ten_seconds(service):
    with ExitStack() as stack, ThreadPoolExecutor() as threads:
        # Nothing, and half a head: both at once, to wait only once.
        clients = [client for sent in (b"", b"GET /docs HT") for client in held(service, 1, stack, sent)]
        assert all(CLOSED_ANYWAY - 2 < seconds < 60 for seconds in threads.map(seconds_to_the_end, clients))


def test_an_idle_connection_is_kept_open_for_as_long_as_the_answer_says(service):
    with closing(http.client.HTTPConnection("127.0.0.1", service.port, timeout=25)) as connection:
        connection.request("GET", "/docs")
        response = connection.getresponse()
        assert response.headers["keep-alive"] == "timeout=10"
        response.read()
        assert connection.sock.recv(1) == b""


def test_1500_silent_connections_of_one_address_leave_the_api_answering(service):
    with ExitStack() as stack:
        held(service, 1500, stack)
        assert service.get("/fetch-one?from=EUR&to=USD").status == 200
        assert until(lambda: established(service) <= WORKERS * OF_ONE_ADDRESS, CLOSED_ANYWAY - 2)
        assert service.get("/fetch-one?from=EUR&to=USD").status == 200


def test_silent_connections_of_many_addresses_leave_the_api_answering(service):
    with ExitStack() as stack:
        held(service, 3000, stack, addresses=50)
        assert service.get("/fetch-one?from=EUR&to=USD").status == 200
        assert until(lambda: established(service) <= WORKERS * IN_ALL, CLOSED_ANYWAY - 2)
        assert service.get("/fetch-one?from=EUR&to=USD").status == 200


def test_connections_that_are_used_outlive_those_that_are_silent(service):
    with closing(http.client.HTTPConnection("127.0.0.1", service.port, timeout=20)) as used, ExitStack() as stack:
        used.request("GET", "/nowhere")
        used.getresponse().read()
        first = used.sock
        for _ in range(60):
            held(service, 10, stack)  # few at a time: the one that is used must never be the one silent longest
            used.request("GET", "/nowhere")
            assert used.getresponse().read()
            time.sleep(0.05)
        assert used.sock is first


def test_clients_that_do_not_read_a_big_file_are_ended_and_cost_little(service):
    assert service.get("/openapi.json").status == 200
    before = memory(service)
    with ExitStack() as stack:
        held(service, UNREAD, stack, DOCUMENT, addresses=20)
        time.sleep(1)
        assert memory(service) - before < MOST_OF_UNREAD
        assert service.get("/fetch-one?from=EUR&to=USD").status == 200
        assert until(lambda: established(service) <= 1, PATIENCE)


def test_http_2_is_not_supported(service):
    with ExitStack() as stack:
        (client,) = held(service, 1, stack, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")
        client.settimeout(5)
        assert not client.recv(100).startswith(b"\0")


def test_raw_utf_8_in_a_query_is_echoed_as_it_was_meant(service):
    with ExitStack() as stack:
        target = "/fetch-one?from=EUR&to=é€".encode()
        request = b"GET " + target + b" HTTP/1.1\r\nHost: x\r\nX-API-Key: " + service.key.encode() + b"\r\n\r\n"
        (client,) = held(service, 1, stack, request)
        client.settimeout(10)
        assert "[é€]" in json.loads(client.recv(65536).partition(b"\r\n\r\n")[2])["error"].replace("É", "é")


def test_a_key_in_a_path_and_the_rest_of_a_long_one_are_not_logged(service):
    assert service.get(f"/fetch-one/{service.key}").status == 404
    assert service.get("/" + "y" * 5000).status == 404
    assert until(lambda: "… 5001 characters" in service.err.read_text(), PATIENCE)
    log = service.err.read_text()
    assert service.key not in log
    assert f"/fetch-one/{service.key[:8]}…" in log
    assert "y" * 300 not in log


def test_a_worker_keeps_its_environment_and_shows_none_of_it_to_requests(service):
    (worker, *_) = service.workers()
    assert b"PATH=" in Path(f"/proc/{worker}/environ").read_bytes()


def test_answers_are_finished_although_silent_connections_are_open_at_the_stop(tmp_path):
    copy_first_start(tmp_path / "data")
    with serving(tmp_path / "data", tmp_path / "logs") as spare, ExitStack() as stack:
        held(spare, 50, stack)
        assert spare.stop() == 0
        assert "answers in flight were finished" in spare.err.read_text()
        assert "panic" not in spare.err.read_text()
