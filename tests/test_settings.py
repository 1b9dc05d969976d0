from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.errors import SettingRefused
from cambist.settings import SETTING_NAMES, Settings, check_operator_port, ignored_variables, read_settings, shown


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "cambist.toml"


def filed(config: Path, text: str, **variables: str) -> dict[str, str]:
    config.write_text(text, encoding="utf-8")
    return {"CAMBIST_CONFIG": str(config), **variables}


# The order: defaults, file, variables, flags


def test_without_any_choice_the_defaults_apply() -> None:
    assert read_settings({}, {}) == Settings()
    assert (Settings().host, Settings().port, Settings().data) == ("127.0.0.1", 8000, Path("data"))


def test_the_file_wins_over_the_defaults(config: Path) -> None:
    assert read_settings(filed(config, "port = 1111"), {}).port == 1111


def test_a_variable_wins_over_the_file(config: Path) -> None:
    settings = read_settings(filed(config, 'port = 1111\nhost = "file"', CAMBIST_PORT="2222"), {})
    assert (settings.port, settings.host) == (2222, "file")


def test_a_flag_wins_over_a_variable_and_over_the_file(config: Path) -> None:
    environment = filed(config, "port = 1111\nworkers = 7", CAMBIST_PORT="2222", CAMBIST_THREADS="8")
    settings = read_settings(environment, {"port": 3333})
    assert (settings.port, settings.threads, settings.workers) == (3333, 8, 7)


def test_a_flag_that_is_absent_changes_nothing() -> None:
    assert read_settings({"CAMBIST_PORT": "2222"}, {"port": None}).port == 2222


def test_a_flag_of_false_is_applied() -> None:
    assert read_settings({"CAMBIST_ACCESS_LOG": "true"}, {"access_log": False}).access_log is False


@pytest.mark.parametrize("name", SETTING_NAMES)
def test_every_setting_can_be_chosen_in_file_variable_and_flag(config: Path, name: str) -> None:
    given, chosen = {
        "data": ("/srv/rates", Path("/srv/rates")),
        "host": ("0.0.0.0", "0.0.0.0"),  # noqa: S104  nothing listens
        "port": ("9000", 9000),
        "stream_port": ("9003", 9003),
        "workers": ("9", 9),
        "threads": ("9", 9),
        "database": ("postgresql://db/rates", "postgresql://db/rates"),
        "redis": ("rediss://:secret@cache:6380/2", "rediss://:secret@cache:6380/2"),
        "roles": ("api,stream", "api,stream"),
        "node": ("rates-1", "rates-1"),
        "path_prefix": ("/rates/v1", "/rates/v1"),
        "issuer": ("rates.example/v1", "rates.example/v1"),
        "cors_origin": ("https://example.org", "https://example.org"),
        "closed_max_age": ("PT2H", timedelta(hours=2)),
        "fx_max_age": ("PT5M", timedelta(minutes=5)),
        "coin_max_age": ("PT5M", timedelta(minutes=5)),
        "metal_max_age": ("PT1H", timedelta(hours=1)),
        "fixing_max_age": ("P7D", timedelta(days=7)),
        "minute_bars_for": ("P30D", timedelta(days=30)),
        "hour_bars_for": ("P730D", timedelta(days=730)),
        "day_bars_for": ("P3650D", timedelta(days=3650)),
        "tael_grams": ("37.79936375", Decimal("37.79936375")),
        "baht_grams": ("15.16", Decimal("15.16")),
        "proxy": ("http://me:pw@10.0.0.5:3128", "http://me:pw@10.0.0.5:3128"),
        "proxies": ("10.0.0.0/8,::1", "10.0.0.0/8,::1"),
        "connections_per_address": ("64", 64),
        "tls_cert": ("/srv/cert.pem", Path("/srv/cert.pem")),
        "tls_key": ("/srv/key.pem", Path("/srv/key.pem")),
        "operator_port": ("9001", 9001),
        "operator_host": ("::1", "::1"),
        "operator_token": ("t" * 24, "t" * 24),
        "operator_tls_cert": ("/srv/cert.pem", Path("/srv/cert.pem")),
        "operator_tls_key": ("/srv/key.pem", Path("/srv/key.pem")),
        "operator_insecure": ("true", True),
        "fetch": ("false", False),
        "feeds_on": ("swissquote,sina", "swissquote,sina"),
        "feeds_off": ("kraken", "kraken"),
        "gateway": ("http://127.0.0.1:9/x", "http://127.0.0.1:9/x"),
        "fred_key": ("a1", "a1"),
        "banxico_key": ("e5", "e5"),
        "bcch_key": ("user=f6&pass=g7", "user=f6&pass=g7"),
        "openexchangerates_key": ("b2", "b2"),
        "bam_key": ("e5", "e5"),
        "bot_key": ("d4", "d4"),
        "twelvedata_key": ("c3", "c3"),
        "stream_workers": ("2", 2),
        "notify_webhook": ("https://chat.example/hooks/x", "https://chat.example/hooks/x"),
        "notify_email": ("smtp://mail.example?from=a@b.example&to=c@d.example",) * 2,
        "notify_command": ("/usr/local/bin/page --now", "/usr/local/bin/page --now"),
        "alert_private": ("true", True),
        "notify_after": ("PT1M", timedelta(minutes=1)),
        "sandbox": ("true", True),
        "sandbox_seed": ("7", 7),
        "log_level": ("debug", "debug"),
        "log_format": ("json", "json"),
        "access_log": ("true", True),
        "access_log_file": ("/var/log/access.log", Path("/var/log/access.log")),
        "page": ("open", "open"),
        "page_account": ("visitors", "visitors"),
        "dialects": ("frankfurter,ecb", "frankfurter,ecb"),
        "dialect_account": ("clients", "clients"),
        "stream_url": ("wss://rates.example/stream", "wss://rates.example/stream"),
        "otlp_url": ("http://10.0.0.9:4318", "http://10.0.0.9:4318"),
        "otlp_headers": ("x-token=abc", "x-token=abc"),
        "otlp_share": ("0.5", 0.5),
        "console": ("false", False),
    }[name]
    assert getattr(Settings(), name) != chosen
    assert getattr(read_settings(filed(config, f'{name} = "{given}"'), {}), name) == chosen
    assert getattr(read_settings({f"CAMBIST_{name.upper()}": given}, {}), name) == chosen
    assert getattr(read_settings({}, {name: given}), name) == chosen


