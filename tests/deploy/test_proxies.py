"""The configurations for nginx and Caddy, run for real in front of small servers of this test."""

from __future__ import annotations

import http.client
import json
import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.docs.test_proxy_lines import NodeServer, Proxy, make_certificate, nginx_command, running
from tests.patience import PATIENCE
from tests.service.processes import until
from tools.ports import free_port

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

DEPLOY = Path(__file__).parents[2] / "deploy"


def replaced(text: str, **found: str) -> str:
    """Put in the addresses and files of this test."""
    for old, new in found.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def nginx(folder: Path, port: int, plain: int, api: int, stream: int) -> list[str]:
    lines = replaced(
        (DEPLOY / "nginx/cambist.conf").read_text(),
        **{
            "server 127.0.0.1:8000": f"server 127.0.0.1:{api}",
            "server 127.0.0.1:8001": f"server 127.0.0.1:{stream}",
            "listen 80;": f"listen 127.0.0.1:{plain};",
            "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
            "/etc/ssl/": f"{folder}/",
        },
    )
    command = nginx_command(f"{lines}\naccess_log {folder}/access.log cambist;", folder)
    file = folder / "nginx.conf"
    file.write_text(file.read_text().replace("access_log off;", ""))
    return command


def caddy(folder: Path, port: int, plain: int, api: int, stream: int) -> list[str]:
    options = f"{{\n\tadmin off\n\tauto_https off\n\thttp_port {plain}\n\tdefault_bind 127.0.0.1\n}}\n"
    lines = replaced(
        (DEPLOY / "caddy/Caddyfile").read_text(),
        **{
            "reverse_proxy 127.0.0.1:8000": f"reverse_proxy 127.0.0.1:{api}",
            "reverse_proxy 127.0.0.1:8001": f"reverse_proxy 127.0.0.1:{stream}",
            "rates.example {": f"https://:{port} {{\n\ttls {folder}/rates.pem {folder}/rates.key",
            "/var/log/caddy/cambist.log": f"{folder}/access.log",
        },
    )
    (folder / "Caddyfile").write_text(options + lines)
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


COMMANDS: dict[str, Callable[[Path, int, int, int, int], list[str]]] = {"nginx": nginx, "caddy": caddy}


class Running(Proxy):
    """A proxy, its folder, and its port for plain HTTP."""

    folder: Path
    plain: int


@pytest.fixture(scope="module", params=list(COMMANDS))
def proxy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    for program in (request.param, "openssl"):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    folder, port, plain = tmp_path_factory.mktemp(request.param), free_port(), free_port()
    make_certificate(folder)
    api, stream = NodeServer("api"), NodeServer("stream")
    command = COMMANDS[request.param](folder, port, plain, api.server_port, stream.server_port)
    with running(command, port):
        found = Running(request.param, port, api)
        found.folder, found.plain = folder, plain
        yield found
    for server in (api, stream):
        server.shutdown()
        server.server_close()


def test_the_api_is_asked_for_the_client_and_a_forged_address_is_dropped(proxy: Running) -> None:
    status, answer = proxy.ask("/fetch-one?from=EUR&api_key=cmb_secret", **{"X-Forwarded-For": "203.0.113.9"})
    assert (status, answer["node"], answer["path"]) == (200, "api", "/fetch-one?from=EUR&api_key=cmb_secret")
    headers = answer["headers"]
    assert isinstance(headers, dict)
    assert headers["x-forwarded-for"] == "127.0.0.1"


def test_the_stream_goes_to_its_own_port(proxy: Running) -> None:
    context = ssl.create_default_context(cafile=str(proxy.folder / "rates.pem"))
    context.check_hostname = False
    with closing(http.client.HTTPSConnection("127.0.0.1", proxy.port, timeout=PATIENCE, context=context)) as connection:
        connection.request("GET", "/stream", headers={"Connection": "Upgrade", "Upgrade": "websocket"})
        answer = json.loads(connection.getresponse().read())
    assert (answer["node"], answer["headers"]["upgrade"]) == ("stream", "websocket")


def test_plain_http_is_sent_to_https_by_nginx(proxy: Running) -> None:
    if proxy.name == "caddy":
        pytest.skip("Caddy does so by itself for a name with a certificate of its own")
    with closing(http.client.HTTPConnection("127.0.0.1", proxy.plain, timeout=PATIENCE)) as connection:
        connection.request("GET", "/x?y=1", headers={"Host": "rates.example"})
        response = connection.getresponse()
        assert (response.status, response.getheader("Location")) == (301, "https://rates.example/x?y=1")


def test_no_key_is_in_the_proxys_log(proxy: Running) -> None:
    proxy.ask("/logged?api_key=cmb_secret&key=cmb_secret", **{"X-API-Key": "cmb_secret", "Authorization": "cmb_secret"})
    log = proxy.folder / "access.log"
    assert until(lambda: "/logged" in log.read_text(), PATIENCE)
    assert "cmb_secret" not in log.read_text()


@pytest.mark.skipif(not shutil.which("caddy"), reason="Caddy is not installed")
def test_the_caddyfile_is_valid_as_it_is(tmp_path: Path) -> None:
    text = (DEPLOY / "caddy/Caddyfile").read_text().replace("/var/log/caddy", str(tmp_path))
    (tmp_path / "Caddyfile").write_text(text)
    command = ["caddy", "validate", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert found.returncode == 0, found.stderr
