"""A vector environment on Ray: many sub-environments in few actors, one message an actor and step."""

from __future__ import annotations

import pickle
import secrets
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import gymnasium as gym
import numpy as np
import orjson
import ray
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from ray import cloudpickle

from lifegym.envs.life_env import LifeEnv, Result
from lifegym.envs.sub_envs import INFORMED, OBSERVED, Row, SubEnvs, connect
from lifegym.envs.suite_env import SuiteEnv
from lifegym.rollouts.connection import connected

__all__ = ["RayVectorEnv"]

START_TIMEOUT = 300.0
"""Seconds in which all actors have to be there."""


class RayVectorEnv(VectorEnv[Any, Any, Any]):
    """Sub-environments of a task, or of several, spread over Ray actors.

    It gives what ``gymnasium.vector.SyncVectorEnv`` would give for the same seeds and actions.

    Args:
        num_envs: How many sub-environments.
        task: The task of all of them, as in ``LifeEnv``.
        tasks: Instead: tasks from which each draws one at each reset, as in ``SuiteEnv``.
        workers: How many actors; by default one for each core, at most one for each sub-environment.
        ray_address: A cluster's address, or ``auto``; by default Ray on this machine.
        autoreset_mode: As gymnasium's; the next step by default.
        settings: Further arguments of ``LifeEnv`` or ``SuiteEnv``.

    Raises:
        KeyError: There is no such task.
        ValueError: No sub-environments, or both ``task`` and ``tasks``.
        OSError: There is no Ray at the address, or it has no room for the workers.
    """

    def __init__(
        self,
        num_envs: int = 1,
        task: str | None = None,
        tasks: str | Sequence[str] | None = None,
        workers: int | None = None,
        ray_address: str | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        **settings: Any,
    ) -> None:
        super().__init__()
        if num_envs < 1 or (task is None) == (tasks is None):
            raise ValueError("there is at least one sub-environment, and either 'task' or 'tasks'")
        build = (LifeEnv, {"task": task, **settings}) if tasks is None else (SuiteEnv, {"tasks": tasks, **settings})
        model: LifeEnv = build[0](**build[1])
        self.num_envs = num_envs
        self._rows: list[Row | None] = [None] * num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**model.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = model.render_mode
        self.single_action_space = model.action_space
        self.single_observation_space = model.observation_space
        self.action_space = batch_space(model.action_space, num_envs)
        self.observation_space = batch_space(model.observation_space, num_envs)
        self._connection = connected(workers, ray_address)
        count = min(self._connection.__enter__(), num_envs)
        self._parts = _parts(num_envs, count)
        remote: Any = ray.remote(SubEnvs)
        self._actors = [
            remote.options(num_cpus=1, max_restarts=0).remote(*build, part.stop - part.start, self.autoreset_mode.value)
            for part in self._parts
        ]
        key, node = secrets.token_bytes(32), ray.get_runtime_context().get_node_id()
        try:
            addresses = ray.get([actor.listen.remote(key, node) for actor in self._actors], timeout=START_TIMEOUT)
        except ray.exceptions.GetTimeoutError:
            raise TimeoutError(f"no {count} workers in {START_TIMEOUT:g} s; has the cluster free CPUs?") from None
        for actor in self._actors:
            actor.serve.remote()
        self._lines = [connect(address, key) for address in addresses]

    # -- gymnasium's interface -----------------------------------------------------------------------------------

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begin an episode in every sub-environment, or in those of ``options["reset_mask"]``.

        Args:
            seed: None, one for the first (the others have the following), or a list of one each.
            options: For each sub-environment; ``reset_mask`` is an array of booleans.

        Raises:
            ValueError: Seeds or a mask of another length, or an option that the sub-environments refuse.
        """
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed or [None] * self.num_envs
        given = dict(options or {})
        mask = given.pop("reset_mask", None)
        if len(seeds) != self.num_envs:
            raise ValueError(f"there are {len(seeds)} seeds for {self.num_envs} sub-environments")
        chosen = [True] * self.num_envs if mask is None else self._masked(mask)
        rows = self._each("reset", seeds, chosen, common=(given or None,))
        observation, *_, info = self._batched(rows, chosen)
        return observation, info

    def step(self, actions: Any) -> Any:
        """One action in every sub-environment. One that begins anew in this step (``NEXT_STEP``) ignores its action.

        Raises:
            ValueError: There is not one action for each.
            gymnasium.error.ResetNeeded: An episode has ended (autoreset ``DISABLED``) or was not begun.
        """
        if len(actions) != self.num_envs:
            raise ValueError(f"there are {len(actions)} actions for {self.num_envs} sub-environments")
        return self._batched(self._each("step", actions), [True] * self.num_envs)

    def render(self) -> tuple[Any, ...] | None:
        """What each sub-environment renders."""
        return self.call("render")

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """A method of each sub-environment, or an attribute's value where it is none."""
        return tuple(self._each("call", common=(name, args, kwargs)))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of each sub-environment."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute: one value for all, or a list of one each.

        Raises:
            ValueError: A list of another length.
        """
        values = values if isinstance(values, (list, tuple)) else [values] * self.num_envs
        if len(values) != self.num_envs:
            raise ValueError(f"there are {len(values)} values for {self.num_envs} sub-environments")
        self._each("assign", values, common=(name,))

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of each sub-environment's generator."""
        return self.get_attr("np_random_seed")

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """A copy of each sub-environment's generator."""
        return self.get_attr("np_random")

    def close_extras(self, **kwargs: Any) -> None:
        """End the actors, and Ray where it was started for them."""
        for line in getattr(self, "_lines", ()):
            line.close()
        for actor in getattr(self, "_actors", ()):
            ray.kill(actor)
        self._lines, self._actors = [], []
        connection = getattr(self, "_connection", None)
        if connection is not None:
            self._connection = None  # type: ignore[assignment]
            connection.__exit__(None, None, None)

    # -- inside --------------------------------------------------------------------------------------------------

    def _masked(self, mask: Any) -> list[bool]:
        fits = isinstance(mask, np.ndarray) and mask.shape == (self.num_envs,) and mask.dtype == np.bool_
        if not (fits and mask.any()):
            raise ValueError(f"reset_mask is an array of {self.num_envs} booleans, at least one of them true")
        return [bool(one) for one in mask]

    def _each(self, method: str, *values: Sequence[Any], common: tuple[Any, ...] = ()) -> list[Any]:
        """Call every actor with its part of the values; their answers in the sub-environments' order.

        Raises:
            gymnasium.error.ClosedEnvironmentError: It was closed.
            RuntimeError: An actor was lost, and its sub-environments with it.
            Exception: What a sub-environment raised.
        """
        if self.closed:
            raise gym.error.ClosedEnvironmentError("this vector environment was closed; make another one")
        shares = [(*(list(value[part]) for value in values), *common) for part in self._parts]
        calls = [cloudpickle.dumps((method, share)) for share in shares]
        try:
            for line, call in zip(self._lines, calls, strict=True):
                line.send_bytes(call)
            answers = [pickle.loads(line.recv_bytes()) for line in self._lines]
        except BaseException as error:
            self.close()  # half an exchange: the next answer would be taken for another one's
            if isinstance(error, (EOFError, OSError)):
                raise RuntimeError("a worker was lost; make this vector environment anew") from None
            raise
        for found in answers:
            if isinstance(found, Exception):
                raise found
        return [one for found in answers for one in found]

    def _batched(self, rows: list[Row | None], chosen: list[bool]) -> Any:
        """Rows as gymnasium's vector environments give them; what was not reset keeps what it showed before."""
        if not all(chosen):
            rows = [new if is_new else old for new, old, is_new in zip(rows, self._rows, chosen, strict=True)]
        self._rows = rows
        columns = list(zip(*(row[:15] for row in rows if row is not None), strict=True))
        observation = dict(zip(OBSERVED, columns[:4], strict=True))
        rewards = np.array(columns[4], dtype=np.float64)
        terminations, truncations = (np.array(columns[i], dtype=np.bool_) for i in (5, 6))
        mask = np.array(chosen, dtype=np.bool_)
        infos: dict[str, Any] = {}
        for name, column in zip(INFORMED, columns[7:15], strict=True):
            infos[name] = _array(column, INFORMED[name], mask)
            infos[f"_{name}"] = mask.copy()
        results = [_TextResult(row[2] if row[0] in ("result", "error") else "") for row in rows if row is not None]
        infos["result"] = _array(results, object, mask)
        infos["_result"] = mask.copy()
        for i, row in enumerate(rows):
            if row is not None and row[15] is not None and chosen[i]:
                final = {"final_obs": dict(zip(OBSERVED, row[15][:4], strict=True)), "final_info": _info(row[15])}
                infos = self._add_info(infos, final, i)
        return observation, rewards, terminations, truncations, infos


def _parts(count: int, workers: int) -> list[slice]:
    """Equal parts, the first ones by one greater where it does not come out even."""
    size, more = divmod(count, workers)
    starts = [i * size + min(i, more) for i in range(workers + 1)]
    return [slice(first, last) for first, last in pairwise(starts)]


def _array(values: Sequence[Any], kind: Any, mask: np.ndarray) -> np.ndarray:
    """Values as gymnasium groups infos: 0, False or None where a sub-environment has none."""
    made = np.array(values, dtype=kind)
    made[~mask] = None if kind is object else 0
    return made


def _info(row: Row) -> dict[str, Any]:
    shown = row[2] if row[0] in ("result", "error") else ""
    return {**dict(zip(INFORMED, row[7:15], strict=True)), "result": _TextResult(shown)}


class _TextResult(Result):
    """A tool's result that is read from the observation's text when somebody looks at it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    @property
    def _value(self) -> Any:
        return orjson.loads(self._text) if self._text else None
