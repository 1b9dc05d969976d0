"""`make release`: the version is set everywhere or nowhere, and what is built is complete and the same each time."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import subprocess
import tarfile
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tools import release
from tools.release import bill_of_materials, build_release, image_context
from tools.release_version import (
    CHANGELOG,
    CHART,
    PLACES,
    ReleaseRefusedError,
    chart_version,
    check_committed,
    commit_of,
    current_version,
    in_place,
    order_of,
    set_version,
    time_of_build,
    version_of_build,
)

ROOT = Path(__file__).parents[1]
DAY = date(2026, 12, 1)


NOTES = "## Unreleased\n\n### Upgrade notes\n\n- Nothing to do.\n"


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of the files that have the version, with something to release."""
    for path in (*PLACES, CHANGELOG):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    (tmp_path / CHANGELOG).write_text(f"# Changelog\n\n{NOTES}\n## 0.1.0 (2026-11-27)\n\n- First.\n")
    return tmp_path


def texts(sources: Path) -> dict[Path, str]:
    return {path: (sources / path).read_text() for path in (*PLACES, CHANGELOG)}


def test_the_version_is_the_same_wherever_it_is_written() -> None:
    version = current_version(ROOT)
    for path, form in PLACES.items():
        assert in_place(form, version) in (ROOT / path).read_text(), path
    assert json.loads((ROOT / "docs" / "openapi.json").read_text())["info"]["version"] == version
    assert f"\nversion: {chart_version(version)}\n" in (ROOT / CHART).read_text()
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize(
    ("version", "written"),
    [
        ("0.2.0", "0.2.0"),
        ("0.2.0rc1", "0.2.0-rc.1"),
        ("0.12.0.dev0", "0.12.0-dev.0"),
        ("1.0.0b12", "1.0.0-b.12"),
        ("0.2.0.dev0+g1", "0.2.0-dev.0+g1"),
    ],
)
def test_npm_has_the_version_as_semantic_versioning_writes_it(version: str, written: str) -> None:
    assert in_place("{npm}", version) == written


def test_every_release_in_the_changelog_has_upgrade_notes_and_comes_after_the_one_below_it() -> None:
    sections = re.split(r"^## ", (ROOT / CHANGELOG).read_text(), flags=re.MULTILINE)[1:]
    assert sections[0].startswith("Unreleased\n")
    releases = [re.match(r"(\S+) \((\d{4}-\d\d-\d\d)\)\n", section) for section in sections[1:]]
    assert releases
    assert all(releases)
    versions = [found[1] for found in releases if found]
    assert versions == sorted(versions, key=order_of, reverse=True)
    assert order_of(current_version(ROOT)) >= order_of(versions[0])
    for section in sections[1:]:
        assert re.search(r"^### Upgrade notes\n\n- ", section, re.MULTILINE), section.partition("\n")[0]


def test_a_new_version_is_set_everywhere_and_the_changelog_is_dated(sources: Path) -> None:
    set_version(sources, "7.1.0", DAY)
    assert current_version(sources) == "7.1.0"
    written = texts(sources)
    for path, form in PLACES.items():
        assert in_place(form, "7.1.0") in written[path], path
    assert 'sandbox = ["cambist==7.1.0"]' in written[Path("packages/cambist-client/pyproject.toml")]
    assert "\nversion: 7.1.0\n" in written[CHART]
    assert "## Unreleased\n\n## 7.1.0 (2026-12-01)\n" in written[CHANGELOG]
    with pytest.raises(ReleaseRefusedError, match="nothing under"):
        set_version(sources, "7.2.0", DAY)


def test_a_version_without_upgrade_notes_changes_nothing(sources: Path) -> None:
    (sources / CHANGELOG).write_text("# Changelog\n\n## Unreleased\n\n### Added\n\n- More.\n")
    before = texts(sources)
    with pytest.raises(ReleaseRefusedError, match=r"no \[### Upgrade notes\]"):
        set_version(sources, "7.1.0", DAY)
    assert texts(sources) == before


