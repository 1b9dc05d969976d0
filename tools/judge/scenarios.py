"""The scenarios: what sources may do to a code, each with one to eight sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import log
from random import Random

from tools.judge.panel import Event, Panel, rounded

from cambist.verdicts.facts import CodeReference, SourceFacts

DAYS, JUMP = 40, 20
BEGIN = (date(2026, 10, 1) - date(1970, 1, 1)).days - DAYS
Said = float | None | list[tuple[int, float]]
Liar = Callable[[int, float, Sequence[float]], Said]
"""What a source says instead: by the number of the day, what it would say, and the truth of all days. A list names days
itself."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A story: the truth moves by `volatility` and `drift` a day, and jumps by `jump`; some sources are `liars`."""

    name: str
    liars: Mapping[int, Liar] = field(default_factory=dict)
    jump: float = 1.0
    volatility: float = 0.002
    drift: float = 0.0
    noise: float = 0.0005
    digits: int = 5
    missing: float = 0.0
    honest_late: int = 0
    starts: int = 0
    weekend: float = 0.0
    issuer: bool = False
    peg: float | None = None
    reference: CodeReference = field(default_factory=CodeReference)
    truth: Callable[[list[float]], list[float]] | None = None
    least: int = 1

    def panel(self, sources: int, seed: int = 1, *, is_reversed: bool = False) -> Panel:
        """Return the scenario with so many sources, which publish in the order of their rank or the other way round."""
        hours = [8.0 + (sources - 1 - source if is_reversed else source) for source in range(sources)]
        truth = self._truth(seed)
        events = [
            event
            for index in range(DAYS)
            for source in range(sources)
            for event in self._events(index, source, hours, truth, seed)
        ]
        facts = tuple(
            SourceFacts(f"a{source}", is_issuer=self.issuer and not source, fixed_at=hours[source])
            for source in range(sources)
        )
        by_day = {BEGIN + index: value for index, value in enumerate(truth)}
        jump = BEGIN + JUMP if self.jump != 1.0 else -1
        skip = 0 if self.starts else 6
        return Panel(self.name, by_day, events, facts, jump, skip, self.reference, self.peg)

    def _truth(self, seed: int) -> list[float]:
        random, level, path = Random(seed), log(1400.0), []
        for _ in range(DAYS):
            level += random.gauss(self.drift, self.volatility)
            path.append(level)
        path = self.truth(path) if self.truth else path
        return [value + (log(self.jump) if index >= JUMP else 0.0) for index, value in enumerate(path)]

    def _events(self, index: int, source: int, hours: list[float], truth: list[float], seed: int) -> Iterator[Event]:
        day = BEGIN + index
        is_weekend = (day + 3) % 7 >= 5
        if self.weekend and is_weekend and source != len(hours) - 1:
            return
        if self.starts and source and index < self.starts:
            return
        if self.missing and Random(seed * 31 + index * 977 + source * 13).random() < self.missing:
            return
        said: Said = truth[index] + Random(seed * 7919 + index * 101 + source).gauss(0, self.noise)
        if self.honest_late and source and JUMP <= index < JUMP + self.honest_late:
            said -= log(self.jump)
        if self.weekend and is_weekend:
            said += log(1 + self.weekend)
        if source in self.liars:
            said = self.liars[source](index, said, truth)
        if said is None:
            return
        for at, value in said if isinstance(said, list) else [(index, said)]:
            yield Event(day * 24 + hours[source], f"a{source}", BEGIN + at, rounded(value, self.digits))


def wrong_for_ever(by: float, since: int = JUMP) -> Liar:
    """Return a source that is wrong by a factor from a row on."""
    return lambda index, value, _: value + log(by) if index >= since else value


def _once(by: float) -> Liar:
    return lambda index, value, _: value + log(by) if index == JUMP else value


def _inverted(index: int, value: float, _truth: Sequence[float]) -> float:
    return -value if index == JUMP else value


def _stale(index: int, _value: float, truth: Sequence[float]) -> float:
    return truth[min(index, 14)]


def _a_day_late(index: int, _value: float, truth: Sequence[float]) -> float:
    return truth[max(0, index - 1)]


def _drifts(by: float) -> Liar:
    return lambda index, value, _: value + log(1 + by * max(0, index - 14))


def _corrects_wrongly(index: int, value: float, truth: Sequence[float]) -> Said:
    return [(index - 1, truth[index - 1] + log(1.06)), (index, value)] if index == JUMP else value


