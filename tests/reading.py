"""Another way of reading for a service that a test has made already."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cambist.api.state.worker_state import WorkerState


def read_with(state: WorkerState | None, **readers: Any) -> None:
    """Let a service read with these from now on. A worker never does: it is built once with what it reads."""
    assert state is not None
    state.readers = replace(state.readers, **readers)  # type: ignore[misc]
