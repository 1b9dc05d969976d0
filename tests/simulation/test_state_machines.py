"""The state machines hold, and each finds a fault that is planted; `make fuzz` tries many more cases."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test
from tests.simulation.leadership_machine import LeadershipMachine
from tests.simulation.state_machines import ArchiveMachine, CountersMachine, LeasesMachine
from tools.simulation.patches import Patch, patched
from tools.simulation.planted_faults import PLANTED

from cambist.storage.sql import backends, leadership

MACHINES = [ArchiveMachine, CountersMachine, LeasesMachine, LeadershipMachine]
LEADERSHIP_FAULTS: dict[str, list[Patch]] = {
    "a former leader files": [(backends, "check_leads", lambda _connection, _epoch: None)],
    "a term in force is taken": [(leadership, "_is_free", lambda _state, _holder: True)],
    "a term that another node has is renewed": [(leadership.SqlLeadership, "renew", lambda *_: True)],
    "a term is not held for longer": [(leadership.SqlLeadership, "renew", lambda *_: False)],
    "a lost term is never free": [(leadership, "_is_free", lambda state, holder: state.holder == holder)],
}
FOUND: list[tuple[type[RuleBasedStateMachine], str]] = [
    (ArchiveMachine, "a correction overwrites the row before it"),
    (ArchiveMachine, "a correction is lost"),
    (ArchiveMachine, "a fixing is stored again with each delivery"),
    (CountersMachine, "counted calls are folded twice"),
    (CountersMachine, "a call that costs several is counted as one"),
    (LeasesMachine, "two nodes are granted the same calls"),
    *((LeadershipMachine, fault) for fault in LEADERSHIP_FAULTS),
]
CASES = 400 if os.environ.get("HYPOTHESIS_PROFILE") == "fuzz" else 15
CHOSEN = settings(
    max_examples=CASES, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck), print_blob=False
)


@pytest.mark.long
@pytest.mark.parametrize("machine", MACHINES)
def test_any_sequence_of_steps_holds(machine: type[RuleBasedStateMachine]) -> None:
    run_state_machine_as_test(machine, settings=CHOSEN)  # type: ignore[no-untyped-call]


@pytest.mark.long(every=11)
@pytest.mark.parametrize(("machine", "fault"), FOUND)
def test_a_planted_fault_is_found(machine: type[RuleBasedStateMachine], fault: str) -> None:
    chosen = settings(
        CHOSEN, max_examples=400, stateful_step_count=40, derandomize=True, phases=list(settings().phases)[:3]
    )
    patches = LEADERSHIP_FAULTS[fault] if machine is LeadershipMachine else PLANTED[fault]()
    with patched(patches), pytest.raises((AssertionError, ExceptionGroup)):
        run_state_machine_as_test(machine, settings=chosen)  # type: ignore[no-untyped-call]
