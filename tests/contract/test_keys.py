"""API keys: four ways to send one, and the errors for keys that are not valid."""

from __future__ import annotations

import base64

import pytest

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest, mint

PATH = "/fetch-one?from=EUR&to=USD"
OTHER = mint(lambda alphabet: alphabet[9])
OWNER, SECOND = StoredKey(1, Account(1, "owner", "unlimited")), StoredKey(2, Account(2, "second", "one"))
WAYS = ["query", "header", "bearer", "basic user", "basic password"]


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def bring(client, way: str, key: str, target: str = PATH):
    if way == "query":
        return client.get(f"{target}&api_key={key}", key=None)
    header = {
        "header": {"X-API-Key": key},
        "bearer": {"Authorization": f"Bearer {key}"},
        "basic user": {"Authorization": basic(key, "")},
        "basic password": {"Authorization": basic("", key)},
    }[way]
    return client.get(target, key=None, headers=header)


@pytest.fixture
def two(client, key):
    """A client of a service that knows two keys, each of another account."""
    client.worker_state.apply_accounts({digest(key): OWNER, digest(OTHER): SECOND})
    return client


@pytest.mark.parametrize("way", WAYS)
def test_a_key_opens_in_any_of_four_places(client, key, way):
    for _ in range(2):  # made, then kept
        assert bring(client, way, key).status == 200


@pytest.mark.parametrize(
    "authorization",
    [
        "bearer {key}",
        "BEARER  {key}",
        "Bearer {key} ",
    ],
)
def test_the_scheme_is_read_in_any_case_and_spacing(client, key, authorization):
    assert client.get(PATH, key=None, headers={"Authorization": authorization.format(key=key)}).status == 200


@pytest.mark.parametrize(
    ("user", "password"), [("{key}", "x"), ("anything", "{key}"), ("{key}", "{key}"), ("", "{key}")]
)
def test_the_other_half_of_basic_may_be_anything(client, key, user, password):
    authorization = basic(user.format(key=key), password.format(key=key))
    assert client.get(PATH, key=None, headers={"Authorization": authorization}).status == 200


def test_basic_is_read_in_any_case(client, key):
    assert client.get(PATH, key=None, headers={"Authorization": basic(key, "").replace("Basic", "basic")}).status == 200


@pytest.mark.parametrize("first", WAYS[:2])
@pytest.mark.parametrize("second", WAYS[2:])
def test_the_same_key_twice_is_fine(client, key, first, second):
    authorization = {"bearer": f"Bearer {key}", "basic user": basic(key, ""), "basic password": basic("", key)}[second]
    target = f"{PATH}&api_key={key}" if first == "query" else PATH
    headers = {"Authorization": authorization} | ({"X-API-Key": key} if first == "header" else {})
    assert client.get(target, key=None, headers=headers).status == 200


@pytest.mark.parametrize("target", [PATH, f"{PATH}&api_key=", f"{PATH}&api_key=%20"])
def test_an_empty_key_beside_a_full_one_is_none(client, key, target):
    assert client.get(target, key=None, headers={"X-API-Key": key, "Authorization": "Bearer "}).status == 200
    assert client.get(f"{PATH}&api_key={key}", key=None, headers={"X-API-Key": " "}).status == 200


@pytest.mark.parametrize("wrong", [OTHER, "cmb_short"])
def test_two_different_keys_are_refused_wherever_they_are(two, key, wrong):
    requests = [
        (f"{PATH}&api_key={key}", {"X-API-Key": wrong}),
        (f"{PATH}&api_key={wrong}", {"X-API-Key": key}),
        (f"{PATH}&api_key={key}", {"Authorization": f"Bearer {wrong}"}),
        (PATH, {"X-API-Key": key, "Authorization": f"Bearer {wrong}"}),
        (PATH, {"X-API-Key": key, "Authorization": basic(wrong, "")}),
        (PATH, {"X-API-Key": wrong, "Authorization": basic("", key)}),
    ]
    for _ in range(2):  # before and after the answer is kept
        for target, headers in requests:
            reply = two.get(target, key=None, headers=headers)
            assert (reply.status, reply.json["code"]) == (401, "keys_differ")
            assert key not in reply.text
            assert wrong not in reply.text
        assert two.get(PATH).status == 200


FOREIGN = [
    {"Authorization": basic("proxy", "hunter2")},
    {"Authorization": "Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2ln"},
    {"Authorization": "Basic not-base64"},
    {"Authorization": 'Digest username="x", realm="y"'},
    {"X-API-Key": "of-another-service"},
]


@pytest.mark.parametrize("foreign", FOREIGN)
def test_credentials_of_others_beside_a_good_key_are_ignored(two, key, foreign):
    for _ in range(2):  # before and after the answer is kept
        assert two.get(f"{PATH}&api_key={key}", key=None, headers=foreign).status == 200
        if "X-API-Key" not in foreign:
            assert two.get(PATH, headers=foreign).status == 200
        else:
            assert two.get(PATH, key=None, headers=foreign | {"Authorization": f"Bearer {key}"}).status == 200
        assert two.get(f"{PATH}&api_key=mistaken", headers=foreign | {"X-API-Key": key}).status == 200
        assert two.get(PATH).status == 200


@pytest.mark.parametrize("foreign", FOREIGN)
def test_credentials_of_others_do_not_help_a_bad_key(two, foreign):
    bad = mint(lambda alphabet: alphabet[3])
    reply = two.get(f"{PATH}&api_key={bad}", key=None, headers=foreign)
    assert (reply.status, reply.json["code"]) == (401, "key_unknown")


