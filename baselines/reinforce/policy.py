"""A softmax policy over candidates: a bilinear score of state and call, and its gradient by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["Adam", "Policy", "softmax"]

Array = np.ndarray[Any, Any]


def softmax(scores: Array) -> Array:
    """Probabilities along the last axis.

    >>> softmax(np.zeros(4)).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    shares: Array = weights / weights.sum(-1, keepdims=True)
    return shares


class Adam:
    """Adam (Kingma and Ba, 2015) for one array of parameters, which it changes in place.

    Args:
        values: The parameters.
        rate: Step size.
    """

    def __init__(self, values: Array, rate: float = 0.01) -> None:
        self.values = values
        self.rate = rate
        self.mean = np.zeros_like(values)
        self.square = np.zeros_like(values)
        self._scratch = np.zeros_like(values)
        self.count = 0

    def step(self, gradient: Array) -> None:
        """Go against a gradient."""
        self.count += 1
        # In place: arrays of this size are new memory pages each time, which cost more than the arithmetic.
        scratch = self._scratch
        self.mean *= 0.9
        self.mean += np.multiply(gradient, 0.1, out=scratch)
        self.square *= 0.999
        np.multiply(gradient, gradient, out=scratch)
        scratch *= 0.001
        self.square += scratch
        np.sqrt(self.square, out=scratch)
        scratch /= np.sqrt(1 - 0.999**self.count)
        scratch += 1e-8
        np.divide(self.mean, scratch, out=scratch)
        scratch *= self.rate / (1 - 0.9**self.count)
        self.values -= scratch


class Policy:
    """Chooses among calls: the score of a call is ``[state, 1] @ weights @ call``, the policy their softmax.

    Args:
        states: Length of a state's features.
        calls: Length of a call's features.
        rate: Step size of Adam.
        decay: Weight decay.

    Attributes:
        weights: Array (states + 1, calls); zeros at first, so that an untrained policy chooses evenly.
    """

    def __init__(self, states: int, calls: int, rate: float = 0.01, decay: float = 1e-4) -> None:
        self.weights = np.zeros((states + 1, calls), np.float32)
        self.decay = decay
        self.adam = Adam(self.weights, rate)

    def shares(self, observation: Mapping[str, Array]) -> Array:
        """The probability of each candidate, shape (k,)."""
        towards = observation["state"] @ self.weights[:-1] + self.weights[-1]
        return softmax(observation["candidates"] @ towards)

    def choose(self, observation: Mapping[str, Array], rng: np.random.Generator) -> int:
        """A drawn candidate."""
        reached = np.cumsum(self.shares(observation))
        return min(int(np.searchsorted(reached, rng.random() * reached[-1])), len(reached) - 1)

    def improve(self, states: Array, calls: Array, weights: Array) -> float:
        """One step up the gradient of the weighted log-likelihood, every candidate of every state taken into account.

        The score function of the policy gradient, ``weight * grad log p``, summed over all candidates: none is drawn
        for it, so the only noise is that of the weights. With weights that grow with the returns this is
        reward-weighted regression (Peters and Schaal, 2007) on candidates that were each tried once.

        Args:
            states: Shape (batch, states).
            calls: Shape (batch, k, calls).
            weights: How much each candidate is to count, shape (batch, k); not negative, those of a state add up to 1.

        Returns:
            The mean weight under the policy before the step.
        """
        states = np.concatenate([states, np.ones((len(states), 1), np.float32)], 1)
        shares = softmax(np.matmul(calls, (states @ self.weights)[..., None])[..., 0])
        gradient = states.T @ np.matmul((weights - shares)[:, None, :], calls)[:, 0] / len(states)
        self.adam.step(self.decay * self.weights - gradient)
        return float((shares * weights).sum(1).mean())

    def arrays(self) -> dict[str, Array]:
        """All that a checkpoint needs."""
        adam = self.adam
        return {"weights": self.weights, "mean": adam.mean, "square": adam.square, "count": np.array(adam.count)}

    def load(self, arrays: Mapping[str, Array]) -> None:
        """Take over what ``arrays`` gave.

        Raises:
            ValueError: The arrays are of other features.
        """
        if arrays["weights"].shape != self.weights.shape:
            raise ValueError(
                f"the checkpoint is of features {arrays['weights'].shape}, these are {self.weights.shape}; train anew"
            )
        self.weights[:] = arrays["weights"]
        if "mean" in arrays:
            self.adam.mean[:], self.adam.square[:] = arrays["mean"], arrays["square"]
            self.adam.count = int(arrays["count"])
