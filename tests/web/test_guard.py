"""Only this machine's own browser may act, and only on pages that the server has made."""

from __future__ import annotations

import socket

import pytest

from lifegym.web.guard import BODY_LIMIT
from lifegym.web.server import HOST, PortInUse, Server


@pytest.fixture
def visitor(visiting):
    return visiting()


@pytest.fixture
def nothing_done(visitor):
    yield
    assert visitor.session.steps == 0


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "[::1]:{port}"]
)
def test_other_hosts_are_refused(visitor, nothing_done, host):
    name = host.format(port=visitor.server.port)
    assert visitor.get(Host=name).status == 421
    assert visitor.post("/wait", {}, Host=name, Origin=f"http://{name}").status == 421


def test_two_hosts_and_none_are_refused(visitor):
    raw = f"GET / HTTP/1.1\r\nHost: {visitor.host}\r\nHost: evil.example\r\n\r\n".encode()
    assert b" 421 " in _raw(visitor, raw).splitlines()[0]
    assert b" 421 " in _raw(visitor, b"GET / HTTP/1.0\r\n\r\n").splitlines()[0]


def test_localhost_is_this_host(visitor):
    name = f"localhost:{visitor.server.port}"
    assert visitor.get(Host=name).status == 200
    assert visitor.post("/wait", {}, Host=name, Origin=f"http://{name}").status == 303


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://{host}", "http://{host}.evil.example", ""])
def test_posts_of_other_sites_are_refused(visitor, nothing_done, origin):
    reply = visitor.post("/wait", {}, Origin=origin.format(host=visitor.host))
    assert reply.status == 403
    assert "another site" in reply.text


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_the_browser_calls_cross_site_is_refused(visitor, nothing_done, site):
    assert visitor.post("/wait", {}, Origin=None, Sec_Fetch_Site=site).status == 403


@pytest.mark.parametrize("token", ["", "x", "the-token-of-this-sessio", "ü", "the-token-of-this-session2"])
def test_a_form_without_the_token_is_refused(visitor, nothing_done, token):
    assert visitor.post("/wait", {"token": token}).status == 403


def test_a_form_with_the_token_is_taken_without_an_origin_as_well(visitor):
    assert visitor.post("/wait", {}, Origin=None).status == 303


def test_no_page_may_be_framed_stored_or_guessed_at(visitor):
    for reply in (visitor.get(), visitor.get("/nowhere"), visitor.get(Host="evil.example"), visitor.post("/wait", {})):
        assert reply.headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in reply.headers["Content-Security-Policy"]
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert reply.headers["Cache-Control"] == "no-store"
        assert reply.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "form-action 'self'" in visitor.get().text


def test_looking_at_a_page_does_nothing(visitor, nothing_done):
    for path in (
        "/",
        "/service/banking",
        "/open",
        "/call",
        "/wait",
        "/reply",
        "/service/email",
        "/../etc/passwd",
        "//",
    ):
        assert visitor.get(path).status in (200, 404)
    assert visitor.ask("HEAD", "/").text == ""


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT"])
def test_other_methods_are_refused(visitor, nothing_done, method):
    assert visitor.ask(method, "/wait").status in (405, 501)


def test_other_kinds_of_body_are_refused(visitor, nothing_done):
    for kind in ("text/plain", "application/json", "multipart/form-data; boundary=x", None):
        assert visitor.post("/wait", {}, Content_Type=kind).status == 415
    form = {"Content_Type": "application/x-www-form-urlencoded"}
    assert visitor.ask("POST", "/wait", None, **form).status == 411
    for length in ("-1", "1e3", "x", "²"):
        data = b"token=x"
        assert (
            visitor.ask("POST", "/wait", data, Content_Length=length.encode().decode("latin-1"), **form).status == 411
        )
    assert visitor.ask("POST", "/wait", b"\xff\xfe=%", **form).status == 400
    assert visitor.ask("POST", "/wait", "&".join(f"a{n}=1" for n in range(2000)), **form).status == 400


def test_a_body_that_is_too_large_is_told_so(visitor, nothing_done):
    reply = visitor.post("/reply", {"text": "x" * (BODY_LIMIT + 1)})
    assert reply.status == 413
    assert "2,000,000 are the most" in reply.text


def test_a_body_that_breaks_off_does_nothing(visitor, nothing_done):
    head = (
        f"POST /wait HTTP/1.1\r\nHost: {visitor.host}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        "Content-Length: 100\r\n\r\ntoken=the"
    )
    assert b" 400 " in _raw(visitor, head.encode(), shut=True).splitlines()[0]


def test_what_is_no_request_harms_nothing(visitor):
    for raw in (b"", b"\r\n\r\n", b"GET\r\n\r\n", b"\x00\x01\x02\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
        _raw(visitor, raw, shut=True)
    _raw(visitor, b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", shut=True)
    assert visitor.get().status == 200


def test_a_connection_that_says_nothing_keeps_nobody_waiting(visitor):
    with socket.create_connection(("127.0.0.1", visitor.server.port)):
        assert visitor.get().status == 200


def test_it_listens_on_this_machine_alone(visitor):
    assert visitor.server._listener.server_address[0] == HOST == "127.0.0.1"


def test_a_port_in_use_is_told(visitor):
    with pytest.raises(PortInUse, match="is in use"):
        Server(visitor.session, visitor.server.port)


def _raw(visitor, data: bytes, shut: bool = False) -> bytes:
    """What comes back for some bytes."""
    with socket.create_connection(("127.0.0.1", visitor.server.port), timeout=10) as connection:
        try:
            connection.sendall(data)
            if shut:
                connection.shutdown(socket.SHUT_WR)
            pieces = []
            while piece := connection.recv(65536):
                pieces.append(piece)
        except ConnectionError:
            return b""
        return b"".join(pieces)
