"""Whether the API takes connections, as the operator's port finds out."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cambist.monitoring import api_probe
from cambist.monitoring.api_probe import api_problems
from cambist.settings import Settings


@contextmanager
def listening(answer: bytes | None) -> Iterator[tuple[int, list[bytes]]]:
    """Listen, and answer one request; without an answer the kernel takes connections and nobody reads them."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                asked.append(connection.recv(4096))
                connection.sendall(answer or b"")

        thread = threading.Thread(target=serve)
        if answer:
            thread.start()
        yield server.getsockname()[1], asked
        if answer:
            thread.join(10)


def test_an_api_that_answers_has_no_problems() -> None:
    with listening(b"HTTP/1.1 200 OK\r\n\r\n") as (port, asked):
        assert api_problems(Settings(port=port, path_prefix="/rates"))() == []
    assert asked[0].startswith(b"HEAD /rates/docs HTTP/1.1\r\n")


def test_an_api_that_listens_on_all_addresses_is_probed_over_loopback() -> None:
    with listening(b"HTTP/1.1 404 Not Found\r\n\r\n") as (port, _):
        assert api_problems(Settings(host="0.0.0.0", port=port))() == []  # noqa: S104


def test_an_api_that_accepts_no_connection_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_probe, "_SECONDS", 0.1)
    with listening(None) as (port, _):
        assert api_problems(Settings(port=port))() == [f"the API takes no connection on port {port}: timed out"]


def test_an_api_that_does_not_listen_is_a_problem() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        (sentence,) = api_problems(Settings(port=probe.getsockname()[1]))()
    assert sentence.startswith("the API takes no connection on port ")


def test_an_api_that_answers_with_an_error_is_a_problem() -> None:
    with listening(b"HTTP/1.1 500 Internal Server Error\r\n\r\n") as (port, _):
        assert api_problems(Settings(port=port))() == ["the API answers with 500"]
