# SPDX-License-Identifier: Apache-2.0
"""What rows of files are read by."""

from __future__ import annotations

from typing import Any, Callable, Iterator, NamedTuple, Sequence

import pyarrow as pa

from . import _winnow

# The name of standard input.
STANDARD = "-"


class Plan(NamedTuple):
    """How a source is read for a condition.

    schema, batches : what is filtered
    written : the columns that come out
    finished : what makes them of a batch that was filtered
    as_read : are they texts of CSV, as they stood there?
    """

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    written: pa.Schema
    finished: Callable[[pa.RecordBatch], pa.RecordBatch]
    as_read: bool


class Source:
    """Rows of files.

    schema : the columns of the files
    rows : how many there are to read, where that is known
    parts : the row groups of Parquet files: those to read, and all
    """

    schema: pa.Schema
    rows: int | None = None
    parts: tuple[int, int] | None = None

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The rows, with these columns of the files, in the order of the files."""
        raise NotImplementedError

    def to_read(self, text: str, wanted: Sequence[str]) -> list[str]:
        """The columns that the condition tests or that are wanted, in the files' order."""
        names: list[str] = self.schema.names
        tested = _winnow.schema_columns(self.schema.__arrow_c_schema__(), text)
        columns = [
            name for i, name in enumerate(names) if i in tested or name in wanted
        ]
        rest = pa.schema([self.schema.field(name) for name in columns])
        try:
            _winnow.schema_columns(rest.__arrow_c_schema__(), text)
        except _winnow.ConditionError:
            return names  # the text names columns of which nothing depends
        return columns

    def plan(self, text: str, wanted: Sequence[str]) -> Plan:
        """Read what the condition tests and what is wanted."""
        # A batch without columns has no rows to Arrow.
        columns = self.to_read(text, wanted) or self.schema.names[:1]
        fields = [self.schema.field(name) for name in columns]
        schema = pa.schema(fields, self.schema.metadata)
        written = pa.schema([schema.field(name) for name in wanted], schema.metadata)

        def finished(batch: pa.RecordBatch) -> Any:
            return batch.select(list(wanted))

        return Plan(schema, self.batches(columns), written, finished, False)

    def close(self) -> None:
        pass
