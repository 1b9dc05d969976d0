"""The parts by name: which feed, endpoint and store there is."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from cambist import plugins
from cambist.errors import CannotStart
from cambist.feeds import FEEDS
from cambist.feeds.base import Feed, FixingFeed
from cambist.server.endpoint import Endpoint
from cambist.server.endpoints import ENDPOINTS
from cambist.settings import Settings
from cambist.stores import STORES, Store


def open_store(settings: Settings) -> Store:
    """Open the database that the settings name. Errors: CannotStart for a scheme that no store keeps."""
    scheme = settings.database_url.partition(":")[0].partition("+")[0]
    if scheme not in STORES:
        raise CannotStart(f"No store keeps a database of the scheme [{scheme}]; there are {', '.join(STORES)}")
    store: Store = import_module(f"cambist.stores.{STORES[scheme]}").store(settings.database_url)
    return store


def feeds() -> dict[str, Feed]:
    """Give every feed by key, best first."""
    return plugins.load("cambist.feeds", FEEDS, "feed", Feed)


def fixing_feeds() -> dict[str, FixingFeed]:
    """Give the feeds that publish rates of days, by key, best first."""
    return {key: feed for key, feed in feeds().items() if isinstance(feed, FixingFeed)}


def endpoints() -> list[Endpoint[Any, Any]]:
    """Give every endpoint, in the order of the docs."""
    return list(plugins.load("cambist.server.endpoints", ENDPOINTS, "endpoint", Endpoint).values())
