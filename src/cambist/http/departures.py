"""Noticing clients that leave while their request waits in a thread, when nothing is read from them.

A reset connection is gone. A client that only ended its side may still read the answer, or may have closed: the same
packet says both, and only the reply to something that is sent tells them apart. So a client that has ended its side for
half a second gets `100 Continue`, which every client of HTTP/1.1 has to skip. One that has closed replies with a reset.
"""

from __future__ import annotations

import select
from collections.abc import Iterable
from enum import Enum

LOOK_SECONDS = 0.25
"""How often clients whose requests wait are looked at."""

_ENDED = getattr(select, "POLLRDHUP", 0)  # other systems than Linux only say that a client is gone
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL


class Presence(Enum):
    """What can be known of a client: it is there, it sends no more, or it is gone."""

    THERE = "there"
    ENDED = "ended"
    GONE = "gone"


def presences(descriptors: Iterable[int]) -> dict[int, Presence]:
    """Return what can be known of the clients of some sockets, without reading from them or waiting."""
    poll = select.poll()
    found = {}
    for descriptor in descriptors:
        found[descriptor] = Presence.GONE if descriptor < 0 else Presence.THERE
        if descriptor >= 0:
            poll.register(descriptor, _ENDED)
    for descriptor, events in poll.poll(0):
        found[descriptor] = Presence.GONE if events & _GONE else Presence.ENDED
    return found
