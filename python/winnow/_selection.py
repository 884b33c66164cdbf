# SPDX-License-Identifier: Apache-2.0
"""Selections: which items are kept, to be used any number of times."""

from __future__ import annotations

from operator import index
from typing import Any, Mapping

from . import _library, _prepare, _winnow
from ._expression import Column, Condition
from ._library import BYTES, FLAT, NO_GRADIENT, NUMBERS, STRIDES, WRITE
from ._result import Counted, Result, Rows
from ._winnow import Prepared, View, view

NO_LIMIT = 2**64 - 1

Predicate = str | Condition | Column | Prepared


def split_n(n: Any, items: int) -> tuple[int, Any]:
    """How many items a call takes, and the number on the device that says how
    many of them count, or None."""
    if n is None:
        return items, None
    if isinstance(n, Counted):
        limit, n = n.capacity, n._count
        items = min(items, limit)
        if type(n) is int:
            return min(n, items), None
    if not _winnow.is_array(n):
        number = index(n)
        if not 0 <= number <= items:
            raise ValueError(f"n is {number}, and there are {items} items")
        return number, None
    return items, n


def opened(x: Any, n: Any) -> tuple[Any, Any]:
    """x and n=, where x may be what another call kept."""
    if isinstance(x, Counted):
        n = x if n is None else n
        x = x.buffer if isinstance(x, Result) else x.buffers
    return x, n


def limit_of(capacity: Any) -> int:
    """The most items that are written; NO_LIMIT for None."""
    if capacity is None:
        return NO_LIMIT
    limit = index(capacity)
    if not 0 <= limit < 2**63:
        raise ValueError(f"capacity is {limit}")
    return limit


