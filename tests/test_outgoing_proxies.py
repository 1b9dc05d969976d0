"""Which proxy a request goes through."""

import pytest

from cambist.errors import SettingRefused
from cambist.settings import Settings, read_settings, shown
from cambist.settings.outgoing import OutgoingProxies, outgoing_proxies

HTTPS, WSS, HTTP, WS = (f"{scheme}://rates.example/x" for scheme in ("https", "wss", "http", "ws"))


def proxies(setting: str = "", **variables: str) -> OutgoingProxies:
    return outgoing_proxies(Settings(proxy=setting), variables)


def test_without_a_setting_and_variables_all_is_asked_directly() -> None:
    assert proxies().proxy_for(HTTPS) is None
    assert proxies().description == "directly"


@pytest.mark.parametrize("case", [str.upper, str.lower])
def test_each_variable_holds_for_its_scheme_and_all_proxy_for_the_rest(case) -> None:
    both = proxies(**{case("https_proxy"): "http://a:1", case("http_proxy"): "http://b:2", case("all_proxy"): "c:3"})
    assert [both.proxy_for(url) for url in (HTTPS, WSS, HTTP, WS)] == ["http://a:1"] * 2 + ["http://b:2"] * 2
    rest = proxies(**{case("https_proxy"): "http://a:1", case("all_proxy"): "c:3"})
    assert [rest.proxy_for(url) for url in (HTTPS, HTTP)] == ["http://a:1", "http://c:3"]
    assert rest.description == (
        "https through the proxy http://a:1 (HTTPS_PROXY), http through the proxy http://c:3 (ALL_PROXY)"
    )


def test_small_letters_win_over_capitals_and_empty_variables_are_none() -> None:
    assert proxies(HTTPS_PROXY="http://a:1", https_proxy="http://b:2").proxy_for(HTTPS) == "http://b:2"
    assert proxies(HTTPS_PROXY="http://a:1", https_proxy=" ").proxy_for(HTTPS) is None
    assert proxies(HTTPS_PROXY="", ALL_PROXY="http://c:3").proxy_for(HTTPS) == "http://c:3"


@pytest.mark.parametrize(
    ("host", "is_direct"),
    [("10.1.2.3", True), ("11.1.2.3", False), ("[fd00::7]", True), ("[2001:db8::1]", False), ("bank.example", False)],
)
def test_networks_of_no_proxy_are_asked_directly(host: str, *, is_direct: bool) -> None:
    chosen = proxies("http://s:9", NO_PROXY="10.0.0.0/8, fd00::/8,nonsense/9")
    assert (chosen.proxy_for(f"https://{host}/rates") is None) is is_direct


def test_the_setting_wins_over_the_variables_and_no_proxy_holds_for_both() -> None:
    chosen = proxies("http://s:9", HTTPS_PROXY="http://a:1", NO_PROXY="bank.example, .corp")
    assert [chosen.proxy_for(url) for url in (HTTPS, HTTP)] == ["http://s:9"] * 2
    for host in ("bank.example", "www.bank.example", "x.corp"):
        assert chosen.proxy_for(f"https://{host}/") is None
    assert chosen.description == "through the proxy http://s:9 (setting proxy); NO_PROXY: bank.example, .corp"
    assert proxies("direct", HTTPS_PROXY="http://a:1").proxy_for(HTTPS) is None
    assert proxies(HTTPS_PROXY="http://a:1", no_proxy="*").proxy_for(HTTPS) is None


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1:80", "127.9.9.9", "[::1]:8000"])
def test_this_machine_is_never_asked_through_a_proxy(host: str) -> None:
    assert proxies("http://s:9").proxy_for(f"https://{host}/x") is None


@pytest.mark.parametrize("value", ["socks5://a:1", "https://a:1", "http://", "http://a:99999"])
def test_a_proxy_that_cannot_be_used_is_named(value: str) -> None:
    found = proxies(ALL_PROXY=value)
    assert (found.proxy_for(HTTPS), found.unusable) == (None, ("ALL_PROXY",))
    assert found.description == "directly; ALL_PROXY cannot be used: no http:// address"


@pytest.mark.parametrize("value", ["socks5://a:1", "10.0.0.0/8", "http://a b", "http://a/x"])
def test_another_setting_is_refused(value: str) -> None:
    with pytest.raises(SettingRefused, match=r"The setting \[proxy\] is refused"):
        read_settings({"CAMBIST_PROXY": value}, {})


def test_no_password_is_shown() -> None:
    secret = "http://me:secret@a:1"
    found = proxies(secret, NO_PROXY="x")
    assert "secret" not in found.description
    assert "secret" not in repr(found)
    assert "me:***@a:1" in found.description
    assert shown("proxy", secret) == "http://me:***@a:1"
    assert shown("gateway", secret) == "http://me:***@a:1"