TOKEN = "t" * 24
OPEN = {"operator_host": "0.0.0.0"}  # noqa: S104  nothing listens
TLS = {"operator_tls_cert": Path("c.pem"), "operator_tls_key": Path("k.pem")}


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"operator_host": "::1"},
        {"operator_host": "localhost"},
        OPEN | TLS | {"operator_token": TOKEN},
        OPEN | {"operator_insecure": True},
        OPEN | {"operator_port": 0},
    ],
)
def test_the_operators_port_is_on_loopback_or_has_tls_and_a_token_or_is_said_to_be_insecure(
    chosen: dict[str, Any],
) -> None:
    check_operator_port(Settings(**chosen))


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        (OPEN, "which needs [operator_token] and [operator_tls_cert]; set [operator_insecure] to do without"),
        (OPEN | {"operator_token": TOKEN}, "which needs [operator_tls_cert]; set"),
        (OPEN | TLS, "[0.0.0.0] is beyond this machine, which needs [operator_token]; set"),
        (TLS | {"operator_tls_key": None}, "[operator_tls_cert] and [operator_tls_key] are refused: one is nothing"),
        ({"operator_token": "short-secret"}, "[operator_token] is refused: it takes 24 to 256"),
        ({"operator_token": f"{TOKEN} "}, "no spaces"),
    ],
)
def test_an_unsafe_operators_port_is_refused_and_its_token_is_not_shown(chosen: dict[str, Any], reason: str) -> None:
    with pytest.raises(SettingRefused) as refused:
        check_operator_port(Settings(**chosen))
    assert reason in str(refused.value)
    assert chosen.get("operator_token", "?" * 9) not in str(refused.value)
    assert shown("operator_token", chosen.get("operator_token", TOKEN)) == "set"


def test_variables_of_other_programs_are_ignored() -> None:
    assert read_settings({"PORT": "1", "PATH": "/bin", "XCAMBIST_PORT": "1", "cambist_port": "1"}, {}) == Settings()


LINKS = {
    "SERVICE_HOST": "10.96.12.7",
    "SERVICE_PORT": "8000",
    "SERVICE_PORT_HTTP": "8000",
    "PORT": "tcp://10.96.12.7:8000",
    "PORT_8000_TCP": "tcp://10.96.12.7:8000",
    "PORT_8000_TCP_PROTO": "tcp",
    "PORT_8000_TCP_PORT": "8000",
    "PORT_8000_TCP_ADDR": "10.96.12.7",
    "PORT_5353_UDP": "udp://[fd00::7]:5353",
    "PORT_5353_UDP_PROTO": "udp",
    "PORT_5353_UDP_PORT": "5353",
    "PORT_5353_UDP_ADDR": "fd00::7",
}
"""What Kubernetes sets for a Service, after its name."""


