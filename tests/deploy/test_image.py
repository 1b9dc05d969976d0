"""The container image, built by buildah and run read-only: on an empty volume, on a restored one, and as a node."""

from __future__ import annotations

import json
import os
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.deploy.unpacked_image import UnpackedImage
from tests.postgresql import create_server, postgresql_programs, postgresql_server
from tests.redis_server import RedisServer
from tests.service.processes import ended_in_the_end, until
from tools.image.build import Builder, ImageNotBuiltError, bytes_of, what_is_missing
from tools.ports import free_port

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

ROOT = Path(__file__).parents[2]
PATIENCE = 180
MB = 1_000_000
USER = 10001


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UnpackedImage]:
    if reason := what_is_missing():
        pytest.skip(reason)
    builder = Builder(tmp_path_factory.mktemp("image"), ROOT / ".cache/image/base.tar")
    try:
        try:
            base = os.environ.get("BASE_IMAGE") or builder.make_base()
        except ImageNotBuiltError as failed:
            pytest.skip(f"There is no base for the image: {failed}")
        builder.build(base)
        yield UnpackedImage(builder.unpack(), builder.settings())
    finally:
        builder.clear()


def volume(folder: Path) -> Path:
    """Make an empty volume, as a cluster gives it to the user of the image."""
    folder.mkdir(mode=0o700)
    os.chown(folder, USER, USER)
    return folder


class Running:
    """A service from the image, on ports of its own."""

    def __init__(self, image: UnpackedImage, data: Path, process: int, variables: dict[str, str]) -> None:
        self.image, self.data, self.process, self.variables = image, data, process, variables

    def health(self) -> subprocess.CompletedProcess[str]:
        return self.image.health(self.process, **self.variables)

    def answer(self, path: str, key: str) -> dict[str, object]:
        url = f"http://127.0.0.1:{self.variables['CAMBIST_PORT']}{path}"
        with urllib.request.urlopen(urllib.request.Request(url, headers={"X-API-Key": key})) as answer:
            found: dict[str, object] = json.load(answer)
            return found

    def operator(self, path: str) -> str:
        url = f"http://127.0.0.1:{self.variables['CAMBIST_OPERATOR_PORT']}{path}"
        try:
            with urllib.request.urlopen(url) as answer:
                return str(answer.read().decode())
        except (urllib.error.URLError, OSError) as error:
            return f"failed: {error}"


@contextmanager
def started(image: UnpackedImage, data: Path, log: Path, **more: str) -> Iterator[Running]:
    """Start the image as it is, but on loopback, and without asking sources; wait until its health check is well."""
    ports = {f"CAMBIST_{name}": str(free_port()) for name in ("PORT", "STREAM_PORT", "OPERATOR_PORT")}
    variables = {"CAMBIST_HOST": "127.0.0.1", "CAMBIST_FETCH": "false", **ports, **more}
    with log.open("wb") as to:
        process = image.start(data, to, **variables)
    with ended_in_the_end(process):
        running = Running(image, data, process.pid, variables)
        well = until(lambda: process.poll() is not None or running.health().returncode == 0, PATIENCE, 1)
        assert well, log.read_text()
        assert process.poll() is None, log.read_text()
        yield running
        process.terminate()
        assert process.wait(PATIENCE) == 0, log.read_text()


def test_the_image_is_of_a_size_that_the_guide_states(image: UnpackedImage) -> None:
    assert bytes_of(image.root) < 650 * MB


def test_it_serves_as_its_user_on_a_read_only_root_and_what_it_saved_can_be_restored(
    image: UnpackedImage, tmp_path: Path
) -> None:
    data, saved = volume(tmp_path / "data"), volume(tmp_path / "saved")
    with started(image, data, tmp_path / "log") as running:
        status = Path(f"/proc/{running.process}/status").read_text()
        assert f"\nUid:\t{USER}\t{USER}\t{USER}\t{USER}\n" in status
        assert "\nNoNewPrivs:\t1\n" in status
        assert "\nCapBnd:\t0000000000000000\n" in status
        (root,) = (
            line.split()
            for line in Path(f"/proc/{running.process}/mountinfo").read_text().splitlines()
            if line.split()[4] == "/"
        )
        assert "ro" in root[5].split(",")
        key = (data / "owner.key").read_text().strip()
        before = running.answer("/fetch-one?from=EUR&to=USD&max_age=P9999D", key)
        assert {path.stat().st_uid for path in data.rglob("*")} == {USER}
    assert (made := image.run(["backup", "/mnt/saved.tar.gz"], data, saved)).returncode == 0, made.stderr
    fresh = volume(tmp_path / "fresh")
    done = image.run(["restore", "/mnt/saved.tar.gz", "/var/lib/cambist"], fresh, saved)
    assert done.returncode == 0, done.stderr
    with started(image, fresh, tmp_path / "log-restored") as running:
        after = running.answer("/fetch-one?from=EUR&to=USD&max_age=P9999D", key)
    assert after["result"] == before["result"]


def test_it_runs_as_a_node(image: UnpackedImage, tmp_path: Path, redis_server: RedisServer) -> None:
    postgresql_server()  # or the test is skipped
    programs = postgresql_programs()
    assert programs is not None
    folder = Path("/tmp") / f"pg-image-{os.getpid()}"  # noqa: S108  another user runs PostgreSQL, and sockets have short paths
    folder.mkdir(0o755)
    server = create_server(folder, programs)
    server.address, server.port = "127.0.0.1", free_port()
    server.start()
    try:
        links = {"CAMBIST_DATABASE": server.network_url("postgres"), "CAMBIST_REDIS": redis_server.url}
        data = volume(tmp_path / "data")
        with started(image, data, tmp_path / "log", CAMBIST_NODE="cambist-0", **links) as running:
            for metric in ("cambist_redis_linked 1", "cambist_database_reachable 1", "cambist_node_leads 1"):
                assert until(lambda wanted=metric: wanted in running.operator("/metrics"), PATIENCE, 0.5), metric
            key = (data / "owner.key").read_text().strip()
            assert running.answer("/fetch-one?from=EUR&to=USD&max_age=P9999D", key)["result"]
    finally:
        server.stop()
        subprocess.run(["rm", "-r", folder], check=True)
