"""How much memory the bodies of requests may take together, whether they are still read or wait for a thread."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Hashable

from cambist.http.request_parser import Environ
from cambist.http.scheduler import TooManyWaiting

MOST_BYTES_OF_ONE = 8 * 1024 * 1024
"""How many bytes the bodies of one owner may have together, in one worker."""

MOST_BYTES_IN_ALL = 64 * 1024 * 1024
"""How many bytes all bodies of a worker may have together."""

NO_ROOM = "cambist.no_room"
"""The key in the environ of the TooManyWaiting of a request whose body is not read."""

_SHARE = "cambist.body_share"


class _Share:
    """The room of one body. It is given back when the request is forgotten, in whatever way it ends."""

    __slots__ = ("_owner", "_room", "_size")

    def __init__(self, room: BodyRoom, owner: Hashable, size: int) -> None:
        self._room = room
        self._owner = owner
        self._size = size

    def __del__(self) -> None:
        self._room._give_back(self._owner, self._size)  # noqa: SLF001  a share is a part of its room


class BodyRoom:
    """The room for bodies of a worker. A body takes its declared length, and without one as much as it may have."""

    def __init__(self) -> None:
        self._taken: Counter[Hashable] = Counter()
        self._lock = threading.RLock()  # a share may be given back by any thread, also by one that takes another

    @property
    def taken(self) -> int:
        """How many bytes are taken."""
        with self._lock:
            return self._taken.total()

    def take(self, environ: Environ, owner: Hashable, limit: int) -> bool:
        """Take room for the body of a request until that is forgotten; return whether there was room."""
        size = min(int(environ.get("CONTENT_LENGTH") or limit), limit)
        refused = self._take(owner, size)
        if refused is None:
            environ[_SHARE] = _Share(self, owner, size)
        else:
            environ[NO_ROOM] = refused
        return refused is None

    def _take(self, owner: Hashable, size: int) -> TooManyWaiting | None:
        """Take room, or return why there is none; an error that was raised would keep the request in memory."""
        with self._lock:
            if self._taken[owner] + size > MOST_BYTES_OF_ONE:
                return TooManyWaiting(
                    f"Too many bodies wait: those of one account, or of one address without a key, may have "
                    f"[{MOST_BYTES_OF_ONE >> 20}] MB together; send fewer at once",
                    is_own=True,
                )
            if self._taken.total() + size > MOST_BYTES_IN_ALL:
                return TooManyWaiting("The service is busy: too many bodies wait", is_own=False)
            self._taken[owner] += size
            return None

    def _give_back(self, owner: Hashable, size: int) -> None:
        with self._lock:
            self._taken[owner] -= size
            if not self._taken[owner]:
                del self._taken[owner]
