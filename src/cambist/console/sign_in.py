"""Signing in: a one-time link opens a page with a button, and the button makes the session.

Opening the link uses nothing up, because mail programs, chats and browsers fetch links before anybody clicks them.
"""

from __future__ import annotations

from html import escape
from urllib.parse import parse_qs

import falcon

from cambist.admin.operators.audit import AuditRecorder
from cambist.admin.operators.sign_in_links import SignInLinks
from cambist.console.call import Installation
from cambist.console.http import COOKIE, MAX_FORM, check_origin, read_body
from cambist.console.problems import ConsoleRefused
from cambist.console.sessions import LONGEST, ConsoleSessions, FailedSignIns
from cambist.errors import CambistError, LinkRefused

PATH = "/console/sign-in"
_COOKIE = f"{COOKIE}={{}}; Path=/console; HttpOnly; SameSite=Strict"
_FORM = """<form method="post" action="/console/sign-in">
<input type="hidden" name="token" value="{token}">
<button class="button" type="submit" autofocus>Sign in</button>
</form>"""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Sign in · Cambist console</title>
{links}
</head>
<body class="sign-in">
<main>
<h1>Cambist console</h1>
<p>{sentence}</p>
{form}
</main>
</body>
</html>
"""


class SignIn:
    """The page of a link, and what its button does. `linked` are the paths of its style sheets and its icon."""

    methods = ("GET", "HEAD", "POST")

    def __init__(self, installation: Installation, sessions: ConsoleSessions, linked: tuple[str, ...] = ()) -> None:
        self._installation = installation
        self._sessions = sessions
        self._links = SignInLinks(installation.settings, installation.clock, installation.elapsed)
        self._failures = FailedSignIns(installation.clock)
        self._links_to = "\n".join(f'<link rel="{_relation(path)}" href="{path}">' for path in linked)

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Show the page."""
        token = request.get_param("token", default="")
        try:
            self._links.check(token)
        except LinkRefused as refused:
            self._show(response, 403, str(refused))
            return
        environment = "sandbox" if self._installation.settings.sandbox else "service"
        sentence = f"Sign in to the console of the {environment} in {self._installation.settings.data.resolve()}."
        self._show(response, 200, sentence, _FORM.format(token=escape(token)))

    on_head = on_get

    def on_post(self, request: falcon.Request, response: falcon.Response) -> None:
        """Sign in, and lead to the console."""
        form = parse_qs(read_body(request, MAX_FORM).decode("ascii", "replace"))
        try:
            check_origin(request)
            cookie = self._sign_in(form.get("token", [""])[0])
        except (ConsoleRefused, LinkRefused) as refused:
            self._show(response, refused.status if isinstance(refused, ConsoleRefused) else 403, str(refused))
            return
        response.status, response.content_type, response.location = 303, falcon.MEDIA_TEXT, "/"
        is_secure = "; Secure" if self._installation.settings.operator_tls_cert else ""
        age = f"Max-Age={LONGEST.total_seconds():.0f}"
        response.append_header("Set-Cookie", f"{_COOKIE.format(cookie)}; {age}{is_secure}")

    def _sign_in(self, token: str) -> str:
        """Return the cookie of a new session. Errors: ConsoleRefused, LinkRefused."""
        if self._failures.are_too_many() and not self._links.is_usable(token):
            raise ConsoleRefused(429, "too_many_failures", "Too many failed attempts to sign in: wait a minute")
        audit = AuditRecorder(self._installation.settings, self._installation.clock, "console")
        try:
            with audit.action("console.sign-in") as action:
                self._links.consume(token)
                cookie, session = self._sessions.open()
                action.on = session.name
        except CambistError:
            self._failures.record()
            raise
        return cookie

    def _show(self, response: falcon.Response, status: int, sentence: str, form: str = "") -> None:
        response.status, response.content_type = status, falcon.MEDIA_HTML
        response.text = _PAGE.format(links=self._links_to, sentence=escape(sentence), form=form)


def _relation(path: str) -> str:
    return "icon" if path.endswith(".svg") else "stylesheet"


def ended_cookie() -> tuple[str, str]:
    """Return the header that makes the browser forget the cookie."""
    return "Set-Cookie", f"{_COOKIE.format('')}; Max-Age=0"
