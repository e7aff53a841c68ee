"""Who may speak to the server: this machine's own browser, on pages that the server itself has made."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

__all__ = ["BODY_LIMIT", "HEADERS", "Refusal", "check_host", "read_form"]

BODY_LIMIT = 2_000_000
"""Bytes of a form. A call has 400 KB at most, and percent signs make three of one."""

_DRAINED = 64_000_000
"""Bytes of a body that is too large which are read away, so that the browser gets to see the answer."""

_FIELDS = 400

HEADERS = (
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "frame-ancestors 'none'"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
)
"""Beside each page's own policy, which lets nothing but its one script run."""


class Refusal(NamedTuple):
    """Why a request is not carried out: a status, and a sentence that says what to do."""

    status: str
    message: str


def check_host(environ: Mapping[str, Any], port: int) -> Refusal | None:
    """Refuse a request to another name: a site whose name was made to lead here shall not reach the session."""
    host = str(environ.get("HTTP_HOST", ""))
    if host.lower() in (f"127.0.0.1:{port}", f"localhost:{port}"):
        return None
    return Refusal("421 Misdirected Request", f"This server answers to http://127.0.0.1:{port}/ only.")


def read_form(environ: Mapping[str, Any], token: str) -> dict[str, str] | Refusal:
    """The fields of a posted form that one of the server's own pages has sent.

    The page's origin must be the host that was asked, and the form must carry the session's token, which no other
    site can read.
    """
    own = f"http://{environ.get('HTTP_HOST', '')}".lower()
    origin = environ.get("HTTP_ORIGIN")
    if (origin is not None and str(origin).lower() != own) or environ.get("HTTP_SEC_FETCH_SITE", "same-origin") not in (
        "same-origin",
        "none",
    ):
        return _drained(environ, Refusal("403 Forbidden", "This form was sent by another site; nothing was done."))
    kind = str(environ.get("CONTENT_TYPE", "")).partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        message = "A form is sent as application/x-www-form-urlencoded; nothing was done."
        return _drained(environ, Refusal("415 Unsupported Media Type", message))
    length = str(environ.get("CONTENT_LENGTH") or "")
    if not (length.isascii() and length.isdecimal()):
        return Refusal("411 Length Required", "A form says how long it is; nothing was done.")
    if int(length) > BODY_LIMIT:
        message = (
            f"This form has {int(length):,} bytes; {BODY_LIMIT:,} are the most. Nothing was done: go back, shorten it."
        )
        return _drained(environ, Refusal("413 Content Too Large", message))
    raw = environ["wsgi.input"].read(int(length))
    if len(raw) < int(length):
        return Refusal("400 Bad Request", "The form broke off; nothing was done. Send it again.")
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, max_num_fields=_FIELDS, errors="strict")
    except ValueError:
        return Refusal("400 Bad Request", "This is no form that a page here has sent; nothing was done.")
    form = dict(pairs)
    if not hmac.compare_digest(form.get("token", "").encode(), token.encode()):
        message = "This page belongs to another session; nothing was done. Open the start page again."
        return Refusal("403 Forbidden", message)
    return form


def _drained(environ: Mapping[str, Any], refusal: Refusal) -> Refusal:
    length = str(environ.get("CONTENT_LENGTH") or "0")
    left = min(int(length), _DRAINED) if length.isascii() and length.isdecimal() and len(length) < 12 else 0
    while left > 0:
        piece = environ["wsgi.input"].read(min(left, 65536))
        if not piece:
            break
        left -= len(piece)
    return refusal
