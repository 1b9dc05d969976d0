"""The sandbox that test files share which only ask it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cambist.client.sandbox import SandboxAddress, running_sandbox


@pytest.fixture(scope="session")
def sandbox_to_ask() -> Iterator[SandboxAddress]:
    """A sandbox for questions of any kind: nobody changes its settings or keys, or ends it."""
    with running_sandbox() as address:
        yield address
