"""Planted faults in the term of the leader, the fence, and the relay of rate books."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tools.simulation.patches import Patch

from cambist.cluster.book_relay import BOOK, BookRelay
from cambist.storage.shared.rate_book.buffers import EncodedBook
from cambist.storage.sql import backends, leadership


def _not_fenced() -> list[Patch]:
    def check_leads(_connection: Any, _epoch: int) -> None:
        """Let everybody commit."""

    return [(backends, "check_leads", check_leads)]


def _taken_in_force() -> list[Patch]:
    def is_free(_state: Any, _holder: str) -> bool:
        return True

    return [(leadership, "_is_free", is_free)]


def _never_free() -> list[Patch]:
    def is_free(state: Any, holder: str) -> bool:
        return bool(state.holder == holder)

    return [(leadership, "_is_free", is_free)]


def _older_books_shown() -> list[Patch]:
    def apply(self: BookRelay, book: EncodedBook) -> None:
        self._book_file.publish_encoded(book)
        self._order, self._book = book.order, book

    async def compare(self: BookRelay) -> None:
        """Take what Redis has, whatever this node has: after it was emptied, a former leader may have filled it."""
        content = await self._redis.command("HGET", BOOK, "content")
        if content is not None:
            self._apply_content(content)
        elif self._order[0] and (book := self._book_file.encoded()) is not None:
            await self._store(book)

    return [(BookRelay, "_apply", apply), (BookRelay, "_compare", compare)]


LEADERSHIP_FAULTS: Mapping[str, Callable[[], list[Patch]]] = {
    "a former leader can file": _not_fenced,
    "a term is taken while it is in force": _taken_in_force,
    "a term that has ended is not taken": _never_free,
    "a node shows any book that comes": _older_books_shown,
}
