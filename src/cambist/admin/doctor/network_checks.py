"""Checks of ports, the stream, proxies, TLS certificates, and processes that were left behind."""

from __future__ import annotations

import http.client
import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cambist.admin.doctor.finding import Finding, InstallationState, ok, problem, warning
from cambist.errors import CannotStart
from cambist.http.certificate import check_certificate
from cambist.settings import local_host, without_password
from cambist.settings.outgoing import outgoing_proxies

_SECONDS = 3.0
_RENEW_WITHIN = timedelta(days=21)
_LISTENING = "0A"
_PROCESSES = Path("/proc")


def check_ports(installation: InstallationState) -> Iterator[Finding]:
    """Check that the ports are free, or that the service of this folder has them."""
    settings = installation.settings
    host = local_host(settings.host)
    named = (
        ("port", host, settings.port),
        ("stream port", host, settings.stream_port),
        ("operator port", local_host(settings.operator_host), settings.operator_port),
    )
    for name, address, port in named:
        if port:
            yield _check_port(installation, name, address, port)


def _check_port(installation: InstallationState, name: str, host: str, port: int) -> Finding:
    is_taken = answers(host, port)
    if installation.is_served:
        if is_taken:
            return ok(name, f"{port}, the service answers")
        found = f"nothing answers on {host} port {port}, although a service uses the data folder"
        return warning(name, found, "wait if it has just started; else look into the log, and restart the service")
    if not is_taken:
        return ok(name, f"{port} is free")
    user = f", by {process}" if (process := process_on(port)) else ""
    return problem(
        name, f"{port} is taken{user}", f"stop what is there, or choose another port (setting {_setting(name)})"
    )


def _setting(name: str) -> str:
    return name.replace(" ", "_")


def answers(host: str, port: int) -> bool:
    """Return whether something accepts connections on a port."""
    try:
        socket.create_connection((host, port), _SECONDS).close()
    except OSError:
        return False
    return True


def process_on(port: int) -> str:
    """Return the process that listens on a port, as `1234 (python -m http.server)`; empty if that is not known."""
    inodes = {f"socket:[{inode}]" for inode in _listening_inodes(port)}
    for pid in _process_ids() if inodes else ():
        with suppress(OSError):
            if any(str(each.readlink()) in inodes for each in (_PROCESSES / str(pid) / "fd").iterdir()):
                return f"process {pid} ({_command(pid)})"
    return ""


def _listening_inodes(port: int) -> Iterator[str]:
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in (_PROCESSES / "net" / table).read_text(encoding="ascii").splitlines()[1:]:
                words = line.split()
                if words[3] == _LISTENING and int(words[1].rpartition(":")[2], 16) == port:
                    yield words[9]


def _process_ids() -> list[int]:
    with suppress(OSError):
        return sorted(int(path.name) for path in _PROCESSES.iterdir() if path.name.isdigit())
    return []


