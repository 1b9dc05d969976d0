"""The page for people: its document at `/`, its configuration, and its files, served through the web framework.

The fast path of the API knows nothing of it. Browsers get the document at `/`; other clients get the answer that they
would get without a page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import falcon
import msgspec

from cambist import __version__
from cambist.api.state.compression import accepts_gzip
from cambist.web.assets import Asset, Assets, load_assets
from cambist.web.page_security import content_security_policy
from cambist.web.reference_data import COINS_PATH, REFERENCE_PATH, coins_json, reference_json

PageMode = Literal["off", "keyed", "open"]

_FOLDERS = ("lib", "style", "page")
_DOCUMENT = "page/index.html"
_FOREVER = "public, max-age=31536000, immutable"
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z_.-]+)(:[0-9]{1,5})?")
_ORIGIN = re.compile(r"wss?://[^/;,\s]+")


@dataclass(frozen=True, slots=True)
class PageOptions:
    """What an operator may configure about the page.

    `stream_url` is the public address of the stream. If it is empty, it is the `stream_port` of the host that the
    browser asked; if that is 0 too, there is no stream. `path_prefix` is the path under which browsers see the service.
    """

    mode: PageMode = "off"
    environment: str = ""
    stream_url: str = ""
    stream_port: int = 0
    is_secure: bool = False
    path_prefix: str = ""

    def stream_address(self, host: str) -> str:
        """Return the address of the stream for a browser that asked `host`; empty if there is none."""
        if self.stream_url or not self.stream_port:
            return self.stream_url
        found = _HOST.fullmatch(host)
        return f"{'wss' if self.is_secure else 'ws'}://{found[1]}:{self.stream_port}" if found else ""

    def origin(self, host: str) -> str:
        """Return the address of the service for who shares a link to it; empty if `host` is none."""
        scheme = "https" if self.is_secure else "http"
        return f"{scheme}://{host}" if _HOST.fullmatch(host) else ""


def add_page_routes(
    framework: falcon.App[falcon.Request, falcon.Response],
    options: PageOptions,
    index: bytes | None = None,
    notice: Callable[[], str] = str,
) -> None:
    """Add `/` and `/page/config.json`, unless the page is off, and the files, which the reference is made of too.

    `index` is what `/` tells programs, and `notice` what all views tell people above everything, or an empty text.
    """
    if options.mode != "off" or index is not None:
        framework.add_route("/", PageDocument(options, index))
    if options.mode != "off":
        framework.add_route("/page/config.json", PageConfig(options, notice))
    framework.add_route("/page/{digest}/{path:path}", PageAssets())


@lru_cache(maxsize=1)
def page_assets() -> Assets:
    """Return the files of the page, read at the first request for one of them."""
    return load_assets(_FOLDERS, {REFERENCE_PATH: reference_json(), COINS_PATH: coins_json()})


def page_policy(stream_address: str) -> str:
    """Return the policy of the document: files of this origin alone, no inline script or style, and the stream."""
    origin = _ORIGIN.match(stream_address)
    return content_security_policy(connect=f"'self' {origin[0]}" if origin else "'self'")


class PageDocument:
    """The document at `/`, for browsers. Its links are relative, unless the service is seen under a prefix.

    Programs get `index`, which is JSON.
    """

    def __init__(self, options: PageOptions, index: bytes | None = None) -> None:
        self._options = options
        self._index = index

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer with the document. Errors: falcon.HTTPNotFound for a program, unless there is an index."""
        response.append_header("Vary", "Accept")
        if self._options.mode == "off" or "text/html" not in (request.accept or ""):
            self._answer_program(response)
            return
        host = request.get_header("Host") or ""
        stream_address = self._options.stream_address(host)
        response.set_header("Content-Security-Policy", page_policy(stream_address))
        response.set_header("Cache-Control", "no-cache")
        response.content_type = falcon.MEDIA_HTML
        response.data = self._content.replace(b"{origin}", self._options.origin(host).encode())

    on_head = on_get

    def _answer_program(self, response: falcon.Response) -> None:
        if self._index is None:
            raise falcon.HTTPNotFound
        response.set_header("Cache-Control", "no-cache")
        response.data = self._index

    @cached_property
    def _content(self) -> bytes:
        root = f"{self._options.path_prefix}/" if self._options.path_prefix else ""
        assets = page_assets()
        folder = f"{root}page/{assets.digest}/"
        return (
            assets.files[_DOCUMENT]
            .content.replace(b"{assets}", folder.encode())
            .replace(b"{shared}", f"{{origin}}/{folder.lstrip('/')}".encode())
        )


class PageConfig:
    """What the page must know of this service."""

    def __init__(self, options: PageOptions, notice: Callable[[], str]) -> None:
        self._options = options
        self._notice = notice

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer with the mode, the environment, the address of the stream, the version, and a notice."""
        config = {
            "mode": self._options.mode,
            "environment": self._options.environment or "live",
            "stream_url": self._options.stream_address(request.get_header("Host") or ""),
            "version": __version__,
            "notice": self._notice(),
        }
        response.data = msgspec.json.encode(config)
        response.set_header("Cache-Control", "no-store")

    on_head = on_get


class PageAssets:
    """The files below `/page/<hash>/`, which never change."""

    def on_get(self, request: falcon.Request, response: falcon.Response, digest: str, path: str) -> None:
        """Answer with a file. Errors: falcon.HTTPNotFound, also for the hash of another version."""
        assets = page_assets()
        asset = assets.files.get(path) if digest == assets.digest else None
        if asset is None:
            raise falcon.HTTPNotFound
        write_asset(request, response, asset)

    on_head = on_get


def write_asset(request: falcon.Request, response: falcon.Response, asset: Asset) -> None:
    """Write an unchanging file into a response, which browsers may keep for ever."""
    response.set_header("Cache-Control", _FOREVER)
    write_content(request, response, asset)


def write_content(request: falcon.Request, response: falcon.Response, asset: Asset) -> None:
    """Write a file into a response, compressed for clients that accept it."""
    response.content_type = asset.content_type
    response.append_header("Vary", "Accept-Encoding")
    if accepts_gzip(request.get_header("Accept-Encoding") or ""):
        response.set_header("Content-Encoding", "gzip")
        response.data = asset.compressed
    else:
        response.data = asset.content
