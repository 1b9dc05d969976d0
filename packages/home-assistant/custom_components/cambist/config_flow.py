"""The form that adds a service: its address and key, the pairs, and how often they are asked for."""

from __future__ import annotations

from typing import Any

import voluptuous as vol
from homeassistant.config_entries import ConfigFlow, ConfigFlowResult
from homeassistant.const import CONF_API_KEY, CONF_URL
from homeassistant.helpers.aiohttp_client import async_get_clientsession

from .client import CambistError, Client, KeyRefusedError
from .const import CONF_MINUTES, CONF_PAIRS, DEFAULT_MINUTES, DEFAULT_PAIRS, DEFAULT_URL, DOMAIN, read_pairs

FIELDS = vol.Schema(
    {
        vol.Required(CONF_URL, default=DEFAULT_URL): str,
        vol.Optional(CONF_API_KEY, default=""): str,
        vol.Required(CONF_PAIRS, default=DEFAULT_PAIRS): str,
        vol.Required(CONF_MINUTES, default=DEFAULT_MINUTES): vol.All(int, vol.Range(min=1, max=1440)),
    }
)


class CambistConfigFlow(ConfigFlow, domain=DOMAIN):
    """Asks for what an entry needs, and tries it."""

    VERSION = 1

    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show the form, or add the entry if the service answers."""
        problems, said = {}, {"error": ""}
        if user_input is not None:
            problems, said["error"] = await self._problems(user_input)
            if not problems:
                self._async_abort_entries_match({name: user_input[name] for name in (CONF_URL, CONF_PAIRS)})
                return self.async_create_entry(title=f"Cambist: {user_input[CONF_PAIRS]}", data=user_input)
        shown = self.add_suggested_values_to_schema(FIELDS, user_input)
        return self.async_show_form(step_id="user", data_schema=shown, errors=problems, description_placeholders=said)

    async def _problems(self, given: dict[str, Any]) -> tuple[dict[str, str], str]:
        """Return what is wrong, by the name of its field, and the sentence about it."""
        if not given[CONF_URL].startswith(("http://", "https://")):
            return {CONF_URL: "no_address"}, given[CONF_URL]
        try:
            pairs = read_pairs(given[CONF_PAIRS])
        except ValueError as error:
            return {CONF_PAIRS: "no_pair"}, str(error)
        client = Client(async_get_clientsession(self.hass), given[CONF_URL], given.get(CONF_API_KEY, ""))
        try:
            _, missing = await client.rates(pairs)
        except KeyRefusedError as error:
            return {CONF_API_KEY: "invalid_auth"}, str(error)
        except CambistError as error:
            return {"base": "cannot_connect"}, str(error)
        return ({CONF_PAIRS: "no_rate"}, "; ".join(missing)) if missing else ({}, "")