@pytest.mark.parametrize("line", ["X-API-Key: {key}", "Authorization: Bearer {key}"])
def test_the_same_key_in_two_lines_of_a_header_is_fine_and_two_keys_are_not(two, key, line):
    name, _, value = line.partition(": ")
    for comma in (",", ", "):
        twice = {name: value.format(key=key) + comma + value.format(key=key)}
        assert two.get(PATH, key=None, headers=twice).status == 200
        both = {name: value.format(key=key) + comma + value.format(key=OTHER)}
        assert two.get(PATH, key=None, headers=both).json["code"] == "keys_differ"


def test_a_key_beside_a_proxys_credentials_in_two_lines_is_found(two, key):
    headers = {"Authorization": f"{basic('proxy', 'hunter2')}, Bearer {key}"}
    assert two.get(PATH, key=None, headers=headers).status == 200


def test_two_different_keys_in_one_basic_header_are_refused(two, key):
    reply = two.get(PATH, key=None, headers={"Authorization": basic(key, OTHER)})
    assert (reply.status, reply.json["code"]) == (401, "keys_differ")


def test_two_different_keys_are_refused_also_with_a_percent_encoded_name_and_a_cached_answer(two, key):
    target = f"{PATH}&api%5Fkey={key}"
    assert two.get(target, key=None).status == 200
    reply = two.get(target, key=OTHER)
    assert (reply.status, reply.json["code"]) == (401, "keys_differ")


@pytest.mark.parametrize("name", ["api_key", "api%5Fkey", "%61pi_key"])
def test_answers_are_not_cached_under_the_key(client, key, name):
    assert client.get(f"{PATH}&{name}={key}", key=None).status == 200
    kept = client.worker_state.caches.for_view(client.worker_state.principals.by_digest[digest(key)].book_view).state[1]
    assert len(kept) == 1
    assert key not in repr(vars(kept))


@pytest.mark.parametrize("key", [None, " "])
@pytest.mark.parametrize("target", [PATH, f"{PATH}&api_key=", "/currencies", "/historical?date=2026-10-30"])
def test_no_key_is_401_and_says_where_to_send_one(client, target, key):
    assert client.get(target).status == 200  # kept from here on
    reply = client.get(target, key=key)
    assert (reply.status, reply.json["code"]) == (401, "key_missing")
    assert all(place in reply.json["error"] for place in ("api_key", "X-API-Key", "Authorization"))


@pytest.mark.parametrize("authorization", ["Bearer", "Bearer ", "Basic Og==", "Digest username=x", "", "Negotiate abc"])
def test_an_authorization_without_a_key_is_no_key(client, authorization):
    reply = client.get(PATH, key=None, headers={"Authorization": authorization})
    assert (reply.status, reply.json["code"]) == (401, "key_missing")


@pytest.mark.parametrize("way", WAYS)
def test_an_unknown_key_is_401_and_not_repeated(client, way):
    assert client.get(PATH).status == 200  # kept from here on
    reply = bring(client, way, OTHER)
    assert (reply.status, reply.json["code"]) == (401, "key_unknown")
    assert OTHER[8:] not in reply.text


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda key: key[:-1],
        lambda key: key + "x",
        lambda key: key[:-1] + ("A" if key[-1] != "A" else "B"),
        lambda key: key.replace("7", "8", 1),
        lambda key: key.upper(),
        lambda key: key.removeprefix("cmb_"),
        lambda _: "s3cr3t-passw0rd",
    ],
)
def test_a_malformed_key_is_distinguished_from_an_unknown_one_and_not_repeated(client, key, way, spoil):
    spoilt = spoil(key)
    reply = bring(client, way, spoilt)
    assert (reply.status, reply.json["code"]) == (401, "key_malformed")
    assert spoilt not in reply.text
    assert spoilt[8:] not in reply.text


@pytest.mark.parametrize("credentials", ["%%%", "QUJ", "/w==", "not base64 at all", "Zw==\xe9"])
@pytest.mark.parametrize("kept", [False, True])
def test_basic_that_is_not_base64_is_malformed_and_not_repeated(client, credentials, kept):
    if kept:
        client.get(PATH)
    reply = client.get(PATH, key=None, headers={"Authorization": f"Basic {credentials}"})
    assert (reply.status, reply.json["code"]) == (401, "key_malformed")
    assert credentials not in reply.text


@pytest.mark.parametrize("way", WAYS)
def test_a_401_says_how_to_authenticate_and_is_never_cached(client, way):
    reply = bring(client, way, OTHER)
    assert "www-authenticate" in reply.headers
    assert reply.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("way", WAYS)
def test_a_key_that_is_taken_away_opens_nothing_from_then_on(client, key, way):
    assert bring(client, way, key).status == 200  # kept from here on
    client.worker_state.apply_accounts({})
    reply = bring(client, way, key)
    assert (reply.status, reply.json["code"]) == (401, "key_unknown")


def test_a_new_key_opens_at_once(client):
    assert client.get(PATH, key=OTHER).status == 401
    client.worker_state.apply_accounts({digest(OTHER): SECOND})
    assert client.get(PATH, key=OTHER).status == 200


def test_an_unchanged_answer_is_not_confirmed_without_a_key(client):
    etag = client.get("/historical?date=2026-10-30").headers["etag"]
    reply = client.get("/historical?date=2026-10-30", key=None, headers={"If-None-Match": etag})
    assert reply.status == 401


@pytest.mark.parametrize(
    "path",
    ["/docs", "/docs/", "/docs/config.json", "/openapi.json"],
)
def test_the_reference_needs_no_key(client, path):
    assert client.get(path, key=None).status == 200
    assert client.get(path, key="cmb_wrong").status == 200


def test_an_unknown_path_needs_no_key(client):
    assert client.get("/nowhere", key=None).status == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_a_wrong_method_needs_no_key(client, method):
    assert client.request(method, PATH, key=None).status == 405
