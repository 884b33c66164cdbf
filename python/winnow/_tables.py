# SPDX-License-Identifier: Apache-2.0
"""Filters of several columns at once."""

from __future__ import annotations

from typing import Any, Mapping

from . import _library, _winnow
from ._arrow import filter_arrow, is_arrow
from ._rows import Rows
from ._selection import (
    Predicate,
    Selection,
    columns_of,
    finished,
    front,
    is_records,
    length,
    limit_of,
    new_count,
    new_selection,
    split_n,
    tested,
)
from ._winnow import Result
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
    if not isinstance(table, Mapping) and not is_records(table):
        return _winnow.copy_if(table, predicate, capacity=capacity, n=n)
    columns = columns_of(table)
    first = next(iter(columns.values()))
    items, word = split_n(n, length(first, "a column"))
    tests, prepared = tested(columns, predicate, items)
    packed = (
        [front(x, items) for x in columns.values()]
        if isinstance(table, Mapping)
        else [front(table, items)]
    )
    _library.no_gradient("filter", *packed)
    limit = limit_of(capacity)
    outs = [
        _winnow.new(x, items if capacity is None else limit, None) for x in packed
    ]
    count = new_count(first)
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
            name: _library.like(x, out)
            for (name, x), out in zip(columns.items(), outs)
        }
        return Rows(buffers, _library.like(first, count), room)
    return finished(table, outs[0], count, limit)


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
    _library.no_gradient("copy_flagged", x)
    items, word = split_n(n, length(x, "x"))
    packed = front(x, items)
    limit = limit_of(capacity)
    if out is None:
        out = _winnow.new(x, items if capacity is None else limit, None)
    count = new_count(x)
    _winnow.copy_flagged(
        front(mask, items), items, word, (packed,), (out,), limit, count
    )
    return finished(x, out, count, limit)


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
    _library.no_gradient("unique", keys, *columns)
    items, word = split_n(n, length(keys, "keys"))
    # One look at the keys, so that the library sees that they are packed, too.
    ins = [front(x, items) for x in (keys, *columns)]
    limit = limit_of(capacity)
    outs = [_winnow.new(x, items if capacity is None else limit, None) for x in ins]
    count = new_count(keys)
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
    results = tuple(
        finished(x, out, count, limit)
        for x, out in zip((keys, *columns), outs)
    )
    return results if columns else results[0]
