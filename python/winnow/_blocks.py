# SPDX-License-Identifier: Apache-2.0
"""A pipe that several readers have at once, block by block."""

from __future__ import annotations

import collections
import threading
from typing import Any

BLOCK = 1 << 20


class Blocks:
    """The blocks of a pipe. A block is kept until all readers have it; before
    release() all are kept, for readers that come."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        self._blocks: collections.deque[bytes] = collections.deque()
        self._first = 0
        self._next: dict[_View, int] = {}
        self._keeps = True

    def view(self) -> _View:
        """A reader of all."""
        view = _View(self)
        self._next[view] = 0
        return view

    def read(self, view: _View) -> bytes:
        block = self._next_of(view)
        while block is None:
            with self._reading:  # the others wait, unless what they want is there
                block = self._next_of(view)
                if block is None:
                    filled = self._filled()
                    with self._lock:
                        self._blocks.append(filled)
        return block

    def _next_of(self, view: _View) -> bytes | None:
        """The next block of a reader; None: it is not read yet."""
        with self._lock:
            number = self._next.get(view)
            if number is None:  # it was closed, and pyarrow reads ahead
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
        """The next block: a pipe gives it in parts."""
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
        """All readers are there."""
        with self._lock:
            self._keeps = False

    def rewind(self) -> None:
        """The readers go, and others may come."""
        with self._lock:
            self._next.clear()


class _View:
    """What pyarrow takes for a file."""

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        return self._blocks.read(self)

    def close(self) -> None:
        self.closed = True
        self._blocks.drop(self)
