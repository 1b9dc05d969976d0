"""The real Home Assistant with the integration of packages/home-assistant: python run_home_assistant.py FOLDER JSON.

FOLDER is its configuration, which has the integration; JSON a list of what is filled into the form, one after another.
Writes JSON: for each of them what the form answers, the sensors after all, and those after the entries were removed.
"""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from typing import Any

core: Any = import_module("homeassistant.core")
bootstrap: Any = import_module("homeassistant.bootstrap")
entries: Any = import_module("homeassistant.config_entries")
loader: Any = import_module("homeassistant.loader")
aiohttp_client: Any = import_module("homeassistant.helpers.aiohttp_client")
resolver: Any = import_module("aiohttp.resolver")


async def run(folder: str, filled: list[dict[str, Any]]) -> dict[str, Any]:
    """Fill in the form, and return what came of it."""
    # Names are otherwise also looked for by multicast in the local network, as Home Assistant's own tests avoid too.
    aiohttp_client._async_make_resolver = lambda _hass: resolver.ThreadedResolver()
    hass = core.HomeAssistant(folder)
    hass.config.skip_pip = True
    loader.async_setup(hass)
    hass.config_entries = entries.ConfigEntries(hass, {})
    await bootstrap.async_load_base_functionality(hass)
    await hass.async_start()
    forms = [await fill_in(hass, each) for each in filled]
    await hass.async_block_till_done()
    sensors = states(hass)
    for entry in hass.config_entries.async_entries("cambist"):
        await hass.config_entries.async_remove(entry.entry_id)
    await hass.async_block_till_done()
    found = {"forms": forms, "sensors": sensors, "left": states(hass)}
    await hass.async_stop(force=True)
    return found


async def fill_in(hass: Any, filled: dict[str, Any]) -> dict[str, Any]:
    """Open the form and send it."""
    opened = await hass.config_entries.flow.async_init("cambist", context={"source": "user"})
    sent = await hass.config_entries.flow.async_configure(opened["flow_id"], filled)
    if sent["type"] == "form":
        hass.config_entries.flow.async_abort(sent["flow_id"])
    told = (sent.get("description_placeholders") or {}).get("error", "")
    return {"type": sent["type"], "errors": sent.get("errors") or {}, "told": told, "reason": sent.get("reason")}


def states(hass: Any) -> dict[str, Any]:
    """Return the sensors by their name, with their state, unit and attributes."""
    return {
        state.name: [state.state, state.attributes.get("unit_of_measurement"), state.attributes.get("rate_time")]
        for state in hass.states.async_all("sensor")
    }


result = asyncio.run(run(sys.argv[1], json.loads(sys.argv[2])))
sys.stdout.write(json.dumps(result) + "\n")
