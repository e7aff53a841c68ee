"""``lifegym score``: what an episode that is kept as a file of calls came to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lifegym.cli.act import open_calls
from lifegym.cli.console import console, print_json
from lifegym.counting import counted

__all__ = ["score"]

SEALED = 4
"""Exit code where the episode goes on."""


def score(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `lifegym act` has written.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Although the task's files have changed.")] = False,
) -> None:
    """Print the score of an episode that `lifegym act` has played to its end.

    Until then the score is sealed: the exit code is 4, and only how far the episode is gets printed.
    """
    from lifegym.cli.score_table import print_score

    _, replay = open_calls(file, force)
    episode = replay.episode
    if not episode.over:
        seen = replay.observation
        turn = len(episode.history.turns)
        if json:
            print_json(
                {"over": False, "time": seen["time"], "stage": seen["stage"], "turn": turn, "steps": episode.steps}
            )
        else:
            print(
                f"The score is sealed until the episode ends. It is {seen['time']}, stage {seen['stage']}, turn {turn},"
                f" after {counted(episode.steps, 'step')}."
            )
        raise typer.Exit(SEALED)
    if json:
        print_json({"over": True, **episode.score().to_json()})
    else:
        print_score(console(), episode)
