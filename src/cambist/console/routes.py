"""All paths of the console's API, and the application that serves them."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime

from cambist.admin.data_folder.overview import DataOverview
from cambist.clock import Uptime, uptime, utc_now
from cambist.console.account_actions import ACCOUNT_ROUTES
from cambist.console.actions import Route
from cambist.console.application import ConsoleApplication
from cambist.console.audit_actions import AUDIT_ROUTES
from cambist.console.call import Installation
from cambist.console.dispute_actions import DISPUTE_ROUTES
from cambist.console.fault_actions import FAULT_ROUTES
from cambist.console.overview import Overview, RateSampler
from cambist.console.plan_actions import PLAN_ROUTES
from cambist.console.problem_actions import PROBLEM_ROUTES
from cambist.console.source_actions import SOURCE_ROUTES
from cambist.console.usage_actions import USAGE_ROUTES
from cambist.monitoring.health_server import HealthApplication
from cambist.monitoring.stream_report import StreamReport
from cambist.settings import Settings

ACTION_ROUTES = (
    *ACCOUNT_ROUTES,
    *PLAN_ROUTES,
    *USAGE_ROUTES,
    *SOURCE_ROUTES,
    *DISPUTE_ROUTES,
    *FAULT_ROUTES,
    *PROBLEM_ROUTES,
    *AUDIT_ROUTES,
)
"""All paths but those of the session and the overview."""


def console_application(
    settings: Settings,
    health: HealthApplication,
    read_stream: Callable[[], StreamReport | None] | None,
    clock: Callable[[], datetime] = utc_now,
    elapsed: Callable[[], Uptime] = uptime,
) -> ConsoleApplication:
    """Return the console of a service. Paths that are not the console's go to `health`."""
    data = DataOverview(settings)
    overview = Overview(health, data, read_stream, RateSampler(), RateSampler())
    routes = (Route("GET", "/overview", overview.answer, activity=False), *ACTION_ROUTES)
    return ConsoleApplication(Installation(settings, clock, os.environ, elapsed), routes, health)
