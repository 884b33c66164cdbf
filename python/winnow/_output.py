# SPDX-License-Identifier: Apache-2.0
"""Output of tables: a file that has its name when it is whole, a pipe, a device."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from typing import Any, BinaryIO, Iterator

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

# Batches that a filter left little of are written together: a row group of Parquet
# has a million rows, or 64 MiB.
MOST_ROWS = 1 << 20
MOST_BYTES = 64 << 20


@contextlib.contextmanager
def whole(path: str) -> Iterator[BinaryIO]:
    """A file to write. It gets its name, and replaces what had it, at the end; after
    an exception there is none. Pipes and devices are written in place."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{path} is a folder")
    if mode is not None and not stat.S_ISREG(mode):
        with open(path, "wb") as file:
            yield file
        return
    # Where a link leads to, a file is replaced, and the link stays.
    path = os.path.realpath(path)
    folder, name = os.path.split(path)
    number, made = tempfile.mkstemp(dir=folder, prefix=f".{name}.")
    try:
        with os.fdopen(number, "wb") as file:
            os.fchmod(number, _new_mode() if mode is None else stat.S_IMODE(mode))
            yield file
            file.flush()
            os.fsync(number)
        os.replace(made, path)
    except BaseException:
        os.unlink(made)
        raise
    # The new name, too, is to be there after a crash.
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _new_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextlib.contextmanager
def standard() -> Iterator[BinaryIO]:
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


def writer(file: BinaryIO, format: str, schema: pa.Schema) -> Any:
    """What takes tables by write_table(), as a context."""
    if format == "parquet":
        return pa.parquet.ParquetWriter(file, schema)
    if format == "arrow":
        return pa.ipc.new_file(file, schema)
    if format == "arrows":
        return pa.ipc.new_stream(file, schema)
    options = pa.csv.WriteOptions(delimiter="\t" if format == "tsv" else ",")
    return pa.csv.CSVWriter(file, schema, write_options=options)


def gathered(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows in larger pieces."""
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        if batch.num_rows == 0:
            continue
        waiting.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= MOST_ROWS or size >= MOST_BYTES:
            yield pa.Table.from_batches(waiting, schema)
            waiting = []
            rows = size = 0
    if waiting:
        yield pa.Table.from_batches(waiting, schema)
