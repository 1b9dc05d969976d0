"""A cache of what is computed from the newest rate matrix and is large: files of many days."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field

from cambist.history.rate_matrix import RateMatrix


@dataclass(frozen=True, slots=True)
class _Computed:
    """What was computed from one rate matrix."""

    matrix: weakref.ref[RateMatrix]
    contents: dict[str, bytes] = field(default_factory=dict)


class MatrixCache:
    """Contents by name, computed once for each rate matrix; those of an earlier matrix are dropped.

    Threads that ask for a content at the same time may compute it twice; each gets the content of its own matrix.
    """

    def __init__(self) -> None:
        self._computed: _Computed | None = None

    def content(self, matrix: RateMatrix, name: str, compute: Callable[[], bytes]) -> bytes:
        """Return the content of a name for a rate matrix."""
        computed = self._computed
        if computed is None or computed.matrix() is not matrix:
            computed = self._computed = _Computed(weakref.ref(matrix))
        found = computed.contents.get(name)
        if found is None:
            found = computed.contents[name] = compute()
        return found
