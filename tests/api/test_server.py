"""How a worker ends, and what it knows of its environment."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from cambist.api.server import ApiServer

WORKER = """
import atexit, os, socket
from granian import wsgi
from granian.server.mp import MPServer
from cambist.api import server
from cambist.settings import Settings

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]

def spawned(number, name, load, sock, *rest):
    print("listens:", sock[0][1].get_fd() > 0, "rest:", rest)
    print("own:", os.environ["HTTP_X"], "of requests:", dict(wsgi.os.environ))

MPServer._spawn_wsgi_worker = staticmethod(spawned)
atexit.register(print, "the interpreter's own end")
server._run_worker(Settings(port=port), "127.0.0.1", 10, 1, None, None, "their socket", "more")
"""


def test_a_worker_ends_without_the_interpreters_end_and_keeps_its_environment_to_itself() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WORKER],
        env={**os.environ, "HTTP_X": "a variable"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "listens: True rest: ('more',)",
        "own: a variable of requests: {}",
    ]


@pytest.mark.parametrize(
    ("codes", "finished"), [((0, 0), True), ((0, -15), True), ((0, -9), False), ((-6, 0), False), ((1,), False)]
)
def test_answers_were_finished_where_every_worker_ended_by_itself(codes: tuple[int, ...], finished: bool) -> None:  # noqa: FBT001
    server = ApiServer("a test")
    server.workers_kill_timeout = 1
    for number, code in enumerate(codes):
        inner = SimpleNamespace(exitcode=code)
        ended = {"terminate": lambda: None, "join": lambda _: None, "is_alive": lambda: False}
        server.wrks.append(SimpleNamespace(inner=inner, idx=number, **ended))
    server._stop_workers()
    assert server.finished is finished