def test_the_version_of_what_comes_next_leaves_the_changelog(sources: Path) -> None:
    set_version(sources, "7.1.0", DAY)
    changes = (sources / CHANGELOG).read_text()
    set_version(sources, "7.2.0.dev0", DAY)
    assert (current_version(sources), (sources / CHANGELOG).read_text()) == ("7.2.0.dev0", changes)


@pytest.mark.parametrize(
    "version", ["0.1.0", "0.0.9", "9", "9.0", "v9.0.0", "9.0.0-beta", "09.0.0", "0.1.0rc1", "9.0.0+g1", ""]
)
def test_a_version_that_is_none_or_not_newer_changes_nothing(sources: Path, version: str) -> None:
    before = texts(sources)
    with pytest.raises(ReleaseRefusedError, match="is no version"):
        set_version(sources, version, DAY)
    assert texts(sources) == before


def test_a_candidate_comes_before_its_release(sources: Path) -> None:
    for version in ("9.0.0.dev0", "9.0.0a1", "9.0.0rc1", "9.0.0rc2", "9.0.0"):
        set_version(sources, version, DAY)
        changes = (sources / CHANGELOG).read_text()
        if NOTES not in changes:
            (sources / CHANGELOG).write_text(changes.replace("## Unreleased\n", NOTES, 1))


