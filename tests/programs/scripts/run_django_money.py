"""django-money in a Django project: python run_django_money.py BACKEND SETTINGS. Writes the rates that it stored."""

from __future__ import annotations

import json
import sys

import django
from django.conf import settings
from django.core.management import call_command

settings.configure(
    INSTALLED_APPS=["django.contrib.contenttypes", "djmoney", "djmoney.contrib.exchange"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    USE_TZ=True,
    EXCHANGE_BACKEND=sys.argv[1],
    **json.loads(sys.argv[2]),
)
django.setup()
call_command("migrate", verbosity=0)
call_command("update_rates", verbosity=0)

from djmoney.contrib.exchange.models import ExchangeBackend, Rate, convert_money  # noqa: E402
from djmoney.money import Money  # noqa: E402

backend = ExchangeBackend.objects.get()
converted = convert_money(Money(100, backend.base_currency), "JPY")
rates = {rate.currency: float(rate.value) for rate in Rate.objects.all()}
print(json.dumps({"base": backend.base_currency, "rates": rates, "converted": float(converted.amount)}))
