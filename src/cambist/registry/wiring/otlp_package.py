"""The package with which traces and metrics are written for a collector: an extra, because few need it."""

from __future__ import annotations

from importlib.util import find_spec

from cambist.errors import CannotStart
from cambist.settings import Settings


def check_otlp(settings: Settings) -> None:
    """Check that what is to be sent can be sent. Errors: CannotStart."""
    if settings.otlp_url and not _has_messages():
        raise CannotStart("The setting [otlp_url] needs a package that is missing: pip install 'cambist[otlp]'")


def _has_messages() -> bool:
    try:
        return find_spec("opentelemetry.proto") is not None
    except ModuleNotFoundError:
        return False
