"""A seeded share of `make attack`: a client that behaves is answered, attacks get what they should, nothing stays."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import until
from tools.attack.attack import Attack, Means
from tools.attack.catalogue import ATTACKS, chosen
from tools.attack.cost import Cost
from tools.attack.measure import forget_peaks, memory, peaks, sockets
from tools.attack.target import Target, running, started

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

ANSWERS = 12  # two rounds of the questions of the client that behaves


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("attacks")
    copy_first_start(folder / "data", is_sandbox=True)
    return folder


@pytest.fixture(scope="module")
def target(folder: Path) -> Iterator[Target]:
    with started(folder) as service:
        yield service


@pytest.fixture(autouse=True)
def service_log(folder: Path) -> Iterator[None]:
    """Print what the service has logged, which pytest shows if the test fails."""
    yield
    sys.stdout.write((folder / "log").read_text(encoding="utf-8", errors="replace")[-20_000:])


@pytest.mark.long(every=3)
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_the_service_stands_an_attack(target: Target, attack: Attack, tmp_path: Path) -> None:
    assert until(lambda: sockets(target) == 0, PATIENCE)
    processes = set(memory(target))
    answers = tmp_path / "answers"
    with answers.open("wb") as output:
        normal = subprocess.Popen(
            [sys.executable, "-m", "tools.attack.normal_client", str(target.port)],
            stdin=subprocess.PIPE,
            stdout=output,
        )
    try:
        assert normal.stdin is not None
        normal.stdin.write(target.key.encode() + b"\n")
        normal.stdin.close()
        assert until(lambda: len(rows(answers)) >= 1, PATIENCE)
        means = Means(target, random.Random(attack.name), 10, attack.suite_share)  # noqa: S311 - no secret
        before = memory(target)
        forget_peaks(target)
        attack.run(means)
        seen = len(rows(answers))
        assert until(lambda: len(rows(answers)) >= seen + ANSWERS, PATIENCE)
    finally:
        normal.kill()
        normal.wait()
    wrong = [row for row in rows(answers) if not row.endswith(" 1")]
    assert wrong == []
    assert set(memory(target)) == processes
    grown = {pid: (peak - before[pid]) >> 10 for pid, peak in peaks(target).items()}
    assert max(grown.values()) < attack.most_growth, grown
    assert attack.wrong_answers(means) == [], means.seen
    assert until(lambda: sockets(target) == 0, PATIENCE)


def rows(answers: Path) -> list[str]:
    """Return the complete lines of the client that behaves."""
    return [line.rstrip("\n") for line in answers.read_text().splitlines(keepends=True) if line.endswith("\n")]


def test_an_unknown_attack_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(ValueError, match=r"no attack flood\. There are chunks, trailers"):
        chosen("slow,flood")


@pytest.mark.parametrize(
    "address",
    ["http://192.0.2.1:8000", "http://localhost.example:8000", "http://0.0.0.0:8000", "127.0.0.1:8000", "http://"],
)
def test_only_a_service_on_this_machine_is_attacked(address: str) -> None:
    with pytest.raises(ValueError, match="Only a service on this machine may be attacked"):
        running(address, "", "", 1, "key")
    with pytest.raises(ValueError, match="Only a service on this machine may be attacked"):
        running("http://127.0.0.1:8000", "", address, 1, "key")


def test_a_running_service_has_the_ports_that_are_named() -> None:
    target = running("http://127.0.0.1:8000", "ws://localhost:8001", "", 12, "key")
    assert (target.port, target.stream, target.operator, target.pid) == (8000, 8001, 0, 12)
    assert [each.name for each in ATTACKS if not each.is_possible(target)] == ["crowd", "operator-heads", "guesses"]


def test_an_attack_that_nobody_answered_or_that_was_let_in_is_wrong(target: Target) -> None:
    (trailers,) = chosen("trailers")
    means = Means(target, random.Random(1), 1)  # noqa: S311 - no secret
    assert trailers.wrong_answers(means) == ["no 401"]
    means.seen.update(["401", "200", "nothing"])
    assert trailers.wrong_answers(means) == ["200"]


def test_a_client_that_waits_more_than_twice_as_long_is_shown_as_a_failure() -> None:
    cost = Cost("slow", 0.001, 0.0021, 0, ["1/2/1"], "0/1/0", "", [])
    assert " fail " in cost.line()
    assert " pass " in Cost("slow", 0.001, 0.002, 0, ["1/2/1"], "0/1/0", "", []).line()
