"""The database of a data folder that a service has prepared, for changes while the service may run."""

from __future__ import annotations

from cambist.accounts.account import OWNER
from cambist.errors import CannotStart, StoreBroken, StoreUnreachable
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.storage import Store


def open_prepared_store(settings: Settings) -> Store:
    """Open the database of a data directory that a service has prepared, and create nothing.

    Errors: CannotStart, StoreUnreachable.
    """
    if not settings.data.is_dir() or not (settings.database or (settings.data / "cambist.db").exists()):
        raise CannotStart(f"There is no service's data in {settings.data}: run [cambist serve] once, or name --data")
    store = open_store(settings)
    try:
        store.accounts.named(OWNER)
    except StoreUnreachable:
        store.close()
        raise
    except StoreBroken as error:
        store.close()
        reason = str(error).replace("\n", " ")
        raise CannotStart(f"{reason}; [cambist serve] brings the database of an older Cambist up to date") from error
    return store
