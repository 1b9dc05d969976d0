"""The nodes of a service on several machines: which there are, how they do, and which of them is lost for good."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Self

from cambist.accounts.names import echo
from cambist.admin.operators.audit import AuditRecorder
from cambist.errors import BadParameter, NotHere, StoreUnreachable
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.status.cluster_report import SILENT_AFTER, ClusterReport, NodeReport
from cambist.status.leadership import LeaderState
from cambist.status.nodes import NodeRecord
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file
from cambist.suggestions import did_you_mean


@dataclass(frozen=True, slots=True)
class ListedNode:
    """A node: as the database has it, and as it describes itself through Redis; None if that is not known.

    `leads` is whether it leads the ingest: by the database, else by what it says itself.
    """

    name: str
    record: NodeRecord | None
    report: NodeReport | None
    leads: bool

    @property
    def is_live(self) -> bool:
        """Whether it was seen a short time ago."""
        return self.record is None or self.record.is_live

    @property
    def roles(self) -> tuple[str, ...]:
        """What it runs."""
        if self.record is not None:
            return tuple(self.record.start.roles.split(","))
        return self.report.roles if self.report else ()

    @property
    def version(self) -> str:
        """Its release."""
        if self.record is not None:
            return self.record.start.version
        return self.report.version if self.report else ""


@dataclass(frozen=True, slots=True)
class ListedNodes:
    """All nodes by name, and who leads; `problem` is why the database does not say more, empty if it can be read."""

    nodes: tuple[ListedNode, ...]
    leader: LeaderState | None
    problem: str = ""


class NodeAdmin:
    """Lists and forgets nodes; `who` is recorded in the audit log, by default the user who runs this process.

    Errors when made: NotHere for a service on one machine, CannotStart.
    """

    def __init__(self, settings: Settings, clock: Callable[[], datetime], who: str = "") -> None:
        if not settings.is_node:
            raise NotHere("This service is on one machine: it has no nodes, unless the setting [redis] is set")
        self._folder = DataDirectory(settings.data)
        self._clock = clock
        self._store = open_store(settings)
        self._audit = AuditRecorder(settings, clock, who)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._store.close()

    def nodes(self) -> ListedNodes:
        """Return all nodes. Without the database, these are the live ones that this node knows of.

        Errors: StoreBroken; StoreUnreachable if this node knows of none.
        """
        reports = {report.name: report for report in self._reports()}
        try:
            records = {record.start.name: record for record in self._store.nodes.all()}
            leader = self._store.leadership.current()
        except StoreUnreachable as error:
            if not reports:
                raise
            records, leader, problem = {}, None, str(error)
        else:
            problem = ""
        listed = []
        for name in sorted(records.keys() | reports.keys()):
            report = reports.get(name)
            says_so = report is not None and report.leads
            leads = says_so if leader is None else leader.node == name and not leader.has_expired
            listed.append(ListedNode(name, records.get(name), report, leads))
        return ListedNodes(tuple(listed), leader, problem)

    def check_forgetting(self, name: str) -> NodeRecord:
        """Check that a node can be forgotten. Errors: BadParameter if it runs, or does not exist; StoreBroken."""
        records = {record.start.name: record for record in self._store.nodes.all()}
        if name not in records:
            raise BadParameter(f"There is no node named [{echo(name)}]; {did_you_mean(name, records)}")
        record = records[name]
        if record.is_live:
            raise BadParameter(f"The node [{name}] runs: stop it first, and wait for ten seconds")
        return record

    def forget(self, name: str) -> int:
        """Forget a node that runs no more; return how many calls of its shares of quotas others can use again.

        Errors: BadParameter, StoreBroken.
        """
        with self._audit.action("nodes.forget", name) as action:
            self.check_forgetting(name)
            freed = self._store.quota_leases.forget(name)
            action.detail = f"{freed} calls are free again"
            self._store.nodes.forget(name)
        return freed

    def _reports(self) -> tuple[NodeReport, ...]:
        """Return what the link of this node knows, if it runs."""
        report = read_json_file(self._folder.cluster_report, ClusterReport)
        if report is None or self._clock() - report.written_at > SILENT_AFTER:
            return ()
        return report.nodes
