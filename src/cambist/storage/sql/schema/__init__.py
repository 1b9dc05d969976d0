"""The tables. `migrations/` creates them step by step; a test compares the two."""

from __future__ import annotations

from cambist.storage.sql.schema.accounts import (
    account_changes,
    accounts,
    accounts_by_name,
    api_keys,
    bought_calls,
    plan_versions,
    quota_leases,
    usage,
)
from cambist.storage.sql.schema.alerts import alert_events, alerts
from cambist.storage.sql.schema.base import BIG, metadata
from cambist.storage.sql.schema.fixings import (
    bar_series,
    bars,
    decisions,
    deliveries,
    editions,
    fixings,
    judged,
    quarantine,
    quarantine_decisions,
    rule_texts,
    series,
    verdicts,
)
from cambist.storage.sql.schema.nodes import leadership, log_checkpoints, nodes, schema_releases, signing_keys
from cambist.storage.sql.schema.price_samples import price_samples

__all__ = [
    "BIG",
    "account_changes",
    "accounts",
    "accounts_by_name",
    "alert_events",
    "alerts",
    "api_keys",
    "bar_series",
    "bars",
    "bought_calls",
    "decisions",
    "deliveries",
    "editions",
    "fixings",
    "judged",
    "leadership",
    "log_checkpoints",
    "metadata",
    "nodes",
    "plan_versions",
    "price_samples",
    "quarantine",
    "quarantine_decisions",
    "quota_leases",
    "rule_texts",
    "schema_releases",
    "series",
    "signing_keys",
    "usage",
    "verdicts",
]
