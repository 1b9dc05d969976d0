"""The data folder of each release is upgraded, survives a kill in the middle, and has a way back by copy and backup.

`tests/releases` has the folders; each was written by its release. This code may have no migration after a release, so
what is killed and taken back is an upgrade to a next one, which has one more.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_killed_upgrade import check, upgrade
from tests.cli.test_upgrade import schema_of
from tools.cluster.upgrade import NEXT, NEXT_RELEASE, next_release
from tools.release_folder import (
    ANSWERS,
    BACKUP,
    DATA,
    RELEASES,
    account_facts,
    answer_of,
    leave_out_histories,
    released_versions,
    run_command,
    running_service,
    usage_facts,
)
from tools.release_version import CHANGELOG

import cambist
from cambist.storage.sql.revision import newest_revision

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

LONGER = int(os.environ.get("LONGER", "1"))

Variables = Mapping[str, str]


@dataclass(frozen=True)
class Kept:
    """What was kept of a release: its data folder, unpacked, a backup, and what it answered."""

    data: Path
    backup: Path
    facts: Any


@pytest.fixture(params=released_versions())
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    folder = RELEASES / request.param
    with tarfile.open(folder / DATA) as archive:
        archive.extractall(tmp_path / "kept", filter="data")
    facts = json.loads((folder / ANSWERS).read_text(encoding="utf-8"))
    assert facts["release"] == request.param
    return Kept(tmp_path / "kept" / "data", folder / BACKUP, facts)


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> Variables:
    """The variables for this release, without the histories that come with it."""
    folder = tmp_path_factory.mktemp("now")
    shutil.copytree(Path(cambist.__file__).parent, folder / "cambist")
    return leave_out_histories(folder)


@pytest.fixture(scope="module")
def following(tmp_path_factory: pytest.TempPathFactory) -> Variables:
    """The variables for the release after this one."""
    return leave_out_histories(next_release(tmp_path_factory.mktemp("following")))


def check_answers(kept: Kept, data: Path, variables: Variables) -> None:
    """Check that a data folder has the calls and accounts of the release, and that a service answers as it did."""
    facts = kept.facts
    assert usage_facts(json.loads(run_command(data, "usage", "--json", **variables))) == facts["usage"]
    assert account_facts(json.loads(run_command(data, "account", "list", "--json", **variables))) == facts["accounts"]
    with running_service(data, **variables) as url:
        assert facts["answers"]
        for path, answer in facts["answers"].items():
            assert answer_of(url, path, facts["keys"]["shop"]) == answer, path
        with pytest.raises(RuntimeError, match=": 403 "):
            answer_of(url, next(iter(facts["answers"])), facts["keys"]["closed"])


def test_each_release_of_the_changelog_has_a_folder() -> None:
    sections = (RELEASES.parents[1] / CHANGELOG).read_text(encoding="utf-8").splitlines()
    released = {line.split()[1] for line in sections if line.startswith("## ") and line.endswith(")")}
    assert released - {cambist.__version__} <= {*released_versions()}


def test_a_release_is_upgraded_to_this_one_and_answers_the_same(kept: Kept, now: Variables) -> None:
    run_command(kept.data, "upgrade", **now)
    assert schema_of(kept.data) == newest_revision()
    check_answers(kept, kept.data, now)


def test_an_upgrade_of_a_release_that_is_killed_is_completed_by_another(
    kept: Kept, following: Variables, tmp_path: Path
) -> None:
    whole = Path(shutil.copytree(kept.data, tmp_path / "whole"))
    before = schema_of(whole)
    _, steps = upgrade(whole, **following)
    assert steps is not None
    assert steps > 20
    assert schema_of(whole) == NEXT
    chance = random.Random(1970)  # noqa: S311  no secrets
    for step in [*chance.sample(range(1, steps), 2 * LONGER), steps]:
        folder = Path(shutil.copytree(kept.data, tmp_path / f"{step}"))
        assert upgrade(folder, step, **following) == (-signal.SIGKILL, None)
        check(folder / "cambist.db")
        assert schema_of(folder) == before
        assert upgrade(folder, **following)[0] == 0
        assert schema_of(folder) == NEXT
    check_answers(kept, folder, following)


def test_the_way_back_is_the_copy_or_the_backup(
    kept: Kept, now: Variables, following: Variables, tmp_path: Path
) -> None:
    run_command(kept.data, "upgrade", **now)
    run_command(kept.data, "upgrade", **following)
    with pytest.raises(RuntimeError, match=rf"schema {NEXT}.* install Cambist {NEXT_RELEASE} or newer"):
        run_command(kept.data, "upgrade", **now)
    restored = tmp_path / "restored"
    run_command(kept.data, "restore", str(kept.backup), str(restored), **now)
    check_answers(kept, restored, now)
    for end in ("-wal", "-shm"):
        (kept.data / f"cambist.db{end}").unlink(missing_ok=True)
    (kept.data / f"cambist.before-{NEXT}.db").replace(kept.data / "cambist.db")
    check_answers(kept, kept.data, now)
