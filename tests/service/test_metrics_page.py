"""The page of metrics of a real service: valid OpenMetrics, with all that the alert rules and the dashboard read."""

from __future__ import annotations

import http.client
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from tests.deploy.expressions import metric_names, names_on, panels, rule_expressions
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

from cambist.monitoring.cluster_metrics import ClusterMetrics
from cambist.status.cluster_report import ClusterReport, NodeReport

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

DAY = 86400


def certificate(folder: Path) -> dict[str, str]:
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 40 -subj /CN=localhost -keyout key.pem -out cert.pem"
    subprocess.run(made.split(), cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
    return {"CAMBIST_TLS_CERT": str(folder / "cert.pem"), "CAMBIST_TLS_KEY": str(folder / "key.pem")}


@pytest.fixture(scope="module")
def operator_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The operator's port of a sandbox with a stream and a certificate: it has a source and a book at once."""
    if not shutil.which("openssl"):
        pytest.skip("a certificate is made with openssl")
    folder, port = tmp_path_factory.mktemp("metrics"), free_port()
    variables = {
        **certificate(folder),
        "CAMBIST_OPERATOR_PORT": str(port),
        "CAMBIST_STREAM_PORT": str(free_port()),
        "CAMBIST_SANDBOX": "true",
    }
    copy_first_start(folder / "data", is_sandbox=True)
    command = [COMMAND, "serve", "--data", str(folder / "data"), "--port", str(free_port()), "--workers", "1"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment(**variables))
        with ended_in_the_end(process):
            last = ("cambist_book_age_seconds ", "cambist_stream_listens ", "cambist_usage_written_timestamp_seconds ")
            assert until(lambda: all(part in page(port)[1] for part in last), PATIENCE), page(port)[1]
            yield port


def page(port: int, accept: str = "text/plain") -> tuple[str, str]:
    """Return the type and the text of the page; both empty while nothing listens."""
    try:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
            connection.request("GET", "/metrics", headers={"Accept": accept})
            response = connection.getresponse()
            return response.getheader("Content-Type", ""), response.read().decode()
    except OSError:
        return "", ""


def metrics_of_nodes() -> str:
    """Return what the page of one of several nodes has besides."""
    now = datetime.now(UTC)
    own = NodeReport(name="a", instance="i", roles=("api",), version="1", written_at=now, book_lag=0.1, clock_ahead=0.1)
    report = ClusterReport(written_at=now, node="a", nodes=(own,))
    registry = CollectorRegistry()
    registry.register(ClusterMetrics(lambda: report, lambda: now))
    return generate_latest(registry).decode()


def test_all_that_the_rules_and_the_dashboard_read_is_on_the_page(operator_port: int) -> None:
    names = names_on(page(operator_port)[1]) | names_on(metrics_of_nodes())
    for title, expression in [*rule_expressions(), *panels()]:
        read = metric_names(expression)
        assert read, title
        assert read <= names, title


def test_openmetrics_is_answered_to_those_who_accept_it(operator_port: int) -> None:
    kind, text = page(operator_port, "application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
    assert kind.startswith("application/openmetrics-text; version=1.0.0; charset=utf-8")
    assert text.endswith("\n# EOF\n")
    assert text.count("# EOF") == 1
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert families["cambist_http_request_duration_seconds"].unit == "seconds"
    assert families["cambist_disk_free_bytes"].unit == "bytes"
    assert families["cambist_source_ticks"].type == "counter"
    assert "\n# UNIT cambist_book_age_seconds seconds\n" in text
    for family in families.values():
        if family.type == "counter":
            assert {sample.name.removeprefix(family.name) for sample in family.samples} <= {"_total", "_created"}
        for unit in ("seconds", "bytes"):
            assert family.unit == unit or not family.name.endswith(f"_{unit}"), family.name


def test_others_are_answered_in_the_text_format(operator_port: int) -> None:
    kind, text = page(operator_port)
    assert kind.startswith("text/plain; version=0.0.4")
    assert "# EOF" not in text


def test_the_disk_and_the_certificate_are_measured(operator_port: int, tmp_path: Path) -> None:
    lines = dict(line.rsplit(" ", 1) for line in page(operator_port)[1].splitlines() if not line.startswith("#"))
    assert float(lines["cambist_disk_size_bytes"]) == shutil.disk_usage(tmp_path).total
    assert 0 < float(lines["cambist_disk_free_bytes"]) < float(lines["cambist_disk_size_bytes"])
    left = float(lines["cambist_certificate_expiry_timestamp_seconds"]) - time.time()
    assert 39 * DAY < left <= 40 * DAY
