"""What the tests of the client share: the service on the real history, at an address."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.client.serving import FakeService, serving
from tests.conftest import Client


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("CAMBIST_URL", "CAMBIST_KEY", "CAMBIST_STREAM_URL"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def address(client: Client) -> Iterator[str]:
    """The service on the ECB's history, on 2026-11-20 at noon."""
    with serving(client.app) as url:
        yield url


@pytest.fixture
def fake_service() -> FakeService:
    return FakeService()


@pytest.fixture
def fake_address(fake_service: FakeService) -> Iterator[str]:
    with serving(fake_service) as url:
        yield url
