"""Recipes: for a tool that chance seldom satisfies, arguments that the world as it is should accept.

A recipe reads the records, and where a call needs something before it (a hold, a rental under way), it plays that
opening first: other calls, happenings, time that passes.
"""

from __future__ import annotations

from recipes.desk import DESK
from recipes.living import LIVING
from recipes.money import MONEY
from recipes.scene import Recipe, Scene, Unplayable
from recipes.travel import TRAVEL
from recipes.ways import WAYS

__all__ = ["RECIPES", "Recipe", "Scene", "Unplayable"]

RECIPES: dict[str, Recipe] = {**MONEY, **TRAVEL, **WAYS, **LIVING, **DESK}
"""Tool to recipe."""
