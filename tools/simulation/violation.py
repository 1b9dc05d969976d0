"""What a simulation reports when an invariant does not hold."""

from __future__ import annotations


class ViolationError(BaseException):
    """An invariant does not hold: its name, and what is wrong. It passes all handlers of the code under test."""

    def __init__(self, invariant: str, sentence: str) -> None:
        super().__init__(invariant, sentence)
        self.invariant = invariant
        self.sentence = sentence

    def __str__(self) -> str:
        return f"{self.invariant}: {self.sentence}"


def require(condition: object, invariant: str, sentence: str) -> None:
    """Check a condition. Errors: ViolationError."""
    if not condition:
        raise ViolationError(invariant, sentence)
