# SPDX-License-Identifier: Apache-2.0
"""Count, sum, mean, least and greatest of what passes, in one look."""

from __future__ import annotations

import struct
from typing import Any, Iterable

from . import _library, _winnow
from ._selection import Predicate, front, length, split_n
from ._winnow import Result

_WANTED = {
    "count": 1,
    "sum": 2,
    "mean": 2,
    "min": 4,
    "max": 8,
    "argmin": 4 | 16,
    "argmax": 8 | 16,
}
_NO_INDEX = 2**64 - 1


class Reduction:
    """The result of reduce_if(). On a GPU its numbers are waited for when the
    first of them is asked for."""

    __slots__ = ("buffer", "_format", "_wanted", "_indices", "_numbers")

    buffer: Any

    def __init__(
        self, buffer: Any, number: str, wanted: int, indices: Result | None
    ) -> None:
        self.buffer = buffer
        self._format = f"<Q{number}d{number}{number}QQQ"
        self._wanted = wanted
        self._indices = indices
        self._numbers: tuple[Any, ...] | None = None

    def _number(self, place: int, bits: int, name: str) -> Any:
        if self._wanted & bits != bits:
            raise AttributeError(f"{name} was not asked for: wanted={name!r}")
        if self._numbers is None:
            memory = _library.host_bytes(self.buffer)
            self._numbers = struct.unpack(self._format, memory)
        return self._numbers[place]

    def _index(self, place: int, bits: int, name: str) -> int | None:
        index = self._number(place, bits, name)
        if index == _NO_INDEX:
            return None
        if self._indices is not None:
            return int(self._indices.buffer[index])
        return int(index)

    @property
    def count(self) -> int:
        """How many elements pass."""
        return int(self._number(0, 0, "count"))

    @property
    def sum(self) -> Any:
        """Their sum; of integers modulo 2**64."""
        return self._number(1, 2, "sum")

    @property
    def mean(self) -> float:
        """Their mean; NaN of no element."""
        return float(self._number(2, 2, "mean"))

    @property
    def min(self) -> Any:
        """The least; no NaN. Of no element the greatest number of the type."""
        return self._number(3, 4, "min")

    @property
    def max(self) -> Any:
        """The greatest; no NaN. Of no element the least number of the type."""
        return self._number(4, 8, "max")

    @property
    def argmin(self) -> int | None:
        """The index of the first that is the least; None of no element."""
        return self._index(5, 4 | 16, "argmin")

    @property
    def argmax(self) -> int | None:
        """The index of the first that is the greatest; None of no element."""
        return self._index(6, 8 | 16, "argmax")

    @property
    def overflow(self) -> bool:
        """Does the sum of integers not fit in 64 bits?"""
        return bool(self._number(7, 2, "overflow"))


def reduce_if(
    x: Any,
    predicate: Predicate | None = None,
    *,
    wanted: Iterable[str] = ("count", "sum", "mean", "min", "max"),
    n: Any = None,
) -> Reduction:
    """Count, sum, mean, least and greatest of the elements that pass.

    Integer sums are exact; those of floats are added in one order, whatever the
    device, and have the same bits at every run.

    Parameters
    ----------
    x : array of one dimension
    predicate : str, Condition or Prepared, optional
        Which elements count; all without it.
    wanted : names
        Of 'count', 'sum', 'mean', 'min', 'max', 'argmin' and 'argmax'.
    n : int, Result or array of one int64, optional
        How many of the elements count. A number on the device is not waited for.

    Returns
    -------
    Reduction
    """
    bits = 1
    for name in (wanted,) if isinstance(wanted, str) else wanted:
        if name not in _WANTED:
            raise ValueError(f"{name!r} is none of {', '.join(_WANTED)}")
        bits |= _WANTED[name]
    _library.no_gradient("reduce_if", x)
    items, word = split_n(n, length(x, "x"))
    x = front(x, items)
    kind = int(_winnow.describe(x, "x")[1])
    number = "d" if kind >= 9 else "Q" if kind >= 5 else "q"
    buffer = _winnow.new(x, 8, "int64")
    indices = None
    if predicate is not None and not _winnow.is_test(predicate, x):
        # Several tests: what passes is packed, and then looked at whole.
        if bits & 16:
            indices = _winnow.index_if(x, predicate, n=word)
        packed = _winnow.copy_if(x, predicate, n=word)
        x, predicate = packed.buffer, None
        items, word = split_n(packed, items)
        x = front(x, items)
    _winnow.reduce_if(x, predicate, bits, word, buffer)
    return Reduction(buffer, number, bits, indices)
