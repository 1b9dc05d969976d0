"""Backups of a service under load, at random moments: each is restored, checked, started and compared.

BACKUP_ROUNDS=10 makes ten of them.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, environment
from tests.service.test_ledger import Load, Service

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

ROUNDS = int(os.environ.get("BACKUP_ROUNDS", "1"))
MILLISECONDS = re.compile(rb'"ms":\d+}$')
QUESTIONS = 40


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = Service(tmp_path_factory.mktemp("backup") / "data")
    with ExitStack() as ending:
        ending.callback(service.stop)
        copy_first_start(service.data)
        service.start()
        yield service


def run(*arguments: str | Path) -> str:
    command = [COMMAND, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def historical_questions(chance: random.Random) -> list[str]:
    days = [f"{chance.randint(1999, 2025)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}" for _ in range(9)]
    codes = ["EUR", "USD", "JPY", "GBP", "CHF", "SEK", "PLN", "DEM"]
    asked = []
    for _ in range(QUESTIONS):
        base, quote = chance.sample(codes, 2)
        asked.append(f"/historical?date={chance.choice(days)}&from={base}&to={quote}")
    return asked


def answers(service: Service, questions: list[str]) -> list[tuple[int, str | None, bytes]]:
    """Return status, edition and body of each answer, without its `ms`."""
    found = []
    for question in questions:
        status, headers, body = service.ask(question)
        found.append((status, headers.get("cambist-edition"), MILLISECONDS.sub(b"", body)))
    return found


def test_backups_under_load_are_whole_and_count_each_call_once(live: Service, tmp_path: Path) -> None:
    chance = random.Random(1970)  # noqa: S311  it draws moments, not secrets
    questions = historical_questions(chance)
    expected = answers(live, questions)
    assert {status for status, *_ in expected} <= {200, 404}
    assert [status for status, *_ in expected].count(200) > QUESTIONS // 2
    saved = []
    before = live.used()  # a call itself, which counts in what follows
    usage_writer = live.children()[1][0]
    with Load(live) as load, ExitStack() as ending:
        ending.callback(os.kill, usage_writer, signal.SIGCONT)
        for number in range(ROUNDS):
            # In every second round calls are counted, and none is written to the database.
            os.kill(usage_writer, signal.SIGCONT if number % 2 else signal.SIGSTOP)
            time.sleep(chance.uniform(0.1, 0.9))
            path, answered = tmp_path / f"{number}.tar.gz", load.answered
            run("backup", path, "--data", live.data)
            # What is answered now was sent before the backup ended, or after: each connection has one on its way.
            saved.append((path, answered, load.answered + len(load.threads)))
    assert not load.others
    assert not load.unanswered
    for path, at_least, at_most in saved:
        folder = tmp_path / path.name.partition(".")[0]
        run("restore", path, folder)
        parts = run("check", folder).splitlines()
        assert {part.rpartition(": ")[2] for part in parts if "rate image" not in part} == {"sound"}
        assert not (folder / "owner.key").exists()
        (folder / "owner.key").write_text(live.key)  # as an operator who has kept it elsewhere
        restored = Service(folder)
        restored.start()
        try:
            counted = restored.used() - before - 1
            assert at_least <= counted <= at_most
            assert at_least > 100
            assert answers(restored, questions) == expected
            assert "rate image: sound" in run("check", folder).splitlines()
        finally:
            restored.stop()
    assert live.used() == before + 1 + load.answered
