"""The plugin of InvenTree and the module of Odoo, with stand-ins for the classes of those programs.

Neither program is installed here. A stand-in has what the program's own source gives to such a plugin, and no more.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tests.cli.conftest import address, finished, finished_folder, prepared_folder, wsgi_client
from tests.conftest import KEY, Client

__all__ = ["address", "finished", "finished_folder", "prepared_folder", "wsgi_client"]

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

PACKAGES = Path(__file__).parents[2] / "packages"
PLUGIN = PACKAGES / "inventree-cambist" / "src" / "inventree_cambist.py"
PROVIDER = PACKAGES / "odoo-cambist" / "currency_rate_update_cambist" / "models" / "res_currency_rate_provider.py"


def load(monkeypatch: pytest.MonkeyPatch, file: Path, **stand_ins: dict[str, object]) -> Any:
    """Load a module while others stand in for the program's; their names have _ for dots."""
    for name, content in stand_ins.items():
        module = ModuleType(name.replace("_", "."))
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# InvenTree


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch, address: str) -> Any:
    class Settings:
        values: dict[str, str]

        def get_setting(self, name: str) -> str:
            return self.values.get(name, self.SETTINGS[name]["default"])  # type: ignore[attr-defined,no-any-return]

    mixins = {"CurrencyExchangeMixin": type("Exchange", (), {}), "SettingsMixin": Settings}
    loaded = load(monkeypatch, PLUGIN, plugin={"InvenTreePlugin": type("Plugin", (), {})}, plugin_mixins=mixins)
    made = loaded.CambistExchangePlugin()
    made.values = {"URL": f"{address}/", "API_KEY": KEY}
    made.error = loaded.CambistError
    return made


def test_inventree_gets_the_rates_of_all_its_currencies(plugin: Any, wsgi_client: Client) -> None:
    expected = wsgi_client.get("/fetch-multi?from=EUR&to=USD,JPY,GBP").json["results"]
    assert len(expected) == 3
    assert plugin.update_exchange_rates("EUR", ["EUR", "USD", "JPY", "GBP"]) == {**expected, "EUR": 1.0}
    assert plugin.update_exchange_rates("EUR", ["EUR"]) == {"EUR": 1.0}


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("symbols", "values", "sentence"),
    [
        (["USD", "XYZ"], {}, "XYZ"),
        (["USD"], {"API_KEY": ""}, "No API key"),
        (["USD"], {"URL": "rates.example"}, "begins with http"),
        (["USD"], {"URL": "http://127.0.0.1:1"}, "does not answer"),
    ],
)
def test_inventree_keeps_its_rates_if_not_all_are_there(
    plugin: Any, symbols: list[str], values: dict[str, str], sentence: str
) -> None:
    """It replaces all of them by what is returned, and keeps them if the plugin raises."""
    plugin.values |= values
    with pytest.raises(plugin.error, match=sentence):
        plugin.update_exchange_rates("EUR", symbols)


# Odoo


@pytest.fixture
def make_provider(monkeypatch: pytest.MonkeyPatch, address: str) -> Callable[..., Any]:
    class UserError(Exception):
        pass

    class Model:
        """The provider that the module extends; another service answers with nothing."""

        def ensure_one(self) -> None:
            pass

        def _get_supported_currencies(self) -> list[str]:
            return ["of another"]

        def _obtain_rates(self, *_: object) -> dict[str, object]:
            return {"of": {"another": 1}}

    content = {
        "fields": SimpleNamespace(Selection=lambda **options: options),
        "models": SimpleNamespace(Model=Model),
    }
    loaded = load(monkeypatch, PROVIDER, odoo=content, odoo_exceptions={"UserError": UserError})

    def make(service: str = "cambist", **changed: str) -> Any:
        values = {"url": address, "key": KEY} | changed
        parameters = {f"currency_rate_update_cambist.{name}": value for name, value in values.items()}
        provider = loaded.ResCurrencyRateProvider()
        provider.error, provider.offered, provider.service = UserError, type(provider).service, service
        provider.env = {"ir.config_parameter": SimpleNamespace(sudo=lambda: SimpleNamespace(get_param=parameters.get))}
        return provider

    return make


def test_odoo_gets_the_rates_of_each_day(make_provider: Callable[..., Any], wsgi_client: Client) -> None:
    asked = "/time-series?from=EUR&to=USD,JPY&start=2026-03-05&end=2026-03-06"
    results = wsgi_client.get(asked).json["results"]
    days = date(2026, 3, 5), date(2026, 3, 6)
    found = make_provider()._obtain_rates("EUR", ["EUR", "USD", "JPY"], *days)
    assert found == {str(day): {code: results[code][str(day)] for code in ("USD", "JPY")} for day in days}
    assert found["2026-03-06"]["USD"] == 1.25


def test_odoo_asks_about_many_currencies_ten_at_a_time(
    make_provider: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    provider, asked = make_provider(), []
    codes = [f"A{letter}A" for letter in "ABCDEFGHIJKL"]
    answered = {"2026-03-06": 1.0}

    def answer(_path: str, query: dict[str, str]) -> Any:
        asked.append(query["to"])
        return {"results": dict.fromkeys(query["to"].split(","), answered)}

    monkeypatch.setattr(provider, "_ask_cambist", answer, raising=False)
    found = provider._obtain_rates("EUR", codes, date(2026, 3, 6), date(2026, 3, 6))
    assert [len(targets.split(",")) for targets in asked] == [10, 2]
    assert set(found["2026-03-06"]) == set(codes)


def test_odoo_offers_the_service_with_its_currencies_and_leaves_others_alone(
    make_provider: Callable[..., Any], wsgi_client: Client
) -> None:
    provider = make_provider()
    assert provider.offered["selection_add"] == [("cambist", "Cambist")]
    assert provider._get_supported_currencies() == list(wsgi_client.get("/currencies").json["currencies"])
    other = make_provider("ECB")
    assert other._get_supported_currencies() == ["of another"]
    assert other._obtain_rates("EUR", ["USD"], date(2026, 3, 6), date(2026, 3, 6)) == {"of": {"another": 1}}


@pytest.mark.long(every=2)
@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"url": ""}, "Set the system parameter"),
        ({"key": ""}, "No API key"),
        ({"url": "http://127.0.0.1:1"}, "does not"),
    ],
)
def test_odoo_is_told_what_is_wrong(make_provider: Callable[..., Any], changed: dict[str, str], sentence: str) -> None:
    provider = make_provider(**changed)
    with pytest.raises(provider.error, match=sentence):
        provider._obtain_rates("EUR", ["USD"], date(2026, 3, 6), date(2026, 3, 6))
