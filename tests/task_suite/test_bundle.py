"""Reading a bundle's folder: complete, unchanged, and without running anything in it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lifegym.task_suite import BundleError, Task, read_bundle

ROOT = Path(__file__).parents[2]


def test_what_is_in_a_bundle(folder: Path) -> None:
    bundle = read_bundle(folder)
    assert bundle.task.id == "small-debts"
    assert list(bundle.events) == ["ask", "dearer", "nudge", "thanks"]
    assert sorted(bundle.workspace) == ["USER.md", "debts.csv"]
    assert list(bundle.documents) == ["task.yaml", "world/bank.yaml", "timeline.yaml", "checks.yaml", "solution.yaml"]
    assert bundle.where("timeline.yaml", "events", 1) == "small-debts/timeline.yaml:3"
    assert bundle.where("workspace/USER.md") == "workspace/USER.md"


@pytest.mark.parametrize("file", ["timeline.yaml", "checks.yaml", "solution.yaml"])
def test_a_missing_file_is_named(folder: Path, file: str) -> None:
    (folder / file).unlink()
    with pytest.raises(BundleError, match=f"^small-debts/{file}: there is no such file"):
        read_bundle(folder)


def test_a_folder_without_a_task_is_none(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="not a task"):
        read_bundle(tmp_path)


def test_world_and_workspace_may_be_absent(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.parent.name in ("world", "workspace"):
            path.unlink()
    (folder / "world").rmdir()
    (folder / "workspace").rmdir()
    bundle = read_bundle(folder)
    assert bundle.worlds == ()
    assert bundle.workspace == {}


def test_workspace_files_are_texts_of_bounded_size(change: Callable[..., Path], folder: Path) -> None:
    change("workspace/a/b.md", None, "deep")
    assert read_bundle(folder).workspace["a/b.md"] == "deep"
    (folder / "workspace" / "c.bin").write_bytes(b"\xff\xfe")
    with pytest.raises(BundleError, match=r"workspace/c.bin: a workspace file is UTF-8 text"):
        read_bundle(folder)
    (folder / "workspace" / "c.bin").write_bytes(b"x" * (2 * 1024 * 1024 + 1))
    with pytest.raises(BundleError, match=r"workspace/c.bin: a workspace file has at most 2 MB"):
        read_bundle(folder)


def test_links_out_of_the_bundle_are_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "workspace" / "inside.md").symlink_to("USER.md")
    assert read_bundle(folder).workspace["inside.md"].startswith("# Ann Lee")
    (folder / "workspace" / "out.md").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(BundleError, match=r"workspace/out.md: a link out of the bundle is not followed"):
        read_bundle(folder)


# -- the content hash --------------------------------------------------------------------------------------------------


def test_the_hash_is_of_the_contents_alone(folder: Path, tmp_path: Path) -> None:
    first = read_bundle(folder).content_hash
    assert re.fullmatch("[0-9a-f]{64}", first)
    for path in folder.rglob("*.*"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        os.utime(path, (1, 1))
    (folder / "notes.txt").write_text("no part of the task")
    assert read_bundle(folder.rename(tmp_path / "elsewhere")).content_hash == first


@pytest.mark.parametrize(
    "file", ["task.yaml", "world/bank.yaml", "timeline.yaml", "checks.yaml", "solution.yaml", "workspace/USER.md"]
)
def test_the_hash_changes_with_every_file(folder: Path, file: str) -> None:
    first = read_bundle(folder).content_hash
    with (folder / file).open("a", encoding="utf-8") as handle:
        handle.write("# x\n")
    assert read_bundle(folder).content_hash != first


def test_the_hash_tells_names_from_contents(change: Callable[..., Path], folder: Path) -> None:
    change("workspace/a.md", None, "x")
    first = read_bundle(folder).content_hash
    (folder / "workspace" / "a.md").rename(folder / "workspace" / "b.md")
    assert read_bundle(folder).content_hash != first


def test_the_hash_is_the_same_in_every_process(folder: Path) -> None:
    script = (
        "from lifegym.task_suite import read_bundle\nfrom pathlib import Path\n"
        f"print(read_bundle(Path({str(folder)!r})).content_hash)"
    )
    for seed in ("0", "42"):
        run = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        assert run.stdout.strip() == read_bundle(folder).content_hash


# -- a stranger's bundle -----------------------------------------------------------------------------------------------


def test_opening_a_strangers_task_runs_none_of_its_code(
    change: Callable[..., Path], folder: Path, tmp_path: Path
) -> None:
    """Python files beside the YAML are never imported, and no process, file or socket is opened for writing."""
    trap = tmp_path / "trap"
    for name in (
        "__init__.py",
        "task.py",
        "conftest.py",
        "world/__init__.py",
        "workspace/setup.py",
        "sitecustomize.py",
    ):
        change(name, None, f"open({str(trap)!r}, 'w')")
    change("workspace/evil.md", None, "${1 + 1} and $(touch x) and `touch x` and {{ 7 * 7 }} and %s")
    script = f"""
import sys
from pathlib import Path
seen = []
def watch(event, args):
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect", "os.remove",
    "os.rename", "ctypes.dlopen"):
        seen.append((event, args))
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        seen.append((event, args))
    if event == "import" and {str(folder)!r} in str(args):
        seen.append((event, args))
from lifegym.task_suite import load_task
from lifegym.task_suite.solution import compiled_solution
from lifegym.baselines import IdleAgent
from lifegym.rollouts.rollout import play
sys.dont_write_bytecode = True
sys.addaudithook(watch)
task = load_task(Path({str(folder)!r}))
compiled_solution(task)
episode = play(task.scenario(), IdleAgent()).episode
assert episode.world.workspace.get("evil.md").text == "2 and $(touch x) and `touch x` and {{{{ 7 * 7 }}}} and %s"
print(seen)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "[]"
    assert not trap.exists()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("workspace/USER.md", "She pays", "${__import__('os').system('id')} She pays"),
        ("task.yaml", "p.debt * 2", "'a' * 1000000000"),
        ("task.yaml", "p.debt * 2", "p.__class__"), ("world/bank.yaml", "name: Main",
         "name: \"${open('/etc/passwd')}\""),
        ("timeline.yaml", "text: \"Please", "text: \"${p.__class__} Please"),
        ("checks.yaml", "len(paid) == 1", "(lambda: 1)()"),
        ("checks.yaml", "sum([", "p.__init__([sum(["), ("timeline.yaml", "when: len([", "when: eval(['"),
        ("task.yaml", "title: Two small debts", "title: !!python/object/apply:os.system [id]"),
        ("task.yaml", "about: Ann", "about: \"${[range(10000) for a in range(10000)]}\" # Ann"),
    ],
)  # fmt: skip
def test_escapes_in_any_file_are_refused(change: Callable[..., Path], file: str, old: str, new: str) -> None:
    folder = change(file, old, new)
    with pytest.raises(BundleError, match=r"small-debts/|workspace/"):
        Task(read_bundle(folder), str(folder)).scenario()
