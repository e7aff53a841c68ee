"""The pages of a session, as a WSGI application: what there is to see, and what a sent form does."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from urllib.parse import quote

from lifegym.reports.world.parts import Item
from lifegym.reports.world.services import view
from lifegym.services import catalogue
from lifegym.services.tool_names import matching_tools
from lifegym.services.tools import ToolSpec
from lifegym.web import guard
from lifegym.web.forms import read
from lifegym.web.pages import Kept, Pages
from lifegym.web.session import Session

__all__ = ["Answer", "App"]

StartResponse = Callable[[str, list[tuple[str, str]]], Any]


class Answer(NamedTuple):
    """A status line, a page, and where to go instead."""

    status: str
    text: str = ""
    location: str = ""


class App:
    """A session for a browser.

    Args:
        session: What is played.
        port: The port that the server listens on; requests to other hosts are refused.
        token: What each form must carry; made here if it is left out.
    """

    def __init__(self, session: Session, port: int, token: str = "") -> None:
        self.session = session
        self.port = port
        self.token = token or secrets.token_urlsafe(24)
        self.pages = Pages(session, self.token)
        self._lock = threading.Lock()

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        with self._lock:  # one world, one hand at a time
            answer = self._answer(environ)
        body = answer.text.encode("utf-8", "replace")
        headers = [("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body))), *guard.HEADERS]
        if answer.location:
            headers.append(("Location", answer.location))
        start_response(answer.status, headers)
        return [b"" if environ["REQUEST_METHOD"] == "HEAD" else body]

    def _answer(self, environ: dict[str, Any]) -> Answer:
        refusal = guard.check_host(environ, self.port)
        if refusal is not None:
            return self._refused(refusal)
        method, path = environ["REQUEST_METHOD"], str(environ.get("PATH_INFO", "/"))
        if method in ("GET", "HEAD"):
            return self._shown(path)
        if method != "POST":
            return self._refused(guard.Refusal("405 Method Not Allowed", "Pages are read by GET, forms sent by POST."))
        form = guard.read_form(environ, self.token)
        return self._refused(form) if isinstance(form, guard.Refusal) else self._done(path, form)

    def _refused(self, refusal: guard.Refusal) -> Answer:
        return Answer(refusal.status, self.pages.message(refusal.status, refusal.message))

    # -- pages ---------------------------------------------------------------------------------------------------

    def _shown(self, path: str) -> Answer:
        if path == "/":
            return Answer("200 OK", self.pages.turn())
        service = path.removeprefix("/service/")
        if path.startswith("/service/") and service in self.pages.services:
            return Answer("200 OK", self.pages.service(service))
        return self._refused(guard.Refusal("404 Not Found", "There is no such page; begin at the start page."))

    # -- forms ---------------------------------------------------------------------------------------------------

    def _done(self, path: str, form: dict[str, str]) -> Answer:
        acts = {"/open": self._open, "/call": self._call, "/reply": self._reply, "/wait": self._wait}
        act = acts.get(path)
        if act is None:
            return self._refused(guard.Refusal("404 Not Found", "There is no such form; begin at the start page."))
        if self.session.over:
            return Answer("409 Conflict", self.pages.turn(Kept(note="The episode has ended; nothing was done.")))
        try:
            return act(form)
        except OSError as error:
            message = f"The call cannot be kept ({error.strerror}), so it was not made. Mend that, then send it again."
            return self._refused(guard.Refusal("507 Insufficient Storage", message))

    def _stale(self, form: dict[str, str]) -> str:
        """What to say of a form from a page that was made before the last calls; "" for one that is up to date."""
        if form.get("step") == str(self.session.steps):
            return ""
        made = form.get("step", "")
        since = [done.tool for done in self.session.done if made.isdecimal() and done.number > int(made[:9])]
        calls = f": {', '.join(since[-3:])}" if since else ""
        return (
            f"This page was old: since it was made, {len(since)} further calls were made (in another tab?){calls}. "
            "Nothing was done with your form. What you typed is kept: look at what is new, then send it again."
        )

    def _open(self, form: dict[str, str]) -> Answer:
        service, kind, key = form.get("service", ""), form.get("kind", ""), form.get("key", "")
        if service not in self.pages.services or (kind and kind not in view(service).items):
            return self._refused(guard.Refusal("404 Not Found", "There is nothing of this kind to open."))
        if stale := self._stale(form):
            return Answer("409 Conflict", self.pages.service(service, Kept(note=stale)))
        self.session.look(service, Item(service, kind, key) if kind else None)
        if self.session.over:
            return Answer("303 See Other", location="/")
        return Answer("303 See Other", location=f"/service/{quote(service)}" + ("#opened" if kind else ""))

    def _call(self, form: dict[str, str]) -> Answer:
        spec = self._tool(form.get("tool", ""))
        if spec is None:
            near = ", ".join(matching_tools(form.get("tool", "")[:80], self.pages.tool_names)[:3])
            message = f"There is no such tool here{f'; do you mean {near}?' if near else '.'}"
            return self._refused(guard.Refusal("404 Not Found", message))
        filled = read(spec, form)
        kept = Kept(tool=spec.name, typed=filled.typed, problems=filled.problems)
        if stale := self._stale(form):
            return Answer("409 Conflict", self.pages.service(spec.service, kept._replace(note=stale)))
        if filled.problems:
            told = "Nothing was called: the form needs another look."
            return Answer("422 Unprocessable Content", self.pages.service(spec.service, kept._replace(note=told)))
        step = self.session.act(spec.name, filled.arguments)
        if self.session.over:
            return Answer("303 See Other", location="/")
        if step.kind == "error":
            return Answer("422 Unprocessable Content", self.pages.service(spec.service, kept))
        return Answer("303 See Other", location=f"/service/{quote(spec.service)}#result")

    def _tool(self, name: str) -> ToolSpec | None:
        spec = catalogue.find_tool(name) if name in self.pages.tool_names else None
        return spec if spec is not None and spec.service in self.pages.services else None

    def _reply(self, form: dict[str, str]) -> Answer:
        text = form.get("text", "").replace("\r\n", "\n").strip()
        if stale := self._stale(form):
            return Answer("409 Conflict", self.pages.turn(Kept(reply=text, note=stale)))
        if not text:
            note = "A reply says something; to say nothing, end the turn in silence."
            return Answer("422 Unprocessable Content", self.pages.turn(Kept(note=note)))
        return self._end_turn("assistant.reply", {"text": text}, text)

    def _wait(self, form: dict[str, str]) -> Answer:
        if stale := self._stale(form):
            return Answer("409 Conflict", self.pages.turn(Kept(note=stale)))
        return self._end_turn("assistant.wait", {}, "")

    def _end_turn(self, tool: str, arguments: dict[str, Any], typed: str) -> Answer:
        step = self.session.act(tool, arguments)
        if step.kind == "error":
            note = str(step.result["error"]["message"])
            return Answer("422 Unprocessable Content", self.pages.turn(Kept(reply=typed, note=note)))
        return Answer("303 See Other", location="/")
