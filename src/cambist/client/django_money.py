"""Exchange rates for django-money: `EXCHANGE_BACKEND = "cambist.client.django_money.CambistBackend"`."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from djmoney.contrib.exchange.backends.base import BaseExchangeBackend

from cambist.client.errors import NotConfigured
from cambist.client.sync_client import Cambist

_STORED_DIGITS = Decimal("0.000001")
"""django-money stores six decimal places."""


class CambistBackend(BaseExchangeBackend):  # type: ignore[misc]  # django-money has no types
    """Stores the current rates of `BASE_CURRENCY`, when `update_rates` runs.

    The settings CAMBIST_URL and CAMBIST_KEY name the service; without them, the variables of the environment do.
    """

    name = "cambist"

    def get_rates(self, *, base_currency: str, **_: Any) -> dict[str, Decimal]:
        """Return the rates by code. Those that would be stored as zero are left out. Errors: CambistError."""
        url, key = getattr(settings, "CAMBIST_URL", None), getattr(settings, "CAMBIST_KEY", None)
        try:
            client = Cambist(url, key)
        except NotConfigured as error:
            raise ImproperlyConfigured(f"{error} (the settings CAMBIST_URL and CAMBIST_KEY)") from error
        with client:
            rates = client.fetch_all(base_currency).results
        return {code: rate for code, rate in rates.items() if rate >= _STORED_DIGITS}
