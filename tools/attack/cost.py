"""What one attack has cost a service and the client that behaves."""

from __future__ import annotations

from dataclasses import dataclass

MOST_SLOWER = 2.0
"""How many times as long the client that behaves may wait; shown, and not decisive on a busy machine."""


@dataclass(frozen=True)
class Cost:
    """The 99th percentiles before and during in seconds, wrong answers, and MB and connections before, during, after.

    `got` is what the clients of the attack got, `broken` what was not as it should be.
    """

    name: str
    quiet: float
    disturbed: float
    wrong: int
    sizes: list[str]
    connections: str
    got: str
    broken: list[str]

    @property
    def is_quick(self) -> bool:
        """Return whether the client that behaves waited at most twice as long as before."""
        return self.disturbed <= MOST_SLOWER * self.quiet

    def line(self) -> str:
        """Return a line of the table."""
        times = f"{self.quiet * 1000:.1f}/{self.disturbed * 1000:.1f}"
        ratio = self.disturbed / (self.quiet or 1)
        verdict = "pass" if self.is_quick else "fail"
        broken = f"; BROKEN: {', '.join(self.broken)}" if self.broken else ""
        sizes = " ".join(self.sizes)
        figures = f"{times:>12} {ratio:6.1f} {verdict:>4} {self.wrong:5} {sizes:>60} {self.connections:>10}"
        return f"{self.name:15} {figures}  {self.got}{broken}"
