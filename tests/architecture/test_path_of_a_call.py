"""How many files of ours one call runs through, from the bytes of its request to those of its response."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.api.direct.two_ways import Way
from tests.conftest import KEY, OWNER, Client

import cambist
from cambist.accounts.api_key import digest
from cambist.http.request_parser import Environ
from cambist.storage.shared.usage.worker_counters import WorkerCounters

PACKAGE = f"{Path(cambist.__file__).parent}/"
MOST_FILES = {
    ("direct", "/fetch-one"): 10,
    ("direct", "/convert"): 11,
    ("general", "/fetch-one"): 22,
    ("general", "/convert"): 28,
}
MORE_WITH_LIMITS = {"direct": 3, "general": 2}
"""Quota and rate of a plan that has them: `day_limits` and `rate_limits` in `accounts/`, and `call_runs`."""

AMOUNTS = {"/fetch-one": "", "/convert": "&amount=12.5"}


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
def plan(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def counted(plan: str, make_client: Callable[..., Client], tmp_path: Path) -> Iterator[Client]:
    """A client of a service that counts in mapped files, whose plan has limits or none."""
    counters = WorkerCounters(tmp_path, AMOUNTS, 1)
    stored_key = replace(OWNER, account=replace(OWNER.account, plan=plan))
    yield make_client(stored_keys={digest(KEY): stored_key}, counters=counters)
    counters.close()


class Server(Way):
    """A server whose counters are mapped files."""

    def direct(self, data: bytes, environ: Environ | None) -> bytes | None:
        return self.app.direct(data, environ) if self.is_direct else None  # type: ignore[no-any-return]


@pytest.mark.parametrize(("way", "path"), MOST_FILES)
def test_a_call_runs_through_few_files(counted: Client, plan: str, way: str, path: str) -> None:
    server = Server(counted, is_direct=way == "direct")

    def asked(base: str, quote: str) -> bytes:
        return (
            f"GET {path}?from={base}&to={quote}{AMOUNTS[path]} HTTP/1.1\r\nHost: x\r\nX-API-Key: {KEY}\r\n\r\n".encode()
        )

    for pair in (("EUR", "GBP"), ("CHF", "JPY"), ("EUR", "JPY")):
        assert server.respond(asked(*pair)).startswith(b"HTTP/1.1 200 ")
    last = asked("GBP", "JPY")
    assert server.app.direct(last, None) is not None
    server.app.settle()
    connection, transport = server.connect()

    def received() -> None:
        connection.data_received(last)
        server.send_answered()

    files = files_entered(received)
    assert transport.sent[0].startswith(b"HTTP/1.1 200 ")
    assert len(files) <= MOST_FILES[way, path] + MORE_WITH_LIMITS[way] * (plan != "unlimited"), "\n".join(files)
