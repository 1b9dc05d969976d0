"""Planted faults: patches of the code under test, each of which some invariant must find."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tools.simulation.patches import Patch
from tools.simulation.planted_in_archive import ARCHIVE_FAULTS
from tools.simulation.planted_in_judging import JUDGING_FAULTS
from tools.simulation.planted_in_leadership import LEADERSHIP_FAULTS
from tools.simulation.planted_in_quotas import QUOTA_FAULTS
from tools.simulation.planted_in_rates import RATE_FAULTS

PLANTED: Mapping[str, Callable[[], list[Patch]]] = {
    **ARCHIVE_FAULTS,
    **JUDGING_FAULTS,
    **RATE_FAULTS,
    **QUOTA_FAULTS,
    **LEADERSHIP_FAULTS,
}
"""What each planted fault replaces, by its name."""


FOUND_BY: Mapping[str, tuple[str, str]] = {
    "a correction overwrites the row before it": ("corrections", "the archive is append-only"),
    "a correction is lost": ("corrections", "the archive is equal to what was said"),
    "a fixing is stored again with each delivery": ("corrections", "no fixing twice"),
    "a delivery is committed before its fixings": ("broken machine", "the archive is equal to what was said"),
    "fixings that wait do not confirm a jump": ("jump", "verdicts are what follows from all fixings"),
    "the first arrival of a day is published": ("liar", "verdicts are what follows from all fixings"),
    "the history is not voted on": ("jump", "verdicts are what follows from all fixings"),
    "the operator's decisions are forgotten": ("decision", "verdicts are what follows from all fixings"),
    "a verdict overwrites the one before it": ("jump", "the log of verdicts is append-only"),
    "one source may move a level by a unit": ("alone", "one source alone never moves a level by a unit"),
    "no jump is ever believed": ("jump", "a true jump is served with the fixing that makes a majority"),
    "a jump costs nothing": ("few", "no wrong fixing of one day is published in the end"),
    "ranks overrule votes": ("best wrong", "no day is wrong in the end where most sources are honest"),
    "verdicts on days long past are not derived again": ("months", "any order of arrival leads to the same verdicts"),
    "each delivery judges every code": ("corrections", "a delivery costs no more than judging its codes"),
    "verdicts are not taken back": ("corrections", "verdicts are what follows from all fixings"),
    "editions do not say which verdicts they show": (
        "corrections",
        "what was known at an edition is what was served then",
    ),
    "a fixing of a day to come is accepted": ("corrections", "no fixing of a day to come is stored"),
    "an answer that was not stored is not fetched again": (
        "corrections",
        "the archive is equal to what was said",
    ),
    "past days are not read again": ("corrections", "the archive is equal to what was said"),
    "a delivery is taken for one that is stored": ("corrections", "the archive is equal to what was said"),
    "an inverted pair is not inverted": ("corrections", "verdicts are what follows from all fixings"),
    "the nominal is ignored": ("corrections", "verdicts are what follows from all fixings"),
    "each day of the matrix is the day before": ("corrections", "verdicts are what follows from all fixings"),
    "corrections do not reach the matrix": ("jump", "verdicts are what follows from all fixings"),
    "a fixing is carried forward for too long": ("corrections", "the matrix equals one built from the archive"),
    "the rate matrix is never built again": ("corrections", "the matrix equals one built from the archive"),
    "an edition names a delivery that is to come": ("corrections", "no edition without its deliveries"),
    "an edition is not recorded": ("corrections", "no edition without its deliveries"),
    "an edition says something else than its matrix": ("corrections", "no edition without its deliveries"),
    "new fixings do not reach the rate book": ("corrections", "no wrong price served"),
    "versions of rate books begin again": (
        "broken machine",
        "a book shown is never older than one shown before",
    ),
    "market times are a day early": ("corrections", "no wrong price served"),
    "two nodes are granted the same calls": ("quotas", "a quota is never overshot"),
    "counted calls are folded twice": ("quotas", "calls counted are calls answered"),
    "counted calls are not folded on some days": ("quotas", "calls counted are calls answered"),
    "calls are answered without a lease": ("quotas", "a quota is never overshot"),
    "a call that costs several is counted as one": ("quotas", "calls counted are calls answered"),
    "calls after midnight are counted on the day before": ("quotas", "calls counted are calls answered"),
    "a lease is used after its period": ("quotas", "a quota can be used up"),
    "a former leader can file": ("leaders", "only the last leader files"),
    "a term is taken while it is in force": ("leaders", "a term in force is not taken"),
    "a term that has ended is not taken": ("leaders", "another node leads after ten seconds"),
    "a node shows any book that comes": ("leaders", "a book shown is never older than one shown before"),
}
"""In which scenario each is found, and by which invariant."""
