"""How fast codes are judged, on synthetic fixings, in seconds of the processor."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time

import numpy as np

from cambist.verdicts.facts import CodeFixings, SourceFacts
from cambist.verdicts.judge import judge
from cambist.verdicts.measured import CONTEXT_ROWS

CODES = 40


def synthetic(rows: int, sources: int) -> CodeFixings:
    """Return fixings of so many working days; each source misses a tenth of them."""
    random = np.random.default_rng(1)
    truth = np.cumsum(random.standard_t(4, rows) * 0.003) + 3
    values = truth[:, None] + random.normal(0, 0.0005, (rows, sources))
    values[random.random(values.shape) < 0.1] = np.nan
    values[:, 0] = np.where(np.isnan(values).all(axis=1), truth, values[:, 0])
    days = np.arange(rows) // 5 * 7 + np.arange(rows) % 5
    return CodeFixings(days, tuple(SourceFacts(f"s{number}") for number in range(sources)), values)


def measure_speed() -> Iterator[str]:
    """Yield a sentence for each measurement."""
    for sources in (1, 10):
        fixings = synthetic(56 * 250, sources)
        count = int(np.count_nonzero(~np.isnan(fixings.values)))
        yield f"56 years of {sources} sources: {count / _seconds(fixings, 1):,.0f} fixings a second"
    fixings = synthetic(200, 100)
    yield f"a day of {CODES} codes among 100 sources, agreed: {1000 * _live(fixings):.1f} ms"
    values = fixings.values.copy()
    values[-1, :40] += 0.3
    contested = CodeFixings(fixings.days, fixings.sources, values)
    yield f"a contested code among 100 sources: {1000 * _live(contested) / CODES:.2f} ms"


def _live(fixings: CodeFixings) -> float:
    """Return the seconds to judge the last day of so many codes; the best of five."""
    after = judge(CodeFixings(fixings.days[:-1], fixings.sources, fixings.values[:-1])).frontier()
    tail = CodeFixings(
        fixings.days[-CONTEXT_ROWS - 1 :], fixings.sources, np.ascontiguousarray(fixings.values[-CONTEXT_ROWS - 1 :])
    )
    best = np.inf
    for _ in range(5):
        start = process_time()
        for _ in range(CODES):
            judge(tail, after=after)
        best = min(best, process_time() - start)
    return best


def _seconds(fixings: CodeFixings, times: int) -> float:
    start = process_time()
    for _ in range(times):
        judge(fixings)
    return (process_time() - start) / times
