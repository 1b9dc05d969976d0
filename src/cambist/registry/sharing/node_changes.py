"""The changes of a node as the other nodes hear of them: the notifications and files of its data folder."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from cambist.cluster.cluster_changes import ClusterChange
from cambist.registry.sources.asked_sources import ask_source, moments_asked
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import ChangeNotifier, Topic

_TOPICS = {
    ClusterChange.ACCOUNTS: Topic.ACCOUNTS,
    ClusterChange.PLANS: Topic.PLANS,
    ClusterChange.ARCHIVE: Topic.ARCHIVE,
    ClusterChange.BARS: Topic.BARS,
    ClusterChange.ASKED: Topic.ASKED,
}


class FolderChanges:
    """The `LocalChanges` protocol over the notifications of a data folder."""

    def __init__(self, changes: ChangeNotifier) -> None:
        self._changes = changes

    def version(self, topic: ClusterChange) -> int:
        """Return a number that differs from an earlier one if there was a change in between."""
        return self._changes.version(_TOPICS[topic])

    def notify(self, topic: ClusterChange) -> None:
        """Notify all processes of this node of a change."""
        self._changes.notify(_TOPICS[topic])


class FolderAskedSources:
    """The `AskedSources` protocol over the files of a data folder."""

    def __init__(self, folder: DataDirectory) -> None:
        self._folder = folder

    def moments(self) -> Mapping[str, datetime]:
        """Return when each source was last asked for, by its key."""
        return moments_asked(self._folder)

    def ask(self, key: str, at: datetime) -> None:
        """Let the ingest process of this node poll a source. Errors: Unwritable."""
        ask_source(self._folder, key, at)
