"""The security headers of every HTML page that is served: of the page, the reference and the console alike."""

from __future__ import annotations

DEFAULT_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The policy of a page that needs nothing, such as an error."""

PAGE_HEADERS = (
    ("X-Frame-Options", "DENY"),
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
)
"""The headers of an HTML page beside its content security policy."""


def content_security_policy(*, connect: str = "'self'", style: str = "'self'", form: str = "'none'") -> str:
    """Return the policy of a page that loads files of this origin alone, and runs no inline script."""
    return (
        f"default-src 'none'; script-src 'self'; style-src {style}; img-src 'self' data:; connect-src {connect}; "
        f"form-action {form}; base-uri 'none'; frame-ancestors 'none'"
    )
