"""The handshake: which requests become a WebSocket, and how the others are refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus

from picows import WSUpgradeRequest, WSUpgradeResponse

_VERSION = "13"
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""What a subprotocol may be called (RFC 9110, 5.6.2)."""


def answer_handshake(request: WSUpgradeRequest) -> WSUpgradeResponse:
    """Return the response to a request for a WebSocket: 101, or 426 where another protocol or version is spoken."""
    headers = request.headers
    if headers.get("Upgrade", "").lower() != "websocket":
        return _upgrade_required(b"This port speaks WebSocket")
    if headers.get("Sec-WebSocket-Version") != _VERSION:
        return _upgrade_required(b"This port speaks version 13 of WebSocket (RFC 6455)")
    # Browsers write `keep-alive, Upgrade`, which the library would refuse.
    if "upgrade" in [word.strip().lower() for word in headers.get("Connection", "").split(",")]:
        headers["Connection"] = "upgrade"
    accepted: WSUpgradeResponse = WSUpgradeResponse.create_101_response(_accepted_subprotocol(headers))
    return accepted


def _upgrade_required(sentence: bytes) -> WSUpgradeResponse:
    """Return a 426 that names the protocol and version that are spoken, as RFC 9110 and RFC 6455 ask."""
    headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": _VERSION}
    refusal: WSUpgradeResponse = WSUpgradeResponse.create_error_response(HTTPStatus.UPGRADE_REQUIRED, sentence, headers)
    return refusal


def _accepted_subprotocol(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the header that accepts the first subprotocol that was offered: browsers close without one."""
    offered = headers.get("Sec-WebSocket-Protocol", "").partition(",")[0].strip()
    return {"Sec-WebSocket-Protocol": offered} if _TOKEN.fullmatch(offered) else {}
