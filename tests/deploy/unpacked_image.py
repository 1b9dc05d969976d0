"""Run the unpacked image as `podman run --read-only --cap-drop all` would, in a mount namespace of its own.

A runtime such as runc cannot start inside of many sandboxes. What it would do here for the image is done by unshare,
mount, chroot and setpriv: the root is read-only, /tmp is a new tmpfs, only the volume can be written, and the program
has the user of the image, no capability and no way to get one. The network is that of the machine.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_START = """
set -e
root=$1 data=$2 shared=$3
shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$data" "$root/var/lib/cambist"
[ -z "$shared" ] || mount --bind "$shared" "$root/mnt"
cd "$root/var/lib/cambist"
exec chroot "$root" /usr/bin/env -i "$@"
"""
"""The shell replaces itself, so the process that is started is the program, and a signal reaches it."""


@dataclass(frozen=True)
class UnpackedImage:
    """The files of an image, and what it says of itself as buildah shows it."""

    root: Path
    settings: Mapping[str, object]

    def command(self, arguments: list[str], data: Path, shared: Path | None = None, **variables: str) -> list[str]:
        """Return a command that runs arguments in the image, with a volume, and perhaps a folder at /mnt."""
        environment = [f"{name}={value}" for name, value in {**self.environment, **variables}.items()]
        places = [str(self.root), str(data), str(shared or "")]
        return ["unshare", "--mount", "sh", "-c", _START, "sh", *places, *environment, *self._as_user(), *arguments]

    def start(self, data: Path, log: IO[bytes], **variables: str) -> subprocess.Popen[bytes]:
        """Start the entry point with its default arguments."""
        arguments = [*self._words("Entrypoint"), *self._words("Cmd")]
        return subprocess.Popen(self.command(arguments, data, **variables), stdout=log, stderr=log)

    def run(self, arguments: list[str], data: Path, shared: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run the entry point with arguments, and wait until it ends."""
        command = self.command([*self._words("Entrypoint"), *arguments], data, shared)
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def health(self, process: int, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run the health check of the image beside a running program, in the same mounts."""
        check = self.settings["Healthcheck"]
        assert isinstance(check, dict)
        kind, *arguments = check["Test"]
        assert kind == "CMD", kind
        environment = [f"{name}={value}" for name, value in {**self.environment, **variables}.items()]
        entered = ["nsenter", "--target", str(process), "--mount", "--root", "/usr/bin/env", "-i", *environment]
        command = [*entered, *self._as_user(), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of the image."""
        return dict(each.split("=", 1) for each in self._words("Env"))

    def _as_user(self) -> list[str]:
        found = re.fullmatch(r"(\d+):(\d+)", str(self.settings["User"]))
        assert found, "the image names its user by numbers, so that a cluster sees that it is not root"
        rights = ["--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
        return ["/usr/bin/setpriv", f"--reuid={found[1]}", f"--regid={found[2]}", *rights]

    def _words(self, name: str) -> list[str]:
        found = self.settings[name]
        assert isinstance(found, list)
        return [str(each) for each in found]
