"""The report on the nodes of a service: each node's link writes it every second, and the operator's port shows it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

from cambist.status.nodes import NodeRecord

ANSWERING = frozenset({"api", "stream"})
"""The roles of nodes that answer calls."""

CLOCK_TOLERANCE = 2.0
"""Seconds by which the clocks of a node and of the database may differ. With NTP they differ by some milliseconds."""


class NodeReport(Struct, frozen=True, kw_only=True):
    """The state of one node at a moment, by its own clock.

    `leader_epoch` is the epoch of the last leader that it knows of, and `leads` whether that is the node itself;
    `leader` is the node that has the term in the database, empty if none has.
    `book_epoch` and `book_version` are those of its rate book, `book_lag` is how many seconds after its publication
    the node had it, and `book_age` how many seconds ago it was published. `matrix_behind` is for how many seconds the
    archive has had fixings that its rate matrix does not show. `leases` is how many shares of quotas it holds.
    `clock_ahead` is how many seconds its clock is ahead of the database's, negative if it is behind; None until known.
    """

    name: str
    instance: str
    roles: tuple[str, ...]
    version: str
    written_at: datetime
    beat: int = 0
    leads: bool = False
    leader_epoch: int = 0
    leader: str = ""
    book_epoch: int = 0
    book_version: int = 0
    book_lag: float | None = None
    book_age: float | None = None
    matrix_behind: float = 0.0
    redis_linked: bool = False
    database_reachable: bool = False
    leases: int = 0
    clock_ahead: float | None = None

    @property
    def wrong_clock(self) -> str:
        """What is wrong with its clock, as "the clock is 7200 s ahead of the database's"; empty if nothing is."""
        ahead = self.clock_ahead or 0.0
        if abs(ahead) <= CLOCK_TOLERANCE:
            return ""
        return f"the clock is {abs(ahead):.0f} s {'ahead of' if ahead > 0 else 'behind'} the database's"

    @property
    def answers_calls(self) -> bool:
        """Whether clients call this node."""
        return not ANSWERING.isdisjoint(self.roles)


class ClusterReport(Struct, frozen=True, kw_only=True):
    """What one node knows of all at a moment.

    `nodes` are the live ones, by name, with the node itself; `silent` are the names of those that are not.
    `answering` is the last known number of nodes that answer calls, at least 1. `redis_lost_at` and `database_lost_at`
    are since when these cannot be reached; None if they can be.
    """

    written_at: datetime
    node: str
    nodes: tuple[NodeReport, ...]
    silent: tuple[str, ...] = ()
    answering: int = 1
    redis_lost_at: datetime | None = None
    database_lost_at: datetime | None = None

    @property
    def own(self) -> NodeReport | None:
        """The report on the node itself."""
        return next((report for report in self.nodes if report.name == self.node), None)

    @property
    def leader(self) -> NodeReport | None:
        """The report on the node that leads; None if none is known that says so."""
        leading = [report for report in self.nodes if report.leads]
        return max(leading, key=lambda report: report.leader_epoch, default=None)


def answering_nodes(records: Iterable[NodeRecord]) -> int:
    """Return how many live nodes answer calls, as the database has them."""
    return sum(record.is_live and not ANSWERING.isdisjoint(record.start.roles.split(",")) for record in records)


SILENT_AFTER = timedelta(seconds=15)
"""The report comes every second: if it is this old, the link does not run."""

OUTDATED_AFTER = 60.0
"""Seconds for which a rate matrix may lack fixings of the archive."""


def cluster_problems(report: ClusterReport | None, now: datetime, *, polls_sources: bool = True) -> list[str]:
    """Return what is wrong with a node among the others, in sentences for its operator.

    `polls_sources` is whether a node of the service should ask sources, so that one leads.
    """
    if report is None:
        return ["the cluster link has not begun yet"]
    age = now - report.written_at
    if age > SILENT_AFTER:
        return [f"the cluster link has been silent for {int(age.total_seconds())} s"]
    problems = []
    if report.redis_lost_at is not None:
        lost = int((now - report.redis_lost_at).total_seconds())
        problems.append(
            f"Redis cannot be reached, for {lost} s: no rate books of other nodes, and shares of rate limits"
        )
    if report.database_lost_at is not None:
        lost = int((now - report.database_lost_at).total_seconds())
        problems.append(f"PostgreSQL cannot be reached, for {lost} s: calls are counted here, and nothing can be filed")
    own = report.own
    if own is not None and own.matrix_behind > OUTDATED_AFTER:
        problems.append(f"the rate matrix has been behind the archive for {int(own.matrix_behind)} s")
    if own is not None and own.wrong_clock:
        problems.append(f"{own.wrong_clock}: prices seem older or newer than they are, and others should lead")
    # Who leads is read in the database: of a leader that is cut off from Redis, no report comes.
    is_led = report.leader is not None or (own is not None and own.leader)
    if polls_sources and report.redis_lost_at is None and not is_led:
        problems.append("no node leads the ingest")
    return problems
