"""A process that builds the rate matrix, and ends."""

from __future__ import annotations

from contextlib import suppress

from cambist.clock import utc_now
from cambist.errors import RateMatrixDamaged
from cambist.registry.archiving.snapshots import open_snapshot_source
from cambist.registry.wiring.components import environment_of, open_store
from cambist.settings import Settings
from cambist.status.environment import check_rate_matrix
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.rate_matrix_file import open_rate_matrix, write_rate_matrix


def refresh_rate_matrix(settings: Settings) -> None:
    """Build the rate matrix unless it shows all that is in the archive."""
    folder, store = DataDirectory(settings.data), open_store(settings)
    snapshots = open_snapshot_source(settings, store)
    with suppress(RateMatrixDamaged):
        if snapshots.is_current(
            check_rate_matrix(open_rate_matrix(folder.matrix), environment_of(settings)), utc_now()
        ):
            return
    rebuild_rate_matrix(settings)


def rebuild_rate_matrix(settings: Settings) -> None:
    """Build the rate matrix, write it and notify the other processes."""
    folder, store = DataDirectory(settings.data), open_store(settings)
    snapshots = open_snapshot_source(settings, store)
    built = snapshots.build_matrix(utc_now())
    write_rate_matrix(folder.matrix, snapshots.record_edition(built, store))
    data_changes(folder.path).notify(Topic.MATRIX)
    store.close()
