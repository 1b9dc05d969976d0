from __future__ import annotations

import asyncio
import gc
import os
import signal
from collections.abc import Iterator

import pytest
from tests.patience import PATIENCE

from cambist.processes import process
from cambist.processes.process import StopSignal, end_with, running_tasks, set_up_process, tune_gc
from cambist.settings import Settings

NO_PROCESS = -1


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    """Leave the garbage collector and the signal handlers as they were."""
    thresholds, handlers = (
        gc.get_threshold(),
        {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)},
    )
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    for each, handler in handlers.items():
        signal.signal(each, handler)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The signals that are sent instead of being delivered."""
    signals: list[tuple[int, int]] = []
    monkeypatch.setattr(process.os, "kill", lambda *call: signals.append(call))
    return signals


def test_ctrl_c_is_left_to_the_supervisor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process.logging.config, "dictConfig", lambda _: None)
    set_up_process(Settings())
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_process_goes_on_while_its_supervisor_lives() -> None:
    assert not StopSignal(os.getppid()).is_set()
    assert not StopSignal(os.getppid()).wait(0)


def test_a_process_stops_on_sigterm() -> None:
    stop = StopSignal(os.getppid())
    signal.raise_signal(signal.SIGTERM)
    assert stop.is_set()
    assert stop.wait(60)


def test_a_process_stops_when_its_supervisor_has_died() -> None:
    assert StopSignal(NO_PROCESS).is_set()
    assert StopSignal(NO_PROCESS).wait(0)


def test_tasks_run_until_the_process_should_stop() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGTERM)
            await asyncio.Event().wait()
        finally:
            ended.append("work")

    async def run() -> None:
        stop = StopSignal(os.getppid())
        async with running_tasks([work()]) as tasks:
            await stop.wait_beside(tasks)

    asyncio.run(run())
    assert ended == ["work"]


def test_a_task_that_fails_ends_the_others_and_the_process() -> None:
    ended: list[str] = []

    async def fail() -> None:
        raise ZeroDivisionError

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("work")

    async def run() -> None:
        async with running_tasks([work(), fail()]) as tasks:
            await StopSignal(os.getppid()).wait_beside(tasks)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(run())
    assert ended == ["work"]


def test_a_task_that_overlooks_that_it_is_cancelled_is_cancelled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_CANCEL_SECONDS", 0.01)
    cancelled: list[int] = []

    async def overlook() -> None:
        for number in range(3):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append(number)

    async def run() -> None:
        async with running_tasks([overlook()]):
            await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(run(), PATIENCE))
    assert cancelled == [0, 1, 2]


def test_an_orphan_ends_itself(sent: list[tuple[int, int]]) -> None:
    process._end_with(NO_PROCESS)
    assert sent == [(os.getpid(), signal.SIGTERM)]


def test_a_process_whose_supervisor_lives_is_not_ended(sent: list[tuple[int, int]]) -> None:
    end_with(os.getppid())
    assert sent == []


def test_the_garbage_collector_skips_present_objects_and_runs_seldom() -> None:
    gc.unfreeze()
    gc.set_threshold(usual := 700)
    tune_gc()
    assert gc.isenabled()
    assert gc.get_threshold()[0] > 100 * usual
    assert gc.get_freeze_count() > 10_000
