"""All paths of the console's API, and the application that serves them."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime

from cambist.admin.overview import DataOverview
from cambist.clock import utc_now
from cambist.console.application import ConsoleApplication
from cambist.console.call import Installation
from cambist.console.overview import Overview, RateSampler
from cambist.console.router import Route
from cambist.monitoring.health_server import HealthApplication
from cambist.monitoring.stream_report import StreamReport
from cambist.settings import Settings


def console_application(
    settings: Settings,
    health: HealthApplication,
    read_stream: Callable[[], StreamReport | None] | None,
    clock: Callable[[], datetime] = utc_now,
) -> ConsoleApplication:
    """Return the console of a service. Paths that are not the console's go to `health`."""
    data = DataOverview(settings)
    overview = Overview(health, data, read_stream, RateSampler(), RateSampler())
    routes = (Route("GET", "/overview", overview.answer, activity=False),)
    return ConsoleApplication(Installation(settings, clock, os.environ), routes, health)
