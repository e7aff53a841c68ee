"""Some sub-environments in one process, and the line on which they are called.

A remote call of Ray takes about a millisecond, which is what a dozen steps take; a message on a socket takes a tenth of
that. So Ray starts the process, places it and ends it, and the steps go over a connection of their own.
"""

from __future__ import annotations

import pickle
import socket
import traceback
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

import gymnasium as gym
import ray
from gymnasium.vector import AutoresetMode
from ray import cloudpickle

from lifegym.envs.life_env import LifeEnv
from lifegym.garbage import collect_seldom

__all__ = ["INFORMED", "OBSERVED", "Row", "SubEnvs", "connect"]

OBSERVED = ("kind", "stage", "text", "time")
"""The parts of an observation, in the order of a row."""

INFORMED: dict[str, Any] = {
    "task": object, "variant": object, "variant_seed": int, "turn": int, "step": int, "ok": bool, "error": object,
    "fault": bool,
}  # fmt: skip
"""The parts of an info in the order of a row, with the type of their arrays; the result is read from the text."""

Row = tuple[Any, ...]
"""What a sub-environment says of a step: its observation, reward, ends, and info, in this order; and, where it began
anew in the same step, how the episode before ended."""

Address = tuple[str, int]


def connect(address: Address, key: bytes) -> Connection:
    """The caller's end of a line: send a pickled ``(method, arguments)``, receive its pickled result or exception."""
    return _prompt(Client(address, authkey=key))


class SubEnvs:
    """What an actor holds: some sub-environments, each with its own generator.

    Args:
        cls: Their class.
        arguments: Of the class.
        count: How many.
        mode: Name of gymnasium's autoreset mode.
    """

    def __init__(self, cls: type[LifeEnv], arguments: dict[str, Any], count: int, mode: str) -> None:
        collect_seldom()  # this process is the actor's own, and episodes leave hardly a cycle
        self.envs = [cls(**arguments) for _ in range(count)]
        self.mode = AutoresetMode(mode)
        self.ended = [False] * count

    # -- the line ------------------------------------------------------------------------------------------------

    def listen(self, key: bytes, node: str) -> Address:
        """Get ready for the one caller who knows the key; ``node`` is the Ray node on which it runs."""
        here = ray.get_runtime_context().get_node_id() == node
        self.listener = Listener(("127.0.0.1" if here else ray.util.get_node_ip_address(), 0), authkey=key)
        address: Address = self.listener.address
        return address

    def serve(self) -> None:
        """Answer calls until the caller hangs up."""
        with self.listener, _prompt(self.listener.accept()) as line:
            self.listener.close()
            while True:
                try:
                    method, arguments = pickle.loads(line.recv_bytes())
                except (EOFError, OSError):
                    return
                line.send_bytes(self._answer(method, arguments))

    def _answer(self, method: str, arguments: tuple[Any, ...]) -> bytes:
        try:
            answer: bytes = cloudpickle.dumps(getattr(self, method)(*arguments))
            return answer
        except Exception as error:
            return _told_error(error)

    # -- what is called on it ------------------------------------------------------------------------------------

    def reset(self, seeds: list[int | None], chosen: list[bool], options: dict[str, Any] | None) -> list[Row | None]:
        """Begin an episode in the chosen ones; None for the others."""
        rows: list[Row | None] = []
        for i, env in enumerate(self.envs):
            if not chosen[i]:
                rows.append(None)
                continue
            self.ended[i] = False
            rows.append(_row(env.reset(seed=seeds[i], options=options)))
        return rows

    def step(self, actions: list[Any]) -> list[Row]:
        """One action in each, or a reset where gymnasium's mode has it so."""
        rows: list[Row] = []
        for i, env in enumerate(self.envs):
            if self.ended[i] and self.mode == AutoresetMode.NEXT_STEP:
                self.ended[i] = False
                rows.append(_row(env.reset()))
                continue
            if self.ended[i]:
                raise gym.error.ResetNeeded(f"sub-environment {i} of its worker has ended; reset it with reset_mask")
            observation, reward, terminated, truncated, info = env.step(actions[i])
            row = (*_seen(observation), reward, terminated, truncated, *_told(info), None)
            if (terminated or truncated) and self.mode == AutoresetMode.SAME_STEP:
                began, info = env.reset()
                row = (*_seen(began), reward, terminated, truncated, *_told(info), row)
            else:
                self.ended[i] = terminated or truncated
            rows.append(row)
        return rows

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """A method of each, or an attribute's value where it is none."""
        found = [getattr(env, name) for env in self.envs]
        return [one(*args, **kwargs) if callable(one) else one for one in found]

    def assign(self, values: list[Any], name: str) -> list[None]:
        """Set an attribute of each."""
        for env, value in zip(self.envs, values, strict=True):
            setattr(env, name, value)
        return [None] * len(self.envs)


def _prompt(line: Connection) -> Connection:
    """A connection that sends at once what it is given; TCP would wait for more."""
    with socket.fromfd(line.fileno(), socket.AF_INET, socket.SOCK_STREAM) as same:
        same.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return line


def _told_error(error: Exception) -> bytes:
    """An exception with the traceback as its note; one that cannot be sent is told in words."""
    error.add_note("in a worker:\n" + traceback.format_exc())
    try:
        told: bytes = cloudpickle.dumps(error)
        pickle.loads(told)
    except Exception:
        told = cloudpickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return told


def _seen(observation: dict[str, str]) -> tuple[str, ...]:
    return tuple(observation[name] for name in OBSERVED)


def _told(info: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(info[name] for name in INFORMED)


def _row(begun: tuple[dict[str, str], dict[str, Any]]) -> Row:
    return (*_seen(begun[0]), 0.0, False, False, *_told(begun[1]), None)
