"""Traces and metrics reach a collector on loopback, which reads them as OTLP over HTTP."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from cambist.errors import CannotStart, SettingRefused
from cambist.http.request_parser import Environ
from cambist.monitoring.otlp.exporter import Collected, send_metrics, traced
from cambist.monitoring.otlp.messages import metrics_message
from cambist.monitoring.otlp.spans import RequestSpan, TracedApplication
from cambist.registry.wiring import otlp_package
from cambist.registry.wiring.otlp_package import check_otlp
from cambist.settings import Settings
from cambist.settings.reading import read_settings, shown

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
KEY = "cmb_abcd" + "0" * 34
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Collector(ThreadingHTTPServer):
    """A collector that keeps what was posted: path, headers, body."""

    status = 200

    def __init__(self) -> None:
        self.posted: list[tuple[str, Any, bytes]] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def wait_for(self, path: str) -> tuple[Any, bytes]:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            for posted, headers, body in list(self.posted):
                if posted == path:
                    return headers, body
            time.sleep(0.02)
        raise AssertionError(f"nothing was posted to {path}")


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posted.append((self.path, self.headers, body))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()
    server.server_close()


class Application:
    """Answers `/fetch-one` directly, `/usage` at once, and everything else in a thread."""

    turns = None

    def body_limit(self, _environ: object) -> int:
        return 0

    def direct(self, received: bytes, _environ: Environ | None) -> bytes | None:
        answer = b"HTTP/1.1 200 OK\r\nx-request-id: abc-1\r\ncontent-length: 0\r\n\r\n"
        return answer if received.startswith(b"GET /fetch-one") else None

    def settle(self) -> None: ...

    def at_once(self, environ: dict[str, Any]) -> bytes | None:
        return b"HTTP/1.1 403 Forbidden\r\n\r\n" if environ["PATH_INFO"] == "/usage" else None

    def __call__(self, environ: dict[str, Any], start: Any) -> list[bytes]:
        if environ["PATH_INFO"] == "/fails":
            raise ValueError("broken")
        start("503 Service Unavailable", [])
        return [b"late"]


def request(path: str, **more: str) -> dict[str, Any]:
    return {"REQUEST_METHOD": "GET", "PATH_INFO": path, "cambist.request_id": "abc-2", **more}


def of_attributes(attributes: Any) -> dict[str, Any]:
    return {each.key: each.value.string_value or each.value.int_value for each in attributes}


def test_each_way_of_an_answer_makes_one_span_without_keys() -> None:
    spans: list[RequestSpan] = []
    application = TracedApplication(Application(), 1, ["/fetch-one", "/usage"], spans.append)
    line = f"GET /fetch-one?api_key={KEY} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    read = request("/fetch-one", HTTP_TRACEPARENT=PARENT)
    assert application.direct(line, read).startswith(b"HTTP/1.1 200")
    assert application.direct(b"GET /slow HTTP/1.1\r\n\r\n", None) is None
    assert application.at_once(request("/usage", HTTP_TRACEPARENT=PARENT)).startswith(b"HTTP/1.1 403")
    assert application.at_once(request("/slow")) is None
    assert application(request(f"/v6/{KEY}/latest"), lambda *_: None) == [b"late"]
    with pytest.raises(ValueError, match="broken"):
        application(request("/fails"), lambda *_: None)
    assert [(span.path, span.route, span.status, span.request_id) for span in spans] == [
        ("/fetch-one", "/fetch-one", 200, "abc-1"),
        ("/usage", "/usage", 403, "abc-2"),
        ("/v6/cmb_abcd…/latest", "", 503, "abc-2"),
        ("/fails", "", 500, "abc-2"),
    ]
    named = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")
    assert [(span.trace.hex(), span.parent.hex()) for span in spans[:2]] == [named, named]
    assert len({span.trace for span in spans}) == 3
    assert len({span.number for span in spans}) == 4
    assert all(span.begun <= span.ended for span in spans)


@pytest.mark.parametrize("parent", ["", "00-abc", f"00-{'0' * 32}-b7ad6b7169203331-01", f"x{PARENT}", PARENT.upper()])
def test_a_trace_that_the_client_does_not_name_right_is_a_new_one(parent: str) -> None:
    spans: list[RequestSpan] = []
    TracedApplication(Application(), 1, [], spans.append).at_once(request("/usage", HTTP_TRACEPARENT=parent))
    assert (len(spans[0].trace), spans[0].parent) == (16, b"")


def test_only_a_share_of_the_requests_is_traced_and_without_a_collector_the_application_is_the_same() -> None:
    spans: list[RequestSpan] = []
    application = TracedApplication(Application(), 0.5, ["/fetch-one"], spans.append)
    for _ in range(400):
        application.direct(b"GET /fetch-one HTTP/1.1\r\n\r\n", None)
    assert 100 < len(spans) < 300
    plain: Any = Application()
    assert traced(plain, Settings()) is plain
    assert traced(plain, Settings(otlp_url="http://127.0.0.1:1", otlp_share=0)) is plain


@pytest.mark.long
def test_spans_are_sent_with_the_headers_and_the_request_id(collector: Collector, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, otlp_url=f"{collector.url}/", otlp_headers="x-token=a=b c", otlp_share=1)
    plain: Any = Application()
    traced(plain, settings).at_once(request("/usage", HTTP_TRACEPARENT=PARENT))
    headers, body = collector.wait_for("/v1/traces")
    assert (headers["x-token"], headers["Content-Type"]) == ("a=b c", "application/x-protobuf")
    (of_resource,) = ExportTraceServiceRequest.FromString(body).resource_spans
    assert of_attributes(of_resource.resource.attributes)["service.name"] == "cambist"
    assert of_attributes(of_resource.resource.attributes)["service.instance.id"]
    (span,) = of_resource.scope_spans[0].spans
    assert (span.name, span.trace_id.hex(), span.kind) == ("GET /usage", PARENT[3:35], 2)
    attributes = of_attributes(span.attributes)
    assert (attributes["cambist.request_id"], attributes["http.response.status_code"]) == ("abc-2", 403)


def test_metrics_are_sent_as_sums_gauges_and_histograms(collector: Collector, tmp_path: Path) -> None:
    registry = CollectorRegistry()
    Counter("calls", "Calls", ["endpoint"], registry=registry).labels("/a").inc(3)
    Gauge("books", "Books", registry=registry).set(2.5)
    took = Histogram("took_seconds", "Took", buckets=(0.1, 1.0), registry=registry)
    for seconds in (0.05, 0.5, 0.6, 7.0):
        took.observe(seconds)
    send_metrics(Settings(data=tmp_path, otlp_url=collector.url), registry, every=0.2)
    _, body = collector.wait_for("/v1/metrics")
    (of_resource,) = ExportMetricsServiceRequest.FromString(body).resource_metrics
    metrics = {metric.name: metric for metric in of_resource.scope_metrics[0].metrics}
    (calls,) = metrics["calls"].sum.data_points
    assert (calls.as_double, of_attributes(calls.attributes)) == (3, {"endpoint": "/a"})
    assert (metrics["calls"].sum.is_monotonic, metrics["calls"].sum.aggregation_temporality) == (True, 2)
    assert metrics["books"].gauge.data_points[0].as_double == 2.5
    (point,) = metrics["took_seconds"].histogram.data_points
    assert (list(point.explicit_bounds), list(point.bucket_counts), point.count) == ([0.1, 1.0], [1, 2, 1], 4)
    assert point.sum == pytest.approx(8.15)


def test_a_collector_that_fails_is_logged_once_and_so_is_that_it_works_again(
    collector: Collector, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    collected = Collected(Settings(data=tmp_path, otlp_url=collector.url))
    message = metrics_message([], collected.resource, 0, 0)
    collector.status = 500
    with caplog.at_level("INFO"):
        assert [collected.post("metrics", message) for _ in range(2)] == [False, False]
        collector.status = 200
        assert [collected.post("metrics", message) for _ in range(2)] == [True, True]
    own = [record for record in caplog.records if record.threadName == "MainThread"]  # not those of other tests
    assert [record.levelname for record in own if "OpenTelemetry" in record.getMessage()] == [
        "WARNING",
        "INFO",
    ]


def test_a_start_without_the_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    check_otlp(Settings(otlp_url="http://127.0.0.1:4318"))
    monkeypatch.setattr(otlp_package, "find_spec", lambda _name: None)
    check_otlp(Settings())
    with pytest.raises(CannotStart, match=r"pip install 'cambist\[otlp\]'"):
        check_otlp(Settings(otlp_url="http://127.0.0.1:4318"))


@pytest.mark.parametrize(
    ("name", "value"),
    [("OTLP_URL", "grpc://a:4317"), ("OTLP_HEADERS", "secret"), ("OTLP_HEADERS", "a b=c"), ("OTLP_SHARE", "1.5")],
)
def test_settings_that_name_no_collector_are_refused(name: str, value: str) -> None:
    with pytest.raises(SettingRefused, match=name.lower()) as refused:
        read_settings({f"CAMBIST_{name}": value}, {})
    assert name != "OTLP_HEADERS" or value not in str(refused.value)
    assert shown("otlp_headers", "token=x") == "set"
