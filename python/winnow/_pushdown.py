# SPDX-License-Identifier: Apache-2.0
"""Predicate pushdown: skip row groups and partitions by their statistics.

winnow_condition_bounds(3) gives bounds for the columns of each row that passes. This
module makes an expression of pyarrow from the bounds. pyarrow reads only the row groups
and partitions whose statistics agree with the expression, and the library filters their
rows. A column of a type that pyarrow cannot compare skips nothing.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from . import _winnow

# An expression that is true of each row that passes; None: nothing is known.
Needed = Any

_COMPARED = (
    kinds.is_integer,
    kinds.is_float32,
    kinds.is_float64,
    kinds.is_decimal,
    kinds.is_date,
    kinds.is_timestamp,
)
_TEXTS = (kinds.is_string, kinds.is_large_string, kinds.is_string_view)


def _end(kind: pa.DataType, value: bytes | None) -> Any:
    """Make a value of the column's type from the bytes of an element or of a string.

    Returns None for a decimal with more digits than its type: pyarrow refuses to compare
    with it.
    """
    if value is None:
        return None
    if any(is_kind(kind) for is_kind in _TEXTS):
        return pc.scalar(pa.scalar(value.decode(), kind))
    end = pa.Array.from_buffers(kind, 1, [None, pa.py_buffer(value)])[0]
    if kinds.is_decimal(kind) and len(end.as_py().as_tuple().digits) > kind.precision:
        return None
    return pc.scalar(end)


def _between(column: Any, kind: pa.DataType, low: bytes | None, high: bytes | None) -> Needed:
    if kinds.is_boolean(kind):
        return ~column if low is None else column
    if not any(is_kind(kind) for is_kind in _COMPARED + _TEXTS):
        return column.is_valid()
    try:
        least, most = _end(kind, low), _end(kind, high)
    except UnicodeDecodeError:  # the bytes are not UTF-8, so pyarrow has no such string
        return column.is_valid()
    if least is None and most is None:
        return column.is_valid()
    if least is None or most is None:
        return column <= most if least is None else column >= least
    return (column >= least) & (column <= most)


def _of(schema: pa.Schema, bound: tuple[int, int, bytes | None, bytes | None]) -> Needed:
    """Return what a bound says of its column, as an expression."""
    what, number, low, high = bound
    if what == _winnow.BOUND_NEVER:
        return pc.scalar(False)
    column = pc.field(schema.names[number])
    if what == _winnow.BOUND_NULL:
        return column.is_null()
    if what in (_winnow.BOUND_RANGE, _winnow.BOUND_TEXT):
        return _between(column, schema.types[number], low, high)
    # Statistics do not tell whether there are NaNs.
    return column.is_valid()


def needed(text: str, schema: pa.Schema) -> Needed:
    """Return an expression that is true of each row for which the text is true.

    Returns None if nothing is known of these rows, or if the text is wrong. The call
    that filters by the text raises the error.
    """
    try:
        bounds = _winnow.schema_bounds(schema.__arrow_c_schema__(), text)
    except (_winnow.Error, UnicodeError):
        return None
    parts: list[Needed] = []
    for bound in bounds:
        if bound[0] in (_winnow.BOUND_AND, _winnow.BOUND_OR):
            second, first = parts.pop(), parts.pop()
            is_both = bound[0] == _winnow.BOUND_AND
            parts.append(first & second if is_both else first | second)
        else:
            parts.append(_of(schema, bound))
    return parts[0] if parts else None
