"""Paths under which dialects are asked, and that are not theirs alone: Cambist's own, and those that hold a key."""

from __future__ import annotations

from collections.abc import Iterable

from cambist.api.faces.dialects.dialect import Dialect
from cambist.http.request_parser import Environ


class DialectPaths:
    """Leads requests to the paths of the dialect that they speak."""

    def __init__(self, dialects: Iterable[Dialect]) -> None:
        spoken = tuple(dialects)
        self._claims = [
            (path, f"{name}=", target)
            for dialect in spoken
            for path, target in dialect.claims.items()
            for name in dialect.key_parameters
        ]
        self._key_folders = [
            (f"{folder}/", target, _names_in(dialect, folder))
            for dialect in spoken
            for folder, target in dialect.key_folders.items()
        ]

        headers = dict.fromkeys(name for dialect in spoken for name in dialect.key_headers)
        self._key_headers = [f"HTTP_{name.upper().replace('-', '_')}" for name in headers]

    @property
    def has_any(self) -> bool:
        """Whether there is anything to rewrite."""
        return bool(self._claims or self._key_folders or self._key_headers)

    def rewrite(self, environ: Environ) -> None:
        """Change the path of a request that speaks a dialect where it has another, and bring its key where ours is."""
        for name in self._key_headers:
            if key := environ.get(name):
                _bring(environ, key)
        path = environ["PATH_INFO"]
        for claimed, key, target in self._claims:
            is_claimed = path.startswith(claimed) if claimed.endswith("/") else path == claimed
            if is_claimed and key in environ["QUERY_STRING"]:
                environ["PATH_INFO"] = f"{target}{path.removeprefix(claimed)}"
                return
        for folder, target, names in self._key_folders:
            key, slash, rest = path.removeprefix(folder).partition("/")
            if path.startswith(folder) and slash and key not in names:
                environ["PATH_INFO"] = f"{target}/{rest}"
                _bring(environ, key)
                return


def _bring(environ: Environ, key: str) -> None:
    brought = environ.get("HTTP_X_API_KEY")
    environ["HTTP_X_API_KEY"] = f"{brought},{key}" if brought else key


def _names_in(dialect: Dialect, folder: str) -> frozenset[str]:
    """Return the names that follow a folder in the dialect's own paths, which are no keys."""
    templates = [route.template for route in dialect.routes if route.template.startswith(f"{folder}/")]
    return frozenset(template.removeprefix(f"{folder}/").partition("/")[0] for template in templates)
