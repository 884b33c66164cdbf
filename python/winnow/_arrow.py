# SPDX-License-Identifier: Apache-2.0
"""Filter tables of other libraries through Arrow's PyCapsule interface."""

from __future__ import annotations

import sys
from typing import Any

from . import _winnow
from ._expression import Condition, written
from ._kinds import is_of, numpy
from ._prepare import name_of, said_of
from ._selection import Predicate

_METHODS = ("__arrow_c_device_array__", "__arrow_c_stream__", "__arrow_c_array__")


def is_arrow(table: Any) -> bool:
    """Return whether the library of this table exports it by Arrow's interface."""
    if is_of(table, "polars"):
        return True
    return any(hasattr(table, method) for method in _METHODS)


class Batches:
    """The rows that pass, of a stream of record batches.

    Any consumer of ``__arrow_c_stream__`` takes it: pyarrow.table(),
    polars.DataFrame(), nanoarrow.ArrayStream(), or a DuckDB query that names it. A
    DuckDB connection has one result at a time, so the query needs another connection
    than the table. A batch is filtered when it is read. You can read this object as
    often as the table that it was made from.
    """

    __slots__ = ("_source", "_text", "_made")

    def __init__(self, source: Any, text: str) -> None:
        self._source = source
        self._text = text
        # Make the stream now, so that an error in the text is raised here. The list
        # lets only one of two concurrent readers take it.
        self._made = [self._filtered()]

    def _filtered(self) -> Any:
        # The variable keeps the capsule alive beyond the call: its destructor must
        # not run while an exception is being raised.
        stream = self._source.__arrow_c_stream__()
        return _winnow.filter_stream(stream, self._text)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A capsule with an ArrowArrayStream, of the types that the table has."""
        try:
            return self._made.pop()
        except IndexError:
            return self._filtered()

    def __arrow_c_schema__(self) -> Any:
        """A capsule with the ArrowSchema of the table."""
        stream = self.__arrow_c_stream__()
        schema = _winnow.stream_schema(stream)
        self._made.append(stream)
        return schema

    def __repr__(self) -> str:
        return f"<winnow.Batches where {self._text}>"


class Batch:
    """The rows that pass, of one record batch, on the device of the batch.

    Any consumer of ``__arrow_c_device_array__`` takes it, and on the host any consumer
    of ``__arrow_c_array__``. filter() makes the first capsule; each further capsule
    filters again.
    """

    __slots__ = ("_source", "_text", "_made")

    def __init__(self, source: Any, text: str) -> None:
        self._source = source
        self._text = text
        self._made = [self._filtered()]

    def _filtered(self) -> tuple[Any, Any]:
        if hasattr(self._source, "__arrow_c_device_array__"):
            schema, array = self._source.__arrow_c_device_array__()
        else:
            schema, array = self._source.__arrow_c_array__()
        return schema, _winnow.filter_batch(schema, array, self._text)

    def __arrow_c_device_array__(
        self, requested_schema: Any = None, **unused: Any
    ) -> tuple[Any, Any]:
        """Capsules with an ArrowSchema and an ArrowDeviceArray."""
        try:
            return self._made.pop()
        except IndexError:
            return self._filtered()

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """Capsules with an ArrowSchema and an ArrowArray of the host."""
        schema, array = self.__arrow_c_device_array__()
        return schema, _winnow.host_batch(array)

    def __repr__(self) -> str:
        return f"<winnow.Batch where {self._text}>"


def filter_arrow(table: Any, predicate: Predicate) -> Any:
    """Keep the rows of a table that pass, as filter() does."""
    text = written(predicate)
    if is_of(table, "pyarrow"):
        return _of_pyarrow(sys.modules["pyarrow"], table, text)
    if is_of(table, "polars"):
        return _of_polars(sys.modules["polars"], table, text)
    if is_of(table, "pandas"):
        return _of_pandas(table, text)
    if hasattr(table, "__arrow_c_device_array__"):
        return Batch(table, text)
    if hasattr(table, "__arrow_c_stream__"):
        return Batches(table, text)
    return Batch(table, text)


def _of_pyarrow(pyarrow: Any, table: Any, text: str) -> Any:
    if isinstance(table, pyarrow.Table):
        return pyarrow.table(Batches(table, text))
    if isinstance(table, pyarrow.RecordBatch):
        return pyarrow.record_batch(Batch(table, text))
    if isinstance(table, pyarrow.RecordBatchReader):
        return pyarrow.RecordBatchReader.from_stream(Batches(table, text))
    # Arrow takes a struct array for a table of its children. Wrap it as one column.
    name = name_of(Condition(text))
    if isinstance(table, pyarrow.ChunkedArray):
        frame = pyarrow.table({name: table})
    elif isinstance(table, pyarrow.Array):
        frame = pyarrow.record_batch({name: table})
    else:
        return Batches(table, text)
    with said_of(name):
        return _of_pyarrow(pyarrow, frame, text).column(0)


def _of_polars(polars: Any, table: Any, text: str) -> Any:
    if isinstance(table, polars.Series):
        name = name_of(Condition(text))
        with said_of(name):
            kept = _of_polars(polars, table.to_frame(name), text)
        return kept.to_series().rename(table.name)
    if not isinstance(table, polars.DataFrame):
        raise TypeError(
            f"a polars.{type(table).__name__} has no rows: collect() it first"
        )
    objects = [name for name, kind in table.schema.items() if kind == polars.Object]
    if objects:
        return table[_rows_beside_objects(polars, table, objects, text)]
    return polars.DataFrame(Batches(table, text))


def _rows_beside_objects(polars: Any, table: Any, objects: list[str], text: str) -> Any:
    """Return the numbers of the rows that pass, of a frame with Python objects.

    Other libraries cannot read these objects. A condition can only test whether they
    are null, so each is replaced by null or by an empty list.
    """
    rest = table.with_columns(
        polars.Series(
            name,
            [None if is_null else [] for is_null in table[name].is_null()],
            dtype=polars.List(polars.Null),
        )
        for name in objects
    )
    if "" in rest.columns:  # no condition can name it; with_row_index() needs the name
        rest = rest.drop("")
    rest = rest.with_row_index("")
    try:
        return _of_polars(polars, rest, text)[""]
    except _winnow.Error as error:
        field = getattr(error, "field", None)
        if field is None or rest.columns[field] not in objects:
            raise
        raise TypeError(
            f"column '{rest.columns[field]}' is of Object, and a condition can only "
            "test whether Python objects are null"
        ) from None


def _of_pandas(table: Any, text: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ImportError(
            "tables of pandas are read by pyarrow, which is not installed"
        ) from None
    if table.ndim == 1:
        name = name_of(Condition(text))
        # If the condition names an index level, the values keep their own name.
        if name in map(str, table.index.names):
            name = "" if table.name is None else str(table.name)
        with said_of(name):
            kept = _of_pandas(table.to_frame(name), text)
        column = kept.iloc[:, 0]
        column.name = table.name  # rename() would call a name that is a function
        return column
    rows = _tested_of_pandas(pyarrow, table, text)
    try:
        kept = _of_pyarrow(pyarrow, rows, text).column(_ROW)
    except _winnow.ConditionError as error:
        if None not in table.index.names or "The columns are" not in str(error):
            raise
        raise _winnow.ConditionError(
            f"{error}. The index has no name: give it one by rename_axis() to use it "
            "in a condition"
        ) from None
    # Take the rows from the frame itself, so that all columns keep their types.
    return table.iloc[kept.to_numpy()]


def _array_of_pandas(pyarrow: Any, name: str, column: Any) -> Any:
    try:
        return pyarrow.array(column, from_pandas=True)
    except (
        pyarrow.ArrowInvalid,
        pyarrow.ArrowNotImplementedError,
        pyarrow.ArrowTypeError,
        OverflowError,
    ) as error:  # pyarrow's message does not name the column
        raise TypeError(
            f"column '{name}' is of {column.dtype}, and pyarrow does not convert it "
            f"for a condition: {error}"
        ) from None


# The position of the column of row numbers.
_ROW = 0


def _tested_of_pandas(pyarrow: Any, table: Any, text: str) -> Any:
    """Return a table of row numbers and of the columns and index levels of a frame.

    Only the columns that the condition needs are converted. The others have nulls in
    place of values, so that the condition's errors list their names.
    """
    columns = [(str(name), table.iloc[:, i]) for i, name in enumerate(table.columns)]
    named = dict(columns)
    columns += [
        (str(name), table.index.get_level_values(i).to_series())
        for i, name in enumerate(table.index.names)
        if name is not None and str(name) not in named
    ]
    names = [name for name, _ in columns]
    # Parse the text repeatedly; convert the columns that each attempt needs.
    unknown = pyarrow.nulls(len(table), pyarrow.list_(pyarrow.null()))
    arrays = [unknown] * len(columns)
    while True:
        schema = pyarrow.schema(zip(names, (array.type for array in arrays)))
        try:
            needed = _winnow.schema_columns(schema.__arrow_c_schema__(), text)
        except (_winnow.ConditionError, _winnow.UnsupportedError) as error:
            needed = () if error.field is None else (error.field,)
        needed = tuple(i for i in needed if arrays[i] is unknown)
        if not needed:  # if the text is wrong, filtering raises the error again
            break
        for i in needed:
            arrays[i] = _array_of_pandas(pyarrow, *columns[i])
    numbers = pyarrow.array(numpy().arange(len(table)))
    return pyarrow.table([numbers, *arrays], ["", *names])
