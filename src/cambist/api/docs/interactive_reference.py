"""What a person reads in a browser: the interactive reference and its document, open without a key.

Swagger UI comes from an installed package, so `/docs` works on a machine without internet.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import falcon
import msgspec

from cambist.web.page_security import content_security_policy

_ASSETS = ("swagger-ui.css", "swagger-ui-bundle.js")
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cambist: API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{root}docs/swagger-ui.css">
</head>
<body>
{banner}<div id="reference"></div>
<script src="{root}docs/swagger-ui-bundle.js"></script>
<script src="{root}docs/reference.js"></script>
</body>
</html>
"""
# Beside the page, because its content security policy allows no script within it.
_SCRIPT = b"""\
const document_url = new URL("../openapi.json", document.currentScript.src);
fetch(document_url).then(answer => answer.json()).then(spec => {
  // Behind a proxy that strips a prefix only the browser knows the address that works.
  spec.servers = [{ url: new URL(".", document_url).href.replace(/\\/$/, "") }];
  SwaggerUIBundle({ spec, dom_id: "#reference", deepLinking: true, tryItOutEnabled: true });
});
"""
_POLICY = content_security_policy(style="'self' 'unsafe-inline'")
"""Swagger UI writes styles into its elements, and a banner has one."""
_BANNER = (
    '<p role="note" style="margin:0;padding:10px 20px;background:#fff3d6;color:#5c3d00;font:15px/1.5 system-ui">'
    "<strong>Sandbox.</strong> All prices of this service are simulated.</p>\n"
)


def add_docs_routes(
    framework: falcon.App[falcon.Request, falcon.Response], document: Callable[[], dict[str, Any]], environment: str
) -> None:
    """Add `/openapi.json`, `/docs` and what it loads. `document` builds the OpenAPI document, at the first request.

    An `environment` that is named is not the real market: the page then says that its prices are simulated.
    """
    framework.add_route("/openapi.json", DocumentResource(document))
    framework.add_route("/docs", ReferenceResource(_BANNER if environment else ""))
    for asset in _ASSETS:
        framework.add_route(f"/docs/{asset}", AssetResource(_assets_folder() / asset))
    framework.add_route("/docs/reference.js", ScriptResource())


def _assets_folder() -> Path:
    spec = find_spec("swagger_ui")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("The package swagger-ui-py, which /docs is made of, is not installed")
    return Path(spec.submodule_search_locations[0]) / "static"


@lru_cache(maxsize=len(_ASSETS))
def _compressed(path: Path) -> bytes:
    """Return a file as gzip. Without a modification time the bytes are the same in every worker."""
    return gzip.compress(path.read_bytes(), 6, mtime=0)


class DocumentResource:
    """The OpenAPI document, which is built at the first request for it."""

    def __init__(self, document: Callable[[], dict[str, Any]]) -> None:
        self._document = document

    @cached_property
    def _content(self) -> bytes:
        return msgspec.json.encode(self._document())

    def on_get(self, _request: falcon.Request, response: falcon.Response) -> None:
        """Answer with the document."""
        response.data = self._content

    on_head = on_get


class ReferenceResource:
    """The page at `/docs`. Its links are relative, so that it works under any path prefix."""

    def __init__(self, banner: str) -> None:
        self._banner = banner

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer with the page; its links depend on whether the path ends with a slash."""
        root = "../" if request.env["PATH_INFO"].endswith("/") else ""
        response.content_type = falcon.MEDIA_HTML
        response.set_header("Content-Security-Policy", _POLICY)
        response.text = _PAGE.format(root=root, banner=self._banner)

    on_head = on_get


class ScriptResource:
    """What starts the reference in the page."""

    def on_get(self, _request: falcon.Request, response: falcon.Response) -> None:
        """Answer with the script, which clients ask for again: another version may have another."""
        response.content_type = "text/javascript"
        response.set_header("Cache-Control", "no-cache")
        response.data = _SCRIPT

    on_head = on_get


class AssetResource:
    """A static file, read and compressed at the first request for it.

    It is always sent as gzip: only browsers load it, and all of them accept gzip.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._type = "text/css" if path.suffix == ".css" else "text/javascript"

    def on_get(self, _request: falcon.Request, response: falcon.Response) -> None:
        """Answer with the file, which clients may cache for a day."""
        response.content_type = self._type
        response.set_header("Content-Encoding", "gzip")
        response.set_header("Cache-Control", "public, max-age=86400")
        response.data = _compressed(self._path)

    on_head = on_get
