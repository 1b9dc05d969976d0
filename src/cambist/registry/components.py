"""The parts by name: which endpoint and store there is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from importlib import import_module
from typing import Any

from cambist import plugins
from cambist.api.endpoint import Endpoint
from cambist.api.endpoints import ENDPOINTS
from cambist.errors import CannotStart
from cambist.reference.assets import AssetKind
from cambist.settings import Settings
from cambist.status.environment import Environment
from cambist.storage import STORES, Store


def open_store(settings: Settings) -> Store:
    """Open the database that the settings name.

    Errors: CannotStart for a scheme that no store keeps, and for a sandbox that would share a live service's.
    """
    if settings.sandbox and settings.database:
        raise CannotStart("A sandbox keeps its database in its own folder: it goes without the setting [database]")
    scheme = settings.database_url.partition(":")[0].partition("+")[0]
    if scheme not in STORES:
        raise CannotStart(f"No store keeps a database of the scheme [{scheme}]; there are {', '.join(STORES)}")
    store: Store = import_module(f"cambist.storage.{STORES[scheme]}").store(settings.database_url)
    return store


def environment_of(settings: Settings) -> Environment:
    """Say which environment the settings are of."""
    return Environment.SANDBOX if settings.sandbox else Environment.LIVE


def max_ages(settings: Settings) -> Mapping[AssetKind, timedelta]:
    """Say how old a price that trades may be, by what it is of: the same for every face of the service."""
    return {
        AssetKind.COIN: settings.coin_max_age,
        AssetKind.METAL: settings.metal_max_age,
        AssetKind.CURRENCY: settings.fx_max_age,
    }


def endpoints() -> list[Endpoint[Any, Any]]:
    """Give every endpoint, in the order of the docs."""
    return list(plugins.load("cambist.api.endpoints", ENDPOINTS, "endpoint", Endpoint).values())
