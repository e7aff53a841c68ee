"""A trained policy as an agent."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lifegym.baselines.agent import EpisodeInfo
from lifegym.baselines.reinforce.policy import Policy
from lifegym.envs.life_env import LifeEnv
from lifegym.wrappers import CandidateActions, FeatureObservation

__all__ = ["ReinforceAgent"]


class ReinforceAgent:
    """Chooses among candidate calls as `lifegym train` has taught it; without a checkpoint it is untrained.

    An agent is shown texts, and this one needs candidates and features. So it plays the episode along in an env of its
    own: the same task, variant and seed and the same calls give the same world there, and what is offered and described
    there is what it chooses from. What it is shown is compared with what it sees there.

    Args:
        checkpoint: File that `lifegym train` wrote; None for a policy that chooses evenly.
        greedy: Whether the likeliest candidate is taken; else one is drawn by the episode's seed.
        k: Candidates of a state.

    Raises:
        OSError: The checkpoint cannot be read.
        ValueError: It is none, or of other features.
    """

    def __init__(self, checkpoint: str | None = None, greedy: bool | None = None, k: int = 8) -> None:
        self.checkpoint = checkpoint
        self.k = k
        self.greedy = checkpoint is not None if greedy is None else greedy
        self._policy: Policy | None = None
        self._arrays = _read(Path(checkpoint)) if checkpoint is not None else {}

    def reset(self, info: EpisodeInfo) -> None:
        """Begin the episode in the agent's own env."""
        life = LifeEnv(info.source, info.variant)
        self._env = FeatureObservation(CandidateActions(life, self.k))
        spaces: Any = self._env.observation_space
        if self._policy is None:
            self._policy = Policy(spaces["state"].shape[0], spaces["candidates"].shape[1])
            if self._arrays:
                self._policy.load(self._arrays)
        self._rng = np.random.default_rng([info.seed, info.variant_seed])
        options = None if info.variant == "canonical" else {"variant_seed": info.variant_seed}
        self._seen, self._info = self._env.reset(seed=info.seed, options=options)
        self._text = ""

    def act(self, observation: Mapping[str, str]) -> dict[str, Any]:
        """The chosen call.

        Raises:
            RuntimeError: What was shown is not what the same calls bring in a world of its own: something stands
                between this agent and the env that changes calls or results.
        """
        if self._text and self._text != observation["text"]:
            raise RuntimeError("the episode differs from the one that reinforce plays along; use it on a plain env")
        policy = self._policy
        assert policy is not None
        if self.greedy:
            index = int(np.argmax(policy.shares(self._seen)))
        else:
            index = policy.choose(self._seen, self._rng)
        call: dict[str, Any] = self._info["candidates"][index]
        self._seen, _, terminated, truncated, self._info = self._env.step(index)
        self._text = "" if terminated or truncated else self._env.shown["text"]
        return call


def _read(path: Path) -> dict[str, Any]:
    hint = "give policy.npz of a folder that lifegym train --out made"
    try:
        arrays = dict(np.load(path, allow_pickle=False))
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}; {hint}", str(path)) from None
    except (ValueError, TypeError, EOFError, zipfile.BadZipFile):
        arrays = {}
    if "weights" not in arrays:
        raise ValueError(f"{path} is no checkpoint; {hint}")
    return arrays
