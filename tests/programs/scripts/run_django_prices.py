"""django-prices-openexchangerates with its fixed host: python run_django_prices.py KEY."""

from __future__ import annotations

import json
import sys
import warnings

import django
from django.conf import settings
from django.core.management import call_command

warnings.simplefilter("ignore")
settings.configure(
    INSTALLED_APPS=["django_prices_openexchangerates"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    OPENEXCHANGERATES_API_KEY=sys.argv[1],
    OPENEXCHANGERATES_BASE_CURRENCY="USD",
    USE_TZ=True,
)
django.setup()
call_command("migrate", verbosity=0)

from django_prices_openexchangerates import exchange_currency  # noqa: E402
from django_prices_openexchangerates.tasks import create_conversion_rates  # noqa: E402
from prices import Money  # noqa: E402

rates = {rate.to_currency: float(rate.rate) for rate in create_conversion_rates()}
print(json.dumps({"rates": rates, "converted": float(exchange_currency(Money(10, "USD"), "JPY").amount)}))
