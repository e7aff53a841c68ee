"""A task as an MCP server, played by the official SDK's own client."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from lifegym.baselines import EpisodeInfo, ReferenceAgent
from lifegym.rollouts import Key, RunError, RunFolder
from lifegym.rollouts.mcp_server import McpEpisode
from lifegym.rollouts.rescoring import replay
from lifegym.services import catalogue
from lifegym.task_suite import load_task

from .conftest import SMALL_DEBTS


async def reference(client: Any) -> list[str]:
    """The reference solution through a client; the texts that it saw."""
    task = load_task(SMALL_DEBTS)
    agent = ReferenceAgent()
    agent.reset(EpisodeInfo(task.id, SMALL_DEBTS, "canonical", 0, task.services))
    times = [event.at for event in task.scenario().events.values() if event.kind != "mutation"]
    world = task.scenario().world
    seen = {"kind": "user_message", "stage": "S1", "text": client.instructions, "time": world.iso(times.pop(0))}
    texts = []
    while True:
        action = agent.act(seen)
        result = await client.call_tool(action["tool"].replace(".", "__"), action["arguments"])
        text = result.content[0].text
        texts.append(text)
        if not action["tool"].startswith("assistant."):
            seen = {**seen, "kind": "error" if result.is_error else "result", "text": text}
        elif times:
            seen = {"kind": "notification", "stage": "", "text": text, "time": world.iso(times.pop(0))}
        else:
            return texts


def test_a_client_in_this_process(tmp_path):
    episode = McpEpisode(load_task(SMALL_DEBTS), out=tmp_path / "run")

    async def play() -> list[str]:
        async with Client(episode.server()) as client:
            listed = (await client.list_tools()).tools
            names = {tool.name for tool in listed}
            assert names == {name.replace(".", "__") for name in catalogue.tool_names(["banking"])}
            pay = next(tool for tool in listed if tool.name == "banking__pay_payee")
            assert pay.annotations.read_only_hint is False
            assert client.instructions.startswith("You look after Ann Lee's affairs")
            wrong = await client.call_tool("banking__get_account", {"account_id": "none"})
            assert wrong.is_error
            texts = await reference(client)
            late = await client.call_tool("assistant__wait", {})
            assert late.is_error
            assert "has ended" in late.content[0].text
            return texts

    texts = anyio.run(play)
    assert texts[-1].endswith("The period has ended.")
    assert not any("score" in text or "weight" in text for text in texts)
    assert episode.row["score"] == 100.0
    assert episode.row["refused"] == 1
    episode.close()
    folder = RunFolder.read(tmp_path / "run")
    assert [(row["run"], row["score"], row["error"]) for row in folder.rows()] == [(0, 100.0, None)]
    played, divergence = replay(folder.trajectory(Key("small-debts", "canonical", 0, 0)))
    assert divergence is None
    assert played.score().score == 100.0


def test_episodes_of_a_folder_are_counted(tmp_path):
    for _ in range(2):
        episode = McpEpisode(load_task(SMALL_DEBTS), out=tmp_path / "run")
        while episode.row is None:
            episode.call("assistant__wait", None)
        episode.close()
    unfinished = McpEpisode(load_task(SMALL_DEBTS), out=tmp_path / "run")
    with pytest.raises(RunError, match="another process"):
        McpEpisode(load_task(SMALL_DEBTS), out=tmp_path / "run")
    unfinished.close()
    assert [row["run"] for row in RunFolder.read(tmp_path / "run").rows()] == [0, 1]
    with pytest.raises(RunError, match="variant"):
        McpEpisode(load_task(SMALL_DEBTS), "train", out=tmp_path / "run")


def test_over_stdio(tmp_path):
    words = ["-m", "lifegym.cli", "mcp", SMALL_DEBTS, "--out", str(tmp_path / "run")]
    parameters = StdioServerParameters(command=sys.executable, args=words, env=_environment())

    async def play() -> None:
        async with Client(parameters) as client:
            await reference(client)

    anyio.run(play)
    assert [row["score"] for row in RunFolder.read(tmp_path / "run").rows()] == [100.0]


def test_over_http(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["-m", "lifegym.cli", "mcp", SMALL_DEBTS, "--out", str(tmp_path / "run"), "--http", str(port)]
    process = subprocess.Popen([sys.executable, *words], env=_environment(), stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)

        async def play() -> None:
            async with Client(f"http://127.0.0.1:{port}/mcp") as client:
                await reference(client)

        anyio.run(play)
    finally:
        process.terminate()
        told = process.communicate(timeout=30)[1]
    assert [row["score"] for row in RunFolder.read(tmp_path / "run").rows()] == [100.0]
    assert "score 100.0" in told


def _environment() -> dict[str, str]:
    import os
    from pathlib import Path

    import lifegym

    here = str(Path(lifegym.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)}
