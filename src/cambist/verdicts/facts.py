"""Facts: all that is known about one code, as columns. Verdicts are derived from them and from nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """A source, as far as it matters to one code.

    A `compiled` source compiles what others publish. An `is_issuer` source is the central bank of this currency.
    `fixed_at` is the hour (UTC) of the market that its fixings show, NaN if it is not known.
    """

    key: str
    compiled: bool = False
    is_issuer: bool = False
    fixed_at: float = nan


@dataclass(frozen=True, slots=True)
class CodeFixings:
    """All fixings of one code: a row for each day on which anything was published, a column for each source.

    `days` ascend, counted from 1970-01-01. `sources` are ordered by rank, best first. `values` are the newest
    revisions, as the natural logarithm of units of the code per US dollar through the source's own dollar rate of that
    day; NaN where there is none. `accepted` and `rejected` are decisions of the operator on them.
    """

    days: Ints
    sources: tuple[SourceFacts, ...]
    values: Floats
    accepted: Bools | None = None
    rejected: Bools | None = None


@dataclass(frozen=True, slots=True)
class CodeReference:
    """What the reference tables say about one code.

    `pegs` has the legal rate for each row of the fixings (log units per dollar; NaN without a peg), or is None.
    `redenominations` are days with the logarithm of how many old units became one new unit, under the same code.
    `plausible` is a packaged level (log units per dollar) to compare the very first fixing with; None if there is none.
    """

    pegs: Floats | None = None
    redenominations: tuple[tuple[int, float], ...] = ()
    plausible: float | None = None


NO_REFERENCE = CodeReference()
