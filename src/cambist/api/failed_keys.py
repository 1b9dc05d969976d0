"""Failed keys, by the address that a request came from."""

from __future__ import annotations

from typing import Any

from cambist.accounts.addresses import Networks, client_address, neighbourhood
from cambist.accounts.api_key import Digest
from cambist.accounts.failed_keys import FailedKeys
from cambist.errors import TooManyFailedKeys


class FailedKeyLimit:
    """Counts failed keys of one worker; `proxies` are the networks whose `X-Forwarded-For` is believed."""

    def __init__(self, proxies: Networks = ()) -> None:
        self._proxies = proxies
        self._failed = FailedKeys()

    def succeeded(self, environ: dict[str, Any], digest: Digest) -> None:
        """Remember that a key opened the gate from an address."""
        # By the peer: to look further for every answer would cost more than it tells.
        self._failed.opened(environ.get("REMOTE_ADDR", ""), digest)

    def check(self, environ: dict[str, Any], digest: Digest, now: float) -> None:
        """Refuse a key unseen where too many have failed. Errors: TooManyFailedKeys."""
        if not self._failed:
            return
        wait = self._failed.wait(self._address(environ), environ.get("REMOTE_ADDR", ""), digest, now)
        if wait:
            raise TooManyFailedKeys("Too many failed API keys from this address; try again later", wait)

    def failed(self, environ: dict[str, Any], now: float) -> None:
        """Count a key that opened nothing."""
        self._failed.failed(self._address(environ), now)

    def _address(self, environ: dict[str, Any]) -> str:
        peer = str(environ.get("REMOTE_ADDR", ""))
        forwarded = environ.get("HTTP_X_FORWARDED_FOR")
        return neighbourhood(client_address(peer, forwarded or "", self._proxies))
