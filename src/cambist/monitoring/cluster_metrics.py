"""The report on the nodes of a service as metrics, and what is wrong among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from cambist.status.cluster_report import ClusterReport, NodeReport, cluster_problems


@dataclass(frozen=True, slots=True)
class ClusterMetrics(Collector):
    """The last report of this node's link as metrics; it is read at each use.

    `polls_sources` is whether a node of the service should ask sources.
    """

    read: Callable[[], ClusterReport | None]
    clock: Callable[[], datetime]
    polls_sources: bool = True

    def problems(self) -> list[str]:
        """Return what is wrong."""
        return cluster_problems(self.read(), self.clock(), polls_sources=self.polls_sources)

    def collect(self) -> Iterator[Metric]:
        """Yield how many nodes there are, who leads, and how this node is connected and up to date."""
        report = self.read()
        if report is None:
            return
        nodes = GaugeMetricFamily("cambist_nodes", "Nodes that this one knows of", labels=["state"])
        nodes.add_metric(["live"], len(report.nodes))
        nodes.add_metric(["silent"], len(report.silent))
        yield nodes
        for name, (help_text, value) in self._figures(report).items():
            if value is not None:
                yield GaugeMetricFamily(f"cambist_{name}", help_text, value=value)

    def _figures(self, report: ClusterReport) -> dict[str, tuple[str, float | None]]:
        age = (self.clock() - report.written_at).total_seconds()
        return {
            "redis_linked": ("1 while this node reaches Redis", report.redis_lost_at is None),
            "database_reachable": ("1 while this node reaches PostgreSQL", report.database_lost_at is None),
            "nodes_report_age_seconds": ("Age of what this node knows of the others", age),
            **(_own_figures(report.own) if report.own else {}),
        }


def _own_figures(own: NodeReport) -> dict[str, tuple[str, float | None]]:
    return {
        "node_leads": ("1 while this node leads the ingest", own.leads),
        "leader_epoch": (
            "Epoch of the last leader that this node knows of; it grows with each takeover",
            own.leader_epoch,
        ),
        "book_lag_seconds": ("Seconds from publishing the newest rate book to its arrival here", own.book_lag),
        "matrix_behind_seconds": ("For how long the rate matrix has lacked fixings of the archive", own.matrix_behind),
        "clock_ahead_seconds": ("Seconds by which the clock is ahead of the database's", own.clock_ahead),
        "quota_leases": ("Shares of quotas that this node holds", own.leases),
    }
