"""What is raised in place of waiting."""

from __future__ import annotations

from collections.abc import Callable


class WouldBlock(Exception):
    """Raised in a thread that never waits: the request has to be answered in another one. The client sees nothing.

    If `is_over` is there, no thread has to wait: it is soon worth asking again in this one, as soon as that is true.
    """

    def __init__(self, is_over: Callable[[], bool] | None = None) -> None:
        super().__init__()
        self.is_over = is_over
