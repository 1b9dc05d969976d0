"""Start and control the process that publishes rate books whose prices move."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from load import NotMeasuredError
from processes import CLIENT_CORE

SCRIPT = Path(__file__).with_name("moving_book.py")


class Publisher:
    """A running publisher."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.pid = process.pid

    def set_rate(self, books_a_second: float) -> None:
        """Publish so many books a second from now on; with 0, one more and then none."""
        if self._process.poll() is not None or self._process.stdin is None:
            raise NotMeasuredError(f"the publisher of rate books ended with {self._process.returncode}")
        self._process.stdin.write(f"{books_a_second}\n")
        self._process.stdin.flush()


@contextlib.contextmanager
def publishing(folders: list[Path], log: Path, *, pinned: bool, options: tuple[str, ...] = ()) -> Iterator[Publisher]:
    """Publish into data folders, at first one book only, on the client's core: it costs the servers nothing there.

    It works while the load generator waits for answers, so that it costs that nothing either.
    """
    pin = ["taskset", "-c", str(CLIENT_CORE)] if pinned else []
    command = [*pin, sys.executable, str(SCRIPT), *map(str, folders), "--rate", "0", *options]
    with log.open("ab") as output:
        # In a session of its own the kernel would give it a fair share of the core, whatever its priority.
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output, text=True, process_group=0
        )
    try:
        if process.stdout is None or not process.stdout.readline():
            raise NotMeasuredError(f"the publisher of rate books did not start:\n{log.read_text()[-600:]}")
        yield Publisher(process)
    finally:
        process.terminate()
        process.communicate()
