"""What a start refuses of its settings before it touches the data folder; doctor and upgrade refuse the same."""

from __future__ import annotations

from collections.abc import Mapping

from cambist.registry.accounts.keyless_accounts import check_page_account
from cambist.registry.node.nodes import check_node
from cambist.registry.sources.source_adapters import check_source_keys
from cambist.registry.wiring.components import dialects
from cambist.registry.wiring.otlp_package import check_otlp
from cambist.settings import Settings, check_operator_port


def check_start_settings(settings: Settings, environment: Mapping[str, str]) -> dict[str, str]:
    """Check what the settings name, and return the operator's keys of sources. Errors: CambistError."""
    check_operator_port(settings)
    check_node(settings)
    check_page_account(settings)
    check_otlp(settings)
    dialects(settings)
    return check_source_keys(settings, environment)
