"""Wait in an event loop for the changes that other processes of this machine notify."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress

from cambist.storage.shared.change_notifier import ChangeNotifier

_WAIT_SECONDS = 0.1


async def watch_changes(changes: ChangeNotifier, notify: Callable[[], object]) -> None:
    """Call `notify` at first and whenever a version has changed, in the event loop, for ever."""
    loop = asyncio.get_running_loop()
    is_over = threading.Event()

    def wait() -> None:
        waiter, seen = changes.waiter(), b""
        with suppress(RuntimeError):  # the loop has ended
            while not is_over.is_set():
                versions = changes.versions.tobytes()
                if versions != seen:
                    seen = versions
                    loop.call_soon_threadsafe(notify)
                waiter.wait(_WAIT_SECONDS)

    threading.Thread(target=wait, name="changes", daemon=True).start()
    try:
        await loop.create_future()
    finally:
        is_over.set()
