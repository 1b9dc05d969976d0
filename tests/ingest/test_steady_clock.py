"""A clock that bars go by: it does not step with the machine's clock until a step has lasted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from cambist.ingest.steady_clock import ACCEPTED_AFTER, STEP, SteadyClock, boot_seconds

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)


class Machine:
    """A machine whose clock can be set."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.wrong_by = timedelta()
        self.clock = SteadyClock(lambda: self.seconds)

    @property
    def true_time(self) -> datetime:
        return NOON + timedelta(seconds=self.seconds - 1000)

    def read(self) -> datetime:
        return self.clock.at(self.true_time + self.wrong_by)

    def wait(self, seconds: float) -> None:
        for _ in range(int(seconds)):
            self.seconds += 1
            self.read()


@pytest.fixture
def machine() -> Machine:
    machine = Machine()
    assert machine.read() == NOON
    return machine


@pytest.mark.parametrize("step", [2 * HOUR, -2 * HOUR])
def test_a_step_that_is_undone_is_never_followed(machine: Machine, step: timedelta) -> None:
    machine.wrong_by = step
    machine.wait(ACCEPTED_AFTER - 10)
    assert machine.read() == machine.true_time
    machine.wrong_by = timedelta()
    machine.wait(ACCEPTED_AFTER)
    assert machine.read() == machine.true_time


@pytest.mark.parametrize("step", [2 * HOUR, -2 * HOUR])
def test_a_step_that_lasts_is_followed(machine: Machine, step: timedelta, caplog: pytest.LogCaptureFixture) -> None:
    machine.wrong_by = step
    machine.wait(ACCEPTED_AFTER + 2)
    assert machine.read() == machine.true_time + step
    assert [record.message for record in caplog.records] == [
        f"Bars: the machine's clock stepped by {step.total_seconds():+.0f} s; they follow it after 300 s",
        "Bars: the machine's clock stayed where it was set, they follow it now",
    ]


def test_each_of_two_steps_gets_its_time(machine: Machine) -> None:
    machine.wrong_by = 2 * HOUR
    machine.wait(ACCEPTED_AFTER - 10)
    machine.wrong_by = -3 * HOUR
    machine.wait(ACCEPTED_AFTER - 10)
    assert machine.read() == machine.true_time
    machine.wait(20)
    assert machine.read() == machine.true_time - 3 * HOUR


def test_a_clock_that_is_slowly_set_right_is_followed_at_once(machine: Machine) -> None:
    for _ in range(100):
        machine.wrong_by += (STEP - 1) * SECOND
        assert machine.read() == machine.true_time + machine.wrong_by


def test_the_elapsed_time_goes_on() -> None:
    assert boot_seconds() <= boot_seconds()
