"""The keys and attributes of series, the same in every format."""

from __future__ import annotations

from cambist.api.faces.dialects.ecb_sdmx.periods import FREQUENCIES
from cambist.api.faces.dialects.ecb_sdmx.query import RATE_TYPE, VARIATION
from cambist.api.faces.dialects.ecb_sdmx.series import RateSeries
from cambist.api.faces.dialects.euro_series import EURO
from cambist.reference.currency_tables import CURRENCIES

FLOW = "EXR"
"""The id of the dataflow."""


def key_of(one: RateSeries) -> tuple[str, ...]:
    """Return the values of a series for the dimensions, in their order."""
    return (one.frequency, one.currency, EURO, RATE_TYPE, VARIATION)


def series_name(one: RateSeries) -> str:
    """Return the key of a series with its dataflow, such as `EXR.D.USD.EUR.SP00.A`."""
    return ".".join((FLOW, *key_of(one)))


def series_attributes(one: RateSeries) -> dict[str, str]:
    """Return the attributes of a series."""
    title = f"{CURRENCIES[one.currency].name}/{CURRENCIES[EURO].name}"
    return {
        "TIME_FORMAT": FREQUENCIES[one.frequency],
        "COLLECTION": VARIATION,
        "DECIMALS": str(one.decimals),
        "TITLE": title,
        "TITLE_COMPL": f"Rate of Cambist from several sources, {title}",
        "UNIT": one.currency,
        "UNIT_MULT": "0",
    }


def observation_attributes() -> dict[str, str]:
    """Return the attributes of every observation: a normal value, free for publication."""
    return {"OBS_STATUS": "A", "OBS_CONF": "F"}
