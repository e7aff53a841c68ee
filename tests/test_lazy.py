"""Packages that import their modules on first use have every name that they list."""

from __future__ import annotations

import doctest
import importlib

import pytest

import lifegym.lazy

PACKAGES = ("lifegym.envs", "lifegym.reports", "lifegym.rollouts", "lifegym.task_suite")


@pytest.mark.parametrize("package", PACKAGES)
def test_each_name_is_there(package: str) -> None:
    module = importlib.import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = module.nothing


def test_the_example() -> None:
    assert doctest.testmod(lifegym.lazy).failed == 0
