import numpy as np

from cambist.verdicts.facts import CodeFixings, SourceFacts
from cambist.verdicts.verdict import Judgement

COLUMNS = ("level", "status", "source", "source_day", "other", "fixing_status", "reason", "weight", "distance")


def same(one: Judgement, other: Judgement) -> list[str]:
    """The columns in which two judgements differ in any bit, on the rows that both have but the first."""
    rows = min(len(one.days), len(other.days)) - 1
    return [
        name
        for name in COLUMNS
        if not np.array_equal(_last(getattr(one, name), rows), _last(getattr(other, name), rows), equal_nan=True)
    ]


def _last(column: np.ndarray, rows: int) -> np.ndarray:
    return column[len(column) - rows :]


def random_fixings(seed: int, rows: int = 90, sources: int = 4) -> CodeFixings:
    """Fixings with everything that goes wrong: jumps, spikes, mistaken units, gaps, repeats and late sources."""
    random = np.random.default_rng(seed)
    steps = random.choice([1, 1, 1, 1, 3, 3, 8, 100], rows, p=[0.2, 0.2, 0.2, 0.19, 0.1, 0.09, 0.015, 0.005])
    truth = np.cumsum(random.normal(0, random.choice([0.0002, 0.003, 0.015]), rows)) + 3.0
    truth += np.cumsum((random.random(rows) < 0.03) * random.choice([0.1, -0.3, 4.6], rows))
    values = truth[:, None] + random.normal(0, random.choice([0.0002, 0.002]), (rows, sources))
    values += (random.random(values.shape) < 0.04) * random.choice([0.03, -0.08, 0.5, 4.605, -6.9], values.shape)
    for row, column in np.argwhere(random.random(values.shape) < 0.06):
        values[row, column] = values[row - 1, column]
    values[random.random(values.shape) < 0.15] = np.nan
    empty = np.isnan(values).all(axis=1)
    values[empty, 0] = truth[empty]
    facts = tuple(
        SourceFacts(f"s{n}", compiled=n == sources - 1 > 1, is_issuer=n == 1 and bool(random.random() < 0.3))
        for n in range(sources)
    )
    return CodeFixings(20_000 + np.cumsum(steps), facts, values)


def part(fixings: CodeFixings, first: int, end: int) -> CodeFixings:
    """Some rows of the fixings."""
    return CodeFixings(fixings.days[first:end], fixings.sources, fixings.values[first:end])
