"""How many files of ours one call runs through: its way stays short enough to be read in one go."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.conftest import KEY, NOW, OWNER, Client

import cambist
from cambist.accounts.api_key import digest
from cambist.storage.shared.usage.worker_counters import WorkerCounters

PACKAGE = f"{Path(cambist.__file__).parent}/"
MAX_FILES = {"unlimited": 12, "premium": 13}
MAX_FILES_CACHED = {"unlimited": 5, "premium": 6}
"""A call on a plan with a rate limit runs through one file more, the rate limit."""


def files_entered(call: Callable[[], Any]) -> list[str]:
    """Return the files of the package whose functions a call enters."""
    entered = set()

    def profile(frame: FrameType, event: str, _arg: Any) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(PACKAGE):
            entered.add(name.removeprefix(PACKAGE))

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return sorted(entered)


@pytest.fixture(params=MAX_FILES)
def plan(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def warm_client(plan: str, make_client: Callable[..., Client], tmp_path: Path) -> Iterator[Client]:
    """A client of a service that counts in mapped files, and has answered requests about the same currencies before."""
    counters = WorkerCounters(tmp_path, ["/fetch-one"], 1)
    stored_key = replace(OWNER, account=replace(OWNER.account, plan=plan))
    client: Client = make_client(stored_keys={digest(KEY): stored_key}, counters=counters)
    for target in ("/fetch-one?from=EUR&to=GBP", "/fetch-one?from=CHF&to=JPY"):
        assert client.get(target).status == 200
    assert counters.spent(OWNER.account.number, NOW.date()) == 2
    yield client
    counters.close()


def test_an_uncached_rate_runs_through_at_most_twelve_files(warm_client: Client, plan: str) -> None:
    files = files_entered(lambda: warm_client.get("/fetch-one?from=EUR&to=JPY"))
    assert len(files) <= MAX_FILES[plan], "\n".join(files)


def test_a_cached_rate_runs_through_at_most_five_files(warm_client: Client, plan: str) -> None:
    warm_client.get("/fetch-one?from=EUR&to=JPY")
    files = files_entered(lambda: warm_client.get("/fetch-one?from=EUR&to=JPY"))
    assert len(files) <= MAX_FILES_CACHED[plan], "\n".join(files)
