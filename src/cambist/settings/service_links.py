"""Variables that Kubernetes sets for each Service of a namespace, which may begin as those of settings do. Pure.

A Service called `cambist` or `cambist-api` sets them in every pod of its namespace, in the form of Docker's links:
https://kubernetes.io/docs/tutorials/services/connect-applications-service/#environment-variables
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_ADDRESS = r"(?:\d+(?:\.\d+){3}|\[?[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*\]?)"
_FORMS = (
    (r"\w+_SERVICE_HOST", _ADDRESS),
    (r"\w+_SERVICE_PORT(_\w+)?", r"\d+"),
    (r"\w+_PORT(_\d+_(TCP|UDP|SCTP))?", rf"(tcp|udp|sctp)://{_ADDRESS}:\d+"),
    (r"\w+_PORT_\d+_(TCP|UDP|SCTP)_PROTO", "tcp|udp|sctp"),
    (r"\w+_PORT_\d+_(TCP|UDP|SCTP)_PORT", r"\d+"),
    (r"\w+_PORT_\d+_(TCP|UDP|SCTP)_ADDR", _ADDRESS),
)
"""The names and values. A setting such as CAMBIST_PORT has one of these names, but takes no such value."""


def service_links(environment: Mapping[str, str], prefix: str) -> list[str]:
    """Return the names of the variables with a prefix that Kubernetes sets for Services, in order."""
    return sorted(name for name, value in environment.items() if name.startswith(prefix) and _is_link(name, value))


def _is_link(name: str, value: str) -> bool:
    return any(re.fullmatch(names, name) and re.fullmatch(values, value) for names, values in _FORMS)
