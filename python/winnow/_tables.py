# SPDX-License-Identifier: Apache-2.0
"""Filters that pack several columns at once."""

from __future__ import annotations

from typing import Any, Mapping

from . import _library, _winnow
from ._arrow import filter_arrow, is_arrow
from ._result import Result
from ._selection import Predicate


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
    table : mapping of arrays, NumPy records, an array, or an Arrow table
        All columns have the same number of items. Columns that the condition does not
        test may have any type and more than one dimension. An Arrow table is any
        object with ``__arrow_c_stream__``, ``__arrow_c_array__`` or
        ``__arrow_c_device_array__``: tables of pyarrow, polars, pandas and nanoarrow,
        DuckDB relations, and pylibcudf tables on a GPU.
    predicate : str or Condition
        Such as "price < 24 && id in (4, 8)", with the names of the columns. As in SQL,
        a row does not pass if a null makes its outcome unknown.
    capacity : int, optional
        The greatest number of rows to write; by default all. Arrow tables do not take
        it.
    n : int, Result or array of one int64, optional
        The number of rows that count. The call does not wait for a number on the
        device. Arrow tables do not take it: slice them.

    Returns
    -------
    Rows, of a mapping
    Result, of records or an array
    table of the same kind, of pyarrow, polars or pandas
        From a pyarrow.RecordBatchReader you get a reader that filters each batch when
        it is read.
    Batches or Batch, of any other Arrow table
        A Batch if the table is no stream. Consumers take both through Arrow's
        interface.

    All of these keep the order of the rows.
    """
    made = _winnow.filter(table, predicate, capacity, n, None)
    if made is not NotImplemented:
        return made
    if is_arrow(table):
        if capacity is not None or n is not None:
            raise TypeError("Arrow tables take no capacity= and no n=: slice the table")
        return filter_arrow(table, predicate)
    buffer = table.buffer if isinstance(table, Result) else table
    columns = _library.columns(buffer, 1)
    if columns is None:
        return _winnow.copy_if(table, predicate, capacity=capacity, n=n)
    if isinstance(table, Mapping):
        return _winnow.filter(columns, predicate, capacity, n, None)
    return _winnow.filter(table, predicate, capacity, n, columns)


def copy_flagged(
    x: Any,
    mask: Any,
    *,
    out: Any = None,
    capacity: int | None = None,
    n: Any = None,
) -> Result:
    """Pack the items of x that a mask flags, like x[mask] of NumPy and PyTorch.

    Parameters
    ----------
    x : array
        Of any type. In an array of two dimensions an item is a row.
    mask : array of bool or of 8-bit integers
        One value for each item, on x's device.
    out : array, optional
        The array to write to, of x's type.
    capacity, n
        As for copy_if().

    Returns
    -------
    Result
    """
    return _winnow.copy_flagged(x, mask, out, capacity, n, None)


EQUALITIES = {"bits": 0, "values": 1, "nan": 2}


def unique(
    keys: Any,
    *columns: Any,
    keep: str = "first",
    equal: str = "bits",
    capacity: int | None = None,
    n: Any = None,
) -> Any:
    """Keep one item of each run of equal keys. If the keys are sorted, keep each key
    once.

    Parameters
    ----------
    keys : array
        An item has 1 to 16 bytes.
    *columns : arrays
        Columns to pack beside the keys.
    keep : 'first' or 'last'
        Which item of a run to keep.
    equal : 'bits', 'values' or 'nan'
        'bits': keys are equal if their bits are. 'values': keys are equal if their
        values are, so -0 equals +0, and NaN equals nothing. 'nan': as 'values', but
        NaN equals NaN. Dates are integers, so NaT equals NaT.
    capacity, n
        As for copy_if().

    Returns
    -------
    Result of the keys
    tuple, with columns
        A Result for the keys and for each column.
    """
    if keep not in ("first", "last"):
        raise ValueError(f"keep is 'first' or 'last', not {keep!r}")
    if equal not in EQUALITIES:
        raise ValueError(f"equal is one of {', '.join(EQUALITIES)}, not {equal!r}")
    last = keep == "last"
    return _winnow.unique(keys, columns, last, EQUALITIES[equal], capacity, n)
