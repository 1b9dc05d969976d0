"""The options of the HTTP library, which both clients share."""

from __future__ import annotations

import ssl
from typing import Any

from cambist.client.protocol import Configuration


def client_options(configuration: Configuration) -> dict[str, Any]:
    """Return the options of the HTTP client: no redirects, because the key is for one address alone.

    Machines elsewhere are asked through the proxies of the environment, this machine is not.
    """
    options: dict[str, Any] = {"timeout": configuration.timeout, "trust_env": not configuration.is_local}
    options["follow_redirects"] = False
    if configuration.tls is not None:
        options["verify"] = configuration.tls
    elif not configuration.url.startswith("https:"):
        options["verify"] = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nobody: loading authorities takes long
    return options
