"""Cambist as a provider of the module `currency_rate_update`.

The system parameters `currency_rate_update_cambist.url` and `currency_rate_update_cambist.key` name the service.
"""

import json
import urllib.error
import urllib.request
from datetime import date
from typing import Any
from urllib.parse import urlencode

from odoo import fields, models
from odoo.exceptions import UserError

_SECONDS = 30
_MOST_TARGETS = 10
"""How many currencies the service answers about in one request for a period."""


class ResCurrencyRateProvider(models.Model):
    """The providers, with one more service."""

    _inherit = "res.currency.rate.provider"

    service = fields.Selection(selection_add=[("cambist", "Cambist")], ondelete={"cambist": "set default"})

    def _get_supported_currencies(self) -> list[str]:
        self.ensure_one()
        if self.service != "cambist":
            return super()._get_supported_currencies()
        return list(self._ask_cambist("/currencies", {})["currencies"])

    def _obtain_rates(
        self, base_currency: str, currencies: list[str], date_from: date, date_to: date
    ) -> dict[str, dict[str, float]]:
        """Return the rates by day: how much of a currency one unit of the company's is worth."""
        self.ensure_one()
        if self.service != "cambist":
            return super()._obtain_rates(base_currency, currencies, date_from, date_to)
        found: dict[str, dict[str, float]] = {}
        wanted = [code for code in dict.fromkeys(currencies) if code != base_currency]
        for place in range(0, len(wanted), _MOST_TARGETS):
            targets = ",".join(wanted[place : place + _MOST_TARGETS])
            period = {"start": date_from.isoformat(), "end": date_to.isoformat()}
            answer = self._ask_cambist("/time-series", {"from": base_currency, "to": targets, **period})
            for code, rates in answer["results"].items():
                for day, rate in rates.items():
                    found.setdefault(day, {})[code] = rate
        return found

    def _ask_cambist(self, path: str, query: dict[str, str]) -> Any:
        """Return an answer of the service. Errors: UserError with its sentence."""
        parameter = self.env["ir.config_parameter"].sudo().get_param
        address = (parameter("currency_rate_update_cambist.url") or "").strip().rstrip("/")
        if not address.startswith(("http://", "https://")):
            raise UserError(
                "Set the system parameter currency_rate_update_cambist.url to the address of the service, "
                f"such as http://127.0.0.1:8000: [{address}]"
            )
        request = urllib.request.Request(f"{address}{path}?{urlencode(query)}")  # noqa: S310  its scheme is checked
        if key := (parameter("currency_rate_update_cambist.key") or "").strip():
            request.add_header("X-API-Key", key)
        try:
            with urllib.request.build_opener(_NoRedirects).open(request, timeout=_SECONDS) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as refused:
            raise UserError(_sentence_of(refused)) from refused
        except (OSError, ValueError) as error:
            raise UserError(f"{address} does not answer as Cambist does: {error}") from error


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the key is for the address that was named, and for no other."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _sentence_of(refused: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(refused)["error"])
    except (ValueError, LookupError, TypeError):
        return f"{refused.url} answers with {refused.code} {refused.reason}"
