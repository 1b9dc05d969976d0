"""Which processes the supervisor starts."""

from __future__ import annotations

import pytest

from cambist.processes.supervisor import _child_processes
from cambist.settings import Settings

REDIS = "redis://cache"


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        (Settings(stream_port=8001), {"usage writer", "ingest", "stream"}),
        (Settings(stream_port=8001, stream_workers=2, fetch=False), {"usage writer", "stream", "stream 2"}),
        (Settings(stream_port=0, sandbox=True), {"usage writer", "sandbox"}),
        (Settings(stream_port=8001, redis=REDIS), {"usage writer", "cluster link", "ingest", "stream"}),
        (Settings(stream_port=8001, redis=REDIS, roles="api"), {"usage writer", "cluster link"}),
        (Settings(stream_port=8001, redis=REDIS, roles="stream"), {"usage writer", "cluster link", "stream"}),
        (Settings(stream_port=8001, redis=REDIS, roles="ingest"), {"usage writer", "cluster link", "ingest"}),
    ],
)
def test_a_service_runs_what_its_settings_and_roles_name(settings: Settings, names: set[str]) -> None:
    assert set(_child_processes(settings, {})) == names
