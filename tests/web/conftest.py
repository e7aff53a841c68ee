"""A session of the small task on a port of its own."""

from __future__ import annotations

import http.client
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

from lifegym.task_suite import Task, load_task
from lifegym.web.server import Server
from lifegym.web.session import Session

__all__ = ["SMALL_DEBTS"]

SMALL_DEBTS = Path(__file__).parents[1] / "bundles" / "small-debts"
TOKEN = "the-token-of-this-session"


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str


class Visitor:
    """Whoever speaks to a server, over a real socket."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.session = server.app.session

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    def ask(self, method: str, path: str, body: str | bytes | None = None, **headers: str | None) -> Reply:
        """A request with just these headers (written with underscores; None leaves a usual one out)."""
        given = {"Host": self.host, **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            data = body.encode() if isinstance(body, str) else body
            if data is not None and "Content-Length" not in given:
                given["Content-Length"] = str(len(data))
            for name, value in given.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(data)
            came = connection.getresponse()
            return Reply(came.status, dict(came.getheaders()), came.read().decode())
        finally:
            connection.close()

    def get(self, path: str = "/", **headers: str | None) -> Reply:
        return self.ask("GET", path, **headers)

    def post(self, path: str, fields: dict[str, Any], **headers: str | None) -> Reply:
        """Send a form as one of the server's own pages does."""
        own = {"Origin": f"http://{self.host}", "Content_Type": "application/x-www-form-urlencoded"}
        full = {"token": TOKEN, "step": str(self.session.steps), **fields}
        return self.ask("POST", path, urlencode(full), **{**own, **headers})

    def call(self, tool: str, **arguments: str) -> Reply:
        return self.post("/call", {"tool": tool, **{f"field.{name}": value for name, value in arguments.items()}})


@pytest.fixture
def visiting(tmp_path: Path) -> Iterator[Callable[..., Visitor]]:
    """Serve a session: ``visiting()``, ``visiting(task, out=folder)``."""
    begun: list[Server] = []

    def serve(task: Task | None = None, out: Path | None = None, **options: Any) -> Visitor:
        session = Session(task or load_task(SMALL_DEBTS), out=out, **options)
        server = Server(session, 0, TOKEN)
        begun.append(server)
        threading.Thread(target=server.serve, daemon=True).start()
        return Visitor(server)

    yield serve
    for server in begun:
        server.stop()
        server.close()
        server.app.session.close()


def hidden(text: str, name: str) -> str:
    """The value of a hidden field of a page."""
    found = re.search(rf'name="{name}" value="([^"]*)"', text)
    assert found, name
    return found[1]
