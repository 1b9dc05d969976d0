"""Run a program in namespaces of its own, so that nothing of it remains when it ends, however that is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence

ISOLATED = "CLUSTER_ISOLATED"
"""The variable that is set where a program runs in namespaces of its own."""

_NAMESPACES = ("--net", "--pid", "--mount-proc", "--fork", "--kill-child")
_WAYS = (
    ("unshare", *_NAMESPACES),
    ("unshare", "--user", "--map-current-user", "--keep-caps", *_NAMESPACES),
)
"""As root; and as another user, in a namespace of users in which the user keeps its number."""

_PROBE = "ip link set lo up && ip link add probe0 type bridge && ip link add probe1 type veth peer name probe2"
ENDS_WITH_PARENT = ("setpriv", "--pdeathsig", "KILL")


def isolate(arguments: Sequence[str], *, is_wanted: bool, keep: Sequence[int] = ()) -> None:
    """Run this program in namespaces of its own instead of in this process, which then ends as that one does.

    It returns in the new process, and where namespaces cannot be made or are not wanted. All processes of the new
    namespace are killed when the program or this process ends, however that is. `keep` are open files to pass on.
    """
    if os.environ.get(ISOLATED):
        threading.Thread(target=_end_with_starter, name="starter watch", daemon=True).start()
        return
    way = _possible_way() if is_wanted else None
    if way is None:
        return
    command = [*ENDS_WITH_PARENT, *way, sys.executable, *arguments]
    environment = {**os.environ, ISOLATED: "1"}
    process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment, pass_fds=keep, start_new_session=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    assert process.stdin is not None
    try:
        sys.exit(process.wait())
    except (KeyboardInterrupt, SystemExit):
        process.stdin.close()
        raise SystemExit(process.wait()) from None


def _end_with_starter() -> None:
    """Interrupt this process when the one that started it has ended, or wants it to end."""
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGINT)


def is_isolated() -> bool:
    """Return whether this process has namespaces of its own."""
    return bool(os.environ.get(ISOLATED))


def _possible_way() -> tuple[str, ...] | None:
    for way in _WAYS:
        try:
            done = subprocess.run([*way, "sh", "-c", _PROBE], capture_output=True, timeout=20, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            return way
    return None
