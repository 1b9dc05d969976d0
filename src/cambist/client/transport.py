"""The options of the HTTP library, which both clients share, and the certificate authorities that are trusted."""

from __future__ import annotations

import ssl
from typing import Any

import httpx2

from cambist.client.errors import NotConfigured
from cambist.client.protocol import Configuration


def client_options(configuration: Configuration) -> dict[str, Any]:
    """Return the options of the HTTP client: no redirects, because the key is for one address alone.

    Machines elsewhere are asked through the proxies of the environment, this machine is not. Errors: NotConfigured.
    """
    if configuration.url.startswith("https:"):
        context = configuration.tls or system_authorities()
    else:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nobody: loading authorities takes long
    return {
        "timeout": configuration.timeout,
        "trust_env": not configuration.is_local,
        "follow_redirects": False,
        "verify": context,
    }


def system_authorities() -> ssl.SSLContext:
    """Return a context that trusts the authorities of the system, or those that SSL_CERT_FILE or SSL_CERT_DIR names.

    Errors: NotConfigured if there are none in the file.
    """
    try:
        return httpx2.create_ssl_context(trust_env=True)
    except OSError as error:
        raise NotConfigured(
            f"The certificate authorities cannot be read (variables SSL_CERT_FILE, SSL_CERT_DIR): {error}"
        ) from error