def new_selection(like: View, n: int) -> Any:
    """Room for a selection of n items, on the device of an array."""
    needed = int(_winnow.selection_bytes(n))
    if like.item_bytes == 0:
        raise ValueError("the items have no bytes")
    return like.new(-(-needed // like.item_bytes), None)


def room_of(x: View, out: Any, room: int, kind: str | None = None) -> tuple[Any, int]:
    """The output of a call, and how many items it has: out=, or a new one of x's
    library."""
    if out is None:
        return x.new(room, kind), room
    seen = view(out, "out", WRITE, x)
    return seen, seen.n


def finished(x: Any, out: Any, count: Any, room: int) -> Result:
    """The result of a call on x."""
    if type(out) is View:
        out = out.object
    else:
        out = _library.like(x, out)
    made: Result = _winnow.result(Result, out, count, room)
    return made


def columns_of(
    table: Any, use: int = 0, called: str | None = None, more: str = ""
) -> dict[str, View]:
    """The columns of a table: of a mapping, or the fields of records."""
    if isinstance(table, Mapping):
        columns = dict(table)
    else:
        columns = {name: table[name] for name in table.dtype.names}
    if not columns:
        raise ValueError("there are no columns")
    first = None
    for name, x in columns.items():
        if not isinstance(name, str):
            raise TypeError(f"a column is called {name!r}, which is no text")
        columns[name] = view(
            x, called or f"column {name!r}{more}", use | STRIDES, first
        )
        first = first or columns[name]
    lengths = {name: x.n for name, x in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns have different lengths: {lengths}")
    return columns


def arrivals_of(
    columns: Mapping[str, Any], arriving: Any, called: str | None
) -> tuple[tuple[Any, ...], int, Any]:
    """What arrives for each of the columns, how many items, and the number on the
    device that says how many of them count, or None."""
    arriving, n = opened(arriving, None)
    came = columns_of(arriving, NO_GRADIENT, called, " that arrives")
    if came.keys() != columns.keys():
        raise ValueError(
            f"the columns are {', '.join(columns)}, and {', '.join(came)} arrive"
        )
    items, word = split_n(n, next(iter(came.values())).n)
    return tuple(came[name].front(items) for name in columns), items, word


def is_records(x: Any) -> bool:
    return getattr(getattr(x, "dtype", None), "names", None) is not None


def tested(
    columns: Mapping[str, View], condition: Predicate, items: int
) -> tuple[tuple[Any, ...], Prepared]:
    """The columns that a condition tests, and the condition for them."""
    if isinstance(condition, Prepared):
        raise TypeError("a prepared condition is for one array, not for a table")
    names = _prepare.named(condition, list(columns))
    kinds = [columns[name].kind for name in names]
    prepared = _prepare.many(condition, names, kinds, columns)
    return tuple(columns[name].front(items) for name in names), prepared


class Selection:
    """Which of n items are kept, as winnow.select() makes it.

    Selections of as many items join with ``&``, ``|``, ``^`` and ``~``.
    """

    __slots__ = ("buffer", "n", "_like")

    buffer: Any
    n: int

    def __init__(self, buffer: Any, n: int, like: View) -> None:
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
        made = self._like.new(None, "int64")
        _winnow.selection_count(self.buffer, self.n, made)
        return _library.like(self._like.object, made)

    def compact(
        self, x: Any, *, out: Any = None, capacity: int | None = None
    ) -> Result:
        """Pack those items of x that are kept.

        x has n items, of any type and of one dimension or more: an item of an
        array of shape (n, 3) is a row.
        """
        limit = limit_of(capacity)
        seen = view(x, "x", NO_GRADIENT | BYTES)
        made, room = room_of(seen, out, self.n if capacity is None else limit)
        count = self._like.new(None, "int64")
        _winnow.compact(self.buffer, self.n, (seen,), (made,), limit, count)
        return finished(x, made, count, min(limit, room))

    def expand(self, packed: Any, *, fill: Any = 0, out: Any = None) -> Any:
        """Bring packed items back to their places, the reverse of compact().

        Other places of the n get `fill`; with None they keep what `out` has.
        Items that are kept but not among the packed ones, as where a capacity
        cut them, are such places, too.
        """
        packed = packed.buffer if isinstance(packed, Result) else packed
        if fill is None and out is None:
            raise ValueError("fill=None keeps what out= has, and there is none")
        seen = view(packed, "packed", NO_GRADIENT | BYTES)
        made, _ = room_of(seen, out, self.n)
        value = None if fill is None else _library.item_bytes(packed, seen, fill)
        # Its own places alone are filled by a call.
        none = None
        if fill is not None and seen.n < self.n:
            none = new_selection(self._like, self.n)
        _winnow.expand(self.buffer, seen, self.n, value, made, none)
        return _library.like(packed, made) if out is None else out

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
        table = x if isinstance(x, Mapping) else {"x": x}
        if arriving is not None and not isinstance(x, Mapping):
            came, n = opened(arriving, None)
            arriving = {"x": came}
            if n is not None:
                arriving = Rows(arriving, n._count, n.capacity)
        is_one = not isinstance(x, Mapping)
        columns = columns_of(table, WRITE, "x" if is_one else None)
        outs = tuple(columns.values())
        ins, items, word = (
            ((None,) * len(outs), 0, None)
            if arriving is None
            else arrivals_of(
                columns, arriving, "arriving" if is_one else None
            )
        )
        count = outs[0].new(None, "int64")
        _winnow.fill_holes(self.buffer, self.n, ins, items, word, outs, count)
        made: Rows | Result
        if isinstance(x, Mapping):
            made = _winnow.result(Rows, dict(x), count, outs[0].n)
        else:
            made = _winnow.result(Result, x, count, outs[0].n)
        return made

    def indices(
        self, *, out: Any = None, capacity: int | None = None
    ) -> Result:
        """The indices of the items that are kept, of int64, in ascending
        order."""
        limit = limit_of(capacity)
        made, room = room_of(
            self._like, out, self.n if capacity is None else limit, "int64"
        )
        count = self._like.new(None, "int64")
        _winnow.compact_index(self.buffer, self.n, made, limit, count)
        return finished(self._like.object, made, count, min(limit, room))

    def mask(self, *, out: Any = None) -> Any:
        """An array of bool: True for an item that is kept."""
        made, _ = room_of(self._like, out, self.n, "bool")
        _winnow.to_mask(self.buffer, self.n, made)
        return _library.like(self._like.object, made) if out is None else out


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
        seen = view(mask, "mask", FLAT)
        items, word = split_n(n, seen.n)
        made = new_selection(seen, items)
        _winnow.select_flagged(seen.front(items), items, word, made)
        return Selection(made, items, seen)
    assert predicate is not None
    x, n = opened(x, n)
    if isinstance(x, Mapping) or is_records(x):
        columns = columns_of(x)
        seen = next(iter(columns.values()))
        items, word = split_n(n, seen.n)
        tests, prepared = tested(columns, predicate, items)
    else:
        seen = view(x, "x", FLAT | NUMBERS | STRIDES)
        items, word = split_n(n, seen.n)
        tests = (seen.front(items),)
        prepared = (
            predicate
            if isinstance(predicate, Prepared)
            else _prepare.one(predicate, seen.kind)
        )
    made = new_selection(seen, items)
    _winnow.select_where(tests, prepared, items, word, made)
    return Selection(made, items, seen)
