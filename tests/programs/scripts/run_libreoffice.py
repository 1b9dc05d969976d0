"""Compute formulas in LibreOffice, and read a workbook and a CSV file from their addresses.

Arguments: a folder for its profile, formulas as a JSON list, and addresses as another. Writes JSON: for each formula
its text, its number and its error; for each address the texts of its cells.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

profile, formulas, addresses = sys.argv[1:]
uno: Any = import_module("uno")
PIPE = f"cambist-{Path(profile).name}"


def property_of(name: str, value: object) -> Any:
    made = uno.createUnoStruct("com.sun.star.beans.PropertyValue")
    made.Name, made.Value = name, value
    return made


def connect() -> Any:
    context = uno.getComponentContext()
    resolver = context.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", context)
    for _ in range(200):
        try:
            return resolver.resolve(f"uno:pipe,name={PIPE};urp;StarOffice.ComponentContext")
        except Exception:  # noqa: BLE001  it has not started yet
            time.sleep(0.3)
    raise SystemExit("LibreOffice does not start")


def computed(desktop: Any) -> list[tuple[str, float, int]]:
    document = desktop.loadComponentFromURL("private:factory/scalc", "_blank", 0, (property_of("Hidden", value=True),))
    sheet, found = document.Sheets.getByIndex(0), []
    for row, formula in enumerate(json.loads(formulas)):
        cell = sheet.getCellByPosition(1, row)
        cell.Formula = formula
        found.append((cell.String, cell.Value, cell.getError()))
    document.close(True)
    return found


def cells_of(desktop: Any, address: str) -> list[list[str]]:
    options = [property_of("Hidden", value=True)]
    if ".csv" in address:
        options += [
            property_of("FilterName", "Text - txt - csv (StarCalc)"),
            property_of("FilterOptions", "44,34,76,1"),
        ]
    document = desktop.loadComponentFromURL(address, "_blank", 0, tuple(options))
    sheet = document.Sheets.getByIndex(0)
    cursor = sheet.createCursor()
    cursor.gotoEndOfUsedArea(False)
    end = cursor.RangeAddress
    found = [
        [sheet.getCellByPosition(column, row).String for column in range(end.EndColumn + 1)]
        for row in range(end.EndRow + 1)
    ]
    document.close(True)
    return found


office = subprocess.Popen(
    [
        "soffice",
        f"-env:UserInstallation=file://{profile}",
        "--headless",
        "--norestore",
        f"--accept=pipe,name={PIPE};urp;",
    ],
    stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
)
try:
    context = connect()
    desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
    result = {
        "formulas": computed(desktop),
        "tables": {address: cells_of(desktop, address) for address in json.loads(addresses)},
    }
    sys.stdout.write(json.dumps(result) + "\n")
    desktop.terminate()
    office.wait(30)
finally:
    office.kill()