def git(folder: Path, *arguments: str) -> str:
    names = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    command = ["git", *names, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def commit_all(sources: Path) -> None:
    git(sources, "add", ".")
    git(sources, "commit", "--quiet", "-m", "One")


def test_a_build_that_is_not_of_a_tag_carries_the_commit_and_its_time(sources: Path) -> None:
    git(sources, "init", "--quiet")
    commit_all(sources)
    commit = git(sources, "rev-parse", "HEAD")
    version = current_version(sources)
    assert version_of_build(sources) == f"{version}+g{commit[:12]}"
    assert time_of_build(sources, version_of_build(sources)) == int(git(sources, "log", "-1", "--format=%ct"))
    git(sources, "tag", f"v{version}")
    assert version_of_build(sources) == version
    assert time_of_build(sources, "0.1.0") == int(datetime(2026, 11, 27, tzinfo=UTC).timestamp())


def test_the_commit_of_a_release_has_its_version_and_its_section(sources: Path) -> None:
    set_version(sources, "7.1.0", DAY)
    released = texts(sources)
    set_version(sources, "7.2.0.dev0", DAY)
    git(sources, "init", "--quiet")
    commit_all(sources)  # both at once
    with pytest.raises(ReleaseRefusedError, match=r"^git has no commit of the release 7\.1\.0$"):
        commit_of(sources, "7.1.0")
    (sources / CHANGELOG).write_text("# Changelog\n")
    commit_all(sources)
    for path, text in released.items():
        (sources / path).write_text(text)
    commit_all(sources)
    assert commit_of(sources, "7.1.0") == git(sources, "rev-parse", "HEAD")


def test_what_is_not_committed_is_not_released(sources: Path) -> None:
    git(sources, "init", "--quiet")
    commit_all(sources)
    check_committed(sources)
    (sources / "forgotten.py").write_text("")
    with pytest.raises(ReleaseRefusedError, match=r"^1 files are not committed, the first is \[forgotten.py\]$"):
        check_committed(sources)


def test_a_folder_with_other_files_is_not_emptied(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(ReleaseRefusedError, match=r"has other files, such as \[letter.txt\]"):
        build_release(ROOT, tmp_path, "1.0.0")
    assert (tmp_path / "letter.txt").read_text() == "mine"


def test_the_list_of_parts_has_every_package_of_the_lock_with_its_hashes() -> None:
    lock = (ROOT / "requirements-cluster.lock").read_text()
    parts = bill_of_materials(lock, "1.2.3", 0)
    pinned = dict(re.findall(r"^([A-Za-z0-9._-]+)==([^ \\;]+)", lock, re.MULTILINE))
    components = parts["components"]
    assert isinstance(components, list)
    assert {each["name"]: each["version"] for each in components} == pinned
    assert sum(len(each["hashes"]) for each in components) == len(set(re.findall(r"sha256:([0-9a-f]{64})", lock)))
    assert (parts["bomFormat"], parts["specVersion"]) == ("CycloneDX", "1.6")


@pytest.mark.long
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


@pytest.mark.long
def test_everything_is_built_twice_with_the_same_bytes(tmp_path: Path) -> None:
    is_checkout = subprocess.run(["git", "rev-parse"], cwd=ROOT, capture_output=True, check=False).returncode == 0
    if not is_checkout:
        pytest.skip("The files that belong to the release are known from git, and this is no checkout")
    version = version_of_build(ROOT)
    built = {path.name: path.read_bytes() for path in build_release(ROOT, tmp_path / "dist", version)}
    assert set(built) == {
        f"cambist-{version}-py3-none-any.whl", f"cambist-{version}.tar.gz", f"cambist-{version}.cdx.json",
        f"cambist_client-{version}-py3-none-any.whl", f"cambist_client-{version}.tar.gz",
        f"beanprice_cambist-{version}-py3-none-any.whl", f"beanprice_cambist-{version}.tar.gz",
        f"inventree_cambist-{version}-py3-none-any.whl", f"inventree_cambist-{version}.tar.gz",
        f"cambist-{version}-image.tar.gz", f"cambist-{version}-finance-quote.tar.gz",
        f"cambist-{version}-home-assistant.tar.gz", f"cambist-{version}-odoo-cambist.tar.gz",
        f"cambist-{version}-php-exchanger.tar.gz", "SHA256SUMS",
    }  # fmt: skip
    sums = dict(reversed(line.split("  ")) for line in built.pop("SHA256SUMS").decode().splitlines())
    assert sums == {name: hashlib.sha256(content).hexdigest() for name, content in built.items()}
    with zipfile.ZipFile(io.BytesIO(built[f"cambist-{version}-py3-none-any.whl"])) as wheel:
        assert f'__version__ = "{version}"' in wheel.read("cambist/__init__.py").decode()
        metadata = next(name for name in wheel.namelist() if name.endswith("METADATA"))
        assert f"\nVersion: {version}\n" in wheel.read(metadata).decode()
    with tarfile.open(fileobj=io.BytesIO(built[f"cambist-{version}-image.tar.gz"])) as image:
        module = image.extractfile("src/cambist/__init__.py")
        assert module is not None
        assert version in module.read().decode()
    with tarfile.open(fileobj=io.BytesIO(built[f"cambist-{version}-home-assistant.tar.gz"])) as archive:
        manifest = archive.extractfile("custom_components/cambist/manifest.json")
        assert manifest is not None
        assert json.loads(manifest.read())["version"] == version
        assert {"LICENSE", "README.md"} < {*archive.getnames()}


def test_every_package_is_built_but_the_one_that_npm_builds() -> None:
    built = {path.name for path in release._WHEELS if path.name} | {*release._ARCHIVES}
    known = {path.name for path in (ROOT / "packages").iterdir() if (path / "README.md").is_file()}
    assert known - built == {"typescript-client"}


@pytest.mark.parametrize(
    ("version", "chart"),
    [("0.2.0", "0.2.0"), ("0.2.0.dev0", "0.2.0-dev0"), ("0.2.0rc1", "0.2.0-rc1"), ("0.2.0.dev0+g1a", "0.2.0-dev0+g1a")],
)
def test_a_chart_has_its_version_in_the_form_of_semantic_versioning(version: str, chart: str) -> None:
    assert chart_version(version) == chart
