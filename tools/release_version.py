"""The version of the sources: what it is, where it is written, and how a new one is set.

`src/cambist/__init__.py` has it. The client, which is built alone, has copies that are written here.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path

CLIENT = Path("packages/cambist-client")
CHANGELOG = Path("CHANGELOG.md")
CHART = Path("deploy/helm/cambist/Chart.yaml")
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)((?:a|b|rc|\.dev)(?:0|[1-9]\d*))?")
PLACES: Mapping[Path, str] = {
    Path("src/cambist/__init__.py"): '__version__ = "{}"',
    Path("src/cambist/client/version.py"): 'VERSION = "{}"',
    CLIENT / "pyproject.toml": '\nversion = "{}"',
    Path("packages/beanprice-cambist/pyproject.toml"): '\nversion = "{}"',
    Path("packages/home-assistant/custom_components/cambist/manifest.json"): '"version": "{}"',
    Path("packages/inventree-cambist/pyproject.toml"): '\nversion = "{}"',
    Path("packages/inventree-cambist/src/inventree_cambist.py"): 'VERSION = "{}"',
    Path("packages/finance-quote/lib/Finance/Quote/Cambist.pm"): "our $RELEASE = '{}';",
    Path("packages/typescript-client/package.json"): '"version": "{npm}"',
    Path("packages/php-exchanger/src/CambistService.php"): "VERSION = '{}'",
    Path("docs/openapi.json"): '"version": "{}"',
    CHART: 'appVersion: "{}"',
    Path("deploy/kubernetes/single/kustomization.yaml"): "newTag: {}\n",
    Path("deploy/kubernetes/cluster/kustomization.yaml"): "newTag: {}\n",
}
"""Where the version is, and where copies of it are; a test compares them."""

_PINNED = 'sandbox = ["cambist=={}"]'
_OF_CHART = "\nversion: {}\n"
_TAG = "newTag"
_UNRELEASED = "## Unreleased"
_NOTES = "### Upgrade notes"
_ORDER = (".dev", "a", "b", "rc", "")
_SHOWN = 12
"""How many digits of a commit a version has: a fixed number, so that it is the same in every clone."""


class ReleaseRefusedError(Exception):
    """The release cannot be made; the text says why."""


def current_version(root: Path) -> str:
    """Return the version of the sources in a folder. Errors: ReleaseRefusedError."""
    found = re.search(r'__version__ = "([^"]+)"', (root / "src/cambist/__init__.py").read_text())
    if found is None:
        raise ReleaseRefusedError("src/cambist/__init__.py has no version")
    return found[1]


def in_place(form: str, version: str) -> str:
    """Return what stands at a place of `PLACES`; `npm` has a version as Semantic Versioning writes it, 0.2.0-dev.0."""
    npm = re.sub(r"^([\d.]*\d)\.?(dev|a|b|rc)(\d+)", r"\1-\2.\3", version)
    return form.format(version, npm=npm)


def is_development(version: str) -> bool:
    """Return whether a version is that of sources between two releases, such as 0.2.0.dev0."""
    return ".dev" in version


def check_new_version(root: Path, version: str) -> None:
    """Check that a version may be set: it comes next, nothing waits for a commit, and the changelog is written.

    Errors: ReleaseRefusedError.
    """
    before = current_version(root)
    if not VERSION.fullmatch(version) or order_of(version) <= order_of(before):
        written = "it is written as 0.2.0, 0.2.0rc1, or 0.2.0.dev0 for what is not released yet"
        raise ReleaseRefusedError(f"{version} is no version after {before}: {written}")
    changes = (root / CHANGELOG).read_text()
    unreleased = changes.partition(f"{_UNRELEASED}\n")[2].partition("\n## ")[0]
    if not is_development(version) and not unreleased.strip():
        raise ReleaseRefusedError(f"{CHANGELOG} has nothing under [{_UNRELEASED}]")
    notes = unreleased.partition(f"{_NOTES}\n")[2].partition("\n### ")[0]
    if not is_development(version) and not notes.strip():
        what = "what to do before and after an upgrade, or that there is nothing to do"
        raise ReleaseRefusedError(f"{CHANGELOG} has no [{_NOTES}] under [{_UNRELEASED}]: write {what}")


def check_committed(root: Path) -> None:
    """Check that every file is as it was committed. Errors: ReleaseRefusedError."""
    if changed := git(root, "status", "--porcelain").splitlines():
        raise ReleaseRefusedError(f"{len(changed)} files are not committed, the first is [{changed[0][3:]}]")


def set_version(root: Path, version: str, day: date) -> None:
    """Write a new version, and date the changelog if it is released. Errors: ReleaseRefusedError, with no change."""
    check_new_version(root, version)
    written = _texts_with(root, version)
    if not is_development(version):
        changes = (root / CHANGELOG).read_text()
        written[CHANGELOG] = changes.replace(f"{_UNRELEASED}\n", f"{_UNRELEASED}\n\n## {version} ({day})\n", 1)
    for path, text in written.items():
        (root / path).write_text(text)


def write_version(root: Path, version: str) -> None:
    """Write a version into copies of the sources, wherever it is. Errors: ReleaseRefusedError."""
    for path, text in _texts_with(root, version).items():
        (root / path).write_text(text)


def _texts_with(root: Path, version: str) -> dict[Path, str]:
    before, written = current_version(root), {}
    for path, form in PLACES.items():
        text = (root / path).read_text()
        if in_place(form, before) not in text:
            raise ReleaseRefusedError(f"{path} does not have the version {before}")
        # A tag of an image has no +, which begins the commit of a build.
        text = text.replace(
            in_place(form, before), in_place(form, version.replace("+", "-") if _TAG in form else version), 1
        )
        text = text.replace(_OF_CHART.format(chart_version(before)), _OF_CHART.format(chart_version(version)))
        written[path] = text.replace(_PINNED.format(before), _PINNED.format(version))
    return written


def chart_version(version: str) -> str:
    """Return a version as Helm wants it, in the form of Semantic Versioning: 0.2.0.dev0 is 0.2.0-dev0."""
    return re.sub(r"^(\d+\.\d+\.\d+)\.?(dev|a|b|rc)", r"\1-\2", version)


def version_of_build(root: Path) -> str:
    """Return the version that a build of the commit has: with the commit, if it is not the tag of its version."""
    version = current_version(root)
    if f"v{version}" in git(root, "tag", "--points-at", "HEAD").split():
        return version
    return f"{version}+g{git(root, 'rev-parse', 'HEAD')[:_SHOWN]}"


def time_of_build(root: Path, version: str) -> int:
    """Return the time that all files of a build get, in seconds since 1970.

    A release has the midnight of its day in the changelog, because it is built before it is committed and again from
    its tag; every other build has the time of its commit.
    """
    dated = re.search(
        rf"^## {re.escape(version)} \((\d{{4}}-\d\d-\d\d)\)$", (root / CHANGELOG).read_text(), re.MULTILINE
    )
    if dated is None:
        return int(git(root, "log", "-1", "--format=%ct"))
    return int(datetime.combine(date.fromisoformat(dated[1]), datetime.min.time(), UTC).timestamp())


def commit_of(root: Path, version: str) -> str:
    """Return the commit of a release: that of its tag, or the one that dated its section of the changelog.

    Errors: ReleaseRefusedError if git does not know it.
    """
    if tagged := git(root, "tag", "--list", f"v{version}"):
        return git(root, "rev-list", "-n", "1", tagged)
    module, text = next(iter(PLACES.items()))
    for commit in git(root, "log", "--reverse", "--format=%H", f"-S## {version} (", "--", str(CHANGELOG)).split():
        if text.format(version) in git(root, "show", f"{commit}:{module.as_posix()}"):
            return commit  # and not one that brought the section together with what came after it
    raise ReleaseRefusedError(f"git has no commit of the release {version}")


def order_of(version: str) -> tuple[int, int, int, int, int]:
    """Return what versions are sorted by. Errors: ReleaseRefusedError."""
    found = VERSION.fullmatch(version)
    if found is None:
        raise ReleaseRefusedError(f"{version} is no version")
    kind, number = re.fullmatch(r"(\D*)(\d*)", found[4] or "").groups()  # type: ignore[union-attr]
    return int(found[1]), int(found[2]), int(found[3]), _ORDER.index(kind), int(number or 0)


def git(root: Path, *arguments: str) -> str:
    """Return what git says about a folder. Errors: ReleaseRefusedError with its message."""
    done = subprocess.run(["git", *arguments], cwd=root, check=False, capture_output=True, text=True)  # noqa: S603, S607  the git of the machine
    if done.returncode:
        raise ReleaseRefusedError(f"git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout.strip("\n")
