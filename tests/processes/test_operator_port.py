"""The process of the operator's port: what it serves, and what it shows of the usage writer."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from cambist.monitoring.usage_figures import UsageFigures
from cambist.processes import operator_port, usage_writer
from cambist.settings import Settings
from cambist.storage.data_directory import DataDirectory


@pytest.mark.parametrize(("has_console", "status"), [(True, "200"), (False, "404")])
def test_it_has_a_console_unless_that_is_switched_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: str, *, has_console: bool
) -> None:
    served: list[Any] = []
    monkeypatch.setattr(
        operator_port, "serve_operator_port", lambda _port, application, _host, **_: served.append(application)
    )
    monkeypatch.setattr(operator_port, "REGISTRY", CollectorRegistry())
    settings = Settings(data=tmp_path, console=has_console, stream_port=0)
    operator_port.serve_port(settings, DataDirectory(tmp_path))
    statuses: list[str] = []
    environ = {"PATH_INFO": "/", "REQUEST_METHOD": "GET", "QUERY_STRING": "", "HTTP_HOST": "localhost"}
    list(
        served[0](
            {**environ, "wsgi.input": io.BytesIO(), "wsgi.errors": sys.stderr},
            lambda line, *_: statuses.append(line[:3]),
        )
    )
    assert statuses == [status]


def test_figures_of_the_usage_writer_are_read_as_it_wrote_them(tmp_path: Path) -> None:
    figures = UsageFigures(tmp_path / "figures")
    assert list(figures.collect()) == []
    usage_writer.WRITTEN_AT.set(1_790_000_000.5)
    usage_writer.ROWS_WRITTEN.inc(3)
    figures.write()
    found = {sample.name: sample.value for each in figures.collect() for sample in each.samples}
    assert found["cambist_usage_written_timestamp_seconds"] == 1_790_000_000.5
    assert found["cambist_usage_rows_written_total"] == usage_writer.ROWS_WRITTEN._value.get() >= 3
    assert found["cambist_archive_damaged_rows"] == 0
    assert figures.path.stat().st_size == 40


def test_figures_that_cannot_be_written_or_read_end_nothing(tmp_path: Path) -> None:
    figures = UsageFigures(tmp_path / "missing" / "figures")
    figures.write()
    (tmp_path / "figures").write_bytes(b"short")
    assert list(figures.collect()) == list(UsageFigures(tmp_path / "figures").collect()) == []
