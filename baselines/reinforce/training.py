"""Policy gradient on forks: every candidate of a state is tried, and those that bring most become likelier."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from lifegym.baselines.reinforce.policy import Policy, softmax
from lifegym.envs.life_env import LifeEnv
from lifegym.garbage import collecting_seldom
from lifegym.potential import Potential
from lifegym.wrappers import CandidateActions, FeatureObservation, SparseReward

__all__ = ["REWARDS", "Progress", "Settings", "Trainer", "measure"]

REWARDS = ("dense", "stage", "sparse")
"""What a policy may learn from: progress as it is made (``DenseReward``), what stages pay, or everything at the end."""


@dataclass(frozen=True)
class Settings:
    """How a policy is trained.

    Attributes:
        tasks: On whose ``train`` variants; by turns.
        reward: ``dense``, ``stage`` or ``sparse``.
        states: In how many states all candidates are tried.
        seed: Of everything that is drawn.
        k: Candidates of a state.
        every: Decisions from one such state to the next.
        cost: What a call costs in a return, as a share of the score.
        horizon: For how many stages, the present one included, a call is credited with what is paid; with the sparse
            reward it always is to the end of the episode.
        own: Share of the last episodes that the policy itself plays; it grows from 0. The reference plays the others
            up to each state, as ``StageStart`` does.
        batch: States of a step of the gradient.
        passes: Steps of the gradient for each new state.
        rate: Step size at first; it falls to 0 with the last state.
        temperature: How sharply a candidate's weight falls with its regret; the smaller, the sharper.
    """

    tasks: tuple[str, ...]
    reward: str = "dense"
    states: int = 4000
    seed: int = 0
    k: int = 8
    every: int = 2
    cost: float = 0.0003
    horizon: int = 2
    own: float = 0.3
    batch: int = 64
    passes: int = 2
    rate: float = 0.005
    temperature: float = 0.1

    def __post_init__(self) -> None:
        if not self.tasks:
            raise ValueError("name at least one task to train on")
        if self.reward not in REWARDS:
            raise ValueError(f"unknown reward {self.reward!r}; use one of: {', '.join(REWARDS)}")
        if not self.cost > 0:
            raise ValueError("a call costs something, or a detour would be as good as a step")
        if min(self.states, self.every, self.horizon, self.batch, self.passes) < 1:
            raise ValueError("states, every, horizon, batch and passes are at least 1")


class Progress(NamedTuple):
    """How training goes, after each of its episodes.

    Attributes:
        states: States so far.
        episodes: Episodes so far.
        expected: Mean expected return of the policy in the episode's states, in points, before it learnt from them.
    """

    states: int
    episodes: int
    expected: float


RECENT = 10_000
"""So many of the last states are learnt from again."""


class Trainer:
    """Trains a policy. It can stop after any episode and go on from its checkpoint as if it had not.

    In a state each of the k candidates is made on a fork, and the reference plays on until what it brought has been
    paid: for a few stages, or to the end of the episode with the sparse reward. What was paid from the state on, less a
    price for each call, is the candidate's return: without the price a detour would be as good as a step. A call that
    wrote nothing and is no step of the reference is not played on: it brings what the reference's own call brings, less
    its price.

    What the present stage pays says nothing of what only later stages need: by it alone, to end a turn early brings as
    much in fewer calls. A horizon of a few stages credits most calls with what they are for, at a third of what it
    costs to play to the end; the potential of the dense reward, what would be paid if every check were decided now,
    credits many of the others, whose checks are decided in the end only.

    The policy goes up the gradient of the candidates' log-probabilities, weighted by ``(1 + regret) ** (-1 /
    temperature)``, the regret (what the best candidate brings more) counted in calls' prices. It is given no label, but
    where the reference's call alone is without regret, its weight is close to 1, and there is little difference.
    As all candidates of a state were tried, whoever chose before, states are learnt from again and again without
    a correction.

    Args:
        settings: How.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.rng = np.random.default_rng(settings.seed)
        self.envs = [_env(task, "train", settings.k, settings.reward) for task in settings.tasks]
        spaces: Any = self.envs[0].observation_space
        self.policy = Policy(spaces["state"].shape[0], spaces["candidates"].shape[1], settings.rate)
        self.states = self.episodes = 0
        self._recent: list[tuple[Any, Any, Any]] = []

    def go_on(self, settings: Settings) -> None:
        """Take on settings that differ from those so far in nothing but how many states there are to be.

        Raises:
            ValueError: They differ in something else.
        """
        if replace(settings, states=self.settings.states) != self.settings:
            raise ValueError("the checkpoint is of other tasks or settings; use another folder, or the same settings")
        self.settings = settings

    def run(self) -> Iterator[Progress]:
        """Train until all states were seen; hands on after every episode."""
        while self.states < self.settings.states:
            with collecting_seldom():  # forks come and go without cycles
                expected = self._episode()
            self.episodes += 1
            yield Progress(self.states, self.episodes, 100 * float(np.mean(expected)) if expected else 0.0)

    def _episode(self) -> list[float]:
        settings, rng = self.settings, self.rng
        env = self.envs[self.episodes % len(self.envs)]
        observation, _ = env.reset(seed=int(rng.integers(1 << 30)))
        alone = rng.random() < settings.own * self.states / settings.states
        wait = int(rng.integers(settings.every))
        expected: list[float] = []
        over = False
        while not over and self.states < settings.states:
            if wait == 0:
                wait = settings.every
                returns = self.returns(env)
                expected.append(float(self.policy.shares(observation) @ returns))
                self._learn(observation, returns)
            wait -= 1
            index = self.policy.choose(observation, rng) if alone else env.get_wrapper_attr("right")
            observation, _, terminated, truncated, _ = env.step(index)
            over = terminated or truncated
        return expected

    def returns(self, env: FeatureObservation) -> Any:
        """What each candidate of an env's state brings, shape (k,), as shares of the score. The state is left as it is.

        Args:
            env: One of ``envs``, begun.
        """
        settings = self.settings
        moment = env.snapshot()
        below: Any = env.env
        until = math.inf if settings.reward == "sparse" else below.unwrapped.episode.stage + settings.horizon
        potential = Potential(below.unwrapped.episode)
        if settings.reward == "dense":
            potential()  # what reads the same on a fork needs no second look there
        returns = np.zeros(settings.k)
        right = below.right
        # What the reference's own call brings is what it brings to let the reference play on: it is tried first.
        for index in sorted(range(settings.k), key=lambda index: index != right):
            below.restore(moment[0])
            episode = below.unwrapped.episode
            store = episode.world.store.fork()
            observation, paid, terminated, truncated, _ = below.take(index)
            calls = 1
            if index != right and _idle(below, index, observation, store):
                returns[index] = returns[right] - settings.cost
                continue
            while not (terminated or truncated) and episode.stage < until:
                _, reward, terminated, truncated, _ = below.follow()
                paid += reward
                calls += 1
            if settings.reward == "dense":
                # Dense rewards add up to this: what was paid, and how much the potential grew. What it was before is
                # the same for all candidates, and left out.
                paid += potential.fork(episode)()
            returns[index] = paid - settings.cost * calls
        env.restore(moment)
        return returns

    def _learn(self, observation: Any, returns: Any) -> None:
        self.states += 1
        if np.ptp(returns) == 0:
            return  # nothing to be learnt where all are alike
        # What a candidate brings less than the best one, in calls' costs. Its logarithm tells a step from a detour and
        # a detour from what ruins a check, though there lies a factor of a hundred between them.
        regret = np.log1p((returns.max() - returns) / self.settings.cost)
        weights = softmax(-regret / self.settings.temperature).astype(np.float32)
        self._recent.append((observation["state"], observation["candidates"], weights))
        del self._recent[:-RECENT]
        self.policy.adam.rate = self.settings.rate * (1 - self.states / (self.settings.states + 1))
        for _ in range(self.settings.passes):
            chosen = self.rng.integers(len(self._recent), size=self.settings.batch)
            self.policy.improve(*(np.array(part) for part in zip(*(self._recent[i] for i in chosen), strict=True)))

    # -- checkpoints ---------------------------------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Write a checkpoint, whole or not at all.

        Raises:
            OSError: It cannot be written.
        """
        told = {
            "settings": asdict(self.settings), "states": self.states, "episodes": self.episodes,
            "generator": _plain(self.rng.bit_generator.state),
        }  # fmt: skip
        arrays: dict[str, Any] = {
            **self.policy.arrays(),
            "told": np.frombuffer(orjson.dumps(told, option=ORJSON), np.uint8),
        }
        for name, part in zip(("states", "calls", "weights"), zip(*self._recent, strict=True), strict=False):
            arrays[f"recent_{name}"] = np.array(part)
        written = io.BytesIO()
        np.savez_compressed(written, **arrays)
        beside = path.with_name(path.name + ".part")
        beside.write_bytes(written.getvalue())
        os.replace(beside, path)

    @classmethod
    def load(cls, path: Path) -> Trainer:
        """The trainer of a checkpoint.

        Raises:
            OSError: It cannot be read.
            ValueError: It is none, or of other features.
        """
        arrays = dict(np.load(path, allow_pickle=False))
        if "told" not in arrays:
            raise ValueError(f"{path} is no checkpoint of lifegym train")
        told = orjson.loads(arrays["told"].tobytes())
        settings = Settings(**{**told["settings"], "tasks": tuple(told["settings"]["tasks"])})
        trainer = cls(settings)
        trainer.policy.load(arrays)
        trainer.states, trainer.episodes = told["states"], told["episodes"]
        trainer.rng.bit_generator.state = _whole(told["generator"])
        if "recent_states" in arrays:
            names = ("recent_states", "recent_calls", "recent_weights")
            trainer._recent = list(zip(*(arrays[name] for name in names), strict=True))
        return trainer


ORJSON = orjson.OPT_SORT_KEYS


def _plain(state: Any) -> Any:
    """A generator's state as JSON: its integers have 128 bits, so they are written as texts."""
    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    return str(state) if isinstance(state, int) else state