@pytest.mark.parametrize("service", ["CAMBIST", "CAMBIST_API", "CAMBIST_STREAM", "CAMBIST_REDIS", "CAMBIST_2"])
def test_what_kubernetes_sets_for_a_service_called_so_is_ignored(service: str) -> None:
    links = {f"{service}_{name}": value for name, value in LINKS.items()}
    assert read_settings(links, {}) == Settings()
    assert ignored_variables(links) == sorted(links)


def test_beside_such_variables_settings_are_read_and_others_refused() -> None:
    links = {f"CAMBIST_API_{name}": value for name, value in LINKS.items()}
    assert read_settings({**links, "CAMBIST_PORT": "9000", "CAMBIST_STREAM_PORT": "0"}, {}).port == 9000
    with pytest.raises(SettingRefused, match=r"\[CAMBIST_PROT\]"):
        read_settings({**links, "CAMBIST_PROT": "9000"}, {})


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CAMBIST_SERVICE_HOST", "my host"),
        ("CAMBIST_SERVICE_PORT", "yes"),
        ("CAMBIST_PORT", "http://10.96.12.7:8000"),
        ("CAMBIST_PORT", "tcp://"),
        ("CAMBIST_PORTS", "tcp://10.96.12.7:8000"),
        ("CAMBIST_HOST", "tcp://10.96.12.7:8000 "),
    ],
)
def test_what_only_looks_like_such_a_variable_is_no_such_variable(variable: str, value: str) -> None:
    assert ignored_variables({variable: value}) == []


@pytest.mark.parametrize("name", SETTING_NAMES)
def test_a_setting_is_never_ignored_for_a_value_that_it_takes(name: str) -> None:
    values = ("8000", "127.0.0.1", "::1", "tcp", "true", "PT5M", "redis://10.0.0.5:6379", "https://10.0.0.5:80", "")
    assert [value for value in values if ignored_variables({f"CAMBIST_{name.upper()}": value})] == []


# Addresses


@pytest.mark.parametrize(
    ("host", "url", "local_url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000/rates", "http://127.0.0.1:8000/rates"),
        ("0.0.0.0", "http://0.0.0.0:8000/rates", "http://127.0.0.1:8000/rates"),  # noqa: S104  nothing listens
        ("::", "http://[::]:8000/rates", "http://[::1]:8000/rates"),
        ("::1", "http://[::1]:8000/rates", "http://[::1]:8000/rates"),
        ("fe80::1%eth0", "http://[fe80::1%25eth0]:8000/rates", "http://[fe80::1%25eth0]:8000/rates"),
        ("rates.example", "http://rates.example:8000/rates", "http://rates.example:8000/rates"),
    ],
)
def test_an_ipv6_address_has_brackets_in_every_address(host: str, url: str, local_url: str) -> None:
    settings = Settings(host=host, path_prefix="/rates")
    assert (settings.url, settings.local_url) == (url, local_url)


# What is refused


@pytest.mark.parametrize(
    ("roles", "reason"), [("api,gather", r"\[gather\]; there are api, stream, ingest"), (" , ", "it names none")]
)
def test_unknown_roles_and_none_at_all_are_refused(roles: str, reason: str) -> None:
    with pytest.raises(SettingRefused, match=rf"The setting \[roles\] is refused: {reason}"):
        read_settings({"CAMBIST_ROLES": roles}, {})


@pytest.mark.parametrize("url", ["cache:6379", "http://cache:6379", "redis:// cache"])
def test_only_urls_of_redis_are_accepted(url: str) -> None:
    with pytest.raises(SettingRefused, match=r"The setting \[redis\] is refused"):
        read_settings({"CAMBIST_REDIS": url}, {})


@pytest.mark.parametrize(
    ("variable", "nearest"),
    [("CAMBIST_PROT", "CAMBIST_PORT"), ("CAMBIST_WORKER", "CAMBIST_WORKERS"), ("CAMBIST_CONFG", "CAMBIST_CONFIG")],
)
def test_an_unknown_variable_is_refused_with_the_nearest_name(variable: str, nearest: str) -> None:
    with pytest.raises(SettingRefused, match=rf"\[{variable}\] in the environment; did you mean \[{nearest}\]"):
        read_settings({variable: "1"}, {})


