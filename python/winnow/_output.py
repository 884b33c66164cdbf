# SPDX-License-Identifier: Apache-2.0
"""Write tables to a pipe, a device, or a file that gets its name when complete."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import re
import stat
import sys
from typing import Any, BinaryIO, Callable, Iterator

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from ._csv import Writer
from ._ending import output, printable, temporary_files
from ._sources import Plan

# Small batches are written together, so that a row group of Parquet has about a million
# rows or 64 MiB.
MOST_ROWS = 1 << 20
MOST_BYTES = 64 << 20


@contextlib.contextmanager
def whole(path: str) -> Iterator[Any]:
    """Open a file to write. At the end it gets its name, and replaces a file of that
    name. After an exception no file is left.

    Pipes, devices and open descriptors are written in place.
    """
    descriptor = _descriptor(path)
    if descriptor is not None:
        with open(descriptor, "wb", closefd=False) as file:
            yield _in_place(file)
        output.is_whole = True
        return
    replaced = _replaced(path)
    if replaced and not stat.S_ISREG(replaced.st_mode):
        with open(path, "wb") as file:
            yield _in_place(file)
        output.is_whole = True
        return
    # Replace the file that a symbolic link leads to, and keep the link.
    path = os.path.realpath(path)
    folder = os.path.dirname(path)
    # Choose the name before the file is made, so that a signal can remove the file.
    made = os.path.join(folder, f".winnow-{os.urandom(8).hex()}")
    within = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with temporary_files.lock:
            temporary_files.paths.add(made)
            number = os.open(made, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(number, "wb") as file:
            yield file
            file.flush()
            _set_mode(number, replaced)
            os.fsync(number)
        with temporary_files.lock:
            os.replace(made, path)
            temporary_files.paths.remove(made)
        # fsync() the folder, so that the new name survives a crash.
        os.fsync(within)
        output.is_whole = True
    except BaseException:
        with temporary_files.lock:
            if made in temporary_files.paths:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(made)
                temporary_files.paths.remove(made)
        raise
    finally:
        os.close(within)


def _descriptor(path: str) -> int | None:
    """Return the open descriptor that a path names, such as /dev/stdout, or None."""
    own = re.compile(rf"/proc/{os.getpid()}(/task/\d+)?/fd|/dev/fd")
    for _ in range(40):
        folder, name = os.path.split(path)
        folder = os.path.realpath(folder)
        if own.fullmatch(folder) and re.fullmatch("[0-9]{1,9}", name):
            # A descriptor of the interpreter itself is not inheritable: refuse it.
            if not os.get_inheritable(int(name)):
                raise OSError(errno.EBADF, os.strerror(errno.EBADF), path)
            return int(name)
        try:
            path = os.path.join(folder, os.readlink(path))
        except OSError:
            break
    return None


def _replaced(path: str) -> os.stat_result | None:
    """Return the status of the file that has a name, or None if no file has it.

    Raises an error if the file may not be written. A file without write permission for
    anybody is refused to root as well.
    """
    try:
        about = os.stat(path)
    except FileNotFoundError:
        if os.path.islink(path):
            raise OSError(errno.ENOENT, "a symbolic link that leads nowhere") from None
        return None
    if stat.S_ISDIR(about.st_mode):
        raise IsADirectoryError(f"{path} is a folder")
    effective = os.access in os.supports_effective_ids
    may = os.access(path, os.W_OK, effective_ids=effective)
    if stat.S_ISREG(about.st_mode) and not (may and about.st_mode & 0o222):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return about


def _set_mode(number: int, replaced: os.stat_result | None) -> None:
    """Give a file the owner, group and mode of the file that it replaces, if permitted.

    If the owner or group cannot be kept, the set-user-ID and set-group-ID bits are
    dropped: they would let a program run as another user. Call this after the last
    write, since writing clears these bits.
    """
    if replaced is None:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(number, 0o666 & ~mask)
        return
    mode = stat.S_IMODE(replaced.st_mode)
    for owner, group in (-1, replaced.st_gid), (replaced.st_uid, -1):
        try:
            os.fchown(number, owner, group)
        except OSError:
            mode &= ~(stat.S_ISUID | stat.S_ISGID)
    os.fchmod(number, mode)


class _Terminal(io.RawIOBase):
    """A terminal. Control characters in names and values of tables do not reach it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._file.write(printable(self._decode(bytes(data))).encode())
        return len(data)


