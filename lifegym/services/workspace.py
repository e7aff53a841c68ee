"""The assistant's own files, as tools."""

from __future__ import annotations

from typing import Any, NoReturn

from lifegym.services.base import Service, limited, paged
from lifegym.services.search import rank
from lifegym.services.tools import ToolError, tool
from lifegym.world.workspace import FILE_LIMIT, File, Workspace, WorkspaceError

__all__ = ["WorkspaceFiles"]


class WorkspaceFiles(Service):
    """Reads and writes the files of the workspace."""

    name = "workspace"
    title = "The assistant's files"

    @tool(write=False)
    def list_files(self, folder: str = "", page: int = 1, page_size: int = 100) -> dict[str, Any]:
        """List files, with size and time of the last change.

        Args:
            folder: Only files below this folder, e.g. docs; all files if left out.
            page: Page number, from 1.
            page_size: Files per page, at most 100.

        Returns:
            files: path, chars, changed_at of each, by path; total, page, pages.

        Errors:
            bad_path: The folder is not a path inside the workspace.
            bad_page: page or page_size is out of range.
        """
        prefix = "" if folder.strip() in ("", ".", "./", "/") else self._path(folder) + "/"
        below = [(path, file) for path, file in self.world.workspace.files() if path.startswith(prefix)]
        found = paged(below, page, page_size)
        files = [self._entry(path, file) for path, file in found.pop("rows")]
        return {"files": files, **found}

    @tool(write=False)
    def read_file(self, path: str, start_line: int = 1, max_lines: int = 2000) -> dict[str, Any]:
        """Read a text file, whole or some of its lines.

        Args:
            path: E.g. docs/contract.txt.
            start_line: First line to read, from 1.
            max_lines: How many lines at most, up to 5000.

        Returns:
            path, text, lines (how many the file has), next_line (where to read on, null at the end).

        Errors:
            not_found: There is no such file.
            bad_path: Not a path inside the workspace.
            bad_range: start_line or max_lines is out of range.
        """
        path = self._path(path)
        file = self._file(path)
        if start_line < 1 or not 1 <= max_lines <= 5000:
            raise ToolError("bad_range", "start_line counts from 1 and max_lines is between 1 and 5000")
        lines = file.text.splitlines(keepends=True)
        end = start_line - 1 + max_lines
        return {
            "path": path,
            "text": "".join(lines[start_line - 1 : end]),
            "lines": len(lines),
            "next_line": end + 1 if end < len(lines) else None,
        }

    @tool(write=True)
    def write_file(self, path: str, text: str) -> dict[str, Any]:
        """Create a file, or replace all of its text.

        Args:
            path: E.g. ledger.csv.
            text: The whole new text, at most 256 KB.

        Returns:
            path, chars, changed_at, created (false where a file was replaced).

        Errors:
            bad_path: Not a path inside the workspace.
            file_too_large: More than 256 KB.
            workspace_full: The workspace has its greatest number of files.
            is_folder: Files lie below that path.
            not_a_folder: A part of the path is a file.
        """
        path = self._path(path)
        created = self.world.workspace.get(path) is None
        return {**self._write(path, text), "created": created}

    @tool(write=True)
    def append_file(self, path: str, text: str) -> dict[str, Any]:
        """Add text at the end of a file; a line break is put between where it is missing. Creates the file.

        Args:
            path: E.g. ledger.csv.
            text: The text to add.

        Returns:
            path, chars, changed_at.

        Errors:
            bad_path: Not a path inside the workspace.
            file_too_large: The file would have more than 256 KB.
            workspace_full: The workspace has its greatest number of files.
            is_folder: Files lie below that path.
            not_a_folder: A part of the path is a file.
        """
        path = self._path(path)
        file = self.world.workspace.get(path)
        before = file.text if file else ""
        glue = "\n" if before and not before.endswith("\n") else ""
        return self._write(path, before + glue + text)

    @tool(write=True)
    def edit_file(self, path: str, old: str, new: str, replace_all: bool = False) -> dict[str, Any]:
        """Replace a passage of a file, exactly as it stands there.

        Args:
            path: E.g. ledger.csv.
            old: The passage, copied exactly; it must occur once unless replace_all is true.
            new: What stands there afterwards.
            replace_all: Replace every occurrence.

        Returns:
            path, chars, changed_at, replaced (how many passages).

        Errors:
            not_found: There is no such file.
            bad_path: Not a path inside the workspace.
            no_match: The passage does not occur.
            several_matches: The passage occurs more than once.
            file_too_large: The file would have more than 256 KB.
        """
        path = self._path(path)
        text = self._file(path).text
        times = text.count(old) if old else 0
        if not times:
            raise ToolError("no_match", f"{path} does not contain that passage; read it again and copy exactly")
        if times > 1 and not replace_all:
            raise ToolError("several_matches", f"the passage occurs {times} times; copy more of it or set replace_all")
        if len(text) + times * (len(new) - len(old)) > FILE_LIMIT:
            raise ToolError("file_too_large", f"a file holds at most {FILE_LIMIT // 1024} KB, the result has more")
        return {**self._write(path, text.replace(old, new)), "replaced": times}

    @tool(write=False)
    def search_files(self, query: str, limit: int = 20) -> dict[str, Any]:
        """Find files whose path or text contains words.

        Args:
            query: Words to look for.
            limit: How many files at most, up to 100.

        Returns:
            matches: path, line (number of the first line with one of the words), text (that line), best first; total.

        Errors:
            bad_limit: limit is out of range.
        """
        files = self.world.workspace.files()
        hits = rank(query, files, lambda entry: ((entry[0].replace("/", " "), 3.0), (entry[1].text, 1.0)))
        words = [word.lower() for word in query.split()]
        matches = []
        for path, file in limited(hits, limit, 100):
            lines = file.text.splitlines()
            at = next((i for i, line in enumerate(lines) if any(word in line.lower() for word in words)), 0)
            matches.append({"path": path, "line": at + 1, "text": lines[at][:200] if lines else ""})
        return {"matches": matches, "total": len(hits)}

    @tool(write=True)
    def delete_file(self, path: str) -> dict[str, Any]:
        """Delete a file.

        Args:
            path: E.g. drafts/old.md.

        Returns:
            path, deleted (true).

        Errors:
            not_found: There is no such file.
            bad_path: Not a path inside the workspace.
        """
        path = self._path(path)
        self._file(path)
        self.world.workspace.delete(path)
        return {"path": path, "deleted": True}

    @tool(write=True)
    def move_file(self, path: str, new_path: str) -> dict[str, Any]:
        """Rename or move a file.

        Args:
            path: Where it is.
            new_path: Where it shall be; nothing may be there yet.

        Returns:
            path, chars, changed_at of the file at its new place.

        Errors:
            not_found: There is no such file.
            bad_path: Not a path inside the workspace.
            exists: A file is already at the new place.
            is_folder: Files lie below the new path.
            not_a_folder: A part of the new path is a file.
        """
        path, new_path = self._path(path), self._path(new_path)
        file = self._file(path)
        workspace = self.world.workspace
        if workspace.get(new_path) is not None:
            raise ToolError("exists", f"there is already a file {new_path}; delete it first")
        tried = workspace.fork()  # so that a refused move changes nothing
        tried.delete(path)
        try:
            moved = tried.write(new_path, file.text, self.now)
        except WorkspaceError as error:
            self._refuse(error)
        self.world.workspace = tried
        return self._entry(new_path, moved)

    def _path(self, path: str) -> str:
        try:
            return Workspace.normalise(path)
        except WorkspaceError as error:
            self._refuse(error)

    def _file(self, path: str) -> File:
        file = self.world.workspace.get(path)
        if file is None:
            raise ToolError("not_found", f"there is no file {path}; workspace.list_files shows what there is")
        return file

    def _write(self, path: str, text: str) -> dict[str, Any]:
        try:
            return self._entry(path, self.world.workspace.write(path, text, self.now))
        except WorkspaceError as error:
            self._refuse(error)

    def _entry(self, path: str, file: File) -> dict[str, Any]:
        return {"path": path, "chars": len(file.text), "changed_at": self.world.iso(file.written)}

    @staticmethod
    def _refuse(error: WorkspaceError) -> NoReturn:
        raise ToolError(error.code, str(error)) from None
