"""The ways to the operator, a webhook, e-mail and a command, and by e-mail to owners of accounts, with deadlines."""

from __future__ import annotations

import http.client
import os
import re
import shlex
import smtplib
import ssl
import subprocess
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from functools import partial
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

import msgspec

from cambist import __version__
from cambist.monitoring.notifications.message import Message, NotificationFailed, RecipientRefused
from cambist.settings import Settings
from cambist.settings.mail import MailServer
from cambist.settings.outgoing import outgoing_proxies

Send = Callable[[Message], None]
"""Sends a message. Errors: NotificationFailed, whose text has no secret."""

_SECONDS = 10.0
_COMMAND_SECONDS = 30.0
_REFUSED_FOR_GOOD = 500


ACCOUNT_EMAIL = "account_email"
"""The way to the owners of accounts, by the mail server of the operator."""


def notification_ways(settings: Settings) -> dict[str, Send]:
    """Return the ways to the operator that are set, by name."""
    ways: dict[str, Send] = {}
    if settings.notify_webhook:
        proxy = outgoing_proxies(settings, os.environ).proxy_for(settings.notify_webhook)
        ways["webhook"] = partial(post, settings.notify_webhook, proxy=proxy)
    if server := settings.mail_server:
        ways["email"] = partial(send_mail, server)
    if settings.notify_command:
        ways["command"] = partial(run_command, settings.notify_command)
    return ways


def account_way(settings: Settings) -> dict[str, Send]:
    """Return the way to the owners of accounts by its name; nothing without a mail server."""
    server = settings.mail_server
    return {ACCOUNT_EMAIL: partial(send_mail, server)} if server else {}


def post(url: str, message: Message, *, proxy: str | None = None) -> None:
    """Send a message to a webhook as JSON. Redirects are not followed. Errors: NotificationFailed."""
    parts = urlsplit(url)
    target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    headers = {"Content-Type": "application/json", "User-Agent": f"cambist/{__version__}", **_login(parts)}
    if proxy and parts.scheme == "http":
        headers |= _login(urlsplit(proxy), "Proxy-Authorization")
        target = f"http://{parts.netloc.rpartition('@')[2]}{target}"
    try:
        with closing(_connection(parts, proxy)) as connection:
            connection.request("POST", target, msgspec.json.encode(message), headers)
            status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        way = "cannot be reached through the proxy" if proxy else "cannot be reached"
        raise NotificationFailed(f"The webhook at {parts.hostname} {way}: {_reason(error)}") from error
    if not 200 <= status < 300:
        raise NotificationFailed(f"The webhook at {parts.hostname} answers with {status}")


def _login(url: SplitResult, header: str = "Authorization") -> dict[str, str]:
    """Return the header for the user and the password in an address; nothing if there are none."""
    if url.username is None:
        return {}
    user = f"{unquote(url.username)}:{unquote(url.password or '')}"
    return {header: f"Basic {b64encode(user.encode()).decode()}"}


def _connection(url: SplitResult, proxy: str | None) -> http.client.HTTPConnection:
    """Return a connection to a webhook, or to the proxy on the way to it, which tunnels to one of https."""
    first = urlsplit(proxy) if proxy else url
    host, port = first.hostname or "", first.port or (443 if first.scheme == "https" else 80)
    if url.scheme == "http":
        return http.client.HTTPConnection(host, port, timeout=_SECONDS)
    context = ssl.create_default_context()
    connection = http.client.HTTPSConnection(host, port, timeout=_SECONDS, context=context)
    if proxy:
        connection.set_tunnel(url.hostname or "", url.port or 443, _login(first, "Proxy-Authorization"))
    return connection


def send_mail(server: MailServer, message: Message) -> None:
    """Send a message by e-mail. Errors: NotificationFailed."""
    mail = EmailMessage()
    mail["From"], mail["Subject"] = server.sender, message.subject
    mail["To"] = message.to or ", ".join(server.recipients)
    mail["Date"], mail["Message-ID"] = format_datetime(message.at), make_msgid(domain="cambist")
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(message.text)
    try:
        with _mail_connection(server) as connection:
            if server.user:
                connection.login(server.user, server.password)
            refused = connection.send_message(mail)
    except smtplib.SMTPRecipientsRefused as error:
        is_final = all(code >= _REFUSED_FOR_GOOD for code, _ in error.recipients.values())
        kind = RecipientRefused if message.to and is_final else NotificationFailed
        raise kind(f"The mail server {server.host} does not take a message: {_reason(error)}") from error
    except (OSError, smtplib.SMTPException) as error:
        raise NotificationFailed(f"The mail server {server.host} does not take a message: {_reason(error)}") from error
    if refused:
        raise NotificationFailed(f"The mail server {server.host} refuses the recipient {next(iter(refused))}")


def _mail_connection(server: MailServer) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if server.authority:
        context.load_verify_locations(server.authority)
    if server.is_secure:
        return smtplib.SMTP_SSL(server.host, server.port, timeout=_SECONDS, context=context)
    connection = smtplib.SMTP(server.host, server.port, timeout=_SECONDS)
    try:
        connection.ehlo()
        is_needed = server.starttls == "always" or (server.starttls == "auto" and server.user and not server.is_local)
        is_welcome = server.starttls == "auto" and not server.is_local and connection.has_extn("starttls")
        if is_needed or is_welcome:
            connection.starttls(context=context)
            connection.ehlo()
    except BaseException:
        connection.close()
        raise
    return connection


def run_command(command: str, message: Message) -> None:
    """Run a command with a message as JSON on its standard input. Errors: NotificationFailed."""
    try:
        ended = subprocess.run(  # noqa: S603  it is the operator's own command
            shlex.split(command),
            input=msgspec.json.encode(message),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=_COMMAND_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise NotificationFailed(f"The command has not ended after {_COMMAND_SECONDS:.0f} s") from error
    except (OSError, ValueError) as error:
        raise NotificationFailed(f"The command cannot be run: {_reason(error)}") from error
    if ended.returncode:
        raise NotificationFailed(f"The command ended with exit code {ended.returncode}")


def _reason(error: Exception) -> str:
    """Return why something failed, without what the other side has sent: it might repeat a secret."""
    for kind, reason in _REASONS.items():
        if isinstance(error, kind):
            return reason(error)
    return type(error).__name__


def _tunnel_failure(error: OSError) -> str:
    found = re.match(r"Tunnel connection failed: ([0-9]{3})", str(error))
    return f"the proxy answers with {found[1]}" if found else ""


_REASONS: dict[type[Exception], Callable[[Any], str]] = {
    smtplib.SMTPAuthenticationError: lambda _: "user or password is wrong",
    smtplib.SMTPResponseException: lambda error: f"it answers with {error.smtp_code}",
    smtplib.SMTPRecipientsRefused: lambda _: "it refuses all recipients",
    smtplib.SMTPNotSupportedError: lambda _: "it offers no TLS, or no login with a password",
    ssl.SSLCertVerificationError: lambda error: f"its certificate is refused: {error.verify_message}",
    TimeoutError: lambda _: "no answer in time",
    OSError: lambda error: error.strerror or _tunnel_failure(error) or type(error).__name__,
}
"""The reasons by kind of error, the more special kinds first."""
