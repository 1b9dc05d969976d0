"""Which processes the supervisor starts."""

from __future__ import annotations

import pytest

from cambist.processes.supervisor import _child_processes
from cambist.settings import Settings

REDIS = "redis://cache"


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        (Settings(stream_port=8001), {"usage writer", "operator port", "ingest", "stream"}),
        (
            Settings(stream_port=8001, stream_workers=2, fetch=False),
            {"usage writer", "operator port", "stream", "stream 2"},
        ),
        (Settings(stream_port=0, sandbox=True), {"usage writer", "operator port", "sandbox"}),
        (
            Settings(stream_port=8001, redis=REDIS),
            {"usage writer", "operator port", "cluster link", "ingest", "stream"},
        ),
        (Settings(stream_port=8001, redis=REDIS, roles="api"), {"usage writer", "operator port", "cluster link"}),
        (
            Settings(stream_port=8001, redis=REDIS, roles="stream"),
            {"usage writer", "operator port", "cluster link", "stream"},
        ),
        (
            Settings(stream_port=8001, redis=REDIS, roles="ingest"),
            {"usage writer", "operator port", "cluster link", "ingest"},
        ),
    ],
)
def test_a_service_runs_what_its_settings_and_roles_name(settings: Settings, names: set[str]) -> None:
    assert set(_child_processes(settings, {})) == names
