"""Parameters that an endpoint does not accept: ignored and named, or refused if likely a mistake."""

from __future__ import annotations

import re

import pytest

from cambist.api.questions.parameters import declared_params
from cambist.registry.wiring.components import endpoints

ENDPOINTS = {endpoint.path: list(declared_params(endpoint.params).values()) for endpoint in endpoints()}
NAMES = {path: [param.name for param in params] for path, params in ENDPOINTS.items()}
DECIDING = {path: {param.name for param in params if param.selects_data} for path, params in ENDPOINTS.items()}
STRAYS = [
    *("_", "t", "v", "x", "q", "cb", "ts", "tz", "_ts", "callback", "apikey", "app_id", "version", "key"),
    *("pretty", "lang", "locale", "nocache", "timestamp", "token", "user", "utm_source", "base", "symbols"),
]
OWN = [(path, name) for path, names in NAMES.items() for name in names]
FOREIGN = [
    (path, name)
    for path, deciding in DECIDING.items()
    for name in sorted(set().union(*DECIDING.values()) - set(NAMES[path]))
    if deciding
]
LISTS = [path for path, deciding in DECIDING.items() if not deciding]
VALUES = {param.name: param.example or "2024-02-29" for params in ENDPOINTS.values() for param in params}


def asked(path: str, **more: str) -> str:
    """Write a request with all examples that the endpoint has, and more."""
    given = {param.name: param.example for param in ENDPOINTS[path] if param.example} | more
    return f"{path}?" + "&".join(f"{name}={value}" for name, value in given.items())


def test_the_walk_over_the_endpoints_finds_them():
    assert ("/convert", "from") in OWN
    assert ("/fetch-one", "date") in FOREIGN
    assert {"/metals/units", "/usage", "/fx/pairs", "/crypto/pairs", "/sources", "/currencies"} <= set(LISTS)


@pytest.mark.parametrize("path", ENDPOINTS)
def test_stray_parameters_are_ignored_and_named(kept_client_dealing, path):
    for stray in {*STRAYS} - {*NAMES[path]}:
        reply = kept_client_dealing.get(asked(path, **{stray: "1795175998"}))
        assert reply.status != 400, (stray, reply.text)
        assert reply.headers["cambist-ignored"] == stray


@pytest.mark.parametrize(("path", "name"), OWN)
def test_a_misspelt_parameter_is_400_with_a_suggestion(kept_client_dealing, path, name):
    wrong = [name[:-1], name[1:], f"{name}s", f"{name[0]}{name}", name.upper(), name[1] + name[0] + name[2:]]
    for misspelt in {one for one in wrong if len(one) > 1 and one not in NAMES[path]}:
        reply = kept_client_dealing.get(asked(path, **{misspelt: VALUES[name]}))
        assert (reply.status, reply.json["code"]) == (400, "bad_parameter"), misspelt
        assert re.fullmatch(rf"Unknown parameter: \[{misspelt}\], did you mean \[\w+\]\?", reply.json["error"])


@pytest.mark.parametrize("path", NAMES)
def test_a_parameter_of_other_endpoints_is_400_and_names_them(kept_client_dealing, path):
    for name in (name for of_path, name in FOREIGN if of_path == path):
        reply = kept_client_dealing.get(asked(path, **{name: VALUES[name]}))
        assert (reply.status, reply.json["code"]) == (400, "bad_parameter"), name
        assert f"[{name}]" in reply.json["error"]
        assert re.search(r"did you mean|only by /", reply.json["error"]), name


@pytest.mark.parametrize("path", LISTS)
def test_a_list_that_nothing_could_change_ignores_what_decides_elsewhere(kept_client_dealing, path):
    reply = kept_client_dealing.get(asked(path, date="2024-02-29"))
    assert reply.status == 200
    assert reply.headers["cambist-ignored"] == "date"