def test_an_unknown_name_in_the_file_is_refused_with_file_and_nearest_name(config: Path) -> None:
    with pytest.raises(SettingRefused, match=r"\[prot\] in .*cambist\.toml; did you mean \[port\]"):
        read_settings(filed(config, "prot = 1"), {})


def test_a_name_near_to_no_setting_is_refused_with_all_names(config: Path) -> None:
    with pytest.raises(SettingRefused) as refused:
        read_settings(filed(config, "zzzzzzzz = 1"), {})
    assert all(name in str(refused.value) for name in SETTING_NAMES)


def test_an_unknown_flag_is_refused() -> None:
    with pytest.raises(SettingRefused, match="prot"):
        read_settings({}, {"prot": 1})


BAD = [
    ("port", "0"),
    ("port", "65536"),
    ("port", "eighty"),
    ("port", ""),
    ("workers", "0"),
    ("workers", "257"),
    ("threads", "0"),
    ("threads", "65"),
    ("path_prefix", "rates"),
    ("path_prefix", "/rates/"),
    ("path_prefix", "/ra tes"),
    ("path_prefix", "/rates?x"),
    ("path_prefix", "/rates\n"),
    ("closed_max_age", "an hour"),
    ("fixing_max_age", "P"),
    ("fixing_max_age", "7"),
    ("minute_bars_for", "90"),
    ("minute_bars_for", "P0D"),
    ("hour_bars_for", "PT23H"),
    ("day_bars_for", "365"),
    ("log_level", "loud"),
    ("log_format", "xml"),
    ("access_log", "maybe"),
    ("gateway", "127.0.0.1:9"),
    ("gateway", "http://127.0.0.1:9/x?y"),
    ("sandbox_seed", "-1"),
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_value_names_its_setting(name: str, value: str) -> None:
    with pytest.raises(SettingRefused, match=name):
        read_settings({f"CAMBIST_{name.upper()}": value}, {})
    with pytest.raises(SettingRefused, match=name):
        read_settings({}, {name: value})


@pytest.mark.parametrize("name", ["closed_max_age", "fixing_max_age", "minute_bars_for", "day_bars_for"])
def test_a_negative_duration_is_refused(name: str) -> None:
    with pytest.raises(SettingRefused, match=name):
        read_settings({f"CAMBIST_{name.upper()}": "-PT1H"}, {})


NO_GRAMS = ["0", "0.000", "-0", "-1", "-37.429", "NaN", "-NaN", "sNaN", "Infinity", "-Infinity", "a liang", "37,5", ""]


@pytest.mark.parametrize("name", ["tael_grams", "baht_grams"])
@pytest.mark.parametrize("value", NO_GRAMS)
def test_an_invalid_weight_is_refused_in_a_sentence_that_names_its_setting(config: Path, name: str, value: str) -> None:
    sentence = rf"^The setting \[{name}\]( in .*cambist\.toml)? is refused: .{{10}}"
    for environment, flags in (
        ({f"CAMBIST_{name.upper()}": value}, {}),
        ({}, {name: value}),
        (filed(config, f'{name} = "{value}"'), {}),
    ):
        with pytest.raises(SettingRefused, match=sentence):
            read_settings(environment, flags)


@pytest.mark.parametrize("name", ["tael_grams", "baht_grams"])
@pytest.mark.parametrize("value", ["0", "0.0", "-1.5", "nan", "inf", "-inf", "true", "[37]"])
def test_an_invalid_weight_as_a_bare_number_in_the_file_is_refused_too(config: Path, name: str, value: str) -> None:
    with pytest.raises(SettingRefused, match=rf"^The setting \[{name}\] in .*cambist\.toml is refused: "):
        read_settings(filed(config, f"{name} = {value}"), {})


@pytest.mark.parametrize("name", ["tael_grams", "baht_grams"])
def test_the_message_shows_the_refused_weight(name: str) -> None:
    with pytest.raises(
        SettingRefused, match=rf"^The setting \[{name}\] is refused: \[-37\.50\] is not from 1 to 1000 grams$"
    ):
        read_settings({f"CAMBIST_{name.upper()}": "-37.50"}, {})


@pytest.mark.parametrize("name", ["tael_grams", "baht_grams"])
@pytest.mark.parametrize(("written", "grams"), [("37.5", "37.5"), ("50", "50"), ("15.2441", "15.2441")])
def test_a_weight_in_the_file_may_be_a_bare_number(config: Path, name: str, written: str, grams: str) -> None:
    assert getattr(read_settings(filed(config, f"{name} = {written}"), {}), name) == Decimal(grams)


def test_the_tael_and_the_baht_are_those_of_the_bullion_trade() -> None:
    assert (Settings().tael_grams, Settings().baht_grams) == (Decimal("37.429"), Decimal("15.244"))


def test_a_bad_value_in_the_file_names_the_file_too(config: Path) -> None:
    with pytest.raises(SettingRefused) as refused:
        read_settings(filed(config, "port = 0"), {})
    assert "cambist.toml" in str(refused.value)
    assert "port" in str(refused.value)


def test_a_bad_value_in_the_file_is_refused_even_where_a_flag_wins(config: Path) -> None:
    with pytest.raises(SettingRefused, match="port"):
        read_settings(filed(config, "port = 0"), {"port": 8000})


@pytest.mark.parametrize("content", [b"port = ", b"= 1", b"port = 1\nport = 2", b"host = '\xff'"])
def test_a_file_that_is_not_toml_is_refused_by_its_name(config: Path, content: bytes) -> None:
    config.write_bytes(content)
    with pytest.raises(SettingRefused, match=r"cambist\.toml.*cannot be read"):
        read_settings({"CAMBIST_CONFIG": str(config)}, {})


def test_a_missing_file_is_refused_by_its_name(config: Path) -> None:
    with pytest.raises(SettingRefused, match=r"cambist\.toml.*cannot be read"):
        read_settings({"CAMBIST_CONFIG": str(config)}, {})


def test_the_home_folder_of_an_unknown_user_is_refused() -> None:
    with pytest.raises(SettingRefused, match="data"):
        read_settings({"CAMBIST_DATA": "~nobody-has-this-name/data"}, {})


@given(st.sampled_from(SETTING_NAMES), st.text(max_size=12))
def test_any_value_is_accepted_or_refused_by_the_name_of_its_setting(name: str, value: str) -> None:
    try:
        read_settings({f"CAMBIST_{name.upper()}": value}, {})
    except SettingRefused as refused:
        assert name in str(refused)  # noqa: PT017  both ways out are right


# What comes out


def test_keys_of_sources_are_listed_with_commas_and_blanks() -> None:
    assert Settings(feeds_on="sina, swissquote,", feeds_off="").chosen_sources == ({"sina", "swissquote"}, frozenset())
    assert Settings(feeds_off=" okx").chosen_sources == (frozenset(), {"okx"})


def test_settings_are_frozen() -> None:
    with pytest.raises(AttributeError):
        Settings().port = 1  # type: ignore[misc]


def test_without_a_database_there_is_one_in_the_data_folder(tmp_path: Path) -> None:
    assert Settings(data=tmp_path).database_url == f"sqlite:///{tmp_path / 'cambist.db'}"
    assert Settings(data=Path("data")).database_url == f"sqlite:///{Path.cwd() / 'data' / 'cambist.db'}"


def test_a_chosen_database_url_is_used_unchanged() -> None:
    assert Settings(database="postgresql://db/rates").database_url == "postgresql://db/rates"


def test_a_tilde_in_the_data_folder_is_the_home_folder() -> None:
    assert read_settings({"CAMBIST_DATA": "~/rates"}, {}).data == Path.home() / "rates"


def test_the_variable_with_an_api_key_is_not_a_setting():
    assert read_settings({"CAMBIST_KEY": "cmb_something"}, {}) == Settings()


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("PORT", "80a", "[port] is refused: [80a], it takes a whole number from 1 to 65535"),
        ("SANDBOX_SEED", "-1", "[sandbox_seed] is refused: [-1], it takes a whole number from 0"),
        ("FETCH", "maybe", "[fetch] is refused: [maybe], it takes true or false"),
        ("LOG_LEVEL", "loud", "[log_level] is refused: [loud], it takes debug, info, warning or error"),
        (
            "PATH_PREFIX",
            "x",
            "[path_prefix] is refused: [x], it takes the path under which clients see the service, such as /rates/v1",
        ),
        ("CLOSED_MAX_AGE", "Px", "[closed_max_age] is refused: [Px], it takes a duration such as P90D"),
    ],
)
def test_a_refused_value_is_shown_with_what_is_allowed(variable: str, value: str, sentence: str) -> None:
    with pytest.raises(SettingRefused) as refused:
        read_settings({f"CAMBIST_{variable}": value}, {})
    assert str(refused.value) == f"The setting {sentence}"
