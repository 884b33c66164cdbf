# SPDX-License-Identifier: Apache-2.0
"""Filters of several columns at once."""

from __future__ import annotations

from typing import Any, Mapping

from . import _library, _winnow
from ._arrow import filter_arrow, is_arrow
from ._library import BYTES, FLAT, NO_GRADIENT
from ._result import Result, Rows
from ._selection import (
    Predicate,
    columns_of,
    finished,
    is_records,
    limit_of,
    new_selection,
    opened,
    room_of,
    split_n,
    tested,
)
from ._winnow import view

MOST_MOVES = 64


def filter(
    table: Any,
    predicate: Predicate,
    *,
    capacity: int | None = None,
    n: Any = None,
) -> Any:
    """Keep the rows of a table that pass.

    Parameters
    ----------
    table : mapping of arrays, records of NumPy, an array, or a table of Arrow's
        Columns have as many items; those that the condition does not test may
        have any type, and more dimensions than one. A table of Arrow's is whatever
        has ``__arrow_c_stream__``, ``__arrow_c_array__`` or
        ``__arrow_c_device_array__``: pyarrow's, polars', pandas', nanoarrow's,
        relations of DuckDB's, pylibcudf's on a GPU.
    predicate : str or Condition
        "price < 24 && id in (4, 8)", by the names of the columns. As in SQL, a row
        whose outcome is unknown because of a null is not kept.
    capacity : int, optional
        The most rows that are written; by default all. Not for tables of Arrow's.
    n : int, Result or array of one int64, optional
        How many of the rows count. A number on the device is not waited for. Not
        for tables of Arrow's: slice them.

    Returns
    -------
    Rows of a mapping, Result of records and arrays; a table of the same kind for
    pyarrow, polars and pandas; of a pyarrow.RecordBatchReader one that filters a
    batch when it is read. Else Batches, or a Batch of what is no stream, to be taken
    by Arrow's interface. The order is kept.
    """
    if is_arrow(table):
        if capacity is not None or n is not None:
            raise TypeError("capacity= and n= are not for tables of Arrow's: slice")
        return filter_arrow(table, predicate)
    if isinstance(table, Mapping):
        for name, x in table.items():
            if is_arrow(x):
                raise TypeError(
                    f"column {name!r} is a column of {type(x).__module__.split('.')[0]}: "
                    "a mapping has arrays, of NumPy, CuPy, PyTorch, JAX or Numba; "
                    "filter() takes whole tables of pyarrow, polars and pandas"
                )
    table, n = opened(table, n)
    if not isinstance(table, Mapping) and not is_records(table):
        return _winnow.copy_if(table, predicate, capacity=capacity, n=n)
    columns = columns_of(table, NO_GRADIENT)
    first = next(iter(columns.values()))
    items, word = split_n(n, first.n)
    tests, prepared = tested(columns, predicate, items)
    packed = list(columns.values())
    if not isinstance(table, Mapping):
        packed = [view(table, "records", BYTES)]
    packed = [x.front(items) for x in packed]
    limit = limit_of(capacity)
    outs = [x.new(items if capacity is None else limit, None) for x in packed]
    count = first.new(None, "int64")
    if len(packed) <= MOST_MOVES:
        _winnow.copy_where(
            tests, prepared, items, word, tuple(packed), tuple(outs), limit, count
        )
    else:
        selection = new_selection(first, items)
        _winnow.select_where(tests, prepared, items, word, selection)
        for i in range(0, len(packed), MOST_MOVES):
            _winnow.compact(
                selection,
                items,
                tuple(packed[i : i + MOST_MOVES]),
                tuple(outs[i : i + MOST_MOVES]),
                limit,
                count,
            )
    room = min(limit, items)
    if isinstance(table, Mapping):
        buffers = {
            name: _library.like(x, out) for (name, x), out in zip(table.items(), outs)
        }
        return _winnow.result(Rows, buffers, count, room)
    return finished(table, outs[0], count, room)


def copy_flagged(
    x: Any,
    mask: Any,
    *,
    out: Any = None,
    capacity: int | None = None,
    n: Any = None,
) -> Result:
    """Pack the items of x that a mask flags, as x[mask] of NumPy and PyTorch.

    Parameters
    ----------
    x : array
        Of any type; an item of an array of two dimensions is a row.
    mask : array of bool or of 8-bit integers
        One for each item, on x's device.
    out : array, optional
        Where to write, of x's type.
    capacity, n
        As for copy_if().

    Returns
    -------
    Result
    """
    x, n = opened(x, n)
    seen = view(x, "x", NO_GRADIENT | BYTES)
    flags = view(mask, "mask", FLAT, seen)
    if flags.n != seen.n:
        raise ValueError(f"mask has {flags.n} items, and x has {seen.n}")
    items, word = split_n(n, seen.n)
    limit = limit_of(capacity)
    made, room = room_of(seen, out, items if capacity is None else limit)
    count = seen.new(None, "int64")
    _winnow.copy_flagged(
        flags.front(items), items, word, (seen.front(items),), (made,), limit, count
    )
    return finished(x, made, count, min(limit, room))


EQUALITIES = {"bits": 0, "values": 1, "nan": 2}


def unique(
    keys: Any,
    *columns: Any,
    keep: str = "first",
    equal: str = "bits",
    capacity: int | None = None,
    n: Any = None,
) -> Any:
    """Keep one item of each run of equal keys: of sorted keys, each key once.

    Parameters
    ----------
    keys : array
        Of items of 1 to 16 bytes.
    *columns : arrays
        What to pack beside the keys.
    keep : 'first' or 'last'
    equal : 'bits', 'values' or 'nan'
        Keys are equal if their bits are; if their values are, so that -0 equals
        +0, and NaN equals nothing; or the same, and NaN equals NaN.
    capacity, n
        As for copy_if().

    Returns
    -------
    Result of the keys; with columns a tuple of it and one for each column.
    """
    if keep not in ("first", "last"):
        raise ValueError(f"keep is 'first' or 'last', not {keep!r}")
    if equal not in EQUALITIES:
        raise ValueError(f"equal is one of {', '.join(EQUALITIES)}, not {equal!r}")
    keys, n = opened(keys, n)
    # One look at the keys, so that the library sees that they are packed, too.
    first = view(keys, "keys", NO_GRADIENT)
    seen = [first]
    for i, x in enumerate(columns):
        seen.append(view(x, f"columns[{i}]", NO_GRADIENT | BYTES, first))
    items, word = split_n(n, first.n)
    for i, x in enumerate(seen[1:]):
        if x.n != first.n:
            raise ValueError(f"columns[{i}] has {x.n} items, and keys has {first.n}")
    limit = limit_of(capacity)
    ins = [x.front(items) for x in seen]
    outs = [x.new(items if capacity is None else limit, None) for x in ins]
    count = first.new(None, "int64")
    _winnow.unique(
        ins[0],
        keep == "last",
        EQUALITIES[equal],
        items,
        word,
        tuple(ins),
        tuple(outs),
        limit,
        count,
    )
    room = min(limit, items)
    results = tuple(
        finished(x, out, count, room) for x, out in zip((keys, *columns), outs)
    )
    return results if columns else results[0]
