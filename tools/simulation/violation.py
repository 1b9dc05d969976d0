"""What a simulation reports when an invariant does not hold."""

from __future__ import annotations


class ViolationError(BaseException):
    """An invariant does not hold: its name, and what is wrong. It passes all handlers of the code under test."""

    def __init__(self, invariant: str, sentence: str) -> None:
        super().__init__(f"{invariant}: {sentence}")
        self.invariant = invariant


def require(condition: object, invariant: str, sentence: str) -> None:
    """Check a condition. Errors: ViolationError."""
    if not condition:
        raise ViolationError(invariant, sentence)
