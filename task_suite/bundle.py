"""Reading a bundle's folder: every file against its model, every complaint with file and line."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from lifegym.task_suite.reader import BundleError, Document, dump_yaml, read_yaml_file
from lifegym.task_suite.schema import ChecksFile, SolutionFile, TaskFile, TimelineFile, WorldFile
from lifegym.task_suite.storyline import STORYLINES, expand, included, storylines, with_params

__all__ = ["Bundle", "read_bundle"]

M = TypeVar("M", bound=BaseModel)
_TEXT_LIMIT = 2 * 1024 * 1024


@dataclass(frozen=True)
class Bundle:
    """A task's folder, read and checked file by file. Nothing in it was run."""

    path: Path
    task: TaskFile
    worlds: tuple[WorldFile, ...]
    timeline: TimelineFile
    checks: ChecksFile
    solution: SolutionFile
    workspace: dict[str, str]
    documents: dict[str, Document]
    content_hash: str

    def where(self, file: str, *place: Any) -> str:
        """``file:line`` of a place in one of the files."""
        document = self.documents.get(file)
        return document.where(*place) if document else file

    def storyline(self, file: str, *place: Any) -> str:
        """The storyline that a place in one of the files comes from, such as ``duplicate-charge@1``, or ""."""
        where = self.where(file, *place)
        return where.removeprefix(STORYLINES).partition(":")[0] if where.startswith(STORYLINES) else ""

    def expanded(self) -> str:
        """The YAML files as one text, storylines put in their places: what the task is compiled from."""
        return "".join(f"# {name}\n{dump_yaml(document.value)}\n" for name, document in self.documents.items())

    @cached_property
    def events(self) -> dict[str, int]:
        """Event id to its index in the timeline file."""
        return {event.id: i for i, event in enumerate(self.timeline.events)}


def read_bundle(path: Path) -> Bundle:
    """Read a bundle's folder.

    Raises:
        BundleError: A file is missing, malformed, or says what no bundle says.
    """
    if not (path / "task.yaml").is_file():
        raise BundleError(str(path), "not a task: it has no task.yaml")
    home = (path / "task.yaml").resolve().parent
    documents: dict[str, Document] = {}
    digest = hashlib.sha256()

    def load(name: str, model: type[M]) -> M:
        document = documents[name] = read_yaml_file(path / name, f"{path.name}/{name}")
        return validated(document, model)

    task = load("task.yaml", TaskFile)
    parts = included(documents["task.yaml"], task.storylines)
    world_files = sorted(file.name for file in (path / "world").glob("*.yaml"))
    worlds = tuple(load(f"world/{name}", WorldFile) for name in world_files)
    timeline = load("timeline.yaml", TimelineFile)
    checks = load("checks.yaml", ChecksFile)
    solution = load("solution.yaml", SolutionFile)
    own = list(documents)
    if parts:
        documents["task.yaml"] = with_params(documents["task.yaml"], parts)
        task = validated(documents["task.yaml"], TaskFile)
        expand(documents, task, parts)
        worlds = tuple(validated(documents[name], WorldFile) for name in documents if name.startswith("world/"))
        timeline = validated(documents["timeline.yaml"], TimelineFile)
        checks = validated(documents["checks.yaml"], ChecksFile)
        solution = validated(documents["solution.yaml"], SolutionFile)
    workspace = {}
    for file in sorted((path / "workspace").rglob("*")):
        name = file.relative_to(path / "workspace").as_posix()
        if file.is_file():
            if not file.resolve().is_relative_to(home):
                raise BundleError(f"{path.name}/workspace/{name}", "a link out of the bundle is not followed")
            if file.stat().st_size > _TEXT_LIMIT:
                raise BundleError(f"{path.name}/workspace/{name}", "a workspace file has at most 2 MB")
            try:
                workspace[name] = file.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                raise BundleError(f"{path.name}/workspace/{name}", "a workspace file is UTF-8 text") from None
    files = {name: path / name for name in [*own, *(f"workspace/{name}" for name in workspace)]}
    files |= {use.use: storylines()[use.use] for use in task.storylines}
    for name, file in files.items():
        content = file.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return Bundle(path, task, worlds, timeline, checks, solution, workspace, documents, digest.hexdigest())


def validated(document: Document, model: type[M]) -> M:
    """The document as a model.

    Raises:
        BundleError: It does not fit; names the first complaint's line and how many there are.
    """
    try:
        return model.model_validate(document.value)
    except ValidationError as error:
        complaints = error.errors(include_url=False)
        first = complaints[0]
        place = [
            part for part in first["loc"] if not (isinstance(part, str) and part.startswith(("function-", "tagged-")))
        ]
        shown = ".".join(str(part) for part in place) or document.path.rpartition("/")[2]
        more = f" (and {len(complaints) - 1} more)" if len(complaints) > 1 else ""
        message = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            message = "unknown key"
        raise BundleError(document.where(*place), f"{shown}: {message}{more}") from None
