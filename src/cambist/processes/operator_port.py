"""The process of the operator's port: health checks, metrics, the console and the admin API.

It is a process of its own, so that they answer whatever becomes of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from prometheus_client import REGISTRY

from cambist.clock import utc_now
from cambist.console.routes import console_application
from cambist.http.certificate import server_context
from cambist.monitoring.api_probe import api_problems
from cambist.monitoring.cluster_metrics import ClusterMetrics
from cambist.monitoring.health_http import TokenCheck
from cambist.monitoring.health_server import HealthApplication, SourceMetrics, serve_operator_port, traffic_problems
from cambist.monitoring.machine_metrics import MachineMetrics
from cambist.monitoring.metrics_page import MetricsWithUnits
from cambist.monitoring.otlp.exporter import send_metrics
from cambist.monitoring.request_metrics import RequestMetrics, open_request_counts
from cambist.monitoring.stream_report import StreamMetrics, StreamReport, join_reports
from cambist.monitoring.usage_figures import UsageFigures
from cambist.processes.process import StopSignal, set_up_process
from cambist.settings import Settings
from cambist.status.cluster_report import ClusterReport
from cambist.status.source_report import SourceReports
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file

_BEAT_SECONDS = 0.5


def serve_operator(settings: Settings, supervisor: int) -> None:
    """Serve the operator's port until the process should stop."""
    set_up_process(settings)
    stop = StopSignal(supervisor)
    serve_port(settings, DataDirectory(settings.data))
    while not stop.wait(_BEAT_SECONDS):
        pass


def serve_port(settings: Settings, folder: DataDirectory) -> None:
    """Serve health checks, metrics, the console and the admin API in threads."""
    read = partial(read_json_file, folder.source_reports, SourceReports)
    REGISTRY.register(SourceMetrics(read, utc_now))
    REGISTRY.register(MachineMetrics(folder.path, settings.tls_cert))
    REGISTRY.register(UsageFigures(folder.usage_figures))
    if counts := open_request_counts(settings):
        REGISTRY.register(RequestMetrics(counts, settings.port))
    stream = _watch_stream(settings, folder)
    api: list[Callable[[], list[str]]] = [api_problems(settings)] if "api" in settings.chosen_roles else []
    checks = [
        *api,
        *([stream.problems] if stream else ()),
        *([_watch_nodes(settings, folder).problems] if settings.is_node else ()),
    ]
    polls = settings.fetch and not settings.sandbox
    health = HealthApplication(
        read,
        utc_now,
        polls,
        lambda: [problem for check in checks for problem in check()],
        lambda: [
            *(problem for check in api for problem in check()),
            *traffic_problems(read() if polls else None, utc_now(), settings.coin_max_age),
        ],
    )
    send_metrics(settings, MetricsWithUnits(REGISTRY))
    application = console_application(settings, health, stream.read if stream else None)
    serve_operator_port(
        settings.operator_port,
        TokenCheck(application, settings.operator_token),
        settings.host,
        address=settings.operator_host,
        certificate=server_context(settings.operator_tls_cert, settings.operator_tls_key),
    )


def _watch_stream(settings: Settings, folder: DataDirectory) -> StreamMetrics | None:
    """Register the metrics of the stream, and return them; None if there is no stream."""
    if not settings.stream_port or "stream" not in settings.chosen_roles:
        return None
    paths = [folder.stream_report(process) for process in range(settings.stream_workers)]
    streams = StreamMetrics(lambda: join_reports([read_json_file(path, StreamReport) for path in paths]), utc_now)
    REGISTRY.register(streams)
    return streams


def _watch_nodes(settings: Settings, folder: DataDirectory) -> ClusterMetrics:
    """Register the metrics of the nodes, and return them."""
    nodes = ClusterMetrics(partial(read_json_file, folder.cluster_report, ClusterReport), utc_now, settings.fetch)
    REGISTRY.register(nodes)
    return nodes
