"""Messages to the service manager (systemd): ready, reloading, stopping, and that the service still works.

The protocol is that of `sd_notify(3)`: lines of `NAME=value` in a datagram to the socket that NOTIFY_SOCKET names.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import MutableMapping
from time import monotonic

log = logging.getLogger(__name__)

_SEND_SECONDS = 1.0


class ServiceManager:
    """Sends messages to the service manager; without one, it sends nothing.

    `watchdog_seconds` is how long the manager waits for a sign of life before it ends the service; None: for ever.
    """

    def __init__(self, address: str = "", watchdog_seconds: float | None = None) -> None:
        # A name in the abstract namespace begins with @ in the variable, and with a zero byte for the kernel.
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        self.watchdog_seconds = watchdog_seconds
        self._is_failing = False

    @property
    def is_present(self) -> bool:
        """Whether there is a service manager to tell."""
        return bool(self._address)

    def ready(self, status: str) -> None:
        """Tell that the service answers."""
        self._send("READY=1", f"STATUS={status}")

    def reloading(self) -> None:
        """Tell that the service reads its plans again; `ready` ends that."""
        self._send("RELOADING=1", f"MONOTONIC_USEC={int(monotonic() * 1e6)}")

    def stopping(self) -> None:
        """Tell that the service ends."""
        self._send("STOPPING=1", "STATUS=Finishing answers in flight")

    def alive(self) -> None:
        """Tell that the service works, for the watchdog."""
        self._send("WATCHDOG=1")

    def status(self, status: str) -> None:
        """Set the sentence that `systemctl status` shows."""
        self._send(f"STATUS={status}")

    def _send(self, *lines: str) -> None:
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.settimeout(_SEND_SECONDS)
                sender.sendto("\n".join(lines).encode(), self._address)
        except OSError as error:
            if not self._is_failing:
                log.warning("The service manager cannot be told %s: %s", lines[0], error)
            self._is_failing = True
            return
        self._is_failing = False


def service_manager(environment: MutableMapping[str, str]) -> ServiceManager:
    """Return the service manager that the variables name, and remove them: child processes have nothing to tell it."""
    address = environment.pop("NOTIFY_SOCKET", "")
    microseconds = environment.pop("WATCHDOG_USEC", "")
    process = environment.pop("WATCHDOG_PID", str(os.getpid()))
    if not address.startswith(("/", "@")):
        return ServiceManager()
    is_watched = microseconds.isdecimal() and int(microseconds) > 0 and process == str(os.getpid())
    return ServiceManager(address, int(microseconds) / 1e6 if is_watched else None)
