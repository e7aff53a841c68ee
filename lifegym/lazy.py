"""Packages whose modules are imported when a name of theirs is first used: importing such a package costs nothing."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

__all__ = ["lazy"]


def lazy(package: str, **modules: str) -> Callable[[str], Any]:
    """A ``__getattr__`` for a package.

    Args:
        package: Its ``__name__``.
        modules: By module, the names that it has, with spaces between them.

    >>> lazy("lifegym.world", record="Record", store="Store")("Store").__module__
    'lifegym.world.store'
    """
    home = {name: module for module, names in modules.items() for name in names.split()}

    def find(name: str) -> Any:
        if name in home:
            return getattr(importlib.import_module(f"{package}.{home[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find
