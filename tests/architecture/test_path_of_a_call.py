"""How many files of ours one call runs through: its way stays short enough to be read in one go."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.conftest import KEY, OWNER, Client

import cambist
from cambist.accounts.api_key import digest

PACKAGE = f"{Path(cambist.__file__).parent}/"
MAX_FILES, MAX_FILES_CACHED = 12, 5


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


@pytest.fixture(params=["unlimited", "premium"])
def warm_client(request: pytest.FixtureRequest, make_client: Callable[..., Client]) -> Client:
    """A client whose service has answered requests about the same currencies before."""
    account = replace(OWNER.account, plan=request.param)
    client: Client = make_client(stored_keys={digest(KEY): replace(OWNER, account=account)})
    for target in ("/fetch-one?from=EUR&to=GBP", "/fetch-one?from=CHF&to=JPY"):
        assert client.get(target).status == 200
    return client


def test_an_uncached_rate_runs_through_at_most_twelve_files(warm_client: Client) -> None:
    files = files_entered(lambda: warm_client.get("/fetch-one?from=EUR&to=JPY"))
    assert len(files) <= MAX_FILES, "\n".join(files)


def test_a_cached_rate_runs_through_at_most_five_files(warm_client: Client) -> None:
    warm_client.get("/fetch-one?from=EUR&to=JPY")
    files = files_entered(lambda: warm_client.get("/fetch-one?from=EUR&to=JPY"))
    assert len(files) <= MAX_FILES_CACHED, "\n".join(files)