@pytest.mark.parametrize(
    ("target", "named"),
    [
        ("/convert?fro=EUR&to=JPY&amount=1", "[fro], did you mean [from]?"),
        ("/convert?From=EUR&to=JPY&amount=1", "[From], did you mean [from]?"),
        ("/convert?form=EUR&to=JPY&amount=1", "[form], did you mean [from]?"),
        ("/convert?from=EUR&to=JPY&amount=1&presicion=0", "[presicion], did you mean [precision]?"),
        ("/fetch-one?from=EUR&tp=JPY", "[tp], did you mean [to]?"),
        ("/fetch-one?from=EUR&too=JPY", "[too], did you mean [to]?"),
        ("/fetch-one?from=EUR&to=USD&date=2024-02-29", "[date] is not taken by /fetch-one, only by /"),
        ("/fetch-all?from=EUR&to=USD", "[to] is not taken by /fetch-all, only by /fetch-one, /fetch-multi"),
        ("/time-series?to=EUR&strat=2024-01-01", "[strat], did you mean [start]?"),
        ("/historical?daet=2024-02-29&to=EUR", "[daet], did you mean [date]?"),
    ],
)
def test_a_typing_error_never_becomes_another_rate(kept_client, target, named):
    reply = kept_client.get(target)
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert named in reply.json["error"]


@pytest.mark.parametrize("target", ["/fetch-one?from=EUR&to=USD&fro=&date=%20&x=", "/usage?days=3&from=EUR"])
def test_what_is_empty_or_changes_nothing_is_ignored(kept_client, target):
    reply = kept_client.get(target)
    assert reply.status == 200
    assert reply.headers["cambist-ignored"]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("x=1&y=2", "x, y"),
        ("x=1&x=2", "x"),
        ("%C3%A9t%C3%A9=1", "%C3%A9t%C3%A9"),
        ("a%0D%0ASet-Cookie:b=1", "a%0D%0ASet-Cookie%3Ab"),
        ("a,b=1", "a%2Cb"),
        ("y" * 5000 + "=1", "y" * 64 + "..."),
    ],
)
def test_the_header_is_safe_whatever_the_names_are(kept_client, query, named):
    for _ in range(2):
        reply = kept_client.get(f"/fetch-one?from=EUR&to=USD&{query}")
        assert (reply.status, reply.headers["cambist-ignored"]) == (200, named)


def test_a_key_among_the_names_is_not_repeated(kept_client, key):
    assert key not in kept_client.get(f"/fetch-one?from=EUR&to=USD&{key}").headers.get("cambist-ignored", "")


def test_only_a_request_with_unknown_parameters_has_the_header(kept_client):
    target = "/fetch-one?from=EUR&to=USD"
    for query in ("", "&x=1", "", "&y=1", "&x=1"):
        assert kept_client.get(target + query).headers.get("cambist-ignored", "") == query[1:2]


@pytest.mark.parametrize("query", ["", "&", "&=", "&=1", "&api_key={key}"])
def test_without_any_there_is_no_such_header(kept_client, key, query):
    assert "cambist-ignored" not in kept_client.get(f"/fetch-one?from=EUR&to=USD{query.format(key=key)}").headers


def test_thirty_are_ignored_and_more_are_refused(kept_client):
    many = [f"&x{number}=1" for number in range(31)]
    assert kept_client.get("/fetch-one?to=EUR" + "".join(many[:30])).status == 200
    reply = kept_client.get("/fetch-one?to=EUR" + "".join(many))
    assert (reply.status, reply.json["error"]) == (400, "Too many unknown parameters: [31], at most 30")


def test_browsers_may_read_the_header(kept_client):
    assert "Cambist-Ignored" in kept_client.get("/fetch-one?to=EUR").headers["access-control-expose-headers"]


def test_a_missing_key_is_reported_before_unknown_parameters(kept_client):
    assert kept_client.get("/fetch-one?to=EUR&fro=USD", key=None).status == 401
