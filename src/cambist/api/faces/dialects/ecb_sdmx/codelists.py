"""The concepts and codelists of the structure of exchange rates, under the ids that the ECB gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from cambist.reference.currency_tables import CURRENCIES

CONCEPTS = {
    "FREQ": "Frequency",
    "CURRENCY": "Currency",
    "CURRENCY_DENOM": "Currency denominator",
    "EXR_TYPE": "Exchange rate type",
    "EXR_SUFFIX": "Series variation",
    "TIME_PERIOD": "Time period",
    "OBS_VALUE": "Observation value",
    "OBS_STATUS": "Observation status",
    "OBS_CONF": "Observation confidentiality",
    "TIME_FORMAT": "Time format",
    "COLLECTION": "Collection indicator",
    "DECIMALS": "Decimals",
    "TITLE": "Title",
    "TITLE_COMPL": "Title complement",
    "UNIT": "Unit",
    "UNIT_MULT": "Unit multiplier",
}
"""The name of each concept."""

CODED = {
    "FREQ": "CL_FREQ",
    "CURRENCY": "CL_CURRENCY",
    "CURRENCY_DENOM": "CL_CURRENCY",
    "EXR_TYPE": "CL_EXR_TYPE",
    "EXR_SUFFIX": "CL_EXR_SUFFIX",
    "OBS_STATUS": "CL_OBS_STATUS",
    "OBS_CONF": "CL_OBS_CONF",
    "COLLECTION": "CL_COLLECTION",
    "UNIT": "CL_UNIT",
    "UNIT_MULT": "CL_UNIT_MULT",
}
"""The codelist of each concept that has one."""

SERIES_ATTRIBUTES = ("TIME_FORMAT", "COLLECTION", "DECIMALS", "TITLE", "TITLE_COMPL", "UNIT", "UNIT_MULT")
OBSERVATION_ATTRIBUTES = ("OBS_STATUS", "OBS_CONF")


@dataclass(frozen=True, slots=True)
class Codelist:
    """A codelist: its name, and the name of each code."""

    name: str
    codes: Mapping[str, str]


@cache
def codelists() -> Mapping[str, Codelist]:
    """Return the codelists by id."""
    currencies = {code: currency.name for code, currency in sorted(CURRENCIES.items())}
    frequencies = {"A": "Annual", "H": "Half-yearly", "Q": "Quarterly", "M": "Monthly", "D": "Daily"}
    return {
        "CL_FREQ": Codelist("Frequency code list", frequencies),
        "CL_CURRENCY": Codelist("Currency code list", currencies),
        "CL_EXR_TYPE": Codelist("Exchange rate type code list", {"SP00": "Spot"}),
        "CL_EXR_SUFFIX": Codelist("Series variation code list", {"A": "Average"}),
        "CL_OBS_STATUS": Codelist("Observation status code list", {"A": "Normal value"}),
        "CL_OBS_CONF": Codelist("Observation confidentiality code list", {"F": "Free"}),
        "CL_COLLECTION": Codelist("Collection indicator code list", {"A": "Average of observations through period"}),
        "CL_UNIT": Codelist("Unit code list", currencies),
        "CL_UNIT_MULT": Codelist("Unit multiplier code list", {"0": "Units"}),
    }
