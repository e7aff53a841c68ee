"""The agent's file tree: text files in memory, with sizes capped and paths that cannot leave it."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["File", "FILE_LIMIT", "TREE_LIMIT", "Workspace", "WorkspaceError"]

FILE_LIMIT = 256 * 1024
TREE_LIMIT = 2000
_PATH_LIMIT = 200


class WorkspaceError(Exception):
    """A path or size that the workspace refuses. ``code`` names the kind."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class File(NamedTuple):
    """A file's text, and when it was last written (seconds)."""

    text: str
    written: int


class Workspace:
    """Files by normalised relative path. A fork shares them until one side writes."""

    __slots__ = ("_files", "_shared")

    def __init__(self) -> None:
        self._files: dict[str, File] = {}
        self._shared = False

    @staticmethod
    def normalise(path: str) -> str:
        """The path without ``./``, doubled slashes and a leading slash.

        Raises:
            WorkspaceError: ``bad_path``: empty, too long, a control character, or a step out of the workspace.
        """
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
        if not parts or ".." in parts:
            raise WorkspaceError("bad_path", f"{path[:80]!r} is not a path inside the workspace, such as notes/plan.md")
        clean = "/".join(parts)
        if len(clean) > _PATH_LIMIT or not clean.isprintable():
            raise WorkspaceError("bad_path", f"a path has at most {_PATH_LIMIT} printable characters")
        return clean

    def get(self, path: str) -> File | None:
        """The file at a normalised path, or None."""
        return self._files.get(path)

    def write(self, path: str, text: str, now: int) -> File:
        """Create or replace a file at a normalised path. Returns what is now there.

        Raises:
            WorkspaceError: ``file_too_large``, ``workspace_full``, ``is_folder`` where files lie below that path, or
                ``not_a_folder`` where a part of the path is a file.
        """
        size = len(text) if text.isascii() else len(text.encode())
        if size > FILE_LIMIT:
            raise WorkspaceError(
                "file_too_large", f"a file holds at most {FILE_LIMIT // 1024} KB, this would be {size // 1024 + 1} KB"
            )
        if path not in self._files:
            if len(self._files) >= TREE_LIMIT:
                raise WorkspaceError("workspace_full", f"the workspace holds at most {TREE_LIMIT} files; delete some")
            if any(other.startswith(path + "/") for other in self._files):
                raise WorkspaceError("is_folder", f"{path} is a folder; write to a file inside it")
            parent = path
            while "/" in parent:
                parent = parent.rpartition("/")[0]
                if parent in self._files:
                    raise WorkspaceError("not_a_folder", f"{parent} is a file, so nothing can lie below it")
        file = self._own()[path] = File(text, now)
        return file

    def delete(self, path: str) -> File:
        """Remove a file and return it.

        Raises:
            KeyError: There is none.
        """
        if path not in self._files:
            raise KeyError(path)
        return self._own().pop(path)

    def paths(self) -> list[str]:
        """All paths, sorted."""
        return sorted(self._files)

    def files(self) -> list[tuple[str, File]]:
        """All paths with their files, sorted by path."""
        return sorted(self._files.items())

    def written_since(self, fork: Workspace) -> bool:
        """Whether something was written or deleted since a fork of this tree was made."""
        return self._files is not fork._files

    def fork(self) -> Workspace:
        other = Workspace()
        other._files = self._files
        self._shared = other._shared = True
        return other

    def _own(self) -> dict[str, File]:
        if self._shared:
            self._files = self._files.copy()
            self._shared = False
        return self._files