def _whole(state: Any) -> Any:
    if isinstance(state, dict):
        return {key: _whole(value) for key, value in state.items()}
    return int(state) if isinstance(state, str) and state.isdigit() else state


def _idle(env: Any, index: int, observation: Any, store: Any) -> bool:
    """Whether a call changed nothing and is no step of the reference, which then plays on as if it had not been."""
    episode = env.unwrapped.episode
    if observation["kind"] != "result" or env.planned(index).step:
        return False
    return not episode.history.calls[-1].write and not episode.world.store.written_since(store)


def _env(task: str, variant: str, k: int, reward: str, max_steps: int = 500) -> FeatureObservation:
    life: Any = LifeEnv(task, variant, max_steps=max_steps)
    if reward == "sparse":
        life = SparseReward(life)
    return FeatureObservation(CandidateActions(life, k))


def measure(
    policy: Policy, task: str, seeds: range, variant: str = "test", k: int = 8, greedy: bool = True
) -> list[float]:
    """The scores of a policy on variants of a task.

    Args:
        policy: Which.
        task: Of what.
        seeds: One episode for each.
        variant: ``test``: worlds that no training has seen.
        k: Candidates of a state.
        greedy: Whether the likeliest candidate is taken; else one is drawn.
    """
    env = _env(task, variant, k, "stage")
    scores = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        observation, _ = env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            index = int(np.argmax(policy.shares(observation))) if greedy else policy.choose(observation, rng)
            observation, reward, terminated, truncated, _ = env.step(index)
            total, over = total + float(reward), terminated or truncated
        scores.append(100 * total)
    return scores
