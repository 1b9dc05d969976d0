"""A currency whose newest fixing is more than 14 days behind that of others is not live."""

import pytest

_LIVE = [
    "/fetch-one?from=EUR&to=RUB",
    "/fetch-one?from=RUB&to=EUR",
    "/fetch-one?to=RUB",
    "/fetch-multi?from=EUR&to=USD,RUB,JPY",
    "/fetch-multi?from=RUB&to=USD",
    "/fetch-all?from=RUB",
    "/fetch-many-to-one?from=EUR,RUB&to=USD",
    "/fetch-matrix?from=EUR,USD&to=JPY,RUB",
    "/convert?from=RUB&to=EUR&amount=5",
    "/explain?to=RUB",
]


@pytest.mark.parametrize("target", _LIVE)
def test_every_live_answer_is_refused_names_the_last_day_and_costs_nothing(client, target):
    for _ in range(2):
        reply = client.get(target)
        assert (reply.status, reply.json["code"]) == (503, "rate_unavailable")
        assert "[RUB] is of [2022-03-01]" in reply.json["error"]
        assert reply.headers.get("x-calls-cost", "0") == "0"
    assert set(client.get("/usage").json["usage"].values()) <= {0, 1}


def test_a_partial_answer_names_it(client):
    reply = client.get("/fetch-multi?from=EUR&to=USD,RUB&partial=1")
    assert reply.status == 200
    assert list(reply.json["results"]) == ["USD"]
    assert "RUB" in reply.text.split("unavailable", 1)[1]


def test_its_past_days_are_answered(client):
    assert client.get("/historical?date=2022-03-01&from=EUR&to=RUB").json["results"] == {"RUB": 117.201}
    assert client.get("/convert?from=EUR&to=RUB&amount=1&date=2022-03-01&precision=3").json["result"]["RUB"] == 117.201


@pytest.mark.parametrize("target", ["/fetch-one?from=RUB&to=RUB", "/convert?from=RUB&to=RUB&amount=5"])
def test_in_itself_it_is_1(client, target):
    reply = client.get(target)
    assert reply.status == 200
    assert reply.json["result"]["RUB"] in {1, 5}
