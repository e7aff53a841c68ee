"""The Python of the documentation runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
SMALL_DEBTS = str(Path(__file__).parent / "bundles" / "small-debts")


@pytest.mark.parametrize("name", ["training.md"])
def test_the_blocks_of_a_page_run_one_after_the_other(name: str) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", (DOCS / name).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert blocks
    names: dict[str, object] = {"TASK": SMALL_DEBTS}
    for block in blocks:
        exec(compile(block, name, "exec"), names)
