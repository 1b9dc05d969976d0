"""The store and the endpoints, chosen by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

from cambist import plugins
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.posted_endpoint import PostedEndpoint
from cambist.api.endpoints import ENDPOINTS, POSTED_ENDPOINTS
from cambist.api.faces.dialects import DIALECTS
from cambist.api.faces.dialects.dialect import Dialect
from cambist.api.state.price_moves import PriceMoves
from cambist.api.state.reader_pool import ReaderPool
from cambist.errors import CannotStart
from cambist.history.bars import BarReader
from cambist.history.price_moves import ReadMove
from cambist.reference.assets import AssetKind
from cambist.settings import Settings
from cambist.status.environment import Environment
from cambist.storage import STORES, ReadOnlyStore, Store


def open_store(settings: Settings, leader_epoch: int | None = None) -> Store:
    """Open the database that the settings name; with `leader_epoch`, only the leader of this epoch writes through it.

    Errors: CannotStart for an unknown scheme, and for a sandbox that would share the database of a live service.
    """
    if settings.sandbox and settings.database:
        raise CannotStart("A sandbox keeps its database in its own folder: remove the setting [database]")
    scheme = settings.database_url.partition(":")[0].partition("+")[0]
    if scheme not in STORES:
        raise CannotStart(f"Unknown scheme of the database URL: [{scheme}]; there are {', '.join(STORES)}")
    store: Store = import_module(f"cambist.storage.{STORES[scheme]}").store(settings.database_url, leader_epoch)
    return store


def bar_reader(settings: Settings, store: ReadOnlyStore, clock: Callable[[], datetime]) -> BarReader:
    """Return what reads bars: a sandbox computes them, a live service has them in its store."""
    if not settings.sandbox:
        return store.bars
    # Imported here: the workers of a live service do without the simulated market.
    sandbox_bars = import_module("cambist.registry.sandbox.sandbox_bars")
    simulated: BarReader = sandbox_bars.SimulatedBars(settings.sandbox_seed, clock)
    return simulated


def move_reader(settings: Settings, store: ReadOnlyStore, pool: ReaderPool, clock: Callable[[], datetime]) -> ReadMove:
    """Return what reads how far prices have moved: a live service samples them, a sandbox computes them."""
    if not settings.sandbox:
        return PriceMoves(store.price_samples, pool, clock)
    sandbox_moves = import_module("cambist.registry.sandbox.sandbox_moves")
    simulated: ReadMove = sandbox_moves.SimulatedMoves(settings.sandbox_seed, clock)
    return simulated


def environment_of(settings: Settings) -> Environment:
    """Return the environment that the settings choose."""
    return Environment.SANDBOX if settings.sandbox else Environment.LIVE


def max_ages(settings: Settings) -> Mapping[AssetKind, timedelta]:
    """Return how old a traded price of each kind of asset may be, in the API and in the stream alike."""
    return {
        AssetKind.COIN: settings.coin_max_age,
        AssetKind.METAL: settings.metal_max_age,
        AssetKind.CURRENCY: settings.fx_max_age,
    }


def endpoints() -> list[Endpoint[Any, Any]]:
    """Return every endpoint, in the order of the docs."""
    return list(plugins.load("cambist.api.endpoints", ENDPOINTS, "endpoint", Endpoint).values())


def posted_endpoints() -> list[PostedEndpoint[Any, Any]]:
    """Return every endpoint whose question is a body, in the order of the docs."""
    return list(plugins.load("cambist.api.endpoints", POSTED_ENDPOINTS, "endpoint", PostedEndpoint).values())


def dialects(settings: Settings) -> tuple[Dialect, ...]:
    """Return the dialects that are on. Errors: CannotStart for a name that no dialect has."""
    names = dict.fromkeys(part.strip() for part in settings.dialects.split(",") if part.strip())
    unknown = [name for name in names if name not in DIALECTS]
    if unknown:
        raise CannotStart(f"Unknown dialect [{unknown[0]}] in the setting [dialects]; there are {', '.join(DIALECTS)}")
    packages = [DIALECTS[name] for name in names]
    return tuple(plugins.load("cambist.api.faces.dialects", packages, "dialect", Dialect).values())
