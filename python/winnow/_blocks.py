# SPDX-License-Identifier: Apache-2.0
"""Let several readers read the same pipe, block by block."""

from __future__ import annotations

import collections
import threading
from typing import Any

BLOCK = 1 << 20


class Blocks:
    """The blocks of a pipe.

    A block is kept until all readers have read it. Until release() is called, all
    blocks are kept for readers that start later.
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        self._blocks: collections.deque[bytes] = collections.deque()
        self._first = 0
        self._next: dict[_View, int] = {}
        self._keeps = True

    def view(self) -> _View:
        """Return a new reader, which begins at the first block."""
        view = _View(self)
        self._next[view] = 0
        return view

    def read(self, view: _View) -> bytes:
        block = self._next_of(view)
        while block is None:
            with self._reading:  # one thread reads; the others wait and look again
                block = self._next_of(view)
                if block is None:
                    filled = self._filled()
                    with self._lock:
                        self._blocks.append(filled)
        return block

    def _next_of(self, view: _View) -> bytes | None:
        """Return the next block of a reader, or None if it was not read yet."""
        with self._lock:
            number = self._next.get(view)
            if number is None:  # the reader was closed while pyarrow reads ahead
                return b""
            if number == self._first + len(self._blocks):
                return None
            block = self._blocks[number - self._first]
            self._next[view] = number + 1
            while not self._keeps and self._blocks and min(self._next.values()) > self._first:
                self._blocks.popleft()
                self._first += 1
            return block

    def _filled(self) -> bytes:
        """Read the next block. A read from a pipe may return only a part of it."""
        parts = []
        left = BLOCK
        while left > 0 and (part := self._file.read(left)):
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def drop(self, view: _View) -> None:
        with self._lock:
            self._next.pop(view, None)

    def release(self) -> None:
        """Drop blocks that all readers have read: no more readers will start."""
        with self._lock:
            self._keeps = False

    def rewind(self) -> None:
        """Forget all readers. New readers may start."""
        with self._lock:
            self._next.clear()


class _View:
    """A reader of the blocks, with the methods of a file that pyarrow calls."""

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        return self._blocks.read(self)

    def close(self) -> None:
        self.closed = True
        self._blocks.drop(self)
