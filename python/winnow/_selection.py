# SPDX-License-Identifier: Apache-2.0
"""Selections: which items are kept, to be used any number of times."""

from __future__ import annotations

from operator import index
from typing import Any, Mapping

from . import _library, _prepare, _winnow
from ._expression import Column, Condition
from ._rows import Rows
from ._winnow import Prepared, Result

NO_LIMIT = 2**64 - 1

Predicate = str | Condition | Column | Prepared


def length(x: Any, name: str) -> int:
    return int(_winnow.describe(x, name)[0])


def split_n(n: Any, items: int) -> tuple[int, Any]:
    """How many items a call takes, and the number on the device that says how
    many of them count, or None."""
    if n is None:
        return items, None
    if isinstance(n, Result):
        n = n.count
    if not _winnow.is_array(n):
        number = index(n)
        if not 0 <= number <= items:
            raise ValueError(f"n is {number}, and there are {items} items")
        return number, None
    return items, n


def limit_of(capacity: Any) -> int:
    """The most items that are written; NO_LIMIT for None."""
    if capacity is None:
        return NO_LIMIT
    limit = index(capacity)
    if not 0 <= limit < 2**63:
        raise ValueError(f"capacity is {limit}")
    return limit


def front(x: Any, n: int) -> Any:
    """The first n items."""
    return x if length(x, "x") == n else x[:n]


