"""The URL of Redis."""

from __future__ import annotations

import pytest

from cambist.cluster.redis_url import RedisAddress, parse_redis_url
from cambist.errors import SettingRefused

SENTINELS = (("10.0.0.5", 26379), ("s.example", 5000))


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("redis://10.0.0.5", RedisAddress((("10.0.0.5", 6379),))),
        ("redis://db.example:7000/3", RedisAddress((("db.example", 7000),), database=3)),
        ("redis://:pa%20ss@db", RedisAddress((("db", 6379),), password="pa ss")),
        ("redis://me:p@ss@[::1]:7000", RedisAddress((("::1", 7000),), username="me", password="p@ss")),
        (
            "rediss://db?ssl_ca_certs=/ca.pem&ssl_check_hostname=false",
            RedisAddress(
                (("db", 6379),),
                is_encrypted=True,
                encryption={"ssl_ca_certs": "/ca.pem", "ssl_check_hostname": False},
            ),
        ),
        ("redis+sentinel://10.0.0.5,s.example:5000/rates", RedisAddress(SENTINELS, service="rates")),
        (
            "rediss+sentinel://me:a@10.0.0.5,s.example:5000/rates/2?sentinel_password=b",
            RedisAddress(
                SENTINELS,
                service="rates",
                database=2,
                username="me",
                password="a",
                is_encrypted=True,
                sentinel={"password": "b"},
            ),
        ),
    ],
)
def test_a_url_says_where_redis_is(url: str, address: RedisAddress) -> None:
    assert parse_redis_url(url) == address


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://db", "it begins with none of redis://, rediss://"),
        ("redis://", r"\[\] is no host"),
        ("redis://db:port", r"\[db:port\] is no host"),
        ("redis://db:0", "there is no port 0"),
        ("redis://db:70000", "there is no port 70000"),
        ("redis://a,b", r"begin with redis\+sentinel://"),
        ("redis://db/rates", r"\[rates\] is no number of a database"),
        ("redis://db?ssl_ca_certs=/ca.pem", r"it has no option \[ssl_ca_certs\]"),
        ("rediss://db?ssl_cert_reqs=maybe", "none, optional or required"),
        ("rediss://db?ssl_check_hostname=1", "true or false"),
        ("redis://db?timeout", "bad query field"),
        ("redis+sentinel://a,b", "the name of the service"),
        ("redis://[::1", "IPv6"),
    ],
)
def test_another_url_is_refused_with_the_reason(url: str, reason: str) -> None:
    with pytest.raises(SettingRefused, match=reason):
        parse_redis_url(url)


def test_no_password_is_shown() -> None:
    address = parse_redis_url("redis+sentinel://me:se@cret@db/rates?sentinel_password=h1dden")
    assert str(address) == "rates by the Sentinels db:26379"
    assert "cret" not in repr(address)
    assert "h1dden" not in repr(address)
    with pytest.raises(SettingRefused) as refused:
        parse_redis_url("redis+sentinel://me:se@cret@db?sentinel_password=h1dden")
    assert "cret" not in str(refused.value)
    assert "h1dden" not in str(refused.value)
