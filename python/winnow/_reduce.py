# SPDX-License-Identifier: Apache-2.0
"""Count, sum, mean, least and greatest of what passes, in one look."""

from __future__ import annotations

import struct
from typing import Any, Iterable, Mapping

from . import _library, _prepare, _winnow
from ._expression import Column, Expression
from ._result import Result
from ._selection import Predicate
from ._winnow import Prepared

_WANTED = {
    "count": 1,
    "sum": 2,
    "mean": 2,
    "min": 4,
    "max": 8,
    "argmin": 4 | 16,
    "argmax": 8 | 16,
}
_ALL = ("count", "sum", "mean", "min", "max")
_NO_INDEX = 2**64 - 1


class Reduction:
    """The result of reduce_if(), or one of aggregate()'s. On a GPU its numbers are
    waited for when the first of them is asked for."""

    __slots__ = (
        "buffer",
        "_letter",
        "_wanted",
        "_indices",
        "_numbers",
        "_stream",
    )

    buffer: Any

    def __init__(
        self,
        buffer: Any,
        letter: str,
        wanted: int,
        numbers: tuple[Any, ...] | None,
        stream: Any,
    ) -> None:
        self.buffer = buffer
        self._letter = letter
        self._wanted = wanted
        self._numbers = numbers
        self._stream = stream
        # Of what was packed.
        self._indices: Result | None = None

    def _number(self, place: int, bits: int, name: str) -> Any:
        if self._wanted & bits != bits:
            raise AttributeError(f"{name} was not asked for: wanted={name!r}")
        if self._numbers is None:
            memory = _library.host_bytes(self.buffer, self._stream)
            form = f"<Q{self._letter}d{self._letter}{self._letter}QQQ"
            self._numbers = struct.unpack(form, memory)
        return self._numbers[place]

    def _index(self, place: int, bits: int, name: str) -> int | None:
        index = self._number(place, bits, name)
        if index == _NO_INDEX:
            return None
        if self._indices is not None:
            return _library.integer(self._indices.buffer[index])
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


def _bits(wanted: str | Iterable[str]) -> int:
    if wanted is _ALL:
        return 15
    return _bits_of((wanted,) if isinstance(wanted, str) else wanted)


def _bits_of(wanted: Iterable[str]) -> int:
    bits = 1
    for name in wanted:
        if name not in _WANTED:
            raise ValueError(f"{name!r} is none of {', '.join(_WANTED)}")
        bits |= _WANTED[name]
    return bits


def reduce_if(
    x: Any,
    predicate: Predicate | None = None,
    *,
    wanted: Iterable[str] = _ALL,
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
    bits = _bits(wanted)
    made = _winnow.reduce_if(x, predicate, bits, n)
    if made is not None:
        return Reduction(*made)
    # Several tests, or nulls: what passes is packed, and then looked at whole.
    test = "x is not null" if predicate is None else predicate
    indices = _winnow.index_if(x, test, n=n) if bits & 16 else None
    packed = _winnow.copy_if(x, test, n=n)
    result = Reduction(*_winnow.reduce_if(packed, True, bits, None))
    result._indices = indices
    return result


Aggregate = str | tuple[Any, ...]


def _taken(name: str, aggregate: Aggregate) -> tuple[str | None, int]:
    """An aggregate's text, None for the rows themselves, and what is wanted."""
    if aggregate == "count":
        return None, 1
    if not isinstance(aggregate, tuple) or len(aggregate) < 2:
        raise TypeError(
            f"{name!r} is 'count', or an expression and what is wanted of it, "
            f"as (col('x') * 2, 'sum'), not {aggregate!r}"
        )
    of = aggregate[0]
    if not isinstance(of, (str, Column, Expression)):
        raise TypeError(f"{name!r} is of {of!r}, which is no expression")
    return of if isinstance(of, str) else of._text, _bits_of(aggregate[1:])


def aggregate(
    table: Any,
    predicate: Predicate | None,
    aggregates: Mapping[str, Aggregate],
    *,
    n: Any = None,
) -> dict[str, Reduction]:
    """Counts, sums, means, least and greatest of expressions over the rows that
    pass, in one call: select sum(price * discount) ... where ... of SQL.

    >>> winnow.aggregate(sales, "quantity < 24", {
    ...     "revenue": (col("price") * col("discount"), "sum"),
    ...     "rows": "count",
    ... })["revenue"].sum

    Parameters
    ----------
    table : mapping of arrays of one dimension, or records of NumPy
    predicate : str, Condition, or None for all rows
    aggregates : mapping of names
        To 'count', of rows; or to a tuple of an expression, as text or of
        winnow.col(), and of what is wanted: 'count', 'sum', 'mean', 'min', 'max',
        'argmin', 'argmax'. A row of which the expression is null is skipped.
    n : int, Result or array of one int64, optional
        How many of the rows count. A number on the device is not waited for.

    Returns
    -------
    dict of a Reduction for each name
    """
    if isinstance(predicate, Prepared):
        raise TypeError("a prepared condition is for one array, not for a table")
    if not aggregates:
        raise ValueError("there are no aggregates")
    taken = tuple([_taken(name, made) for name, made in aggregates.items()])
    made = _winnow.aggregate(table, predicate, taken, n)
    if len(made) == 1:
        return dict(zip(aggregates, [Reduction(*made[0])]))
    return {
        name: Reduction(one[0][8 * i : 8 * i + 8], *one[1:])
        for i, (name, one) in enumerate(zip(aggregates, made))
    }


def _condition(predicate: Any, read: Any, of: Any) -> Prepared:
    kept = None if isinstance(predicate, str) else predicate._kept
    key = ("aggregate", read, of)
    prepared: Prepared | None = None if kept is None else kept.get(key)
    if prepared is not None:
        return prepared
    prepared = _prepare._made(predicate, read, of)
    if kept is not None:
        kept[key] = prepared
    return prepared


def _query(
    predicate: Predicate | None,
    taken: tuple[tuple[str | None, int], ...],
    names: tuple[str, ...],
    kinds: tuple[int, ...],
) -> Any:
    """What aggregate() asks of a table of these columns."""
    askable = tuple(map(_prepare.askable, names))
    used: set[str] = set()
    with _prepare.explained(names, kinds):
        for text in {text for text, _ in taken if text is not None}:
            used.update(
                names[i] for i in _winnow.expression_columns(text, askable, kinds)
            )
    if predicate is not None:
        used |= _prepare.read_of(predicate, names, kinds)
    places = tuple(i for i, name in enumerate(names) if name in used)
    try:
        return _asked(predicate, taken, names, kinds, places)
    except _winnow.ConditionError:
        # A text names columns of which nothing depends.
        return _asked(predicate, taken, names, kinds, tuple(range(len(names))))


def _asked(predicate: Any, taken: Any, names: Any, kinds: Any, places: Any) -> Any:
    """The same by those columns alone that are at some places."""
    read = tuple(names[i] for i in places)
    of = tuple(kinds[i] for i in places)
    prepared = None
    if predicate is not None:
        prepared = _condition(predicate, read, of)
    with _prepare.explained(read, of):
        return _winnow.query(prepared, read, of, places, taken)


_winnow.set_prepare("query", _query)
