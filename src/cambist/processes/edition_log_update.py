"""A process that updates the log of editions, and ends: the cryptography needs memory that it then frees."""

from __future__ import annotations

import logging
import threading
from time import sleep

from cambist.clock import utc_now
from cambist.errors import CambistError
from cambist.processes.process import run_in_child
from cambist.registry.node.nodes import node_name
from cambist.registry.signing.edition_log import EditionLog
from cambist.registry.signing.node_signer import NodeSigner
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.storage import HistoryStore
from cambist.storage.data_directory import DataDirectory
from cambist.storage.key_folder import KeyFolder
from cambist.storage.log_folder import LogFolder

log = logging.getLogger(__name__)

_CHECK_SECONDS = 60.0
_LONGEST_SECONDS = 300.0


def open_edition_log(settings: Settings, store: HistoryStore) -> EditionLog:
    """Return the log of the service of a data folder."""
    folder = DataDirectory(settings.data)
    signer = NodeSigner(KeyFolder(folder.keys), store.public_keys, node_name(settings), settings.issuer)
    return EditionLog(store.editions, store.log_checkpoints, signer, LogFolder(folder.log))


def update_edition_log(settings: Settings) -> None:
    """Append the editions of the days before today, and write the files."""
    store = open_store(settings)
    try:
        size = open_edition_log(settings, store).update(utc_now())
        log.info("Log of editions: %d entries", size)
    except (CambistError, OSError) as error:
        log.error("Log of editions: %s", error)  # noqa: TRY400  a trace would add nothing
    finally:
        store.close()


class EditionLogWatch:
    """Looks once a minute whether the log has to be updated, and has that done in a process of its own."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def watch(self) -> None:
        """Look once a minute until the process ends, in a thread of its own."""
        threading.Thread(target=self._watch, name="log of editions", daemon=True).start()

    def _watch(self) -> None:
        store = open_store(self._settings)
        editions = open_edition_log(self._settings, store)
        while True:
            sleep(_CHECK_SECONDS)
            try:
                if editions.is_due(utc_now()):
                    run_in_child(self._settings, __name__, "update_edition_log", longest=_LONGEST_SECONDS)
            except (CambistError, OSError) as error:
                log.warning("Log of editions: %s", error)
