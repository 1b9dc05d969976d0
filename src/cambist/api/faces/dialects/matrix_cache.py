"""A cache of what is computed from the newest rate matrix and is large: files of many days."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from cambist.history.rate_matrix import RateMatrix


@dataclass(frozen=True, slots=True)
class _Computed:
    """What was computed from one rate matrix."""

    matrix: weakref.ref[RateMatrix]
    contents: dict[str, bytes] = field(default_factory=dict)


class MatrixCache:
    """Contents by name, computed once for each rate matrix; those of an earlier matrix are dropped.

    Contents are computed one after the other: threads that ask for the same one at the same time wait for it.
    """

    def __init__(self) -> None:
        self._computed: _Computed | None = None
        self._lock = Lock()

    def content(self, matrix: RateMatrix, name: str, compute: Callable[[], bytes]) -> bytes:
        """Return the content of a name for a rate matrix."""
        with self._lock:
            computed = self._computed
            if computed is None or computed.matrix() is not matrix:
                computed = self._computed = _Computed(weakref.ref(matrix))
            found = computed.contents.get(name)
            if found is None:
                found = computed.contents[name] = compute()
            return found
