# SPDX-License-Identifier: Apache-2.0
"""Files of tables, read by pyarrow: Parquet, Arrow's, CSV."""

from __future__ import annotations

import contextlib
import errno
import glob
import itertools
import os
import sys
from typing import Any, Iterator, Sequence

import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset

from ._prepare import named
from ._pushdown import needed

# By the ends of names. `arrow` has a footer and is read by pyarrow.dataset, `arrows`
# is a stream.
SUFFIXES = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arrows": "arrows",
    ".csv": "csv",
    ".tsv": "tsv",
}
FORMATS = ("parquet", "arrow", "arrows", "csv", "tsv")
STANDARD = "-"


def format_of(path: str) -> str | None:
    """By the suffix of a path; compressed text has one more."""
    base, suffix = os.path.splitext(path)
    if suffix in (".gz", ".bz2", ".zst", ".lz4", ".br"):
        format = SUFFIXES.get(os.path.splitext(base)[1])
        return format if format in ("csv", "tsv") else None
    return SUFFIXES.get(suffix)


class Source:
    """Rows of files.

    schema : the columns of the files
    rows : how many there are to read, where that is known
    parts : the row groups of Parquet files: those to read, and all
    is_empty : text without rows, whose columns have no types
    """

    schema: pa.Schema
    rows: int | None = None
    parts: tuple[int, int] | None = None
    is_empty = False

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The rows, with these columns of the files, in the order of the files."""
        raise NotImplementedError

    def close(self) -> None:
        pass


class Streams(Source):
    """Arrow's streams, which are read once, and what standard input has."""

    def __init__(self, paths: Sequence[str], format: str) -> None:
        with contextlib.ExitStack() as opened:
            self._readers = []
            for path in paths:
                file = sys.stdin.buffer if path == STANDARD else open(path, "rb")
                opened.enter_context(file)
                try:
                    self._readers.append(_stream(file, format))
                except pa.ArrowException as error:
                    name = "standard input" if path == STANDARD else path
                    what = "Arrow stream" if format == "arrows" else format.upper()
                    raise ValueError(f"{name}: no {what}: {error}") from None
            self.schema = self._readers[0].schema
            for path, reader in zip(paths, self._readers):
                if not reader.schema.equals(self.schema):
                    raise ValueError(f"{path} has other columns than {paths[0]}")
            self._ahead: list[pa.RecordBatch] = []
            if _has_nulls(self.schema) and format != "arrows":
                batch = next(self._all(), None)
                self.is_empty = batch is None
                self._ahead = [] if batch is None else [batch]
            self._files = opened.pop_all()

    def _all(self) -> Iterator[pa.RecordBatch]:
        for reader in self._readers:
            yield from reader

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for batch in itertools.chain(self._ahead, self._all()):
            yield batch.select(columns)

    def close(self) -> None:
        self._files.close()


class Files(Source):
    """What pyarrow.dataset reads, without the row groups that cannot have survivors."""

    def __init__(self, sets: Sequence[tuple[str, list[str]]], format: str, text: str) -> None:
        if format == "parquet":
            # Also of files that no writer of Arrow's made, at any depth.
            self._format = pa.dataset.ParquetFileFormat(arrow_extensions_enabled=True)
        elif format == "arrow":
            self._format = pa.dataset.IpcFileFormat()
        else:
            self._format = pa.dataset.CsvFileFormat(parse_options=_separated(format))
        self._system = pa.fs.LocalFileSystem()
        factories = [self._factory(base, paths) for base, paths in sets]
        # Of text the types are guessed, file by file.
        promote = "permissive" if format in ("csv", "tsv") else "default"
        schemas = [factory.inspect(promote_options=promote) for factory in factories]
        self.schema = pa.unify_schemas(schemas, promote_options=promote)
        condition = needed(text, self.schema)
        fragments = [
            fragment
            for factory in factories
            for fragment in factory.finish(self.schema).get_fragments()
        ]
        if format == "parquet":
            groups = sum(len(fragment.row_groups) for fragment in fragments)
            if condition is not None:
                fragments = [f.subset(condition, schema=self.schema) for f in fragments]
            fragments = [f for f in fragments if f.row_groups]
            read = [group for f in fragments for group in f.row_groups]
            self.parts = len(read), groups
            self.rows = sum(group.num_rows for group in read)
        self._dataset = pa.dataset.FileSystemDataset(
            fragments, self.schema, self._format, self._system
        )
        if format == "arrow":
            self.rows = self._dataset.count_rows()
        if _has_nulls(self.schema) and format in ("csv", "tsv"):
            self.is_empty = self._dataset.head(1).num_rows == 0

    def _factory(self, base: str, paths: list[str]) -> Any:
        options = pa.dataset.FileSystemFactoryOptions()
        if base:
            options.partition_base_dir = base
            options.partitioning_factory = pa.dataset.HivePartitioning.discover()
        return pa.dataset.FileSystemDatasetFactory(
            self._system, paths, self._format, options
        )

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        yield from self._dataset.scanner(columns=list(columns)).to_reader()