def _command(pid: int) -> str:
    words = (_PROCESSES / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
    return " ".join(words).strip()[:80]


def check_stream(installation: InstallationState) -> Iterator[Finding]:
    """Check that the stream of a running service answers as a web server does."""
    settings = installation.settings
    if not settings.stream_port or not installation.is_served or settings.scheme == "https":
        return
    host = local_host(settings.host)
    connection = http.client.HTTPConnection(host, settings.stream_port, timeout=_SECONDS)
    try:
        connection.request("GET", "/")
        yield ok("stream", f"it answers (HTTP {connection.getresponse().status} without an upgrade to WebSocket)")
    except (OSError, http.client.HTTPException) as error:
        found = f"no answer on port {settings.stream_port}: {str(error) or type(error).__name__}"
        yield problem("stream", found, "look into the log for errors of the stream process; restart the service")
    finally:
        connection.close()


def check_proxies(installation: InstallationState) -> Iterator[Finding]:
    """Check how the sources are asked, and which proxies are trusted to name clients' addresses."""
    settings = installation.settings
    proxies = outgoing_proxies(settings, installation.variables)
    way = proxies.description
    if settings.gateway:
        proxy = proxies.proxy_for(settings.gateway)
        behind = f", by the proxy {without_password(proxy)}" if proxy else ""
        yield ok("way to the sources", f"through the gateway {without_password(settings.gateway)}{behind}")
    elif proxies.unusable and settings.fetch and not settings.sandbox:
        yield warning("way to the sources", way, "where only a proxy leads out, set the setting proxy to one of http")
    else:
        yield ok("way to the sources", way)
    if settings.notify_webhook:
        proxy = proxies.proxy_for(settings.notify_webhook)
        yield ok("way to the webhook", f"through the proxy {without_password(proxy)}" if proxy else "directly")
    if settings.notify_email:
        yield ok("way to the mail server", "directly: SMTP does not go through a proxy")
    if settings.host in ("0.0.0.0", "::") and settings.scheme == "http" and not settings.proxies:  # noqa: S104  compared
        found = "the API is open to the network over plain HTTP, and keys can be read on the way"
        yield warning("way to the clients", found, "set tls_cert and tls_key, or put a proxy in front and set proxies")


def check_tls(installation: InstallationState) -> Iterator[Finding]:
    """Check that the certificate can be used, and when it ends."""
    certificate, key = installation.settings.tls_cert, installation.settings.tls_key
    if certificate is None or key is None:
        return
    try:
        check_certificate(certificate, key)
    except CannotStart as error:
        yield problem("certificate", str(error), "give the two files of one certificate")
        return
    ends = certificate_end(certificate)
    left = ends - installation.now
    if left < timedelta():
        yield problem("certificate", f"it ended on {ends:%Y-%m-%d}", "renew it and restart the service")
    elif left < _RENEW_WITHIN:
        yield warning("certificate", f"it ends on {ends:%Y-%m-%d}, in {left.days} days", "renew it, then restart")
    else:
        yield ok("certificate", f"it ends on {ends:%Y-%m-%d}, in {left.days} days")


def certificate_end(certificate: Path) -> datetime:
    """Return when the first certificate of a PEM file ends. Errors: OSError, ValueError."""
    text = certificate.read_text(encoding="ascii", errors="replace")
    start = text.index("-----BEGIN CERTIFICATE-----")
    der = ssl.PEM_cert_to_DER_cert(text[start : text.index("-----END CERTIFICATE-----") + 26].strip())
    return _validity_end(der)


def _validity_end(der: bytes) -> datetime:
    """Return the second time of the validity, which is the first sequence of two times (RFC 5280, 4.1)."""
    place = 0
    while place < len(der) - 4:
        for tag, length in ((0x17, 13), (0x18, 15)):
            if der[place] == tag and der[place + 1] == length and der[place + 1 + length] == ord("Z"):
                after = place + 2 + length
                size = der[after + 1]
                return _asn1_time(der[after], der[after + 2 : after + 2 + size].decode("ascii"))
        place += 1
    raise ValueError("it has no validity")


def _asn1_time(tag: int, text: str) -> datetime:
    """Parse a UTCTime (two digits of the year, 1950 to 2049) or a GeneralizedTime."""
    century = "" if tag == 0x18 else "20" if int(text[:2]) < 50 else "19"
    return datetime.strptime(f"{century}{text}", "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)


def check_leftovers(installation: InstallationState) -> Iterator[Finding]:
    """Check that no process of an ended service still has files of the folder open."""
    if installation.is_served or not _PROCESSES.is_dir():
        return
    found = [pid for pid in _process_ids() if pid != os.getpid() and _has_open(pid, installation.path.resolve())]
    if found:
        listed = ", ".join(f"{pid} ({_command(pid)})" for pid in found[:5])
        yield problem("left processes", f"no service runs, but its files are open in {listed}", f"kill {found[0]}")
    else:
        yield ok("left processes", "none")


def _has_open(pid: int, folder: Path) -> bool:
    """Return whether a process has a mapped file of a folder."""
    with suppress(OSError):
        return f" {folder}/" in (_PROCESSES / str(pid) / "maps").read_text(encoding="utf-8", errors="replace")
    return False
