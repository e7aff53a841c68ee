"""``lifegym play``: a person plays a task in the terminal."""

from __future__ import annotations

import contextlib
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lifegym.cli.console import console, refuse
from lifegym.cli.finding import find_scenario, find_task

if TYPE_CHECKING:
    from lifegym.services.tools import ToolSpec
    from lifegym.task_suite import Task

__all__ = ["play"]

HELP = """\
part of a tool's name   choose a tool and fill in its fields, e.g.: send email
TOOL key=value ...      call a tool at once; key:=JSON for lists and objects
tools [part]            list the tools, or those with this in their name
files [path]            list the files of the workspace, or read one (a call)
reply [text]            say something to the user and end the turn
wait                    end the turn in silence
help                    this text
quit                    leave; the score stays sealed
In a form: an empty line leaves an optional field out, /cancel leaves the form, "text in quotes" may have \\n in it."""

SHOWN = 20
"""Tools to choose from at once."""


def play(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Id of a task, or the folder of a bundle.")],
    variant: Annotated[str, typer.Option(help="canonical, train or test.")] = "canonical",
    seed: Annotated[int, typer.Option(help="The variant's seed.")] = 0,
    web: Annotated[
        bool, typer.Option("--web", help="In the browser, on 127.0.0.1: pages, and a form for each tool.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN", help="Run folder in which the episode is recorded; with --web runs/human-TASK by default."
        ),
    ] = None,
    port: Annotated[int | None, typer.Option(help="With --web: where to listen; 0 takes a free port.")] = None,
    open: Annotated[bool, typer.Option("--open", help="With --web: open the browser.")] = False,
) -> None:
    """Play a task yourself: choose tools, fill in their fields, and see your score at the end.

    With --out the episode is recorded like any run when it ends; with --web it also goes on where it was left.
    """
    found = find_task(task)
    if web:
        from lifegym.cli.play_web import play_in_browser

        play_in_browser(found, variant, seed, out, port, open)
    elif port is not None or open:
        refuse("--port and --open go with --web")
    else:
        Session(found, variant, seed, out).run()


