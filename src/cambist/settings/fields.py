"""The settings of the service, with their defaults and descriptions."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from cambist.errors import SettingRefused
from cambist.settings.addresses import authority, local_host
from cambist.settings.lists import URL, parse_headers, parse_networks, parse_roles
from cambist.settings.mail import MailServer, parse_mail_url


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What an operator can choose. `cambist settings` shows each description."""

    data: Annotated[Path, Meta(description="folder with all data of the service")] = Path("data")
    host: Annotated[str, Meta(description="address to listen on")] = "127.0.0.1"
    port: Annotated[int, Meta(ge=1, le=65535, description="port to listen on")] = 8000
    stream_port: Annotated[
        int, Meta(ge=0, le=65535, description="port on which prices are streamed over WebSockets; 0: none")
    ] = 8001
    stream_workers: Annotated[
        int, Meta(ge=1, le=16, description="processes that stream prices; they share the port and the connections")
    ] = 1
    workers: Annotated[int, Meta(ge=1, le=256, description="worker processes that answer requests")] = 2
    threads: Annotated[
        int,
        Meta(
            ge=1,
            le=64,
            description="threads in each worker for what has to wait, beside two for pages and long answers",
        ),
    ] = 4
    database: Annotated[str, Meta(description="URL of a PostgreSQL database; empty: a SQLite file in the folder")] = ""
    redis: Annotated[
        str,
        Meta(
            pattern=r"^((redis|rediss|redis\+sentinel|rediss\+sentinel)://[^\s]+)?\Z",
            description="URL of the Redis or Valkey through which several nodes work together, such as "
            "redis://10.0.0.5:6379; empty: this machine is alone",
        ),
    ] = ""
    roles: Annotated[
        str, Meta(description="what this machine runs of a service on several nodes, such as api,stream")
    ] = "api,stream,ingest"
    node: Annotated[
        str,
        Meta(
            pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,62})?\Z",
            description="name of this machine among several: letters, digits, dots, _ and -; empty: the host name",
        ),
    ] = ""
    path_prefix: Annotated[
        str,
        Meta(
            pattern=r"^(/[^/?#\s]+)*\Z",
            description="path under which clients see the service, such as /rates/v1",
        ),
    ] = ""
    issuer: Annotated[
        str,
        Meta(
            pattern=r"^([^\s+]{1,200})?\Z",
            description="name of this service in receipts and in the log, best where clients reach it, such as "
            "rates.example/v1; empty: cambist",
        ),
    ] = ""
    cors_origin: Annotated[str, Meta(description="origin that browsers may call from; * for any")] = "*"
    page: Annotated[
        Literal["off", "keyed", "open"],
        Meta(description="the page at /: keyed for visitors with a key of their own, open for all, off for none"),
    ] = "keyed"
    page_account: Annotated[
        str, Meta(description="account whose plan, quota and rate all visitors of an open page share")
    ] = ""
    dialects: Annotated[
        str, Meta(description="interfaces of other services to answer too, such as frankfurter,openexchangerates")
    ] = ""
    dialect_account: Annotated[str, Meta(description="account that pays for calls in a dialect without a key")] = ""
    stream_url: Annotated[
        str,
        Meta(
            pattern=r"^(wss?://[^/?#\s;,]+(/[^?#\s;,]*)?)?\Z",
            description="address of the stream as browsers reach it, such as wss://rates.example/stream; "
            "empty: stream_port of the host that they ask",
        ),
    ] = ""
    closed_max_age: Annotated[
        timedelta, Meta(description="how long clients may cache answers about immutable days (ISO 8601 duration)")
    ] = timedelta(hours=1)
    fixing_max_age: Annotated[
        timedelta | None,
        Meta(description="oldest daily fixing that a live answer may use (ISO 8601 duration); none: however old"),
    ] = None
    coin_max_age: Annotated[
        timedelta, Meta(description="oldest real-time quote of a coin that a live answer may use (ISO 8601 duration)")
    ] = timedelta(minutes=15)
    metal_max_age: Annotated[
        timedelta, Meta(description="oldest traded price of a metal, while its market is open (ISO 8601 duration)")
    ] = timedelta(minutes=15)
    minute_bars_for: Annotated[
        timedelta, Meta(description="how long bars of a minute are kept (ISO 8601 duration)")
    ] = timedelta(days=90)
    hour_bars_for: Annotated[
        timedelta | None, Meta(description="how long bars of an hour are kept (ISO 8601 duration); none: for ever")
    ] = None
    day_bars_for: Annotated[
        timedelta | None, Meta(description="how long bars of a day are kept (ISO 8601 duration); none: for ever")
    ] = None
    fx_max_age: Annotated[
        timedelta,
        Meta(description="oldest traded quote of a pair of currencies, while its market is open (ISO 8601 duration)"),
    ] = timedelta(minutes=15)
    tael_grams: Annotated[
        Decimal,
        Meta(description="grams of a tael: 37.429 in Hong Kong's gold trade, 37.5 in Taiwan, 50 in China"),
    ] = Decimal("37.429")
    baht_grams: Annotated[
        Decimal, Meta(description="grams of a baht of gold: 15.244 as bullion, 15.16 as ornament")
    ] = Decimal("15.244")
    proxies: Annotated[
        str, Meta(description="networks of proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8,::1")
    ] = ""
    connections_per_address: Annotated[
        int, Meta(ge=1, description="connections of one address to each worker; beyond it the idlest are closed")
    ] = 128
    tls_cert: Annotated[Path | None, Meta(description="certificate chain for HTTPS, PEM; needs tls_key")] = None
    tls_key: Annotated[Path | None, Meta(description="private key for HTTPS, PEM; needs tls_cert")] = None
    operator_port: Annotated[
        int, Meta(ge=0, le=65535, description="port of the console, /health, /metrics and /admin; 0: none")
    ] = 8002
    operator_host: Annotated[
        str, Meta(description="address of operator_port; beyond this machine it needs operator_token and TLS")
    ] = "127.0.0.1"
    operator_token: Annotated[
        str, Meta(description="token for /metrics and /admin; empty: open metrics, no /admin")
    ] = ""
    operator_tls_cert: Annotated[
        Path | None, Meta(description="certificate chain for HTTPS on the operator's port; needs operator_tls_key")
    ] = None
    operator_tls_key: Annotated[Path | None, Meta(description="private key of operator_tls_cert, PEM")] = None
    operator_insecure: Annotated[
        bool, Meta(description="allow operator_host to be beyond this machine without TLS or without a token")
    ] = False
    otlp_url: Annotated[
        str, Meta(pattern=URL, description="URL of an OpenTelemetry collector (OTLP over HTTP); empty: none")
    ] = ""
    otlp_headers: Annotated[str, Meta(description="headers for the collector: name=value,name=value")] = ""
    otlp_share: Annotated[float, Meta(ge=0, le=1, description="share of requests that are traced, 0 to 1")] = 0.01
    console: Annotated[
        bool, Meta(description="serve the operator's console on the operator's port; [cambist console] signs in")
    ] = True
    fetch: Annotated[bool, Meta(description="ask the sources; false: answer from stored data only")] = True
    feeds_on: Annotated[
        str, Meta(description="keys of sources to ask although they are off by default, such as swissquote,sina")
    ] = ""
    feeds_off: Annotated[str, Meta(description="keys of sources not to ask, such as kraken,okx")] = ""
    gateway: Annotated[
        str,
        Meta(
            pattern=r"^(https?://[^/?#\s]+(/[^?#\s]*)?)?\Z",
            description="address through which all sources are asked, as {gateway}/{host}/{path}; empty: directly",
        ),
    ] = ""
    proxy: Annotated[
        str,
        Meta(
            pattern=r"^(direct|http://[^/?#\s]+/?)?\Z",
            description="HTTP proxy for requests to sources and webhooks, such as http://user:password@10.0.0.5:3128; "
            "empty: that of HTTPS_PROXY, HTTP_PROXY or ALL_PROXY; direct: none",
        ),
    ] = ""
    fred_key: Annotated[str, Meta(description="your key of the FRED API, for the source fred")] = ""
    banxico_key: Annotated[str, Meta(description="your token of the Banco de México, for the source banxico")] = ""
    bcch_key: Annotated[
        str,
        Meta(description="your user and password of the Banco Central de Chile, as user=…&pass=…, for the source bcch"),
    ] = ""
    openexchangerates_key: Annotated[str, Meta(description="your App ID, for the source openexchangerates")] = ""
    bam_key: Annotated[str, Meta(description="your key of Bank Al-Maghrib, for the source bam")] = ""
    bot_key: Annotated[str, Meta(description="your key of the Bank of Thailand, for the source bot")] = ""
    twelvedata_key: Annotated[str, Meta(description="your key, for the source twelvedata")] = ""
    notify_webhook: Annotated[
        str, Meta(description="URL that alarms are sent to as JSON, such as https://chat.example/hooks/…; empty: none")
    ] = ""
    notify_email: Annotated[
        str,
        Meta(
            description="mail server for alarms, such as "
            "smtp://user:password@mail.example:587?from=rates@example.org&to=operator@example.org; empty: none"
        ),
    ] = ""
    notify_command: Annotated[
        str, Meta(description="command that is run for alarms, with JSON on its standard input; empty: none")
    ] = ""
    alert_private: Annotated[
        bool, Meta(description="let webhooks of alerts be in private networks, and be asked by http")
    ] = False
    notify_after: Annotated[
        timedelta, Meta(description="how long a trouble lasts before an alarm is sent (ISO 8601 duration)")
    ] = timedelta(minutes=10)
    sandbox: Annotated[
        bool, Meta(description="serve a simulated market instead of the real one, from a data folder of its own")
    ] = False
    sandbox_seed: Annotated[
        int, Meta(ge=0, description="seed of the simulated market: the same seed gives the same prices")
    ] = 1
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], Meta(description="least severe level of messages to log")
    ] = "info"
    log_format: Annotated[Literal["text", "json"], Meta(description="a message as a line of text, or as JSON")] = "text"
    access_log: Annotated[bool, Meta(description="log a line for each answer: path and status, never the query")] = (
        False
    )
    access_log_file: Annotated[
        Path | None, Meta(description="log these lines to this file; it is rotated at 64 MB, and five are kept")
    ] = None

    @property
    def logging(self) -> tuple[str, str, str]:
        """The level, the format, and the file of the access log, empty for none."""
        file = self.access_log_file
        return self.log_level, self.log_format, "" if file is None else str(file.absolute())

    @property
    def logs_access(self) -> bool:
        """Whether a line is logged for each answer."""
        return self.access_log or self.access_log_file is not None

    @property
    def proxy_networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """The networks of trusted proxies. Errors: SettingRefused."""
        return parse_networks(self.proxies)

    @property
    def otlp_header_fields(self) -> dict[str, str]:
        """The headers that a collector wants. Errors: SettingRefused."""
        return parse_headers(self.otlp_headers)

    @property
    def mail_server(self) -> MailServer | None:
        """Where alarms are sent by e-mail; None if they are not. Errors: SettingRefused."""
        return parse_mail_url(self.notify_email)

    @property
    def page_origin(self) -> str:
        """The origin that browsers may call from, if it is one and not any; empty otherwise."""
        return "" if self.cors_origin == "*" else self.cors_origin

    @property
    def scheme(self) -> str:
        """`http` or `https`. Errors: SettingRefused if only one of the two TLS settings is set."""
        if (self.tls_cert is None) != (self.tls_key is None):
            raise SettingRefused("The settings [tls_cert] and [tls_key] are refused: one is nothing without the other")
        return "https" if self.tls_cert else "http"

    @property
    def operator_url(self) -> str:
        """The address at which this machine reaches the operator's port."""
        scheme = "https" if self.operator_tls_cert else "http"
        return f"{scheme}://{authority(local_host(self.operator_host), self.operator_port)}"

    @property
    def url(self) -> str:
        """The address that the API listens on."""
        return f"{self.scheme}://{authority(self.host, self.port)}{self.path_prefix}"

    @property
    def local_url(self) -> str:
        """The address at which this machine reaches the API."""
        return f"{self.scheme}://{authority(local_host(self.host), self.port)}{self.path_prefix}"

    @property
    def chosen_roles(self) -> frozenset[str]:
        """What this node runs. Errors: SettingRefused for an unknown role, and if there is none."""
        return parse_roles(self.roles)

    @property
    def is_node(self) -> bool:
        """Whether this service is one of several nodes."""
        return bool(self.redis)

    @property
    def chosen_sources(self) -> tuple[frozenset[str], frozenset[str]]:
        """The keys of the sources that are switched on, and of those that are switched off."""
        on, off = (frozenset(part.strip() for part in text.split(",")) for text in (self.feeds_on, self.feeds_off))
        return on - {""}, off - {""}

    @property
    def database_url(self) -> str:
        """The URL of the database, which by default is a SQLite file in the data folder."""
        return self.database or f"sqlite:///{self.data.resolve() / 'cambist.db'}"
