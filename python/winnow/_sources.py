# SPDX-License-Identifier: Apache-2.0
"""The classes that read rows of files."""

from __future__ import annotations

from typing import Any, Callable, Iterator, NamedTuple, Sequence

import pyarrow as pa

from . import _winnow

# The name that stands for standard input.
STANDARD = "-"


class Plan(NamedTuple):
    """How a source is read for a condition.

    schema, batches : the batches to filter
    written : the columns of the output
    finished : makes the columns of the output from a filtered batch
    as_read : whether these columns are the texts of CSV as they were read
    """

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    written: pa.Schema
    finished: Callable[[pa.RecordBatch], pa.RecordBatch]
    as_read: bool


class Source:
    """The base class of sources of rows.

    schema : the columns of the files
    rows : the number of rows to read, if it is known
    parts : the numbers of row groups of Parquet files: to read, and in all
    """

    schema: pa.Schema
    rows: int | None = None
    parts: tuple[int, int] | None = None

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rows with these columns, in the order of the files."""
        raise NotImplementedError

    def to_read(self, text: str, wanted: Sequence[str]) -> list[str]:
        """Return the columns that the condition tests or that are wanted, in the order
        of the files."""
        names: list[str] = self.schema.names
        tested = _winnow.schema_columns(self.schema.__arrow_c_schema__(), text)
        columns = [
            name for i, name in enumerate(names) if i in tested or name in wanted
        ]
        rest = pa.schema([self.schema.field(name) for name in columns])
        try:
            _winnow.schema_columns(rest.__arrow_c_schema__(), text)
        except _winnow.ConditionError:
            return names  # the text names columns that do not affect its result
        return columns

    def plan(self, text: str, wanted: Sequence[str]) -> Plan:
        """Plan to read the columns that the condition tests or that are wanted."""
        # Read at least one column: to Arrow a batch without columns has no rows.
        columns = self.to_read(text, wanted) or self.schema.names[:1]
        fields = [self.schema.field(name) for name in columns]
        schema = pa.schema(fields, self.schema.metadata)
        written = pa.schema([schema.field(name) for name in wanted], schema.metadata)

        def finished(batch: pa.RecordBatch) -> Any:
            return batch.select(list(wanted))

        return Plan(schema, self.batches(columns), written, finished, False)

    def close(self) -> None:
        pass
