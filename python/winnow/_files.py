# SPDX-License-Identifier: Apache-2.0
"""Table files that pyarrow reads: Parquet, Arrow and CSV."""

from __future__ import annotations

import contextlib
import errno
import glob
import itertools
import os
import sys
import urllib.parse
from typing import Any, Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.dataset

from ._csv import COMPRESSED, Texts, type_of_keys
from ._pushdown import needed
from ._sources import STANDARD, Source

# The format, by the suffix of the file's name. `arrow` is Arrow's file format, which
# pyarrow.dataset reads; `arrows` is Arrow's stream format.
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


def format_of(path: str) -> str | None:
    """Return the format that a path's suffix means, or None.

    A compressed text file has a second suffix.
    """
    base, suffix = os.path.splitext(path)
    if suffix in COMPRESSED:
        format = SUFFIXES.get(os.path.splitext(base)[1])
        return format if format in ("csv", "tsv") else None
    return SUFFIXES.get(suffix)


class Streams(Source):
    """Arrow streams. Each can be read only once."""

    def __init__(self, paths: Sequence[str]) -> None:
        with contextlib.ExitStack() as opened:
            self._readers = []
            for path in paths:
                file = sys.stdin.buffer if path == STANDARD else open(path, "rb")
                opened.enter_context(file)
                try:
                    self._readers.append(pa.ipc.open_stream(file))
                except pa.ArrowException as error:
                    name = "standard input" if path == STANDARD else path
                    raise ValueError(f"{name}: no Arrow stream: {error}") from None
            self.schema = self._readers[0].schema
            for path, reader in zip(paths, self._readers):
                if not reader.schema.equals(self.schema):
                    raise ValueError(f"{path} has other columns than {paths[0]}")
            self._files = opened.pop_all()

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for reader in self._readers:
            for batch in reader:
                yield batch.select(columns)

    def close(self) -> None:
        self._files.close()


class Files(Source):
    """Files that pyarrow.dataset reads, without row groups in which no row can pass."""

    def __init__(self, sets: Sequence[tuple[str, list[str]]], format: str, text: str) -> None:
        if format == "parquet":
            # Read extension types also if the file has no Arrow schema, at any depth.
            self._format = pa.dataset.ParquetFileFormat(arrow_extensions_enabled=True)
        else:
            self._format = pa.dataset.IpcFileFormat()
        self._system = pa.fs.LocalFileSystem()
        factories = [self._factory(base, paths) for base, paths in sets]
        self.schema = pa.unify_schemas(
            [self._schema_of(made, *of) for made, of in zip(factories, sets)]
        )
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

    def _factory(self, base: str, paths: list[str]) -> Any:
        options = pa.dataset.FileSystemFactoryOptions()
        if base:
            options.partition_base_dir = base
            options.partitioning_factory = pa.dataset.HivePartitioning.discover()
        return pa.dataset.FileSystemDatasetFactory(
            self._system, paths, self._format, options
        )

    def _schema_of(self, factory: Any, base: str, paths: list[str]) -> pa.Schema:
        try:
            return factory.inspect()
        except pa.ArrowTypeError:
            # A column of the files may have the name of a key, and another type.
            schema = self._factory("", paths).inspect()
            keys = [_keys_of(base, path) for path in paths]
            if any(each.keys() != keys[0].keys() for each in keys):
                raise  # a file has a column that no folder's value replaces
            for name in keys[0]:
                texts = pa.array([each.get(name) for each in keys], pa.binary())
                field = pa.field(name, type_of_keys(texts))
                place = schema.get_field_index(name)
                schema = schema.append(field) if place < 0 else schema.set(place, field)
            return schema

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        yield from self._dataset.scanner(columns=list(columns)).to_reader()


def _check(path: str) -> None:
    """Raise an error if a file cannot be opened or is empty."""
    if path != STANDARD and os.path.isfile(path):
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0 and not path.startswith("/proc/"):
                raise ValueError(f"{path}: the file is empty")


def _listed(folder: str, format: str | None) -> list[str]:
    """Return the files of a format in a folder and its subfolders, sorted by name.

    Without a format, these are the files of all known formats. Names that begin with a
    point or _ are not part of the table.
    """
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
    """Return the files that an argument names, in pairs of a folder and its files.

    The folder is empty if the argument names a file.
    """
    if os.path.isdir(argument):
        base = os.path.abspath(argument)
        return [(base, _listed(base, format))]
    if argument == STANDARD or os.path.exists(argument):
        return [("", [argument])]
    found = sorted(glob.glob(argument, recursive=True))
    if not found:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), argument)
    return [one for path in found for one in _found(path, format)]


def _keys_of(base: str, path: str) -> dict[str, bytes | None]:
    """Return the keys and values of the folders key=value between `base` and a file, as
    pyarrow reads them: of a key that is there twice, the first counts."""
    keys: dict[str, bytes | None] = {}
    folders = os.path.relpath(path, base).split(os.sep)[:-1] if base else []
    for folder in folders:
        name, is_key, value = folder.partition("=")
        if not is_key:
            continue
        try:
            name, text = (urllib.parse.unquote(x, errors="strict") for x in (name, value))
        except UnicodeDecodeError:
            raise ValueError(f"{path}: the folder {folder} is not text in UTF-8") from None
        is_null = value == "__HIVE_DEFAULT_PARTITION__"
        keys.setdefault(name, None if is_null else text.encode())
    return keys


def _format_of_all(paths: Sequence[str]) -> str:
    formats = {path: format_of(path) for path in paths}
    if STANDARD in formats:
        formats[STANDARD] = "arrows"
    for path, of in formats.items():
        if of is None:
            raise ValueError(f"{path}: the name says no format: use --input-format")
        if of != formats[paths[0]]:
            raise ValueError(f"{path} is of another format than {paths[0]}")
    return str(formats[paths[0]])


def open_files(
    arguments: Sequence[str],
    format: str | None,
    text: str,
    types: Mapping[str, pa.DataType] = {},
    as_read: bool = False,
) -> Source:
    """Return the source of the rows of files, folders and patterns, all of one format.

    ``text`` is the condition. Row groups in which no row can pass are left out.
    ``types`` has the types of columns of CSV. If ``as_read`` is true, the fields of CSV
    are written as they were read.
    """
    sets = [one for argument in arguments for one in _found(argument, format)]
    paths = [path for _, paths in sets for path in paths]
    format = format or _format_of_all(paths)
    for path in paths:
        _check(path)
    if format in ("csv", "tsv"):
        files = [(path, _keys_of(base, path)) for base, paths in sets for path in paths]
        return Texts(files, format, types, as_read)
    if types:
        raise ValueError(f"--types is for CSV and TSV, and {paths[0]} is {format}")
    if format == "arrows":
        return Streams(paths)
    if STANDARD in paths:
        raise ValueError(f"standard input cannot be {format}, which needs a file")
    return Files(sets, format, text)
