"""Build the image of deploy/container/Containerfile with buildah, without a daemon.

The base is BASE_IMAGE if that is set. Otherwise it is made of Debian's packages by mmdebstrap, as Debian 12 with its
Python 3.11: then nothing is pulled. Needs root, buildah and mmdebstrap.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAME = "localhost/cambist"
_BASE = "localhost/cambist-base"
_PACKAGES = "ca-certificates,python3,python3-venv"
_WITHOUT = (
    "force-unsafe-io",
    *(f"path-exclude=/usr/share/{each}/*" for each in ("doc", "info", "locale", "man")),
)
"""What is left out, as in the slim images of Python."""

_MB = 1_000_000


class ImageNotBuiltError(Exception):
    """The image cannot be built; the text says why."""


@dataclass(frozen=True)
class Builder:
    """A store of images in a folder, and the buildah that works in it without a daemon."""

    folder: Path
    archive: Path
    """Debian's packages as an archive: it is made if it is missing, and stays."""

    def run(self, *arguments: str) -> str:
        """Run a command of buildah, and return what it prints. Errors: ImageNotBuiltError with its last lines."""
        # chroot needs no runtime such as runc, which cannot start inside of many sandboxes.
        environment = {**os.environ, "BUILDAH_ISOLATION": "chroot"}
        stores = ["--root", str(self.folder / "store"), "--runroot", str(self.folder / "run")]
        return _run(["buildah", *stores, *arguments], environment)

    def make_base(self) -> str:
        """Make the base image of Debian's packages, and return its name."""
        if not self.archive.exists():
            self.archive.parent.mkdir(parents=True, exist_ok=True)
            unfinished = self.archive.with_name(f"unfinished-{os.getpid()}.tar")
            options = ["--variant=minbase", f"--include={_PACKAGES}", *(f"--dpkgopt={each}" for each in _WITHOUT)]
            try:
                _run(["mmdebstrap", *options, "bookworm", str(unfinished)], dict(os.environ))
                unfinished.rename(self.archive)
            finally:
                unfinished.unlink(missing_ok=True)
        container = self.run("from", "scratch").strip()
        self.run("add", "--quiet", container, str(self.archive), "/")
        self.run("run", container, "--", "ln", "-s", "python3", "/usr/bin/python")
        self.run("commit", "--quiet", "--rm", container, _BASE)
        return _BASE

    def build(self, base: str) -> None:
        """Build the image on a base."""
        given = [part for path in files_of_pip() for part in ("--volume", f"{path}:{path}:ro")]
        # The format of Docker has health checks, that of OCI has none.
        options = ["--format", "docker", "--build-arg", f"BASE_IMAGE={base}", "--tag", NAME]
        self.run("bud", *given, *options, "--file", str(ROOT / "deploy/container/Containerfile"), str(ROOT))

    def unpack(self) -> Path:
        """Return the folder with the files of a new container of the image."""
        return Path(self.run("mount", self.run("from", NAME).strip()).strip())

    def settings(self) -> dict[str, object]:
        """Return what the image says of itself: User, Env, Entrypoint, Cmd, Healthcheck and others."""
        found: dict[str, object] = json.loads(self.run("inspect", "--type", "image", NAME))["Docker"]["config"]
        return found

    def packed_bytes(self) -> int:
        """Return the size of the image as a registry keeps it, compressed."""
        target = self.folder / "packed"
        shutil.rmtree(target, ignore_errors=True)
        self.run("push", "--quiet", NAME, f"oci:{target}:latest")
        return sum(path.stat().st_size for path in target.rglob("*") if path.is_file())

    def clear(self) -> None:
        """Remove containers and images."""
        if (self.folder / "store").exists():
            self.run("rm", "--all")
        for name in ("store", "run", "packed"):
            shutil.rmtree(self.folder / name, ignore_errors=True)


def what_is_missing() -> str:
    """Return why no image can be built here, as a sentence; empty: one can be."""
    missing = [name for name in ("buildah", "mmdebstrap", "setpriv", "unshare") if shutil.which(name) is None]
    if missing:
        return f"The image is not built: there is no {' and no '.join(missing)}."
    return "" if os.geteuid() == 0 else "The image is not built: that needs root."


def files_of_pip() -> list[Path]:
    """Return the files and folders by which pip finds its packages on this machine, which a build has to see.

    Where they are mounted, an empty file or folder stays in an image that is built here.
    """
    python = [sys.executable, "-m", "pip", "config"]
    files = re.findall(r"^\s*(/\S+), exists: True$", _run([*python, "debug"], dict(os.environ)), re.MULTILINE)
    named = re.findall(r"(?<=[=' ])(?:file://)?(/[^\s']+)", _run([*python, "list"], dict(os.environ)))
    found = {Path(path) for path in (*files, *named) if Path(path).exists()}
    # An index in a folder may have its packages beside its pages.
    return sorted({path.parent if path.is_dir() and path.name == "simple" else path for path in found})


def _run(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise ImageNotBuiltError(f"{command[0]} failed:\n" + "\n".join(done.stderr.splitlines()[-20:]))
    return done.stdout


def bytes_of(folder: Path) -> int:
    """Return the bytes of all files in a folder, as they lie on the disk."""
    found = (path.lstat() for path in folder.rglob("*"))
    return sum(size for size in {(each.st_dev, each.st_ino): each.st_blocks * 512 for each in found}.values())


def main() -> int:
    """Build the image, and print its size; return the exit code."""
    if reason := what_is_missing():
        print(reason)
        return 1
    with tempfile.TemporaryDirectory(prefix="image-") as name:
        builder = Builder(Path(name), Path(name) / "base.tar")
        try:
            builder.build(os.environ.get("BASE_IMAGE") or builder.make_base())
            packed, unpacked = builder.packed_bytes(), bytes_of(builder.unpack())
            if target := os.environ.get("OUT"):
                builder.run("push", "--quiet", NAME, f"docker-archive:{target}:{NAME}:latest")
        except ImageNotBuiltError as failed:
            print(failed)
            return 1
        finally:
            builder.clear()
    print(f"The image has {packed / _MB:.0f} MB packed and {unpacked / _MB:.0f} MB on the disk.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
