"""The routes of an endpoint with tables: its path in JSON or by `Accept`, and one path for each format."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import falcon

from cambist.api.resource import EndpointResource
from cambist.api.tables.formats import CSV, FORMATS
from cambist.api.tables.resource import CSV_PARAMETERS, NegotiatedResource, TableResource
from cambist.api.unknown_parameters import UnknownParameters


def add_table_routes(
    framework: falcon.App[falcon.Request, falcon.Response],
    path: str,
    resource: EndpointResource,
    unknown_for: Callable[[Iterable[str]], UnknownParameters],
    environment: str,
) -> None:
    """Add the routes of an endpoint. `unknown_for` is told which parameters are accepted beside the endpoint's own.

    Files of an `environment` that is not the real market have its name in theirs.
    """
    name = "-".join([*([environment] if environment else []), *path.strip("/").split("/")])
    tables = {
        one: TableResource(resource, one, unknown_for(CSV_PARAMETERS if one is CSV else ()), name) for one in FORMATS
    }
    framework.add_route(path, NegotiatedResource(resource, tables))
    for one, table in tables.items():
        framework.add_route(f"{path}.{one.suffix}", table)
