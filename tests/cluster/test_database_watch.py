"""Changes that are found in the database, and those that a message announces."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from tests.cluster.doubles import until
from tests.patience import PATIENCE

from cambist.clock import utc_now
from cambist.cluster.cluster_changes import ChangeOrigin, ClusterChange
from cambist.cluster.database_link import DatabaseLink
from cambist.cluster.database_watch import DatabaseWatch
from cambist.errors import PlansRefused, StoreBroken, StoreUnreachable
from cambist.status.nodes import StoreVersions

ACCOUNTS, PLANS, ARCHIVE = ClusterChange.ACCOUNTS, ClusterChange.PLANS, ClusterChange.ARCHIVE
LOCAL, REMOTE, DATABASE = ChangeOrigin.LOCAL, ChangeOrigin.REMOTE, ChangeOrigin.DATABASE


@dataclass
class Scene:
    """A database, and what was applied of it."""

    found: StoreVersions = field(default_factory=lambda: StoreVersions(1, 1, 1))
    error: Exception | None = None
    refusals: dict[ClusterChange, Exception] = field(default_factory=dict)
    applied: list[tuple[ClusterChange, ChangeOrigin]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.link = DatabaseLink(utc_now)
        apply = {topic: self._applies(topic) for topic in (ACCOUNTS, PLANS, ARCHIVE)}
        self.watch = DatabaseWatch(self.link, self._read, apply, StoreVersions(1, 1, 1))

    def _read(self) -> StoreVersions:
        if self.error is not None:
            raise self.error
        return self.found

    def _applies(self, topic: ClusterChange) -> Callable[[ChangeOrigin], object]:
        async def apply(origin: ChangeOrigin) -> None:
            if topic in self.refusals:
                raise self.refusals[topic]
            self.applied.append((topic, origin))

        return apply

    def look(self) -> list[tuple[ClusterChange, ChangeOrigin]]:
        """Look once; return what was applied."""
        self.applied.clear()
        asyncio.run(self.watch.look_now())
        return list(self.applied)


def test_what_has_changed_in_the_database_is_applied_once() -> None:
    scene = Scene()
    assert scene.look() == []
    scene.found = StoreVersions(2, 1, 5)
    assert scene.look() == [(ACCOUNTS, DATABASE), (ARCHIVE, DATABASE)]
    assert scene.look() == []
    scene.found = StoreVersions(2, 0, 5)  # a restored backup
    assert scene.look() == [(PLANS, DATABASE)]


def test_what_a_message_announces_is_applied_at_once_whatever_the_database_says() -> None:
    scene = Scene()
    scene.watch.look(ARCHIVE, REMOTE)
    assert scene.look() == [(ARCHIVE, REMOTE)]
    scene.watch.look(ACCOUNTS, LOCAL)
    scene.found = StoreVersions(2, 1, 1)
    assert scene.look() == [(ACCOUNTS, LOCAL)]
    scene.watch.look(ACCOUNTS, REMOTE)
    scene.watch.look(ACCOUNTS, LOCAL)
    assert scene.look() == [(ACCOUNTS, REMOTE)]


def test_a_message_ends_the_wait() -> None:
    scene = Scene()

    async def run() -> None:
        task = asyncio.create_task(scene.watch.run())
        while scene.watch.versions.archive < 7:
            scene.found = StoreVersions(1, 1, 7)
            scene.watch.look(ARCHIVE, REMOTE)
            await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(asyncio.wait_for(run(), PATIENCE))
    assert scene.applied[0] == (ARCHIVE, REMOTE)


def test_what_was_announced_while_the_database_is_gone_is_applied_when_it_is_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scene = Scene(error=StoreUnreachable("The database cannot be reached: gone"))
    scene.watch.look(ARCHIVE, REMOTE)
    assert scene.look() == scene.look() == []
    assert scene.link.lost_at is not None
    scene.error = None
    assert scene.look() == [(ARCHIVE, REMOTE)]
    assert scene.link.lost_at is None
    assert caplog.text.count("the database does not answer") == 1


@pytest.mark.parametrize("error", [StoreBroken("The database cannot be used: locked"), OSError("no space")])
def test_what_cannot_be_applied_is_tried_again(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    scene = Scene(refusals={PLANS: error})
    scene.found = StoreVersions(1, 2, 2)
    assert scene.look() == [(ARCHIVE, DATABASE)]
    assert scene.look() == []
    scene.refusals.clear()
    assert scene.look() == [(PLANS, DATABASE)]
    assert caplog.text.count("a change of plans cannot be applied") == 1


def test_what_this_version_cannot_read_waits_for_the_next_change() -> None:
    scene = Scene(refusals={PLANS: PlansRefused("unknown key", 1)})
    scene.found = StoreVersions(1, 2, 1)
    assert scene.look() == []
    scene.refusals.clear()
    assert scene.look() == []
    scene.found = StoreVersions(1, 3, 1)
    assert scene.look() == [(PLANS, DATABASE)]


def test_a_database_that_hangs_counts_as_lost_while_its_answer_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cambist.cluster.database_link._ANSWER_SECONDS", 0.05)

    async def run() -> None:
        link, answers = DatabaseLink(utc_now), asyncio.Event()
        loop = asyncio.get_running_loop()

        def hang() -> int:
            asyncio.run_coroutine_threadsafe(answers.wait(), loop).result()
            return 7

        call = asyncio.create_task(link.call(hang))
        await until(lambda: link.lost_at is not None)
        assert not call.done()
        answers.set()
        assert await call == 7
        assert link.lost_at is None

    asyncio.run(asyncio.wait_for(run(), PATIENCE))
