"""``lifegym play --web``: a person plays a task in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lifegym.cli.console import console, refuse, warn
from lifegym.counting import counted

if TYPE_CHECKING:
    from lifegym.task_suite import Task

__all__ = ["play_in_browser"]


def play_in_browser(task: Task, variant: str, seed: int, out: Path | None, port: int | None, open: bool) -> None:
    """Serve a session until Ctrl-C.

    Args:
        task: What is played.
        variant: Its variant.
        seed: The variant's seed.
        out: The run folder; one below ``runs`` by default.
        port: Where to listen.
        open: Whether a browser is opened.
    """
    from lifegym.rollouts import RunError
    from lifegym.task_suite import BundleError
    from lifegym.web.server import PORT, PortInUse, Server
    from lifegym.web.session import Session

    folder = out or Path("runs") / f"human-{task.id}{'' if variant == 'canonical' else f'-{variant}'}"
    try:
        session = Session(task, variant, seed, folder)
    except (RunError, BundleError, ValueError) as error:
        refuse(str(error))
    wanted = PORT if port is None else port
    try:
        server = Server(session, wanted)
    except PortInUse:
        session.close()
        refuse(f"port {wanted} is in use; name another with --port, or 0 for any that is free")
    except (OSError, OverflowError) as error:
        session.close()
        refuse(f"port {wanted} cannot be used: {error}; name another with --port")
    told = console()
    if session.resumed:
        told.print(f"Played again: {counted(session.resumed, 'call')} of an earlier sitting. The episode goes on.")
    told.print(f"{server.url} (recorded in {folder}; Ctrl-C ends, and the same command goes on)")
    if open:
        import webbrowser

        webbrowser.open(server.url)
    try:
        server.serve()
    except KeyboardInterrupt:
        told.print()
    finally:
        server.close()
        session.close()
    if session.row is None:
        warn(f"the episode has not ended; its calls are kept in {folder}, and the same command goes on")
    else:
        score = session.row["score"]
        told.print(f"score {'-' if score is None else f'{score:.1f}'}, recorded in {folder}")
