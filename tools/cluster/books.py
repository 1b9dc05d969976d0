"""What each node's workers see of the rate book: which book, and how long after it was built."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tools.cluster.node import Node

from cambist.errors import RateBookDamaged
from cambist.storage.shared.rate_book.reader import RateBookReader
from cambist.storage.shared.rate_book.transfer import pack_book

_LOOK_SECONDS = 0.005
_KEPT = 200_000


@dataclass
class Books:
    """Looks at the rate books of all nodes, in a thread. `older` are sentences about books that went back."""

    nodes: Sequence[Node]
    seen: dict[int, tuple[int, int]] = field(default_factory=dict)
    lags: dict[int, list[float]] = field(default_factory=dict)
    older: list[str] = field(default_factory=list)
    _ended: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        """Begin to look."""
        threading.Thread(target=self._run, name="books", daemon=True).start()

    def stop(self) -> None:
        """Look no longer."""
        self._ended.set()

    def age(self, node: Node) -> float:
        """Return the seconds since the node's book was built."""
        at = RateBookReader(_book_of(node)).published_at()
        return float("inf") if at is None else time.time() - at

    def _run(self) -> None:
        readers = {node.number: RateBookReader(_book_of(node)) for node in self.nodes}
        while not self._ended.wait(_LOOK_SECONDS):
            for number, reader in readers.items():
                with contextlib.suppress(RateBookDamaged):
                    self._look(number, reader)

    def _look(self, number: int, reader: RateBookReader) -> None:
        current = reader.age_order()
        before = self.seen.get(number)
        if current is None or current == before:
            return
        now, at = time.time(), reader.published_at()
        self.seen[number] = current
        # A node that starts writes a book of its own first, in the epoch 0.
        if before is not None and current < before and current[0]:
            self.older.append(f"node-{number} had the book {before[1]} of epoch {before[0]}, then {current}")
        if at is not None and len(self.lags.setdefault(number, [])) < _KEPT:
            self.lags[number].append(now - at)


def _book_of(node: Node) -> Path:
    return node.data / "rates.book"


def size_of_book(node: Node) -> int:
    """Return the bytes of a node's book as it travels to the other nodes."""
    book = RateBookReader(_book_of(node)).encoded()
    return len(pack_book(book)) if book else 0


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that a share of all does not exceed; 0 if there is none."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else 0.0