@contextlib.contextmanager
def standard() -> Iterator[Any]:
    yield _in_place(sys.stdout.buffer)
    sys.stdout.buffer.flush()
    output.is_whole = True


def _in_place(file: BinaryIO) -> Any:
    return _Terminal(file) if file.isatty() else file


def writer(file: BinaryIO, format: str, plan: Plan) -> Any:
    """Return a context manager whose write_table() writes tables in a format."""
    schema = plan.written
    if format == "parquet":
        plain = _written(schema, is_csv=False)
        return _Converting(pa.parquet.ParquetWriter(file, plain), plain, _cast)
    if format == "arrow":
        return pa.ipc.new_file(file, schema)
    if format == "arrows":
        return pa.ipc.new_stream(file, schema)
    delimiter = "\t" if format == "tsv" else ","
    if plan.as_read:
        return Writer(file, delimiter, schema.names)
    plain = _written(schema, is_csv=True)
    convert = _cast
    if len(schema) == 1:  # pyarrow writes null as an empty line, which readers skip
        convert = _without_null
        if not _is_text(plain.types[0]):
            text = pa.schema([(schema.names[0], pa.binary())])
            return _Converting(Writer(file, delimiter, schema.names), text, convert)
        plain = pa.schema([(schema.names[0], pa.large_string())])
    options = pa.csv.WriteOptions(delimiter=delimiter)
    return _Converting(pa.csv.CSVWriter(file, plain, write_options=options), plain, convert)


class _Converting:
    """A writer that gets its columns converted to types that it can write."""

    def __init__(
        self,
        writer: Any,
        schema: pa.Schema,
        convert: Callable[[pa.ChunkedArray, pa.DataType], pa.ChunkedArray],
    ) -> None:
        self._writer = writer
        self._schema = schema
        self._convert = convert

    def __enter__(self) -> _Converting:
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.__exit__(*error)

    def write_table(self, rows: pa.Table) -> None:
        columns = map(self._convert, rows.columns, self._schema.types)
        self._writer.write_table(pa.table(list(columns), schema=self._schema))


def _written(schema: pa.Schema, is_csv: bool) -> pa.Schema:
    """Return the schema with the types that pyarrow can write. Its CSV has no views, its
    Parquet no dictionaries of views."""
    views = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}

    def plain(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_dictionary(kind):
            values = views.get(str(kind.value_type), kind.value_type)
            return pa.dictionary(kind.index_type, values, kind.ordered)
        return views.get(str(kind), kind) if is_csv else kind

    fields = [field.with_type(plain(field.type)) for field in schema]
    return pa.schema(fields, schema.metadata)


def _is_text(kind: pa.DataType) -> bool:
    of = kind.value_type if pa.types.is_dictionary(kind) else kind
    return any(word in str(of) for word in ("string", "binary"))


def _without_null(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Return the texts of the values, in UTF-8. Those of nulls are empty."""
    if pa.types.is_dictionary(column.type):
        column = _cast(column, pa.dictionary(column.type.index_type, pa.string()))
    texts = column.cast(pa.large_string())
    return texts.fill_null("").cast(kind)


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if column.type == kind:
        return column
    if not pa.types.is_dictionary(kind):
        return column.cast(kind)
    chunks = [
        pa.DictionaryArray.from_arrays(
            chunk.indices, chunk.dictionary.cast(kind.value_type), ordered=kind.ordered
        )
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, kind)


def gathered(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the rows of the batches in larger tables."""
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
