"""The files of the console's page."""

from __future__ import annotations

import falcon

from cambist.api.state.compression import accepts_gzip
from cambist.web.assets import load_assets

_FOLDERS = ("lib", "style", "console")
_DOCUMENT = "console/index.html"
_OF_SIGN_IN = ("style/base.css", "console/console.css", "console/icon.svg")


class ConsolePage:
    """The document at `/`, and its assets below their hash."""

    methods = ("GET", "HEAD")

    def __init__(self) -> None:
        self._assets = load_assets(_FOLDERS)
        self._prefix = f"/page/{self._assets.digest}/"
        self.templates = ("/", self._prefix + "{path:path}")
        self.of_sign_in = tuple(self._prefix + path for path in _OF_SIGN_IN if path in self._assets.files)

    def has(self, path: str) -> bool:
        """Return whether a file of the page has this path."""
        name = _DOCUMENT if path == "/" else path.removeprefix(self._prefix)
        return name != path and name in self._assets.files

    def on_get(self, request: falcon.Request, response: falcon.Response, path: str = "") -> None:
        """Answer with a file that the page has."""
        asset = self._assets.files[path or _DOCUMENT]
        response.content_type = asset.content_type
        if not path:
            response.data = asset.content.replace(b"{assets}", self._prefix.encode())
            return
        response.set_headers({"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"})
        response.data = asset.content
        if accepts_gzip(request.env.get("HTTP_ACCEPT_ENCODING", "")):
            response.data = asset.compressed
            response.set_header("Content-Encoding", "gzip")

    on_head = on_get
