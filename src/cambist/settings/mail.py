"""The setting `notify_email`: the mail server, the sender and the recipients, as one URL."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, unquote, urlsplit

from cambist.errors import SettingRefused

_PORTS = {"smtp": 587, "smtps": 465}
_NAMES = {"from", "to", "starttls", "ca"}
_FORM = "smtp://user:password@host:587?from=cambist@example.org&to=operator@example.org"
_LONGEST_ADDRESS = 254
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@dataclass(frozen=True, slots=True)
class MailServer:
    """A mail server, and from whom and to whom it sends.

    `is_secure` is whether it speaks TLS from the start (`smtps`). Otherwise `starttls` says whether the connection is
    encrypted before anything is sent: `always`, `never`, or `auto`: always with a password, if the server offers it
    without one, and never on this machine. `authority` is a file of certificates to trust besides those of the system.
    """

    host: str
    port: int
    sender: str
    recipients: tuple[str, ...]
    user: str = ""
    password: str = field(default="", repr=False)
    is_secure: bool = False
    starttls: Literal["auto", "always", "never"] = "auto"
    authority: Path | None = None

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine."""
        return self.host in _LOOPBACK


def parse_mail_url(url: str) -> MailServer | None:
    """Parse the setting; None if it is empty. Errors: SettingRefused, without the password."""
    if not url:
        return None
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
        query = parse_qs(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except (ValueError, KeyError):
        raise _refused(f"it is no URL such as {_FORM}, or smtps:// for TLS") from None
    if unknown := sorted(query.keys() - _NAMES):
        raise _refused(f"unknown part [{unknown[0]}]; there are {', '.join(sorted(_NAMES))}")
    values = {name: found[-1].strip() for name, found in query.items()}
    recipients = tuple(part.strip() for part in values.get("to", "").split(",") if part.strip())
    sender, starttls = values.get("from", ""), values.get("starttls", "auto")
    if not parts.hostname or parts.path.strip("/"):
        raise _refused(f"it is no URL such as {_FORM}")
    if not all(is_mail_address(address) for address in (sender, *recipients)) or not recipients:
        raise _refused("it needs addresses: from=… and to=…, several separated by commas")
    if starttls not in ("auto", "always", "never"):
        raise _refused("starttls takes auto, always or never")
    authority = Path(values["ca"]) if values.get("ca") else None
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    is_secure = parts.scheme == "smtps"
    return MailServer(
        parts.hostname, port, sender, recipients, user, password, is_secure, starttls, authority  # type: ignore[arg-type]
    )  # fmt: skip


def is_mail_address(text: str) -> bool:
    """Return whether mail can be sent to a text: one address in ASCII, without a name or brackets."""
    name, at, host = text.rpartition("@")
    is_plain = text.isascii() and text.isprintable() and not set(text) & set(' <>",;')
    return bool(name and at and host) and is_plain and len(text) <= _LONGEST_ADDRESS


def _refused(reason: str) -> SettingRefused:
    return SettingRefused(f"The setting [notify_email] is refused: {reason}")


def mail_url_without_password(url: str) -> str:
    """Return the setting to show, with `***` in place of the password."""
    try:
        parts = urlsplit(url)
        user, host = parts.username, parts.netloc.rpartition("@")[2]
    except ValueError:
        return "set"
    return parts._replace(netloc=f"{user}:***@{host}" if user else host).geturl()
