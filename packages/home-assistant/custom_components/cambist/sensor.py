"""A sensor for each pair."""

from __future__ import annotations

from typing import Any

from homeassistant.components.sensor import SensorEntity, SensorStateClass
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddEntitiesCallback
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from .client import Rate
from .coordinator import RatesCoordinator


async def async_setup_entry(
    _hass: HomeAssistant, entry: ConfigEntry[RatesCoordinator], async_add_entities: AddEntitiesCallback
) -> None:
    """Add the sensors of an entry."""
    async_add_entities(RateSensor(entry, pair) for pair in entry.runtime_data.pairs)


class RateSensor(CoordinatorEntity[RatesCoordinator], SensorEntity):
    """How much one unit of the base is worth."""

    _attr_state_class = SensorStateClass.MEASUREMENT
    _attr_icon = "mdi:currency-usd"

    def __init__(self, entry: ConfigEntry[RatesCoordinator], pair: tuple[str, str]) -> None:
        """Name the sensor by its pair."""
        super().__init__(entry.runtime_data)
        self._pair = pair
        self._attr_name = "/".join(pair)
        self._attr_unique_id = f"{entry.entry_id}_{'_'.join(pair)}"
        self._attr_native_unit_of_measurement = pair[1]

    @property
    def _rate(self) -> Rate | None:
        return self.coordinator.data.get(self._pair)

    @property
    def available(self) -> bool:
        """Return whether the service answered, and has a rate of the pair."""
        return super().available and self._rate is not None

    @property
    def native_value(self) -> float | None:
        """Return the rate."""
        return None if self._rate is None else self._rate.value

    @property
    def extra_state_attributes(self) -> dict[str, Any]:
        """Return the market's time of the rate."""
        return {} if self._rate is None else {"rate_time": self._rate.updated.isoformat()}
