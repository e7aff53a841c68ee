"""What is installed is what is in the tree."""

from __future__ import annotations

import configparser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAPPED = {top: f"lifegym.{top}" for top in ("envs", "task_suite", "wrappers", "baselines")}


@pytest.fixture(scope="module")
def options() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg")
    return parser


def test_every_package_is_listed(options: configparser.ConfigParser) -> None:
    found = set()
    for top, name in {"lifegym": "lifegym", **MAPPED}.items():
        for init in (ROOT / top).rglob("__init__.py"):
            below = init.parent.relative_to(ROOT / top).parts
            found.add(".".join([name, *below]))
    listed = options["options"]["packages"].split()
    assert sorted(listed) == sorted(found)
    assert len(listed) == len(set(listed))


def test_every_file_of_a_task_is_package_data(options: configparser.ConfigParser) -> None:
    patterns = options["options.package_data"]["lifegym.task_suite"].split()
    endings = {pattern.rpartition("*")[2] for pattern in patterns}
    for task in (ROOT / "task_suite").glob("*/*/task.yaml"):
        for file in task.parent.rglob("*"):
            assert file.is_dir() or file.suffix in endings, file
