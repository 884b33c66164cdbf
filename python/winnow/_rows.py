# SPDX-License-Identifier: Apache-2.0
"""The rows of a table that a call left."""

from __future__ import annotations

from typing import Any, Iterator


class Rows:
    """The rows of a table that were kept: its columns, packed alike."""

    __slots__ = ("buffers", "count", "capacity")

    buffers: dict[str, Any]
    count: Any
    capacity: int

    def __init__(self, buffers: dict[str, Any], count: Any, capacity: int) -> None:
        self.buffers = buffers
        self.count = count
        self.capacity = capacity

    def __len__(self) -> int:
        """How many rows there are. Waits for a GPU."""
        return min(int(self.count), self.capacity)

    @property
    def overflow(self) -> bool:
        """Did more rows pass than there was room for? Waits for a GPU."""
        return int(self.count) > self.capacity

    def __getitem__(self, name: str) -> Any:
        """The column of that name, without a copy. Waits for a GPU."""
        return self.buffers[name][: len(self)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.buffers)

    def keys(self) -> Any:
        return self.buffers.keys()

    def arrays(self) -> dict[str, Any]:
        """All columns by name, as dict(rows) has them."""
        rows = len(self)
        return {name: x[:rows] for name, x in self.buffers.items()}

    def __repr__(self) -> str:
        return f"<winnow.Rows: {', '.join(self.buffers)}>"
