"""What answers one kind of hot question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from cambist.api.direct.book_view import BookView

DirectBody = tuple[bytes, int, bytes]
"""The body of an answer up to the value of `ms`, how many calls it costs, and the headers that depend on the answer.
They are empty for an answer from the rate book: its view has them."""


class DirectAnswer(Protocol):
    """Answers the questions of one endpoint that have only the parameters `names`."""

    @property
    def names(self) -> Sequence[str]:
        """The parameters, in the order in which their values are handed over."""

    def answer(self, values: list[bytes], view: BookView, now: float) -> DirectBody:
        """Return the answer to a question. Errors: Declined; KeyError, which means the same.

        `values` has the API key first, and then those of `names`; one that is not there is empty.
        """
