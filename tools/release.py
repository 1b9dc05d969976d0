"""Build a release: all packages, image context, list of parts (SBOM) and checksums, the same bytes each time.

    python -m tools.release 0.2.0        set the version, date the changelog, and build
    python -m tools.release 0.3.0.dev0   set the version of what comes next; nothing is built
    python -m tools.release --build      build the commit that is there; if it is not tagged, its version names it

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
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tools.release_version import (
    CLIENT,
    ReleaseRefusedError,
    check_committed,
    git,
    is_development,
    set_version,
    time_of_build,
    version_of_build,
    write_version,
)

ROOT = Path(__file__).parents[1]
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
_PYTHON = ".venv/bin/python"


_WHEELS = (Path(), CLIENT, Path("packages/beanprice-cambist"), Path("packages/inventree-cambist"))
"""The folders of packages of Python, each built as a wheel and as a source archive."""

_ARCHIVES = ("finance-quote", "home-assistant", "odoo-cambist", "php-exchanger")
"""The packages that are installed by putting their files into a folder, each built as an archive of them."""

_BUILT = re.compile(r"((beanprice|inventree)_)?cambist(_client)?-[0-9].*|SHA256SUMS")
"""The names of what is built."""


def main(arguments: list[str]) -> int:
    """Set the version if one is given, and build."""
    parser = argparse.ArgumentParser(description="Build a release of Cambist.")
    parser.add_argument("version", nargs="?", help="the new version, such as 0.2.0, 0.2.0rc1 or 0.3.0.dev0")
    parser.add_argument("--build", action="store_true", help="build the commit that is there")
    parser.add_argument("--target", type=Path, default=ROOT / "dist", help="folder for what is built")
    given = parser.parse_args(arguments)
    if bool(given.version) == given.build:
        parser.error("give a version, or --build")
    try:
        check_committed(ROOT)
        if given.version:
            set_version(ROOT, given.version, datetime.now(UTC).date())
            if is_development(given.version):
                print(f"The version is set. Commit it: git commit -am 'Begin {given.version.partition('.dev')[0]}'")
                return 0
        version = given.version or version_of_build(ROOT)
        built = build_release(ROOT, given.target, version)
    except (ReleaseRefusedError, subprocess.CalledProcessError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    for path in built:
        print(f"{_sha256(path.read_bytes())}  {path.relative_to(given.target)}")
    if "+" not in version:
        print(_next_steps(version, given.target))
    return 0


def build_release(root: Path, target: Path, version: str) -> list[Path]:
    """Build everything twice, and return the files.

    Only the folder's files of an earlier build are replaced. Errors: ReleaseRefusedError if two builds differ, or if
    the folder has other files.
    """
    _empty(target)
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


def _empty(target: Path) -> None:
    """Make a folder, or remove what an earlier build has left in it. Errors: ReleaseRefusedError."""
    target.mkdir(parents=True, exist_ok=True)
    found = sorted(target.iterdir())
    if other := [path.name for path in found if not _BUILT.fullmatch(path.name)]:
        raise ReleaseRefusedError(f"The folder {target} has other files, such as [{other[0]}]: name an empty one")
    for path in found:
        path.unlink()


def _built_in(root: Path, scratch: Path, version: str) -> dict[str, bytes]:
    """Return the content of each file of a release by name, built from a copy of the files that git knows."""
    sources, dist = scratch / "sources", scratch / "dist"
    dist.mkdir(parents=True)
    _copy_known_files(root, sources)
    write_version(sources, version)
    epoch = time_of_build(root, version)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch), "PYTHONHASHSEED": "0"}
    for package in _WHEELS:
        command = [sys.executable, "-c", _BUILD, str(dist)]
        subprocess.run(command, cwd=sources / package, env=environment, check=True, capture_output=True)  # noqa: S603  our own build
    found = {path.name: path.read_bytes() for path in dist.iterdir()}
    found[f"cambist-{version}-image.tar.gz"] = image_context(sources, epoch)
    for name in _ARCHIVES:
        found[f"cambist-{version}-{name}.tar.gz"] = _archived(sources / "packages" / name, (".",), epoch)
    parts = bill_of_materials((sources / _LOCK).read_text(), version, epoch)
    found[f"cambist-{version}.cdx.json"] = json.dumps(parts, indent=1, ensure_ascii=False).encode() + b"\n"
    return found


def _copy_known_files(root: Path, target: Path) -> None:
    for name in git(root, "ls-files", "-z").split("\0"):
        source = root / name
        if name and source.exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name, follow_symlinks=False)


def image_context(root: Path, epoch: int) -> bytes:
    """Return what the Containerfile copies, as an archive."""
    return _archived(root, _IMAGE, epoch)


def _archived(root: Path, names: Iterable[str], epoch: int) -> bytes:
    """Return files, and what is in folders, as an archive without owners, in the order of the names."""
    found = (
        path
        for name in names
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


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _next_steps(version: str, target: Path) -> str:
    folder = os.path.relpath(target)
    sources = " ".join(
        f"{folder}/{name}-{version}.tar.gz"
        for name in ("cambist", "cambist_client", "beanprice_cambist", "inventree_cambist")
    )
    image = f"{folder}/cambist-{version}-image.tar.gz"
    attached = " ".join(f"{folder}/cambist-{version}-{name}.tar.gz" for name in _ARCHIVES)
    lines = [
        "",
        "To publish it, a maintainer runs:",
        f"  git commit -am 'Release {version}' && git tag -s v{version} -m 'Cambist {version}'",
        f"  git push origin main v{version}",
        f"  python -m twine upload {folder}/*.whl {sources}",
        "  npm ci --prefix packages/typescript-client && npm publish ./packages/typescript-client",
        f"  mkdir image && tar -xzf {image} -C image",
        f"  podman build -t cambist:{version} -f image/deploy/container/Containerfile image",
        f"and attaches to the release: {folder}/SHA256SUMS {folder}/cambist-{version}.cdx.json {attached}",
        "Then, for the tests of the next release and its version:",
        f"  {_PYTHON} -m tools.release_folder && git add tests/releases/{version}",
        f"  git commit -m 'Keep a data folder of {version}'",
        "  make release VERSION=… (the next one, such as 0.3.0.dev0)",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
