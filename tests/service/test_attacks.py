"""A small seeded share of `make attack`: a client that behaves is answered, and nothing stays behind."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.service.processes import until
from tools.attack.attack import Attack, Means
from tools.attack.catalogue import ATTACKS, chosen
from tools.attack.measure import memory, sockets
from tools.attack.target import Target, started

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

ANSWERS = 12  # two rounds of the questions of the client that behaves
MOST_MEMORY = 512 * 1024  # kB of one process
SHARE = 0.05
STILL_SECONDS = 20  # a connection is closed after ten seconds without a request


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with started(tmp_path_factory.mktemp("attacks")) as service:
        yield service


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_the_service_stands_an_attack(target: Target, attack: Attack, tmp_path: Path) -> None:
    assert until(lambda: sockets(target) == 0, STILL_SECONDS)
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
        assert until(lambda: len(rows(answers)) >= 1, STILL_SECONDS)
        attack.run(Means(target, random.Random(attack.name), 5, SHARE))  # noqa: S311 - no secret
        seen = len(rows(answers))
        assert until(lambda: len(rows(answers)) >= seen + ANSWERS, STILL_SECONDS)
    finally:
        normal.kill()
        normal.wait()
    wrong = [row for row in rows(answers) if not row.endswith(" 1")]
    assert wrong == []
    assert set(memory(target)) == processes
    assert max(memory(target).values()) < MOST_MEMORY
    assert until(lambda: sockets(target) == 0, STILL_SECONDS)


def rows(answers: Path) -> list[str]:
    """Return the complete lines of the client that behaves."""
    return [line.rstrip("\n") for line in answers.read_text().splitlines(keepends=True) if line.endswith("\n")]


def test_an_unknown_attack_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(ValueError, match=r"no attack flood\. There are chunks, trailers"):
        chosen("slow,flood")
