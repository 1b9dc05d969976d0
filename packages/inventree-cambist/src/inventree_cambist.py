"""A currency exchange plugin of InvenTree that asks Cambist, a self-hosted service for exchange rates."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any, ClassVar
from urllib.parse import urlencode

from plugin import InvenTreePlugin
from plugin.mixins import CurrencyExchangeMixin, SettingsMixin

_SECONDS = 30


class CambistError(Exception):
    """The service does not answer, or has not all rates. InvenTree logs the text, and keeps the rates that it has."""


class CambistExchangePlugin(CurrencyExchangeMixin, SettingsMixin, InvenTreePlugin):
    """Exchange rates from the service that the plugin's settings name."""

    NAME = "CambistExchange"
    SLUG = "cambistexchange"
    TITLE = "Cambist"
    DESCRIPTION = "Exchange rates from Cambist, a self-hosted service"
    AUTHOR = "The Cambist authors"
    VERSION = "0.2.0.dev0"
    SETTINGS: ClassVar[dict[str, dict[str, Any]]] = {
        "URL": {"name": "Address", "description": "Address of the service", "default": "http://127.0.0.1:8000"},
        "API_KEY": {"name": "API key", "description": "Empty if none is needed", "default": "", "protected": True},
    }

    def update_exchange_rates(self, base_currency: str, symbols: list[str]) -> dict[str, float]:
        """Return how much one unit of the base is worth in each currency. Errors: CambistError."""
        others = sorted({*symbols} - {base_currency})
        if not others:
            return {base_currency: 1.0}
        results = self._ask("/fetch-multi", {"from": base_currency, "to": ",".join(others)})["results"]
        return {**results, base_currency: 1.0}

    def _ask(self, path: str, query: dict[str, str]) -> Any:
        address = str(self.get_setting("URL") or "").strip().rstrip("/")
        if not address.startswith(("http://", "https://")):
            raise CambistError(f"The address of the service begins with http:// or https://: [{address}]")
        request = urllib.request.Request(f"{address}{path}?{urlencode(query)}")  # noqa: S310  its scheme is checked
        if key := str(self.get_setting("API_KEY") or "").strip():
            request.add_header("X-API-Key", key)
        try:
            with urllib.request.build_opener(_NoRedirects).open(request, timeout=_SECONDS) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as refused:
            raise CambistError(_sentence_of(refused)) from refused
        except (OSError, ValueError) as error:
            raise CambistError(f"{address} does not answer as Cambist does: {error}") from error


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the key is for the address that was named, and for no other."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _sentence_of(refused: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(refused)["error"])
    except (ValueError, LookupError, TypeError):
        return f"{refused.url} answers with {refused.code} {refused.reason}"
