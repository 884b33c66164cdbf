# SPDX-License-Identifier: Apache-2.0
"""The results of filters: Result of an array, Rows of a table."""

from __future__ import annotations

from typing import Any, Iterator

from . import _library, _winnow


# A text in place of a stream: the result has a dimension for the samples of a batch.
_BATCH = "batch"


def _has_dimensions(count: Any) -> bool:
    """Return whether an array has dimensions. A proxy of torch.fx does not know."""
    dimensions = getattr(count, "ndim", 0)
    return type(dimensions) is int and dimensions != 0


class Counted:
    """The base class of results: room for `capacity` items, and the count of items."""

    __slots__ = ("capacity", "_count", "_stream")

    capacity: int
    # An array, or an int if the number is known.
    _count: Any
    # The stream on which a GPU writes the count.
    _stream: Any

    def _any(self) -> Any:
        """Return one of the result's arrays."""
        raise NotImplementedError

    @property
    def count(self) -> Any:
        """The number of items that pass, as an array of int64 without dimensions, on
        the input's device. If the capacity cut the output, this is still the true
        number. On a GPU this does not wait."""
        count = self._count
        if type(count) is int:
            return _winnow.number(self._any(), count)
        return count

    def _known(self) -> int:
        count = self._count
        if type(count) is int:
            return count
        self._check_one()
        return _library.integer(count, self._stream)

    def _check_one(self) -> None:
        if type(self._stream) is str:
            raise TypeError(
                "a result is a batch of vmap(), whose counts have the shape "
                f"{tuple(self._count.shape)}: pass the parts of one sample"
            )

    def __len__(self) -> int:
        """The number of survivors in the buffer. Waits for a GPU."""
        return min(self._known(), self.capacity)

    @property
    def overflow(self) -> bool:
        """True if more items passed than the capacity. Waits for a GPU."""
        return self._known() > self.capacity


class Result(Counted):
    """The result of a filter: a buffer, and the number of survivors in it.

    Eager code and code that PyTorch or JAX compiles get the same class. In compiled
    code it is a pytree of `parts`, and a method that would wait for the device raises
    the compiler's error.
    """

    __slots__ = ("buffer",)

    buffer: Any
    """The array that was written to: `capacity` items, of which the first `count`
    are survivors. The rest is undefined, but for fill=."""

    def __init__(
        self, buffer: Any, count: Any, capacity: int, stream: Any = None
    ) -> None:
        self.buffer = buffer
        self._count = count
        self.capacity = capacity
        self._stream = stream

    def _any(self) -> Any:
        return self.buffer

    @classmethod
    def _of_parts(cls, buffer: Any, count: Any, capacity: int) -> Result:
        """Make a result of the leaves of a pytree, of which vmap() makes a batch."""
        return cls(buffer, count, capacity, _BATCH if _has_dimensions(count) else None)

    def _leaves(self) -> tuple[Any, Any]:
        """Return the parts. The count has dimensions only in a batch; that of a caller
        may have one."""
        buffer, count = self.parts
        is_plain = type(self._stream) is str or not _has_dimensions(count)
        return buffer, count if is_plain else count.reshape(())

    @property
    def parts(self) -> tuple[Any, Any]:
        """(buffer, count)"""
        return self.buffer, self.count

    def array(self) -> Any:
        """The survivors: the front of `buffer`, without a copy.

        On a GPU this waits for the count. len(), iteration, indexing and
        numpy.asarray() wait, too; nothing else does.
        """
        return self.buffer[: len(self)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """The survivors as a NumPy array."""
        return _library.to_numpy(self.array(), dtype, copy)

    def __getitem__(self, key: Any) -> Any:
        return self.array()[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.array())

    def __repr__(self) -> str:
        if type(self._count) is int:
            return f"<winnow.Result: {len(self)} elements, room for {self.capacity}>"
        return (
            f"<winnow.Result: at most {self.capacity} elements, the count is on the "
            "device>"
        )


class Rows(Counted):
    """The rows of a table that pass. All columns are packed in the same order."""

    __slots__ = ("buffers",)

    buffers: dict[str, Any]

    def __init__(
        self, buffers: dict[str, Any], count: Any, capacity: int, stream: Any = None
    ) -> None:
        self.buffers = buffers
        self._count = count
        self.capacity = capacity
        self._stream = stream

    def _any(self) -> Any:
        return next(iter(self.buffers.values()))

    def __getitem__(self, name: str) -> Any:
        """The column of that name, without a copy. Waits for a GPU."""
        return self.buffers[name][: len(self)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.buffers)

    def keys(self) -> Any:
        return self.buffers.keys()

    def arrays(self) -> dict[str, Any]:
        """All columns by name, the same as dict(rows)."""
        rows = len(self)
        return {name: x[:rows] for name, x in self.buffers.items()}

    def __repr__(self) -> str:
        return f"<winnow.Rows: {', '.join(self.buffers)}>"


_winnow.set_result(Result, Counted, Rows)
