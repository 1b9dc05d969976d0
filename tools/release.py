"""Build a release: wheel, sdist, client, image context, list of parts (SBOM) and checksums, the same bytes each time.

    python tools/release.py 0.2.0     set the version, date the changelog, and build
    python tools/release.py --build   build what is there, without a change

The archives are built twice from copies of the committed files, and compared. Nothing is published: the last lines say
what a maintainer runs for that.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).parents[1]
CLIENT = Path("packages/cambist-client")
CHANGELOG = Path("CHANGELOG.md")
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)((?:a|b|rc)(?:0|[1-9]\d*))?")
PLACES: Mapping[Path, str] = {
    Path("src/cambist/__init__.py"): '__version__ = "{}"',
    Path("src/cambist/client/version.py"): 'VERSION = "{}"',
    Path("pyproject.toml"): '\nversion = "{}"',
    CLIENT / "pyproject.toml": '\nversion = "{}"',
}
"""Where the version is written; a test compares them."""

_PINNED = 'sandbox = ["cambist=={}"]'
_UNRELEASED = "## Unreleased"
_LOCK = Path("requirements-cluster.lock")
_IMAGE = (
    "deploy/container/Containerfile",
    ".dockerignore",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    str(_LOCK),
    "src",
)
_BUILD = "import sys; from flit_core.buildapi import *; build_wheel(sys.argv[1]); build_sdist(sys.argv[1])"
_FIXED = 0o644


class ReleaseRefusedError(Exception):
    """The release cannot be made; the text says why."""


def main(arguments: list[str]) -> int:
    """Set the version if one is given, and build."""
    parser = argparse.ArgumentParser(description="Build a release of Cambist.")
    parser.add_argument("version", nargs="?", help="the new version, such as 0.2.0 or 0.2.0rc1")
    parser.add_argument("--build", action="store_true", help="build the version that is there")
    parser.add_argument("--target", type=Path, default=ROOT / "dist", help="folder for what is built")
    given = parser.parse_args(arguments)
    if bool(given.version) == given.build:
        parser.error("give a version, or --build")
    try:
        if given.version:
            set_version(ROOT, given.version, datetime.now(UTC).date())
            _renew_document(ROOT)
        built = build_release(ROOT, given.target)
    except (ReleaseRefusedError, subprocess.CalledProcessError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    for path in built:
        print(f"{_sha256(path.read_bytes())}  {path.relative_to(given.target)}")
    print(_next_steps(current_version(ROOT), given.target))
    return 0


def current_version(root: Path) -> str:
    """Return the version of the sources in a folder."""
    found = re.search(r'__version__ = "([^"]+)"', (root / "src/cambist/__init__.py").read_text())
    if found is None:
        raise ReleaseRefusedError("src/cambist/__init__.py has no version")
    return found[1]


def set_version(root: Path, version: str, day: date) -> None:
    """Write a new version wherever it is written, and date the changelog. Errors: ReleaseRefusedError."""
    before = current_version(root)
    if not VERSION.fullmatch(version) or _order(version) <= _order(before):
        raise ReleaseRefusedError(f"{version} is no version after {before}: it is written as 0.2.0 or 0.2.0rc1")
    changes = (root / CHANGELOG).read_text()
    unreleased = changes.partition(f"{_UNRELEASED}\n")[2].partition("\n## ")[0]
    if not unreleased.strip():
        raise ReleaseRefusedError(f"{CHANGELOG} has nothing under [{_UNRELEASED}]")
    written = {
        path: (root / path).read_text().replace(form.format(before), form.format(version), 1)
        for path, form in PLACES.items()
    }
    client = CLIENT / "pyproject.toml"
    written[client] = written[client].replace(_PINNED.format(before), _PINNED.format(version))
    written[CHANGELOG] = changes.replace(f"{_UNRELEASED}\n", f"{_UNRELEASED}\n\n## {version} ({day})\n", 1)
    for path, form in PLACES.items():
        if form.format(version) not in written[path]:
            raise ReleaseRefusedError(f"{path} does not have the version {before}")
    for path, text in written.items():
        (root / path).write_text(text)


def build_release(root: Path, target: Path) -> list[Path]:
    """Build everything twice, and return the files. Errors: ReleaseRefusedError if two builds differ."""
    version = current_version(root)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        first, second = (_built_in(root, Path(scratch) / name, version) for name in ("first", "second"))
        if first.keys() != second.keys() or any(first[name] != second[name] for name in first):
            differing = [name for name in first if first[name] != second.get(name)]
            raise ReleaseRefusedError(f"Two builds differ in {', '.join(differing)}")
    for name, content in sorted(first.items()):
        (target / name).write_bytes(content)
    sums = "".join(f"{_sha256(content)}  {name}\n" for name, content in sorted(first.items()))
    (target / "SHA256SUMS").write_text(sums)
    return [target / name for name in (*sorted(first), "SHA256SUMS")]


def _built_in(root: Path, scratch: Path, version: str) -> dict[str, bytes]:
    """Return the content of each file of a release by name, built from a copy of the files that git knows."""
    sources, dist = scratch / "sources", scratch / "dist"
    dist.mkdir(parents=True)
    _copy_known_files(root, sources)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(_epoch(root)), "PYTHONHASHSEED": "0"}
    for package in (sources, sources / CLIENT):
        command = [sys.executable, "-c", _BUILD, str(dist)]
        subprocess.run(command, cwd=package, env=environment, check=True, capture_output=True)  # noqa: S603  our own build
    found = {path.name: path.read_bytes() for path in dist.iterdir()}
    found[f"cambist-{version}-image.tar.gz"] = image_context(sources, _epoch(root))
    parts = bill_of_materials((sources / _LOCK).read_text(), version, _epoch(root))
    found[f"cambist-{version}.cdx.json"] = json.dumps(parts, indent=1, ensure_ascii=False).encode() + b"\n"
    return found


def _copy_known_files(root: Path, target: Path) -> None:
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True).stdout  # noqa: S603  the git of the machine
    for name in listed.decode().split("\0"):
        source = root / name
        if name and source.exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name, follow_symlinks=False)


def _epoch(root: Path) -> int:
    """Return the time that all files get: the midnight of the newest day in the changelog, or of 1980."""
    days = re.findall(r"^## \S+ \((\d{4}-\d\d-\d\d)\)$", (root / CHANGELOG).read_text(), re.MULTILINE)
    newest = max(map(date.fromisoformat, days), default=date(1980, 1, 1))
    return int(datetime(newest.year, newest.month, newest.day, tzinfo=UTC).timestamp())


def image_context(root: Path, epoch: int) -> bytes:
    """Return what the Containerfile copies, as an archive without owners, in the order of the names."""
    found = (
        path
        for name in _IMAGE
        for path in ([root / name] if (root / name).is_file() else (root / name).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    )
    paths = sorted(found, key=str)
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in paths:
            entry = tarfile.TarInfo(str(path.relative_to(root)))
            entry.size, entry.mtime, entry.mode = path.stat().st_size, epoch, _FIXED
            with path.open("rb") as content:
                archive.addfile(entry, content)
    return gzip.compress(raw.getvalue(), mtime=0)


def bill_of_materials(lock: str, version: str, epoch: int) -> dict[str, object]:
    """Return the parts of an installation as CycloneDX 1.6: the packages of a lock with their hashes."""
    made_at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=epoch)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": made_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application", "name": "cambist", "version": version, "purl": f"pkg:pypi/cambist@{version}",
                "bom-ref": f"pkg:pypi/cambist@{version}", "licenses": [{"license": {"id": "Apache-2.0"}}],
            },
        },
        "components": [*_components(lock)],
    }  # fmt: skip


def _components(lock: str) -> Iterable[dict[str, object]]:
    for block in re.split(r"\n(?=\S)", lock.replace("\\\n", " ")):
        found = re.match(r"([A-Za-z0-9._-]+)==([^\s;]+)", block)
        if found is None:
            continue
        purl = f"pkg:pypi/{found[1].lower().replace('_', '-')}@{found[2]}"
        hashes = sorted(set(re.findall(r"--hash=sha256:([0-9a-f]{64})", block)))
        yield {
            "type": "library", "name": found[1], "version": found[2], "purl": purl, "bom-ref": purl,
            "hashes": [{"alg": "SHA-256", "content": each} for each in hashes],
        }  # fmt: skip


def _order(version: str) -> tuple[int, int, int, tuple[int, str, int]]:
    found = VERSION.fullmatch(version)
    if found is None:
        raise ReleaseRefusedError(f"{version} is no version")
    kind = re.fullmatch(r"([a-z]+)(\d+)", found[4] or "")
    return int(found[1]), int(found[2]), int(found[3]), (0, kind[1], int(kind[2])) if kind else (1, "", 0)


def _renew_document(root: Path) -> None:
    """Write the version into the OpenAPI document."""
    path = root / "docs" / "openapi.json"
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    command = [sys.executable, "-m", "cambist", "openapi"]
    made = subprocess.run(command, env=environment, check=True, capture_output=True)  # noqa: S603  our own program
    path.write_bytes(made.stdout)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _next_steps(version: str, target: Path) -> str:
    folder = os.path.relpath(target)
    archives = f"{folder}/*.whl {folder}/cambist-{version}.tar.gz {folder}/cambist_client-{version}.tar.gz"
    image = f"{folder}/cambist-{version}-image.tar.gz"
    lines = [
        "",
        "To publish it, a maintainer runs:",
        f"  git commit -am 'Release {version}' && git tag -s v{version} -m 'Cambist {version}'",
        f"  git push origin main v{version}",
        f"  python -m twine upload {archives}",
        f"  mkdir image && tar -xzf {image} -C image",
        f"  podman build -t cambist:{version} -f image/deploy/container/Containerfile image",
        f"and attaches {folder}/SHA256SUMS and {folder}/cambist-{version}.cdx.json to the release.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
