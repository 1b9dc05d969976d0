"""A process that rebuilds the rate matrix, and ends."""

from __future__ import annotations

from cambist.clock import utc_now
from cambist.registry.components import open_store
from cambist.registry.snapshots import open_snapshot_source
from cambist.settings import Settings
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.rate_matrix_file import write_rate_matrix


def rebuild_rate_matrix(settings: Settings) -> None:
    """Build the rate matrix, write it and notify the other processes."""
    folder, store = DataDirectory(settings.data), open_store(settings)
    write_rate_matrix(folder.matrix, open_snapshot_source(settings, store.archive).build_matrix(utc_now()))
    data_changes(folder.path).notify(Topic.MATRIX)
    store.close()
