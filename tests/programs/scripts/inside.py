"""Run the service and programs where the hosts of other services lead to it.

    python inside.py FOLDER DIALECTS CAMBIST_COMMAND …

It is run with its own network and its own mounts: `unshare --map-root-user --mount --net python inside.py …`. The
service answers HTTP on port 80; a relay decrypts what comes to port 443 and passes it on. For each line of JSON on the
standard input, `[argv, environment]`, it runs that program and writes a line of JSON with its exit code and its output.
It ends the service at the end of the input.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import trustme

HOSTS = (
    "api.coinbase.com",
    "api.coingecko.com",
    "api.exchangerate-api.com",
    "api.frankfurter.app",
    "api.frankfurter.dev",
    "api.nbp.pl",
    "apilayer.net",
    "data-api.ecb.europa.eu",
    "data.fixer.io",
    "mempool.space",
    "min-api.cryptocompare.com",
    "openexchangerates.org",
    "query1.finance.yahoo.com",
    "v6.exchangerate-api.com",
    "theratesapi.com",
    "www.cnb.cz",
    "www.ecb.europa.eu",
)
START_SECONDS = 60
PROGRAM_SECONDS = 60
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1


def bring_up_loopback() -> None:
    """Do what `ip link set lo up` does."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        request = struct.pack("16sh", b"lo", 0)
        (flags,) = struct.unpack("16xh", fcntl.ioctl(one, _GET_FLAGS, request)[:18])
        fcntl.ioctl(one, _SET_FLAGS, struct.pack("16sh", b"lo", flags | _UP))


def lead_hosts_here(folder: Path) -> None:
    """Put a file in the place of /etc/hosts, for this process and what it starts alone."""
    hosts = folder / "hosts"
    hosts.write_text("".join(f"127.0.0.1 {name}\n" for name in ("localhost", *HOSTS)))
    subprocess.run(["mount", "--bind", str(hosts), "/etc/hosts"], check=True)


def make_certificate(folder: Path) -> ssl.SSLContext:
    """Make an authority whose certificate programs are told to trust, and a certificate of it for all hosts."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "authority.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*HOSTS).configure_cert(context)
    return context


def start_service(folder: Path, dialects: str, command: list[str]) -> subprocess.Popen[bytes]:
    """Start a service whose prices stand still for everybody, so that answers can be compared."""
    data = folder / "data"
    plan = '[unlimited]\nbook_refresh = 86_400\ntags = ["currency", "crypto", "fx", "fx-series", "metals", "admin"]\n'
    (data / "plans.toml").write_text(plan)
    settings = {
        "CAMBIST_DIALECTS": dialects,
        "CAMBIST_DIALECT_ACCOUNT": "owner",
        "CAMBIST_OPERATOR_PORT": "0",
        "CAMBIST_STREAM_PORT": "0",
    }
    arguments = ["--data", str(data), "--port", "80", "--workers", "1"]
    with (folder / "service.log").open("wb") as log:
        return subprocess.Popen([*command, *arguments], env=os.environ | settings, stdout=log, stderr=log)


def wait_until_it_answers() -> None:
    """Wait until the service answers. Errors: TimeoutError."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            urllib.request.urlopen("http://127.0.0.1/openapi.json", timeout=5).close()
            return
        time.sleep(0.1)
    raise TimeoutError("the service does not answer")


async def relay(context: ssl.SSLContext) -> None:
    """Decrypt what comes to port 443, and pass it to port 80."""

    async def pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while content := await source.read(65_536):
                target.write(content)
                await target.drain()
        target.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", 80)
        await asyncio.gather(pass_on(reader, inner_writer), pass_on(inner_reader, writer))

    server = await asyncio.start_server(connected, "127.0.0.1", 443, ssl=context)
    await server.serve_forever()


def run_programs(folder: Path) -> None:
    """Run each program that a line of the input names, and write what came of it."""
    authority = str(folder / "authority.pem")
    trust = dict.fromkeys(
        ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "PERL_LWP_SSL_CA_FILE"),
        authority,
    )
    for line in sys.stdin:
        argv, environment = json.loads(line)
        try:
            done = subprocess.run(
                argv,
                check=False,
                env=os.environ | trust | environment,
                capture_output=True,
                text=True,
                timeout=PROGRAM_SECONDS,
            )
            result = {"code": done.returncode, "out": done.stdout, "err": done.stderr}
        except (OSError, subprocess.TimeoutExpired) as error:
            result = {"code": -1, "out": "", "err": str(error)}
        print(json.dumps(result), flush=True)


def main(folder: Path, dialects: str, command: list[str]) -> None:
    """Make the network, start the service, and run programs until the input ends."""
    bring_up_loopback()
    lead_hosts_here(folder)
    context = make_certificate(folder)
    service = start_service(folder, dialects, command)
    try:
        wait_until_it_answers()
        threading.Thread(target=lambda: asyncio.run(relay(context)), daemon=True).start()
        print(json.dumps({"ready": True}), flush=True)
        run_programs(folder)
    finally:
        service.send_signal(signal.SIGTERM)
        try:
            service.wait(20)
        finally:
            service.kill()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
