"""The language model agent against a real server on this machine that speaks chat completions."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import openai
import pytest

from lifegym.baselines import make_agent
from lifegym.baselines.llm import LLMAgent
from lifegym.baselines.llm.toolbox import FIND, Toolbox
from lifegym.envs import LifeEnv
from lifegym.rollouts import evaluate, play
from lifegym.task_suite import load_task

SMALL_DEBTS = str(Path(__file__).parents[1] / "bundles" / "small-debts")

Answer = dict[str, Any]


def calls(*made: tuple[str, Any], content: str | None = None) -> Answer:
    listed = []
    for i, (name, arguments) in enumerate(made):
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        listed.append({"id": f"c{i}-{name}", "type": "function", "function": {"name": name, "arguments": text}})
    message = {"role": "assistant", "content": content, "tool_calls": listed}
    return {"message": message, "finish_reason": "tool_calls"}


def text(content: str, reason: str = "stop") -> Answer:
    return {"message": {"role": "assistant", "content": content}, "finish_reason": reason}


WAIT = calls(("assistant__wait", {}))
READ = calls(("workspace__read_file", {"path": "debts.csv"}))
PAY = calls(("banking__pay_payee", {"account_id": "main", "payee_id": "friend", "amount_minor": 5000}))
USAGE = {
    "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "prompt_tokens_details": {"cached_tokens": 40},
}  # fmt: skip
BASE = {"id": "x", "created": 0, "model": "m"}


def parts(turn: Answer) -> Iterator[Any]:
    """An answer as it is streamed."""
    message = turn["message"]
    deltas: list[Any] = [{"role": "assistant"}, *({"content": part} for part in (message["content"] or "").split("|"))]
    for i, call in enumerate(message.get("tool_calls", ())):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        begin = {"index": i, "id": call["id"], "type": "function", "function": {"name": name, "arguments": ""}}
        half = len(arguments) // 2
        pieces = [{"index": i, "function": {"arguments": piece}} for piece in (arguments[:half], arguments[half:])]
        deltas.extend({"tool_calls": [piece]} for piece in (begin, *pieces))
    for delta in deltas:
        yield {**BASE, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**BASE, "choices": [{"index": 0, "delta": {}, "finish_reason": turn["finish_reason"]}]}
    yield {**BASE, "choices": [], "usage": USAGE}


class Server:
    """Answers requests from a script; what is left over is answered with a wait."""

    def __init__(self) -> None:
        self.script: list[Any] = []
        self.asked: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append({**body, "key": self.headers["Authorization"]})
                turn = outer.script.pop(0) if outer.script else WAIT
                if turn == "slow":
                    time.sleep(1.5)
                    turn = WAIT
                if isinstance(turn, int):
                    self._send(turn, {"error": {"message": "not now", "type": "server_error"}})
                elif body.get("stream"):
                    self._stream(turn)
                else:
                    whole = {**BASE, "object": "chat.completion", "choices": [{"index": 0, **turn}], "usage": USAGE}
                    self._send(200, whole)

            def _send(self, status: int, body: Any) -> None:
                data = json.dumps(body).encode()
                with suppress(OSError):  # a client that did not wait
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(data)))
                    self.send_header("retry-after-ms", "1")
                    self.end_headers()
                    self.wfile.write(data)

            def _stream(self, turn: Answer) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                for part in parts(turn):
                    chunk = {**part, "object": "chat.completion.chunk"}
                    self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
                self.wfile.write(b"data: [DONE]\n\n")

            def log_message(self, *args: Any) -> None: ...

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.http.shutdown()
    made.http.server_close()


@pytest.fixture
def played(server: Server) -> Callable[..., Any]:
    """A rollout of the small task by answers of the server."""

    def run(*script: Any, **settings: Any) -> Any:
        server.script = list(script)
        agent = LLMAgent("m", base_url=server.url, **settings)
        return play(load_task(SMALL_DEBTS).scenario(), agent), agent

    return run


@pytest.mark.parametrize("stream", [False, True])
def test_calls_are_carried_out_and_told(server: Server, played: Callable[..., Any], stream: bool) -> None:
    rollout, agent = played(READ, PAY, text("Paid |Bo Berg."), stream=stream)
    tools = [action["tool"] for action in rollout.actions[:3]]
    assert tools == ["workspace__read_file", "banking__pay_payee", "assistant.reply"]
    assert rollout.actions[2]["arguments"]["text"] == ("Paid Bo Berg." if stream else "Paid |Bo Berg.")
    assert rollout.score.checks["C1"], "the debt was paid once"
    chat = server.asked[2]["messages"]
    assert [message["role"] for message in chat] == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert chat[0]["content"].startswith("You look after Ann Lee's affairs")
    assert chat[1]["content"].startswith("[Mon 2026-03-02 09:00]")
    assert chat[2]["tool_calls"][0]["id"] == chat[3]["tool_call_id"] == "c0-workspace__read_file"
    assert json.loads(chat[5]["content"])["amount_minor"] == 5000
    assert {tool["function"]["name"] for tool in server.asked[0]["tools"]} >= {"banking__pay_payee", "assistant__wait"}
    requests = len(server.asked)
    assert agent.usage == {
        "model": "m", "requests": requests, "input_tokens": 100 * requests, "output_tokens": 10 * requests,
        "cached_tokens": 40 * requests,
    }  # fmt: skip


def test_several_calls_of_one_message(server: Server, played: Callable[..., Any]) -> None:
    read, wait, look = (
        ("workspace__read_file", {"path": "debts.csv"}),
        ("assistant__wait", {}),
        ("banking__get_account", {}),
    )
    rollout, _ = played(calls(read, wait, look))
    assert [action["tool"] for action in rollout.actions[:2]] == ["workspace__read_file", "assistant__wait"]
    answers = [message["content"] for message in server.asked[1]["messages"] if message["role"] == "tool"]
    assert answers[1:] == ["The turn has ended.", "Not carried out: the turn had ended."]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_is_busy_is_asked_again(server: Server, played: Callable[..., Any], status: int) -> None:
    rollout, agent = played(status, status, PAY, text("Paid."))
    assert rollout.score.checks["C1"]
    assert agent.usage["requests"] == len(server.asked) - 2


def test_a_slow_answer_is_asked_for_again(played: Callable[..., Any]) -> None:
    rollout, _ = played("slow", PAY, timeout=0.4)
    assert rollout.score.checks["C1"]


def test_what_stays_broken_is_told(server: Server) -> None:
    server.script = [401]
    with pytest.raises(openai.AuthenticationError):
        play(load_task(SMALL_DEBTS).scenario(), LLMAgent("m", base_url=server.url))
    server.script = [500] * 9
    settings = {"model": "m", "base_url": server.url, "retries": 1}
    row = evaluate("llm", [SMALL_DEBTS], runs=1, workers=0, max_retries=0, settings=settings).rows[0]
    assert row["score"] is None
    assert row["error"].startswith("agent: InternalServerError")


def test_malformed_arguments_are_answered_by_the_env(server: Server, played: Callable[..., Any]) -> None:
    rollout, _ = played(calls(("banking__get_account", '{"account_id": ')), calls(("nothing", {})), PAY)
    told = [message["content"] for message in server.asked[2]["messages"] if message["role"] == "tool"]
    assert "bad_arguments" in told[0]
    assert "unknown_tool" in told[1]
    assert rollout.score.checks["C1"]
    assert rollout.score.refused == 2


def test_an_answer_that_was_cut_off_is_asked_for_again(server: Server, played: Callable[..., Any]) -> None:
    rollout, _ = played(text("I was just about to", "length"), PAY)
    assert server.asked[1]["messages"][-1]["content"].startswith("Your last message was cut off")
    assert rollout.actions[0]["tool"] == "banking__pay_payee"


def test_calls_in_the_text_are_read(played: Callable[..., Any]) -> None:
    look = {"name": "banking.get_account", "arguments": {"account_id": "main"}}
    rollout, _ = played(text(f"<tool_call>{json.dumps(look)}</tool_call>"))
    assert rollout.actions[0] == {"tool": "banking.get_account", "arguments": {"account_id": "main"}}


def test_silence_is_a_wait(played: Callable[..., Any]) -> None:
    rollout, _ = played(text(""))
    assert rollout.actions[0] == {"tool": "assistant.wait", "arguments": {}}


def test_a_budget_drops_what_is_old(server: Server, played: Callable[..., Any]) -> None:
    played(READ, text("Read."), READ, context=1)
    assert [message["role"] for message in server.asked[2]["messages"]] == ["system", "user"]
    assert [message["role"] for message in server.asked[3]["messages"]] == ["system", "user", "assistant", "tool"]


def test_a_search_over_tools_where_there_are_too_many(server: Server, played: Callable[..., Any]) -> None:
    rollout, _ = played(calls((FIND, {"query": "pay somebody"})), PAY, max_tools=16)
    first, second = ({tool["function"]["name"] for tool in asked["tools"]} for asked in server.asked[:2])
    assert FIND in first
    assert "banking__pay_payee" not in first
    assert "banking__pay_payee" in second
    assert server.asked[1]["messages"][-1]["role"] == "tool"
    assert "banking__pay_payee: " in server.asked[1]["messages"][-1]["content"]
    assert rollout.actions[0]["tool"] == "banking__pay_payee", "the search is no step of the world"


def test_a_model_that_only_searches_is_stopped(played: Callable[..., Any]) -> None:
    rollout, _ = played(*[calls((FIND, {"query": "x"}))] * 9, max_tools=16)
    assert rollout.actions[0]["tool"] == "assistant.wait"


def test_the_toolbox() -> None:
    box = Toolbox(["banking", "email"], 20)
    assert "Nothing was found" in box.find("zebra")
    assert box.find("send an email").splitlines()[0].startswith("email__send_email: ")
    assert len(box.offered()) <= 20
    with pytest.raises(ValueError, match="at least"):
        Toolbox(["banking"], 5)
    assert len(Toolbox(["banking"], 500).offered()) == len(LifeEnv(SMALL_DEBTS).tools())


def test_prices_and_transcripts(
    server: Server, played: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    prices = {"input": 2.0, "output": 10.0, "cached": 0.5}
    _, agent = played(PAY, text("Paid."), prices=prices, transcripts=str(tmp_path), options={"temperature": 0})
    requests = agent.usage["requests"]
    assert agent.usage["cost_usd"] == pytest.approx(requests * (60 * 2.0 + 40 * 0.5 + 10 * 10.0) / 1e6)
    assert server.asked[0]["temperature"] == 0
    assert server.asked[0]["key"] == "Bearer secret-key"
    kept = (tmp_path / "small-debts-canonical-0-0.jsonl").read_text()
    assert len(kept.splitlines()) == requests
    assert "secret-key" not in kept


def test_a_recorded_evaluation_goes_on(server: Server, tmp_path: Path) -> None:
    settings = {"model": "m", "base_url": server.url, "retries": 0}
    options: dict[str, Any] = {"runs": 2, "workers": 0, "max_retries": 0, "settings": settings, "out": tmp_path / "run"}
    server.script = [PAY, text("Paid."), WAIT, WAIT, 401]
    first = evaluate("llm", [SMALL_DEBTS], **options)
    assert [row["error"] is None for row in first.rows] == [True, False]
    asked = len(server.asked)
    second = evaluate("llm", [SMALL_DEBTS], **options)
    assert [row["error"] for row in second.rows] == [None, None]
    assert second.rows[0]["usage"] == first.rows[0]["usage"]
    assert 0 < len(server.asked) - asked <= 4, "only the failed one was played again"


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ImportError, match=r"lifegym\[llm\]"):
        make_agent("llm", model="m")
