"""The reference at `/docs`, which a browser reads without a key, and the OpenAPI document that it is made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import falcon
import msgspec

from cambist import __version__
from cambist.api.docs.web_page import PageOptions, page_assets, write_content
from cambist.api.faces.dialects.dialect import Dialect
from cambist.web.assets import Asset
from cambist.web.page_security import content_security_policy

_DOCUMENT = "page/docs.html"
_BANNER = (
    b'<aside class="sandbox" aria-label="Sandbox"><p class="frame">'
    b"<strong>Sandbox.</strong> All prices of this service are simulated.</p></aside>\n"
)


def add_docs_routes(
    framework: falcon.App[falcon.Request, falcon.Response],
    document: Callable[[], dict[str, Any]],
    page: PageOptions,
    environment: str,
    dialects: Iterable[Dialect],
) -> None:
    """Add `/openapi.json`, `/docs` and what it must know of this service; its files are those of the page.

    `document` builds the OpenAPI document, at the first request. An `environment` that is named is not the real market:
    the reference then says that its prices are simulated.
    """
    framework.add_route("/openapi.json", JsonResource(document))
    framework.add_route("/docs", ReferenceResource(is_simulated=bool(environment)))
    described = _configuration(page, environment, dialects)
    framework.add_route("/docs/config.json", JsonResource(lambda: described))


def _configuration(page: PageOptions, environment: str, dialects: Iterable[Dialect]) -> dict[str, Any]:
    """Return what the reference must know of a service, beside its endpoints."""
    return {
        "mode": page.mode,
        "environment": environment or "live",
        "version": __version__,
        "dialects": [_described(dialect) for dialect in dialects],
    }


def _described(dialect: Dialect) -> dict[str, Any]:
    """Return what is said of a dialect: where its key may be, and its paths with their parameters."""
    return {
        "name": dialect.name,
        "title": dialect.title,
        "guide": f"docs/guides/{dialect.guide}",
        "key_parameters": dialect.key_parameters,
        "key_headers": dialect.key_headers,
        "paths": [{"path": route.template, "parameters": route.parameters} for route in dialect.routes],
    }


class JsonResource:
    """A JSON document, which is built at the first request for it."""

    def __init__(self, document: Callable[[], dict[str, Any]]) -> None:
        self._document = document

    @cached_property
    def _content(self) -> Asset:
        return Asset(falcon.MEDIA_JSON, msgspec.json.encode(self._document()))

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer with the document, compressed for clients that accept it."""
        write_content(request, response, self._content)

    on_head = on_get


class ReferenceResource:
    """The page at `/docs`. Its links are relative, so that it works under any path prefix."""

    def __init__(self, *, is_simulated: bool) -> None:
        self._banner = _BANNER if is_simulated else b""

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer with the page; its links depend on whether the path ends with a slash."""
        root = b"../" if request.env["PATH_INFO"].endswith("/") else b""
        assets = page_assets()
        response.content_type = falcon.MEDIA_HTML
        response.set_header("Content-Security-Policy", content_security_policy())
        response.set_header("Cache-Control", "no-cache")
        response.data = (
            assets.files[_DOCUMENT]
            .content.replace(b"{assets}", root + f"page/{assets.digest}/".encode())
            .replace(b"{root}", root)
            .replace(b"{banner}", self._banner)
        )

    on_head = on_get
