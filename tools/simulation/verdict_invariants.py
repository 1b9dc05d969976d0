"""Invariants of verdicts against the truth: what an honest majority says is served, and a spike of one source never."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from math import isnan, log

from tools.simulation.newest_values import Place, SettledValue
from tools.simulation.reference_rates import ReferenceRates
from tools.simulation.scripted_source import ScriptedFixing
from tools.simulation.stored_rows import StoredFixing
from tools.simulation.violation import require

from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.pair import PIVOT
from cambist.sources.base import Source

MAJORITY_SERVED = "what an honest majority says is served"
NO_DAY_TO_COME = "no fixing of a day to come is stored"

WRONG = 0.02
"""How far from the truth (log) a fixing is wrong."""

_SERVED = 0.045
"""How far from the truth (log) a rate may be that is served: sources differ, and fixings near it are as good."""

_LEAST_DAYS = 4
_ISSUER = 3
_AHEAD = timedelta(days=2)


class VerdictInvariants:
    """Remembers which fixings of the archive are wrong, and compares what is served with what the others say."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = sources
        self._wrong: dict[Place, SettledValue] = {}

    def put(self, fixings: Sequence[ScriptedFixing]) -> None:
        """Take in what a source has said."""
        for scripted in fixings:
            if is_wrong(scripted):
                self._wrong[scripted.place] = scripted.value
            else:
                self._wrong.pop(scripted.place, None)

    def check_days(self, added: Sequence[StoredFixing], today: date) -> None:
        """Check that no new row is of a day more than two days ahead."""
        for row in added:
            is_ahead = date.fromisoformat(row.day) > today + _AHEAD
            require(not is_ahead, NO_DAY_TO_COME, f"{row} is of a day that is yet to come")

    def check(self, matrix: RateMatrix, reference: ReferenceRates, codes: Collection[str]) -> None:
        """Check the days of a matrix on which an honest majority of two sources or more has spoken."""
        wrong = self._wrong_days(codes)
        for code in codes:
            rates = reference.rates(code)
            honest = {key for key in rates if not wrong.get((key, code))}
            days = sorted({day for key in honest for day in rates[key]})
            for day in days[_LEAST_DAYS:]:
                said = sorted(rates[key][day] for key in honest if day in rates[key])
                others = sum(self._weight(key, code) for key in rates.keys() - honest if day in rates[key])
                if len(said) < 2 or len(said) <= others:
                    continue
                value = matrix.cell(day, code)
                is_served = not isnan(value) and min(abs(log(value / each)) for each in said) <= _SERVED
                require(is_served, MAJORITY_SERVED, f"{code} on {day} is {value}, but the honest ones say {said}")

    def _weight(self, source: str, code: str) -> int:
        """Return the weight of a source: the second fixing of an issuer decides about its own currency."""
        return _ISSUER if self._sources[source].anchor == code else 1

    def _wrong_days(self, known: Collection[str]) -> dict[tuple[str, str], int]:
        """Return how many wrong fixings a source has said about each code; a wrong dollar makes all of them wrong."""
        found: dict[tuple[str, str], int] = {}
        for source, base, quote, _ in self._wrong:
            anchor = self._sources[source].anchor
            code = quote if base == anchor else base
            for each in known if code == PIVOT else (code,):
                found[source, each] = found.get((source, each), 0) + 1
        return found


def is_wrong(scripted: ScriptedFixing) -> bool:
    """Return whether a fixing is far from the truth."""
    return abs(log(float(scripted.fixing.value) / scripted.true_value)) > WRONG
