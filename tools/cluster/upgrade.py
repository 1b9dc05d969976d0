"""Upgrade nodes of the last release one after another under load, to this code with one more migration.

The code of the last release is that of its commit in git. The exit code is 1 if a call failed at a node that was not
being upgraded, or was counted wrong.
"""

from __future__ import annotations

import argparse
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from tools.cluster import checks
from tools.cluster.accounts import create_account
from tools.cluster.callers import Caller, Record
from tools.cluster.cluster import Cluster, running_cluster, until
from tools.cluster.isolation import isolate
from tools.cluster.node import Node
from tools.cluster.rounds import NO_SERVER
from tools.cluster.servers import NoServerError
from tools.release_folder import released_versions
from tools.release_version import ReleaseRefusedError, commit_of

import cambist

NEXT = "9001"
_MIGRATION = f'''"""Add what the next release keeps."""

import sqlalchemy as sa
from alembic import op

revision = "{NEXT}"
down_revision = "{{before}}"


def upgrade() -> None:
    op.create_table("of_the_next_release", sa.Column("id", sa.Integer, primary_key=True))
    op.add_column("accounts", sa.Column("of_the_next_release", sa.String, nullable=False, server_default=""))


def downgrade() -> None:
    raise NotImplementedError
'''
NEXT_RELEASE = "9.0.0"
_ROOT = Path(__file__).parents[2]
_PATIENCE = 60.0


def next_release(folder: Path) -> Path:
    """Write the next release, 9.0.0, into a folder; return what must be in PYTHONPATH to run it."""
    source = Path(cambist.__file__).parent
    shutil.copytree(source, folder / "cambist")  # with what was compiled: the times of files stay
    migrations = folder / "cambist" / "storage" / "sql" / "migrations" / "versions"
    newest = max(path.stem.partition("_")[0] for path in migrations.glob("[0-9]*.py"))
    (migrations / f"{NEXT}_of_the_next_release.py").write_text(_MIGRATION.format(before=newest), encoding="utf-8")
    module = folder / "cambist" / "__init__.py"
    text = module.read_text(encoding="utf-8")
    module.write_text(text.replace(f'"{cambist.__version__}"', f'"{NEXT_RELEASE}"'), encoding="utf-8")
    return folder


def last_release(folder: Path) -> tuple[str, Path]:
    """Write the last release into a folder; return its version, and what must be in PYTHONPATH to run it.

    Errors: ReleaseRefusedError if git does not have it.
    """
    version = released_versions()[-1]
    commit = commit_of(_ROOT, version)
    command = ["git", "archive", "--format=tar", commit, "src/cambist"]
    content = subprocess.run(command, cwd=_ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(folder, filter="data")
    return version, folder / "src"


def upgrade(cluster: Cluster, side_by_side: float) -> list[str]:
    """Upgrade all nodes, the leader last, with so many seconds after each; return what is wrong."""
    record = Record()
    tally, wrong = create_account(cluster, "steady", "steady")
    callers = [Caller(node, lambda: tally, record, 20) for node in cluster.nodes]
    for caller in callers:
        caller.start()
    path = next_release(cluster.folder / "next")
    until(cluster.leader, _PATIENCE)
    for node in sorted(cluster.nodes, key=lambda node: node is cluster.leader()):
        before = len(record.failures)
        _replace(node, path)
        cluster.wait_until_ready()
        time.sleep(side_by_side)
        wrong += checks.unexpected(record.failures[before:], {node.number})
        wrong += [] if until(cluster.leader, _PATIENCE) else ["nobody leads"]
        print(f"{node.name} is upgraded; {cluster.leader() and cluster.leader().name} leads", flush=True)  # type: ignore[union-attr]
    for caller in callers:
        caller.stop()
    wrong += checks.unsettled(cluster, [tally], _PATIENCE, 0) + record.older + checks.tracebacks(cluster.nodes)
    found = cluster.postgresql.rows("SELECT version_num FROM alembic_version")
    return wrong + ([] if found == [(NEXT,)] else [f"the schema is {found}"])


def _other_versions(cluster: Cluster, version: str) -> list[str]:
    found = {str(name): str(its) for name, its in cluster.postgresql.rows("SELECT name, version FROM nodes")}
    return [f"{node.name} is not of {version}: {found}" for node in cluster.nodes if found.get(node.name) != version]


def _replace(node: Node, path: Path) -> None:
    node.stop()
    node.settings = {**node.settings, "PYTHONPATH": str(path)}
    node.start()


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ports", action="store_true", help="make no namespaces")
    parser.add_argument("--nodes", type=int, default=3, help="how many nodes")
    parser.add_argument("--seconds", type=float, default=10, help="how long nodes of two releases run side by side")
    options = parser.parse_args()
    isolate(["-m", "tools.cluster.upgrade", *sys.argv[1:]], is_wanted=not options.ports)
    with tempfile.TemporaryDirectory(prefix="cluster-") as name:
        Path(name).chmod(0o711)
        try:
            version, path = last_release(Path(name) / "last")
            with running_cluster(Path(name), options.nodes, 1, settings={"PYTHONPATH": str(path)}) as cluster:
                print(f"{options.nodes} nodes of {version} run", flush=True)
                wrong = _other_versions(cluster, version) + upgrade(cluster, options.seconds)
                wrong += _other_versions(cluster, NEXT_RELEASE)
        except (NoServerError, ReleaseRefusedError) as error:
            print(error)
            sys.exit(NO_SERVER)
    for sentence in wrong:
        print("WRONG", sentence)
    print("All held." if not wrong else f"{len(wrong)} things are wrong.")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
