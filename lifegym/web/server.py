"""A session on 127.0.0.1, with nothing but the standard library."""

from __future__ import annotations

import errno
import socket
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from lifegym.web.app import App
from lifegym.web.session import Session

__all__ = ["HOST", "PORT", "PortInUse", "Server"]

HOST = "127.0.0.1"
PORT = 8765


class PortInUse(OSError):
    """Another program listens on the port."""


class _Handler(WSGIRequestHandler):
    timeout = 60
    """Seconds after which a browser that says nothing is let go."""

    server_version = "lifegym"
    sys_version = ""

    def log_message(self, format: str, *args: Any) -> None:
        """The person looks at the browser, not at a log."""


class _Listener(ThreadingMixIn, WSGIServer):
    """Browsers open connections before they need them: each has a thread, so that none keeps the others waiting."""

    daemon_threads = True

    def server_bind(self) -> None:
        """Bind without asking the network for the machine's name."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = HOST, self.server_address[1]
        self.setup_environ()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that hangs up is no error."""


class Server:
    """Serves a session.

    Args:
        session: What is played.
        port: Where to listen; 0 takes a free port.
        token: As in ``App``.

    Raises:
        PortInUse: Another program listens there.
        OSError: The port cannot be used.
    """

    def __init__(self, session: Session, port: int = PORT, token: str = "") -> None:
        try:
            self._listener = _Listener((HOST, port), _Handler)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortInUse(error.errno, f"port {port} is in use") from None
            raise
        self.port = self._listener.server_port
        self.app = App(session, self.port, token)
        self._listener.set_app(self.app)

    @property
    def url(self) -> str:
        """Where the start page is."""
        return f"http://{HOST}:{self.port}/"

    def serve(self) -> None:
        """Answer until ``stop`` is called from another thread, or Ctrl-C is pressed."""
        self._listener.serve_forever(poll_interval=0.05)

    def stop(self) -> None:
        """Let ``serve`` return."""
        self._listener.shutdown()

    def close(self) -> None:
        """Free the port."""
        self._listener.server_close()
