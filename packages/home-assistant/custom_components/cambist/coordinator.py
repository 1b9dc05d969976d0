"""The rates of all pairs of an entry, asked for together."""

from __future__ import annotations

import logging
from datetime import timedelta

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_API_KEY, CONF_URL
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed

from .client import CambistError, Client, Rate
from .const import CONF_MINUTES, CONF_PAIRS, DOMAIN, read_pairs

Rates = dict[tuple[str, str], Rate]


class RatesCoordinator(DataUpdateCoordinator[Rates]):
    """Asks every few minutes."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry) -> None:
        """Read what the entry says."""
        minutes = timedelta(minutes=entry.data[CONF_MINUTES])
        super().__init__(hass, logging.getLogger(__name__), config_entry=entry, name=DOMAIN, update_interval=minutes)
        self.pairs = read_pairs(entry.data[CONF_PAIRS])
        self._client = Client(async_get_clientsession(hass), entry.data[CONF_URL], entry.data.get(CONF_API_KEY, ""))

    async def _async_update_data(self) -> Rates:
        try:
            found, missing = await self._client.rates(self.pairs)
        except CambistError as error:
            raise UpdateFailed(str(error)) from error
        if not found:
            raise UpdateFailed("; ".join(missing))
        return found
