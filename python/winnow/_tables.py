# SPDX-License-Identifier: Apache-2.0
"""Filters of several columns at once."""

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
    made = _winnow.filter(table, predicate, capacity, n, None)
    if made is not NotImplemented:
        return made
    if is_arrow(table):
        if capacity is not None or n is not None:
            raise TypeError("capacity= and n= are not for tables of Arrow's: slice")
        return filter_arrow(table, predicate)
    columns = _library.columns(table, 1)
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
    last = keep == "last"
    return _winnow.unique(keys, columns, last, EQUALITIES[equal], capacity, n)