def _stream(file: Any, format: str) -> Any:
    if format == "arrows":
        return pa.ipc.open_stream(file)
    return pa.csv.open_csv(file, parse_options=_separated(format))


def _has_nulls(schema: pa.Schema) -> bool:
    """Is a column of nulls alone?"""
    return any(pa.types.is_null(field.type) for field in schema)


def _check(path: str) -> None:
    """The system's own error, where a file cannot be read at all."""
    if path != STANDARD and os.path.isfile(path):
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0 and not path.startswith("/proc/"):
                raise ValueError(f"{path}: the file is empty")


def _separated(format: str) -> Any:
    return pa.csv.ParseOptions(delimiter="\t" if format == "tsv" else ",")


def _listed(folder: str, format: str | None) -> list[str]:
    """The files of a folder and of those in it, by name, which have the format; of
    all formats without one. What begins with a point or _ is none of the table."""
    found = []
    for path, folders, names in os.walk(folder, onerror=_raise):
        folders[:] = sorted(name for name in folders if name[0] not in "._")
        for name in sorted(names):
            if name[0] not in "._" and format_of(name) in (FORMATS if not format else [format]):
                found.append(os.path.join(path, name))
    if not found:
        raise ValueError(f"{folder} has no files of {format or 'a known format'}")
    return found


def _raise(error: OSError) -> None:
    raise error


def _found(argument: str, format: str | None) -> list[tuple[str, list[str]]]:
    """The files of an argument, and the folder in which they were looked for."""
    if os.path.isdir(argument):
        base = os.path.abspath(argument)
        return [(base, _listed(base, format))]
    if argument == STANDARD or os.path.exists(argument):
        return [("", [argument])]
    found = sorted(glob.glob(argument, recursive=True))
    if not found:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), argument)
    return [one for path in found for one in _found(path, format)]


def open_files(arguments: Sequence[str], format: str | None, text: str) -> Source:
    """The rows of files, folders and patterns, all of one format.

    ``text`` is the condition: row groups that it cannot keep a row of are left out.
    """
    sets = [one for argument in arguments for one in _found(argument, format)]
    paths = [path for _, paths in sets for path in paths]
    if format is None:
        formats = {path: format_of(path) for path in paths}
        if STANDARD in formats:
            formats[STANDARD] = "arrows"
        for path, of in formats.items():
            if of is None:
                raise ValueError(f"{path}: the name says no format: use --input-format")
            if of != formats[paths[0]]:
                raise ValueError(f"{path} is of another format than {paths[0]}")
        format = formats[paths[0]]
    assert format is not None
    for path in paths:
        _check(path)
    if format == "arrows" or STANDARD in paths:
        if format not in ("arrows", "csv", "tsv"):
            raise ValueError(f"standard input cannot be {format}, which needs a file")
        return Streams(paths, format)
    return Files(sets, format, text)


def to_read(source: Source, text: str, wanted: Sequence[str]) -> list[str]:
    """The columns that the condition tests or that are wanted, in the files' order."""
    tested = set(named(text, source.schema.names))
    return [name for name in source.schema.names if name in tested or name in wanted]
