"""The connections to the stream of one of several nodes, and to the others, for the cluster link."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from cambist.storage.shared.stream_connections import MAX_PROCESSES, OTHER_NODES, StreamConnections


class NodeConnections:
    """The connections of accounts to this node, and to the others, of which the cluster link knows."""

    def __init__(self, path: Path) -> None:
        """Map the file; create it if it does not exist. Errors: OSError."""
        self._file = StreamConnections(path, OTHER_NODES, OTHER_NODES)

    def own(self) -> Mapping[int, int]:
        """Return the connections to this node, of the accounts that have any. Errors: OSError."""
        numbers = np.frombuffer(self._file.numbers(), np.uint32).reshape(-1, MAX_PROCESSES)
        counts = numbers[:, :OTHER_NODES].sum(axis=1)
        return {account: int(counts[account]) for account in np.flatnonzero(counts).tolist()}

    def set_others(self, account: int, connections: int) -> None:
        """Set how many connections an account has to other nodes. Errors: OSError."""
        self._file.set_own(account, connections)
