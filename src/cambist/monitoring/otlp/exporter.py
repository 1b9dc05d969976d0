"""Sends spans and metrics to a collector, from a thread: requests never wait for it."""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from http.client import HTTPException
from socket import gethostname
from time import time_ns
from urllib.error import HTTPError
from urllib.request import OpenerDirector, ProxyHandler, Request, build_opener

from prometheus_client.registry import Collector

from cambist import __version__
from cambist.api.worker_application import WorkerApplication
from cambist.monitoring.otlp.spans import RequestSpan, TracedApplication
from cambist.registry.accounts.metering import charged_endpoints
from cambist.registry.node.nodes import node_name
from cambist.settings import Settings
from cambist.settings.outgoing import outgoing_proxies

log = logging.getLogger(__name__)

_MOST_SPANS = 2048
"""Spans that wait to be sent; more than these are dropped, and so is what a collector does not take."""

_SPANS_SECONDS = 2.0
_METRICS_SECONDS = 30.0
_ANSWER_SECONDS = 10.0


class Collected:
    """The collector of a setting: it posts messages, and logs once that it fails and once that it works again."""

    def __init__(self, settings: Settings) -> None:
        self._url = settings.otlp_url.rstrip("/")
        self._headers = {"Content-Type": "application/x-protobuf", **settings.otlp_header_fields}
        self._opener = _opener(settings)
        self._is_failing = False
        self.resource = {"service.name": "cambist", "service.version": __version__}
        self.resource["service.instance.id"] = node_name(settings) or gethostname()

    def post(self, kind: str, message: bytes) -> bool:
        """Send `traces` or `metrics`; return whether the collector took them."""
        request = Request(f"{self._url}/v1/{kind}", message, self._headers)  # noqa: S310  the setting allows only http
        try:
            with self._opener.open(request, timeout=_ANSWER_SECONDS) as answer:
                answer.read()
        except (OSError, HTTPException) as error:
            if isinstance(error, HTTPError):  # it holds the connection
                error.close()
            if not self._is_failing:
                log.warning("OpenTelemetry: %s cannot be sent, and are dropped: %s", kind, error)
            self._is_failing = True
            return False
        if self._is_failing:
            log.info("OpenTelemetry: %s are sent again", kind)
        self._is_failing = False
        return True


def _opener(settings: Settings) -> OpenerDirector:
    proxy = outgoing_proxies(settings, os.environ).proxy_for(settings.otlp_url)
    scheme = settings.otlp_url.partition(":")[0]
    return build_opener(ProxyHandler({scheme: proxy} if proxy else {}))


class SpanExporter:
    """Keeps spans until they are sent, by a thread that begins with the first span."""

    def __init__(self, collected: Collected, every: float = _SPANS_SECONDS) -> None:
        self._collected = collected
        self._every = every
        self._spans: deque[RequestSpan] = deque(maxlen=_MOST_SPANS)
        self._begun = threading.Lock()

    def record(self, span: RequestSpan) -> None:
        """Keep a span to be sent; the oldest is dropped if there are too many."""
        self._spans.append(span)
        if self._begun.acquire(blocking=False):
            _in_thread("spans", partial(_repeat, self._every, self.send))

    def send(self) -> None:
        """Send the spans that are kept."""
        from cambist.monitoring.otlp.messages import traces_message  # noqa: PLC0415  it needs an extra

        spans = [self._spans.popleft() for _ in range(len(self._spans))]
        if spans:
            self._collected.post("traces", traces_message(spans, self._collected.resource))


def traced(application: WorkerApplication, settings: Settings) -> WorkerApplication | TracedApplication:
    """Return an application whose requests are traced, if the settings want that, or the same one."""
    if not (settings.otlp_url and settings.otlp_share):
        return application
    exporter = SpanExporter(Collected(settings))
    return TracedApplication(application, settings.otlp_share, charged_endpoints(), exporter.record)


def send_metrics(settings: Settings, registry: Collector, every: float = _METRICS_SECONDS) -> None:
    """Send the metrics of a registry again and again, from a thread, if the settings name a collector."""
    if not settings.otlp_url:
        return
    from cambist.monitoring.otlp.messages import metrics_message  # noqa: PLC0415  it needs an extra

    collected, began = Collected(settings), time_ns()

    def send() -> None:
        message = metrics_message(registry.collect(), collected.resource, began, time_ns())
        collected.post("metrics", message)

    _in_thread("metrics", partial(_repeat, every, send))


def _in_thread(name: str, work: Callable[[], None]) -> None:
    threading.Thread(target=work, name=f"otlp {name}", daemon=True).start()


def _repeat(every: float, work: Callable[[], None]) -> None:
    while True:
        threading.Event().wait(every)
        try:
            work()
        except Exception:
            log.exception("OpenTelemetry: nothing was sent")
