"""The admin API: what the console does, for programs that have the operator's token."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from tests.console.conftest import Clock, Got

from cambist.accounts.api_key import is_well_formed
from cambist.console.fault_actions import FAULT_ROUTES
from cambist.console.routes import ACTION_ROUTES, console_application
from cambist.monitoring.health_http import TokenCheck
from cambist.monitoring.health_server import HealthApplication
from cambist.settings import Settings

TOKEN = "operator-token-of-this-test"
Ask = Callable[..., Got]


def asking(settings: Settings, clock: Clock) -> Ask:
    """Return what sends requests to the admin API of a service, with the token unless another is given."""
    health = HealthApplication(lambda: None, clock, polls_sources=False)
    application = TokenCheck(console_application(settings, health, None, clock), settings.operator_token)

    def ask(method: str, target: str, body: object = None, token: str = TOKEN, **environ: str) -> Got:
        path, _, query = target.partition("?")
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        sent: dict[str, Any] = {"REQUEST_METHOD": method, "PATH_INFO": f"/admin/v1{path}", "QUERY_STRING": query}
        sent |= {"wsgi.input": io.BytesIO(content), "wsgi.errors": sys.stderr, "HTTP_HOST": "10.0.0.7:8002"}
        sent |= {"CONTENT_LENGTH": str(len(content)), "CONTENT_TYPE": "application/json"}
        sent |= {"HTTP_AUTHORIZATION": f"Bearer {token}"} if token else {}
        began: list[Any] = []
        answered = b"".join(application({**sent, **environ}, lambda *heading: began.extend(heading)))
        return Got(int(began[0][:3]), {name.lower(): value for name, value in began[1]}, answered)

    return ask


@pytest.fixture
def ask(settings: Settings, clock: Clock) -> Ask:
    return asking(msgspec.structs.replace(settings, operator_token=TOKEN), clock)


def test_an_account_is_created_changed_and_listed_with_its_keys(
    ask: Ask, audited: Callable[..., list[tuple[str, str, str]]]
) -> None:
    made = ask("POST", "/accounts", {"name": "acme", "plan": "one"})
    assert made.status == 201
    assert is_well_formed(made.json["created"]["key"])
    assert audited() == [("account.create", "acme", "done")]
    assert ask("POST", "/accounts/acme/plan", {"plan": "premium"}).json["account"]["plan"] == "premium"
    assert ask("POST", "/accounts/acme/suspend").json["account"]["suspended"] is True
    prefix = made.json["created"]["prefix"]
    assert ask("POST", f"/accounts/acme/keys/{prefix}/revoke").json["key"]["state"] == "revoked"
    listed = ask("GET", "/accounts?search=acme&per_page=1").json
    assert (listed["total"], [each["name"] for each in listed["accounts"]]) == (1, ["acme"])


@pytest.mark.parametrize("path", ["/plans", "/usage", "/disputes", "/problems", "/audit", "/sources", "/runbook"])
def test_plans_usage_disputes_problems_sources_and_the_audit_log_are_read(ask: Ask, path: str) -> None:
    answered = ask("GET", path)
    assert answered.status == 200, answered.content
    assert answered.headers["cache-control"] == "no-store"
    assert isinstance(answered.json, dict)


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], f"{TOKEN}x"])
def test_without_the_token_nothing_is_answered_or_changed(ask: Ask, token: str) -> None:
    for method, path in (("GET", "/accounts"), ("GET", "/openapi.json"), ("POST", "/accounts"), ("GET", "/nothing")):
        assert ask(method, path, {"name": "acme", "plan": "one"}, token=token).refusal == (401, "wrong_token")
    assert ask("GET", "/accounts?search=acme").json["total"] == 0


def test_without_a_token_in_the_settings_there_is_no_admin_api(settings: Settings, clock: Clock) -> None:
    without = asking(settings, clock)
    assert without("GET", "/accounts", token="").refusal == (403, "no_token_set")
    assert without("GET", "/accounts", token="x").refusal == (403, "no_token_set")


def test_the_cookie_of_a_session_is_no_token(ask: Ask) -> None:
    assert ask("GET", "/accounts", token="", HTTP_COOKIE="cambist-console=x").status == 401


def test_it_is_there_without_the_console(settings: Settings, clock: Clock) -> None:
    alone = asking(msgspec.structs.replace(settings, operator_token=TOKEN, console=False), clock)
    assert alone("GET", "/plans").status == 200
    assert alone("GET", "/plans", PATH_INFO="/console/api/session").status == 404


@pytest.mark.parametrize(
    ("method", "path", "body", "refusal"),
    [
        ("GET", "/accounts/nobody", None, (400, "bad_parameter")),
        ("POST", "/accounts", {"name": "acme"}, (400, "bad_parameter")),
        ("POST", "/accounts", {"name": "owner", "plan": "one"}, (409, "name_taken")),
        ("POST", "/accounts", b"{", (400, "bad_json")),
        ("GET", "/nothing", None, (404, "unknown_path")),
        ("GET", "/session", None, (404, "unknown_path")),
        ("POST", "/faults/clear", None, (404, "unknown_path")),
        ("DELETE", "/accounts/owner", None, (405, "wrong_method")),
    ],
)
def test_a_mistake_is_named_as_in_the_console(
    ask: Ask, method: str, path: str, body: object, refusal: tuple[int, str]
) -> None:
    assert ask(method, path, body).refusal == refusal


def test_a_body_is_json(ask: Ask) -> None:
    body = {"name": "acme", "plan": "one"}
    assert ask("POST", "/accounts", body, CONTENT_TYPE="text/plain").refusal == (415, "not_json")


def test_its_document_is_openapi_and_has_every_path(ask: Ask) -> None:
    document = ask("GET", "/openapi.json").json
    OpenAPIV31SpecValidator(document).validate()
    found = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert found == {(route.method, route.path) for route in ACTION_ROUTES if route not in FAULT_ROUTES}
    operations = [each for methods in document["paths"].values() for each in methods.values()]
    assert len({each["operationId"] for each in operations}) == len(operations)
    assert all(each["summary"] for each in operations)
    assert document["components"]["schemas"]["NewAccount"]["required"] == ["name", "plan"]


def test_its_document_names_a_body_where_one_is_read(ask: Ask) -> None:
    for path, methods in ask("GET", "/openapi.json").json["paths"].items():
        for method, operation in methods.items():
            if method == "post" and "requestBody" in operation and "{" not in path:
                assert ask("POST", path, {"unknown field": 1}).status == 400, path