class Session:
    """An episode and the person who plays it through stdin and stdout.

    Args:
        task: What is played.
        variant: Its variant.
        seed: The variant's seed.
        folder: The run folder; None keeps no record.
    """

    def __init__(self, task: Task, variant: str, seed: int, folder: Path | None) -> None:
        from lifegym.rollouts import RunError
        from lifegym.rollouts.sitting import HUMAN, Sitting
        from lifegym.rollouts.worker import Caps
        from lifegym.services import catalogue

        scenario = find_scenario(task, variant, seed)
        try:
            self.sitting = Sitting(task, HUMAN, variant, seed, folder, Caps())
        except RunError as error:
            refuse(str(error))
        self.episode = self.sitting.episode
        self.folder = folder
        self.out = console()
        self._tools = [
            name for name in catalogue.tool_names(scenario.world.services) if not name.startswith("assistant.")
        ]

    def run(self) -> None:
        """Play to the end, or until the person leaves."""
        from lifegym.cli.score_table import print_score

        if sys.stdin.isatty():
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401  lets input() edit lines and remember them
        self.out.print(self.sitting.seen["text"])
        self.out.print("\nType help to see what you can do.", style="dim")
        try:
            while not self.episode.over:
                line = self._ask("\n> ").strip()
                if line in ("quit", "exit"):
                    break
                self._obey(line)
        except EOFError:
            self.out.print()
        if self.episode.over:
            print_score(self.out, self.episode)
            self._record()
        else:
            time = self.episode.world.iso(self.episode.world.now)
            self.out.print(f"You leave at {time}. The score is sealed until the episode ends.")

    def _record(self) -> None:
        from lifegym.rollouts import RunError

        try:
            self.sitting.finish()
        except (OSError, RunError) as error:
            refuse(f"the episode could not be recorded: {error}")
        finally:
            self.sitting.close()
        if self.folder is not None:
            self.out.print(f"Recorded in {self.folder}.")

    def _ask(self, prompt: str) -> str:
        return input(prompt)

    def _say(self, text: str) -> None:
        self.out.print(text)

    def _obey(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word == "help" or not line:
            self._say(HELP)
        elif word == "tools":
            self._list_tools(rest)
        elif word == "files":
            self._files(rest)
        elif word == "wait" and not rest:
            self._act("assistant.wait", {})
        elif word == "reply":
            text = rest or self._ask("  What do you say? ").strip()
            if text:
                self._act("assistant.reply", {"text": text})
        elif "=" in rest:
            self._call(line)
        else:
            self._choose(line)

    def _list_tools(self, part: str) -> None:
        from lifegym.services import catalogue
        from lifegym.services.tool_names import matching_tools

        names = matching_tools(part, self._tools) if part else self._tools
        for name in names:
            spec = catalogue.find_tool(name)
            assert spec is not None
            self._say(f"{name}  {spec.docs.summary}")
        if not names:
            self._say(f"No tool has {part!r} in its name.")

    def _files(self, path: str) -> None:
        if path:
            self._act("workspace.read_file", {"path": path})
        else:
            self._act("workspace.list_files", {})

    def _call(self, line: str) -> None:
        """A call on one line, its tool in full or by a name that only one tool has."""
        from lifegym.cli.call_words import CallWordsError, parse_call
        from lifegym.services.tool_names import matching_tools

        try:
            words = shlex.split(line)
            names = matching_tools(words[0], self._tools)
            if len(names) != 1:
                self._say(f"Which tool is {words[0]!r}? {', '.join(names[:SHOWN]) or 'There is none like it.'}")
                return
            action = parse_call([names[0], *words[1:]])
        except CallWordsError as error:
            self._say(str(error))
        except ValueError as error:  # shlex: a quotation that does not end
            self._say(f"{error}; put values with spaces in quotes")
        else:
            self._act(action["tool"], action["arguments"])

    def _choose(self, part: str) -> None:
        """Find a tool by what was typed, and fill in its fields."""
        from lifegym.cli.form import CANCEL, fill

        spec = self._chosen(part)
        if spec is None:
            return
        self._say(f"{spec.name}: {spec.docs.summary} {CANCEL} leaves the form.")
        arguments = fill(spec, self._ask, self._say)
        if arguments is None:
            self._say("Nothing was called.")
        else:
            self._act(spec.name, arguments)

    def _chosen(self, part: str) -> ToolSpec | None:
        from lifegym.services import catalogue
        from lifegym.services.tool_names import matching_tools

        names = matching_tools(part, self._tools)
        while len(names) > 1:
            for number, name in enumerate(names[:SHOWN], 1):
                spec = catalogue.find_tool(name)
                assert spec is not None
                self._say(f"{number:3} {name}  {spec.docs.summary}")
            if len(names) > SHOWN:
                self._say(f"    and {len(names) - SHOWN} more")
            typed = self._ask("  Number, or more of the name (empty: none): ").strip()
            if not typed:
                return None
            if typed.isdecimal():
                names = names[int(typed) - 1 : int(typed)] if 1 <= int(typed) <= len(names[:SHOWN]) else []
            else:
                names = matching_tools(typed, names)
            part = typed
        if not names:
            self._say(f"There is no tool like {part!r}; `tools` lists them, `help` says what else there is.")
            return None
        return catalogue.find_tool(names[0])

    def _act(self, tool: str, arguments: dict[str, Any]) -> None:
        from lifegym.cli.reading import readable

        step = self.sitting.step({"tool": tool, "arguments": arguments})
        style = {"error": "red", "result": ""}.get(step.kind, "bold cyan")
        self.out.print(readable(step.text) if step.kind in ("error", "result") else f"\n{step.text}", style=style)
