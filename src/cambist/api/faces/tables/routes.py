"""The routes of an endpoint with tables: its path in JSON or by `Accept`, and one path for each format."""

from __future__ import annotations

import falcon

from cambist.api.faces.json_face import JsonFace
from cambist.api.faces.tables.formats import FORMATS
from cambist.api.faces.tables.table_resource import NegotiatedResource, TableParts, TableResource


def add_table_routes(
    framework: falcon.App[falcon.Request, falcon.Response], face: JsonFace, parts: TableParts, environment: str
) -> None:
    """Add the routes of an endpoint. Files of an `environment` that is not the real market have its name in theirs."""
    path = face.answers.endpoint.path
    name = "-".join([*([environment] if environment else []), *path.strip("/").split("/")])
    tables = {one: TableResource(face.answers, one, parts, name) for one in FORMATS}
    framework.add_route(path, NegotiatedResource(face, tables))
    for one, table in tables.items():
        framework.add_route(f"{path}.{one.suffix}", table)
