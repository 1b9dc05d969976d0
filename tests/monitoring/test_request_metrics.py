"""The service's own metrics: what the workers counted, as Prometheus reads it."""

import contextlib
import socket

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from cambist.api.call.call import CALL, Call
from cambist.api.request_metrics import counted
from cambist.monitoring.request_metrics import RequestMetrics, open_request_counts
from cambist.settings import Settings


def test_requests_are_shown_by_endpoint_and_status_with_their_durations(tmp_path):
    settings = Settings(data=tmp_path)

    def application(environ, start):
        if environ["PATH_INFO"] == "/broken":
            raise RuntimeError
        if environ["QUERY_STRING"] == "kept":
            environ[CALL] = Call(environ, 0.0, 0, is_cached=True)
        start("200 OK" if environ["PATH_INFO"] == "/fetch-one" else "404 Not Found", [])
        return [b"{}"]

    answer = counted(application, open_request_counts(settings))
    for path, query in (("/fetch-one", ""), ("/fetch-one", "kept"), ("/secret-of-someone", "")):
        assert answer({"PATH_INFO": path, "QUERY_STRING": query}, lambda *_: None) == [b"{}"]
    with pytest.raises(RuntimeError):
        answer({"PATH_INFO": "/broken", "QUERY_STRING": ""}, lambda *_: None)
    registry = CollectorRegistry()
    registry.register(RequestMetrics(open_request_counts(settings), 8000))
    text = generate_latest(registry).decode()
    for line in (
        'cambist_http_requests_total{endpoint="/fetch-one",status="200"} 2.0',
        'cambist_http_requests_total{endpoint="other",status="404"} 1.0',
        'cambist_http_requests_total{endpoint="other",status="500"} 1.0',
        'cambist_http_kept_answers_total{endpoint="/fetch-one"} 1.0',
        'cambist_http_request_duration_seconds_bucket{endpoint="/fetch-one",le="+Inf"} 2.0',
        'cambist_http_request_duration_seconds_count{endpoint="/fetch-one"} 2.0',
        "cambist_http_requests_in_flight 0.0",
    ):
        assert line in text.splitlines(), text
    assert "secret" not in text


def test_requests_that_cannot_be_counted_are_logged_and_the_worker_goes_on(tmp_path, caplog):
    (tmp_path / "requests").write_bytes(b"")
    assert open_request_counts(Settings(data=tmp_path)) is None
    assert "requests are not counted" in caplog.text


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_open_connections_are_counted(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        report = RequestMetrics(open_request_counts(Settings(data=tmp_path)), port)
        shown = []
        for clients in range(3):
            with contextlib.ExitStack() as opened:
                for _ in range(clients):
                    opened.enter_context(socket.create_connection(("127.0.0.1", port)))
                    opened.enter_context(server.accept()[0])
                shown += [metric for metric in report.collect() if metric.name == "cambist_http_connections"]
        assert [metric.samples[0].value for metric in shown] == [0, 1, 2]
