"""The files of the console's page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cambist.api.state.compression import accepts_gzip
from cambist.console.http import ConsoleAnswer
from cambist.web.assets import load_assets

_FOLDERS = ("lib", "style", "console")
_DOCUMENT = "console/index.html"
_OF_SIGN_IN = ("style/base.css", "console/console.css", "console/icon.svg")
_FOR_EVER = ("Cache-Control", "public, max-age=31536000, immutable")


class ConsolePage:
    """The document at `/`, and its assets below their hash."""

    def __init__(self) -> None:
        self._assets = load_assets(_FOLDERS)
        self._prefix = f"/page/{self._assets.digest}/"
        self.of_sign_in = tuple(self._prefix + path for path in _OF_SIGN_IN if path in self._assets.files)

    def find(self, path: str, environ: Mapping[str, Any]) -> ConsoleAnswer | None:
        """Return the answer for a path; None if no file of the page has it."""
        if path == "/":
            return self._document()
        if not path.startswith(self._prefix):
            return None
        asset = self._assets.files.get(path.removeprefix(self._prefix))
        if asset is None:
            return None
        if accepts_gzip(str(environ.get("HTTP_ACCEPT_ENCODING", ""))):
            headers = (_FOR_EVER, ("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))
            return ConsoleAnswer(200, asset.compressed, asset.content_type, headers)
        return ConsoleAnswer(200, asset.content, asset.content_type, (_FOR_EVER, ("Vary", "Accept-Encoding")))

    def _document(self) -> ConsoleAnswer | None:
        document = self._assets.files.get(_DOCUMENT)
        if document is None:
            return None
        content = document.content.replace(b"{assets}", self._prefix.encode())
        return ConsoleAnswer(200, content, document.content_type)