def _corrects_a_typo(index: int, value: float, truth: Sequence[float]) -> Said:
    if index == JUMP + 1:
        return [(index - 1, truth[index - 1]), (index, value)]
    return value + log(1.08) if index == JUMP else value


def _redenominated(path: list[float]) -> list[float]:
    return [value - (log(1000) if index >= JUMP else 0.0) for index, value in enumerate(path)]


def _pegged(path: list[float]) -> list[float]:
    return [log(6.91)] * len(path)


_NEW_UNIT = CodeReference(redenominations=((BEGIN + JUMP, log(1000)),))
SCENARIOS: tuple[Scenario, ...] = (
    *(Scenario(f"true jump x{by:g} of all", jump=by) for by in (1.06, 1.1, 1.2, 1.6, 2.18, 26.2, 1 / 1.16)),
    Scenario("inverted, one day", {0: _inverted}),
    Scenario("x100 for ever", {0: wrong_for_ever(100)}),
    Scenario("/100 for ever", {0: wrong_for_ever(0.01)}),
    Scenario("/1000, one day", {0: _once(0.001)}),
    Scenario("swapped columns, one day", {0: _once(1 / 120)}),
    Scenario("swapped columns for ever", {0: wrong_for_ever(1 / 120)}),
    *(Scenario(f"one cell {by - 1:+.1%}", {0: _once(by)}) for by in (1.03, 1.049, 1.08, 1.24, 1.4, 0.6)),
    Scenario("stale file under new dates", {0: _stale}, drift=0.005),
    Scenario("best drifts +0.5 % a day", {0: _drifts(0.005)}),
    Scenario("best +10 % for ever", {0: wrong_for_ever(1.1, 14)}),
    Scenario("best +12 % from the first day", {0: wrong_for_ever(1.12, 0)}),
    Scenario("x100 from the first day", {0: wrong_for_ever(100, 0)}),
    Scenario("x100 alone for 8 days, then others", {0: wrong_for_ever(100, 0)}, starts=8, least=2),
    Scenario("one source devalues x1.1", {0: wrong_for_ever(1.1)}),
    Scenario("one source devalues x26", {0: wrong_for_ever(26)}),
    Scenario("corrects yesterday +6 %, wrongly", {0: _corrects_wrongly}),
    Scenario("typing error +8 %, corrected", {0: _corrects_a_typo}),
    Scenario("a day late, moves 1 % a day", {0: _a_day_late}, volatility=0.01),
    Scenario(
        "new unit by table, one too early",
        {0: lambda index, value, _: value - log(1000) if index == JUMP - 1 else value},
        truth=_redenominated,
        reference=_NEW_UNIT,
    ),
    Scenario("new unit by table, one never", {0: wrong_for_ever(1000)}, truth=_redenominated, reference=_NEW_UNIT),
    Scenario("peg breaks x1.5", truth=_pegged, jump=1.5, peg=log(6.91), noise=0.0003),
    Scenario("jump x1.5, others a day later", jump=1.5, honest_late=1, least=2),
    Scenario("jump x1.5, others 4 days later", jump=1.5, honest_late=4, least=2),
    Scenario("same, the best is the issuer", jump=1.5, honest_late=4, issuer=True, least=2),
    Scenario("issuer: one cell +8 %", {0: _once(1.08)}, issuer=True),
    Scenario("issuer: x100 for ever", {0: wrong_for_ever(100)}, issuer=True),
    Scenario(
        "x100 from day 0, packaged level", {0: wrong_for_ever(100, 0)}, reference=CodeReference(plausible=log(1300))
    ),
    Scenario("jump x1.5, 10 % missing", jump=1.5, missing=0.1),
    Scenario("4 digits, calm", volatility=0.0002, noise=0.0002, digits=4),
    Scenario("two of n +4 % for ever", {n: wrong_for_ever(1.04, 14) for n in (0, 1)}, least=3),
    Scenario("two of n +10 % for ever", {n: wrong_for_ever(1.1, 14) for n in (0, 1)}, least=3),
    Scenario("two of n +12 % from the first day", {n: wrong_for_ever(1.12, 0) for n in (0, 1)}, least=3),
    Scenario("two of n x100 for ever", {n: wrong_for_ever(100, 14) for n in (0, 1)}, least=3),
    Scenario("two of n drift 0.4 % a day", {n: _drifts(0.004) for n in (0, 1)}, least=3),
    Scenario("lone weekend liar -4.5 %", weekend=-0.045, least=2),
    Scenario("lone weekend liar -9 %", weekend=-0.09, least=2),
)
