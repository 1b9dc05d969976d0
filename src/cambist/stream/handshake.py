"""The handshake: it upgrades HTTP requests to WebSockets, and refuses all others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus

from picows import WSUpgradeRequest, WSUpgradeResponse

_VERSION = "13"
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a subprotocol (RFC 9110, 5.6.2)."""


def answer_handshake(request: WSUpgradeRequest) -> WSUpgradeResponse:
    """Return the response to an upgrade request: 101, or 426 for another protocol or version."""
    headers = request.headers
    if headers.get("Upgrade", "").lower() != "websocket":
        return _upgrade_required(b"This port accepts only WebSocket connections")
    if headers.get("Sec-WebSocket-Version") != _VERSION:
        return _upgrade_required(b"This port accepts only version 13 of WebSocket (RFC 6455)")
    # Browsers write `keep-alive, Upgrade`, which the library would refuse.
    if "upgrade" in [word.strip().lower() for word in headers.get("Connection", "").split(",")]:
        headers["Connection"] = "upgrade"
    accepted: WSUpgradeResponse = WSUpgradeResponse.create_101_response(_accepted_subprotocol(headers))
    return accepted


def _upgrade_required(sentence: bytes) -> WSUpgradeResponse:
    """Return a 426 with the supported protocol and version, as RFC 9110 (15.5.22) and RFC 6455 (4.4) require."""
    headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": _VERSION}
    refusal: WSUpgradeResponse = WSUpgradeResponse.create_error_response(HTTPStatus.UPGRADE_REQUIRED, sentence, headers)
    return refusal


def _accepted_subprotocol(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the header that accepts the first subprotocol offered: browsers close the connection without it."""
    offered = headers.get("Sec-WebSocket-Protocol", "").partition(",")[0].strip()
    return {"Sec-WebSocket-Protocol": offered} if _TOKEN.fullmatch(offered) else {}
