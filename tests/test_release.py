"""`make release`: the version is set everywhere or nowhere, and what is built is complete and the same each time."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import subprocess
import tarfile
from datetime import date
from pathlib import Path

import pytest
from tools.release import (
    CHANGELOG,
    PLACES,
    ReleaseRefusedError,
    bill_of_materials,
    build_release,
    current_version,
    image_context,
    set_version,
)

ROOT = Path(__file__).parents[1]
DAY = date(2026, 12, 1)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of the files that have the version."""
    for path in (*PLACES, CHANGELOG):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    return tmp_path


def texts(sources: Path) -> dict[Path, str]:
    return {path: (sources / path).read_text() for path in (*PLACES, CHANGELOG)}


def test_the_version_is_the_same_wherever_it_is_written() -> None:
    version = current_version(ROOT)
    for path, form in PLACES.items():
        assert form.format(version) in (ROOT / path).read_text(), path
    assert json.loads((ROOT / "docs" / "openapi.json").read_text())["info"]["version"] == version


def test_a_new_version_is_set_everywhere_and_the_changelog_is_dated(sources: Path) -> None:
    set_version(sources, "7.1.0", DAY)
    assert current_version(sources) == "7.1.0"
    written = texts(sources)
    for path, form in PLACES.items():
        assert form.format("7.1.0") in written[path], path
    assert 'sandbox = ["cambist==7.1.0"]' in written[Path("packages/cambist-client/pyproject.toml")]
    assert "## Unreleased\n\n## 7.1.0 (2026-12-01)\n" in written[CHANGELOG]
    set_version_again = pytest.raises(ReleaseRefusedError, match="nothing under")
    with set_version_again:
        set_version(sources, "7.2.0", DAY)


@pytest.mark.parametrize("version", ["0.1.0", "0.0.9", "1", "1.0", "v1.0.0", "1.0.0-beta", "01.0.0", "0.1.0rc1", ""])
def test_a_version_that_is_none_or_not_newer_changes_nothing(sources: Path, version: str) -> None:
    before = texts(sources)
    with pytest.raises(ReleaseRefusedError, match="is no version"):
        set_version(sources, version, DAY)
    assert texts(sources) == before


def test_a_candidate_comes_before_its_release(sources: Path) -> None:
    for version in ("1.0.0a1", "1.0.0rc1", "1.0.0rc2", "1.0.0"):
        set_version(sources, version, DAY)
        changes = (sources / CHANGELOG).read_text().replace("## Unreleased\n", "## Unreleased\n\n- More.\n", 1)
        (sources / CHANGELOG).write_text(changes)


def test_the_list_of_parts_has_every_package_of_the_lock_with_its_hashes() -> None:
    lock = (ROOT / "requirements-cluster.lock").read_text()
    parts = bill_of_materials(lock, "1.2.3", 0)
    pinned = dict(re.findall(r"^([A-Za-z0-9._-]+)==([^ \\;]+)", lock, re.MULTILINE))
    components = parts["components"]
    assert isinstance(components, list)
    assert {each["name"]: each["version"] for each in components} == pinned
    assert sum(len(each["hashes"]) for each in components) == len(set(re.findall(r"sha256:([0-9a-f]{64})", lock)))
    assert (parts["bomFormat"], parts["specVersion"]) == ("CycloneDX", "1.6")


def test_the_image_context_has_what_the_containerfile_copies() -> None:
    with tarfile.open(fileobj=io.BytesIO(image_context(ROOT, 0))) as archive:
        names = archive.getnames()
        assert {entry.mtime for entry in archive} == {0}
    copied = re.findall(
        r"^COPY (?!--)(.*) \./?\S*$", (ROOT / "deploy/container/Containerfile").read_text(), re.MULTILINE
    )
    for part in " ".join(copied).split():
        assert any(name == part or name.startswith(f"{part}/") for name in names), part
    assert names == sorted(names)


def test_everything_is_built_twice_with_the_same_bytes(tmp_path: Path) -> None:
    is_checkout = subprocess.run(["git", "rev-parse"], cwd=ROOT, capture_output=True, check=False).returncode == 0
    if not is_checkout:
        pytest.skip("The files that belong to the release are known from git, and this is no checkout")
    version = current_version(ROOT)
    built = {path.name: path.read_bytes() for path in build_release(ROOT, tmp_path / "dist")}
    assert set(built) == {
        f"cambist-{version}-py3-none-any.whl", f"cambist-{version}.tar.gz", f"cambist-{version}.cdx.json",
        f"cambist_client-{version}-py3-none-any.whl", f"cambist_client-{version}.tar.gz",
        f"cambist-{version}-image.tar.gz", "SHA256SUMS",
    }  # fmt: skip
    sums = dict(reversed(line.split("  ")) for line in built.pop("SHA256SUMS").decode().splitlines())
    assert sums == {name: hashlib.sha256(content).hexdigest() for name, content in built.items()}
