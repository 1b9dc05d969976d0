"""The certificate for HTTPS, checked before the service starts."""

from __future__ import annotations

import ssl
from pathlib import Path

from cambist.errors import CannotStart


def check_certificate(certificate: Path | None, key: Path | None, prefix: str = "") -> None:
    """Check that a certificate and its key, if there are any, can be used; `prefix` begins the names of their settings.

    Errors: CannotStart.
    """
    if not (certificate and key):
        return
    for setting, file in (("tls_cert", certificate), ("tls_key", key)):
        try:
            file.read_bytes()
        except OSError as error:
            raise CannotStart(
                f"The file [{file}] of the setting [{prefix}{setting}] cannot be read: {error.strerror}"
            ) from error
    try:
        server_context(certificate, key)
    except (OSError, ValueError) as error:
        raise CannotStart(
            f"The certificate [{certificate}] and the key [{key}] cannot be used: they have to be PEM files without a "
            "password, and the key the certificate's own"
        ) from error


def server_context(certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    """Return what HTTPS is served with; None without a certificate. Errors: OSError, ValueError."""
    if not (certificate and key):
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # An empty password: nobody is there to type one, and a key without one does not ask.
    context.load_cert_chain(certificate, key, password=lambda: "")
    context.set_alpn_protocols(["http/1.1"])
    return context
