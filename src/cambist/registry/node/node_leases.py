"""The quota leases with which a node starts."""

from __future__ import annotations

from datetime import date

from cambist.accounts.node_leases import lease_of
from cambist.accounts.quota_leases import LONGEST_PERIOD
from cambist.registry.node.nodes import node_name
from cambist.settings import Settings
from cambist.storage import AccountStore
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.usage.lease_writer import LeaseWriter


def restore_leases(settings: Settings, store: AccountStore, today: date) -> None:
    """Write the file of leases anew from the database: an operator may have freed them while the node was gone.

    A service on one machine has none. Errors: StoreBroken.
    """
    path = DataDirectory(settings.data).leases
    path.unlink(missing_ok=True)
    if settings.is_node:
        writer = LeaseWriter(path, lambda _slot: None)
        for lease in store.quota_leases.held(node_name(settings), today - LONGEST_PERIOD):
            writer.write(lease.account, lease.period_start, lease_of(lease.granted))
