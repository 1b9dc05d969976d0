"""Upgrade two nodes one after another under load, to a release that is made here: with one more migration.

The exit code is 1 if a call failed at a node that was not being upgraded, or was counted wrong.
"""

from __future__ import annotations

import argparse
import shutil
import sys
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
_SIDE_BY_SIDE_SECONDS = 10.0
_PATIENCE = 60.0


def next_release(folder: Path) -> Path:
    """Write the next release into a folder; return what must be in PYTHONPATH to run it."""
    source = Path(cambist.__file__).parent
    shutil.copytree(source, folder / "cambist")  # with what was compiled: the times of files stay
    migrations = folder / "cambist" / "storage" / "sql" / "migrations" / "versions"
    newest = max(path.stem.partition("_")[0] for path in migrations.glob("[0-9]*.py"))
    (migrations / f"{NEXT}_of_the_next_release.py").write_text(_MIGRATION.format(before=newest), encoding="utf-8")
    module = folder / "cambist" / "__init__.py"
    text = module.read_text(encoding="utf-8")
    module.write_text(text.replace(f'"{cambist.__version__}"', f'"{cambist.__version__}.next"'), encoding="utf-8")
    return folder


def upgrade(cluster: Cluster) -> list[str]:
    """Upgrade all nodes, the leader last; return what is wrong."""
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
        time.sleep(_SIDE_BY_SIDE_SECONDS)
        wrong += checks.unexpected(record.failures[before:], {node.number})
        wrong += [] if until(cluster.leader, _PATIENCE) else ["nobody leads"]
        print(f"{node.name} is upgraded; {cluster.leader() and cluster.leader().name} leads", flush=True)  # type: ignore[union-attr]
    for caller in callers:
        caller.stop()
    wrong += checks.unsettled(cluster, [tally], _PATIENCE) + record.older + checks.tracebacks(cluster.nodes)
    found = cluster.postgresql.rows("SELECT version_num FROM alembic_version")
    return wrong + ([] if found == [(NEXT,)] else [f"the schema is {found}"])


def _replace(node: Node, path: Path) -> None:
    node.stop()
    node.settings = {**node.settings, "PYTHONPATH": str(path)}
    node.start()


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ports", action="store_true", help="make no namespaces")
    options = parser.parse_args()
    isolate(["-m", "tools.cluster.upgrade", *sys.argv[1:]], is_wanted=not options.ports)
    with tempfile.TemporaryDirectory(prefix="cluster-") as name:
        Path(name).chmod(0o711)
        try:
            with running_cluster(Path(name), 2, 1) as cluster:
                wrong = upgrade(cluster)
        except NoServerError as error:
            print(error)
            sys.exit(NO_SERVER)
    for sentence in wrong:
        print("WRONG", sentence)
    print("All held." if not wrong else f"{len(wrong)} things are wrong.")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