def new_selection(like: Any, n: int) -> Any:
    """Room for a selection of n items, on the device of an array."""
    bytes_of_item = int(_winnow.describe(like, "x")[2])
    needed = int(_winnow.selection_bytes(n))
    if bytes_of_item == 0:
        raise ValueError("the items have no bytes")
    return _winnow.new(like, -(-needed // bytes_of_item), None)


def new_count(like: Any) -> Any:
    return _winnow.new(like, None, "int64")


def finished(x: Any, out: Any, count: Any, limit: int) -> Result:
    """The result of a call on x."""
    room = min(limit, length(out, "out"))
    return _winnow.result(_library.like(x, out), count, room)


def columns_of(table: Any) -> dict[str, Any]:
    """The columns of a table: of a mapping, or the fields of records."""
    if isinstance(table, Mapping):
        columns = dict(table)
    else:
        columns = {name: table[name] for name in table.dtype.names}
    if not columns:
        raise ValueError("there are no columns")
    for name in columns:
        if not isinstance(name, str):
            raise TypeError(f"a column is called {name!r}, which is no text")
    lengths = {name: length(x, name) for name, x in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns have different lengths: {lengths}")
    return columns


def arrivals_of(
    columns: Mapping[str, Any], arriving: Any
) -> tuple[tuple[Any, ...], int, Any]:
    """What arrives for each of the columns, how many items, and the number on the
    device that says how many of them count, or None."""
    n = None
    if isinstance(arriving, Rows):
        limit, n = arriving.capacity, arriving.count
        arriving = {
            name: front(x, min(length(x, name), limit))
            for name, x in arriving.buffers.items()
        }
    came = columns_of(arriving)
    if came.keys() != columns.keys():
        raise ValueError(
            f"the columns are {', '.join(columns)}, and {', '.join(came)} arrive"
        )
    items, word = split_n(n, length(next(iter(came.values())), "arriving"))
    return tuple(came[name] for name in columns), items, word


def is_records(x: Any) -> bool:
    return getattr(getattr(x, "dtype", None), "names", None) is not None


def tested(
    columns: Mapping[str, Any], condition: Predicate, items: int
) -> tuple[tuple[Any, ...], Prepared]:
    """The columns that a condition tests, and the condition for them."""
    if isinstance(condition, Prepared):
        raise TypeError("a prepared condition is for one array, not for a table")
    names = _prepare.named(condition, list(columns))
    kinds = [int(_winnow.describe(columns[name], name)[1]) for name in names]
    prepared = _prepare.many(condition, names, kinds)
    return tuple(front(columns[name], items) for name in names), prepared


class Selection:
    """Which of n items are kept, as winnow.select() makes it.

    Selections of as many items join with ``&``, ``|``, ``^`` and ``~``.
    """

    __slots__ = ("buffer", "n", "_like")

    buffer: Any
    n: int

    def __init__(self, buffer: Any, n: int, like: Any) -> None:
        self.buffer = buffer
        self.n = n
        self._like = like

    def __len__(self) -> int:
        """Of items, kept or not."""
        return self.n

    def __repr__(self) -> str:
        return f"<winnow.Selection of {self.n} items>"

    def _join(self, operation: int, other: Selection | None) -> Selection:
        if other is not None and other.n != self.n:
            raise ValueError(
                f"selections of {self.n} and of {other.n} items do not join"
            )
        made = new_selection(self._like, self.n)
        _winnow.combine(
            operation,
            self.buffer,
            None if other is None else other.buffer,
            self.n,
            made,
        )
        return Selection(made, self.n, self._like)

    def __and__(self, other: Selection) -> Selection:
        if not isinstance(other, Selection):
            return NotImplemented
        return self._join(0, other)

    def __or__(self, other: Selection) -> Selection:
        if not isinstance(other, Selection):
            return NotImplemented
        return self._join(1, other)

    def __sub__(self, other: Selection) -> Selection:
        """What is kept by this one, and not by the other."""
        if not isinstance(other, Selection):
            return NotImplemented
        return self._join(2, other)

    def __xor__(self, other: Selection) -> Selection:
        if not isinstance(other, Selection):
            return NotImplemented
        return self._join(3, other)

    def __invert__(self) -> Selection:
        return self._join(0, None)

    @property
    def count(self) -> Any:
        """How many items are kept: an array of int64 without dimensions, on the
        device of the items."""
        made = new_count(self._like)
        _winnow.selection_count(self.buffer, self.n, made)
        return _library.like(self._like, made)

    def compact(
        self, x: Any, *, out: Any = None, capacity: int | None = None
    ) -> Result:
        """Pack those items of x that are kept.

        x has n items, of any type and of one dimension or more: an item of an
        array of shape (n, 3) is a row.
        """
        _library.no_gradient("compact", x)
        limit = limit_of(capacity)
        if out is None:
            out = _winnow.new(x, self.n if capacity is None else limit, None)
        count = new_count(self._like)
        _winnow.compact(self.buffer, self.n, (x,), (out,), limit, count)
        return finished(x, out, count, limit)

    def expand(self, packed: Any, *, fill: Any = 0, out: Any = None) -> Any:
        """Bring packed items back to their places, the reverse of compact().

        Other places of the n get `fill`; with None they keep what `out` has.
        Items that are kept but not among the packed ones, as where a capacity
        cut them, are such places, too.
        """
        _library.no_gradient("expand", packed)
        packed = packed.buffer if isinstance(packed, Result) else packed
        if fill is None and out is None:
            raise ValueError("fill=None keeps what out= has, and there is none")
        if out is None:
            out = _winnow.new(packed, self.n, None)
        value = None if fill is None else _library.item_bytes(out, fill)
        if fill is not None and length(packed, "packed") < self.n:
            _library.fill(out, 0, self.n, fill)
        _winnow.expand(self.buffer, packed, self.n, value, out)
        return _library.like(packed, out)

    def fill_holes(self, x: Any, arriving: Any = None) -> Any:
        """Replace, in place, the items that are not kept: by those that arrive, and
        then by the last ones.

        No more items move than leave, or arrive; all others stay where they are,
        so that it moves far less than compact() where few leave. The order is not
        kept. winnow_fill_holes(3) says which item comes where.

        Parameters
        ----------
        x : array, or mapping of up to 64 arrays
            The n items, which change, and after them room for those that arrive.
            An item of an array of shape (n, 3) is a row.
        arriving : the same, Result or Rows, optional
            Items of x's types; of a mapping, columns of the same names. Those that
            there is no room for, the last ones, are not written.

        Returns
        -------
        Result of x, or Rows of a mapping: how many are left, and whether they are
        more than x has room for.
        """
        if isinstance(x, Mapping):
            columns = columns_of(x)
        else:
            columns = {"x": x}
            if isinstance(arriving, Result):
                arriving = Rows({"x": arriving.buffer}, arriving.count, arriving.capacity)
            elif arriving is not None:
                arriving = {"x": arriving}
        _library.no_gradient("fill_holes", *columns.values())
        outs = tuple(columns.values())
        ins, items, word = (
            ((None,) * len(outs), 0, None)
            if arriving is None
            else arrivals_of(columns, arriving)
        )
        _library.no_gradient("fill_holes", *ins)
        count = new_count(outs[0])
        _winnow.fill_holes(self.buffer, self.n, ins, items, word, outs, count)
        room = length(outs[0], "x")
        if isinstance(x, Mapping):
            return Rows(columns, _library.like(outs[0], count), room)
        return finished(x, x, count, room)

    def indices(
        self, *, out: Any = None, capacity: int | None = None
    ) -> Result:
        """The indices of the items that are kept, of int64, in ascending
        order."""
        limit = limit_of(capacity)
        if out is None:
            room = self.n if capacity is None else limit
            out = _winnow.new(self._like, room, "int64")
        count = new_count(self._like)
        _winnow.compact_index(self.buffer, self.n, out, limit, count)
        return finished(self._like, out, count, limit)

    def mask(self, *, out: Any = None) -> Any:
        """An array of bool: True for an item that is kept."""
        if out is None:
            out = _winnow.new(self._like, self.n, "bool")
        _winnow.to_mask(self.buffer, self.n, out)
        return _library.like(self._like, out)


def select(
    x: Any = None,
    predicate: Predicate | None = None,
    *,
    mask: Any = None,
    n: Any = None,
) -> Selection:
    """Which items pass, to be used any number of times.

    Parameters
    ----------
    x : array, mapping of arrays, or records of NumPy
        What the condition tests.
    predicate : str, Condition or Prepared
        select(x, "x > 0"), select({"price": p, "id": i}, "price < 24 && id > 3")
    mask : array of bool, in place of both
        select(mask=m)
    n : int, Result or array of one int64, optional
        How many of the items count. A number on the device is not waited for.

    Returns
    -------
    Selection
    """
    if (mask is None) == (x is None) or (predicate is None) != (x is None):
        raise TypeError("select() takes an array and a condition, or mask=")
    if mask is not None:
        items, word = split_n(n, length(mask, "mask"))
        made = new_selection(mask, items)
        _winnow.select_flagged(front(mask, items), items, word, made)
        return Selection(made, items, mask)
    assert predicate is not None
    if isinstance(x, Mapping) or is_records(x):
        columns = columns_of(x)
        first = next(iter(columns.values()))
        items, word = split_n(n, length(first, "a column"))
        tests, prepared = tested(columns, predicate, items)
    else:
        first = x
        items, word = split_n(n, length(x, "x"))
        kind = int(_winnow.describe(x, "x")[1])
        tests = (front(x, items),)
        prepared = (
            predicate
            if isinstance(predicate, Prepared)
            else _prepare.one(predicate, kind)
        )
    made = new_selection(first, items)
    _winnow.select_where(tests, prepared, items, word, made)
    return Selection(made, items, first)
