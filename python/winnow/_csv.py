# SPDX-License-Identifier: Apache-2.0
"""Read and write CSV and TSV. A field is read as its bytes, and in some columns also as
a value with a type.

Two of pyarrow's readers parse the same blocks, so their batches have the same rows. In
the first reader every column is bytes, which are written. In the second reader columns
have types, which the condition tests. Columns of plain numbers need the first reader
alone. If the output has types, as Parquet does, a column gets its type if its values
print as the texts that were read. Other columns stay text.
"""

from __future__ import annotations

import decimal
import os
import re
import stat
import sys
from typing import Any, Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from ._blocks import BLOCK, Blocks
from ._sources import STANDARD, Plan, Source

# These scalars have explicit types: if Arrow lacks memory while it guesses a type, it
# aborts the process.
_NO_BYTES = pa.scalar(0, pa.int32())
_NO_TEXT = pa.scalar("", pa.string())
_NOTHING, _QUOTE, _QUOTES, _END = (
    pa.scalar(text, pa.binary()) for text in (b"", b'"', b'""', b"\n")
)

# The compression, by the last suffix of the file's name.
COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4", ".br": "brotli"}
# Readers of pipes are kept alive: a reader's destructor waits for its read-ahead, and
# the writer of the pipe may be waiting, too.
_OF_PIPES: list[Any] = []
# The texts that pyarrow reads as null in columns of other types than text.
_NULLS = {word.encode() for word in pa.csv.ConvertOptions().null_values}
_COLUMN = re.compile(r"In CSV column #(\d+): ")


class _File:
    """A file, its header, and what its first block tells about types.

    keys : the values of the folders key=value that it is in; None is null
    names : the header
    types : the type of each column: given, or else guessed by pyarrow
    changes : the columns whose texts would change if they were written with their type
    coarse : for columns of numbers, an integer that float64 cannot represent
    """

    def __init__(self, path: str, keys: Mapping[str, bytes | None], delimiter: str) -> None:
        self.path = path
        self.keys = keys
        self.names: list[str] = []
        self.types: dict[str, pa.DataType] = {}
        self.changes: set[str] = set()
        self.coarse: dict[str, str] = {}
        self._given: Mapping[str, pa.DataType] = {}
        self._parse = pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
        # Only for a file that cannot be opened again, such as a pipe.
        self._blocks: Blocks | None = None
        if path == STANDARD or not stat.S_ISREG(os.stat(path).st_mode):
            self._blocks = Blocks(sys.stdin.buffer if path == STANDARD else open(path, "rb"))

    def _opened(self) -> Any:
        """Open the file for a reader, at its beginning and decompressed."""
        file = pa.OSFile(self.path) if self._blocks is None else self._blocks.view()
        codec = COMPRESSED.get(os.path.splitext(self.path)[1])
        return file if codec is None else pa.CompressedInputStream(file, codec)

    def failed(self, error: Exception) -> ValueError:
        """Return pyarrow's error with the file's name and with advice."""
        name = "standard input: no CSV" if self.path == STANDARD else self.path
        if "increase block size" in str(error):
            return ValueError(f"{name}: the header or a row has more than {BLOCK} bytes")
        column = _COLUMN.search(str(error))
        names = self.names or self._header()
        if not column or int(column[1]) >= len(names):
            return ValueError(f"{name}: {error}")
        of = names[int(column[1])]
        text = str(error).replace(column[0], f"column {of!r}: ")
        more = ". The type was guessed from the first rows: --types {}=string sets it"
        if of in self._given:
            more = f", as --types has it: {self._given[of]}"
        return ValueError(f"{name}: {text}{more.format(of)}")

    def _header(self) -> list[str]:
        """Read the names of the columns after the values could not be read."""
        try:
            names: list[str] = self._reader({}, True).schema.names
        except (pa.ArrowException, UnicodeDecodeError):
            return []
        return names

    def _only_header(self) -> bytes | None:
        """Return the header if the file is one line without a line end, else None. The
        returned line has an end."""
        line: bytes = self._opened().read(BLOCK)
        if len(line) == BLOCK or b"\n" in line or b"\r" in line:
            return None
        return line + b"\n" if line.removeprefix(b"\xef\xbb\xbf") else None

    def _reader(self, types: Mapping[str, pa.DataType], all: bool) -> Any:
        convert = pa.csv.ConvertOptions(
            column_types=types, include_columns=None if all else list(types)
        )
        how = {
            "read_options": pa.csv.ReadOptions(block_size=BLOCK),
            "parse_options": self._parse,
            "convert_options": convert,
        }
        try:
            reader = pa.csv.open_csv(self._opened(), **how)
        except pa.ArrowInvalid:
            header = self._only_header()
            if header is None:
                raise
            reader = pa.csv.open_csv(pa.BufferReader(header), **how)
        if self._blocks is not None:
            _OF_PIPES.append(reader)
        return reader

    def inspect(self, given: Mapping[str, pa.DataType], compares: bool) -> None:
        """Read the header and guess the types of columns that are not given.

        If `compares` is true, also find the columns whose texts would change.
        """
        self._given = given
        try:
            typed = self._reader(given, True)
            self.names = typed.schema.names
            self.types = dict(zip(self.names, typed.schema.types))
            first = next(typed, None)
            wanted = [
                name
                for i, name in enumerate(self.names)
                if name not in given
                and (compares or (first is not None and _may_be_coarse(first.column(i))))
            ]
            if wanted:
                texts = self._reader(dict.fromkeys(wanted, pa.binary()), False)
                self._compare(first, next(texts, None), compares)
        except pa.ArrowException as error:
            raise self.failed(error) from None
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.path}: a column's name is no UTF-8: {error}") from None
        finally:
            if self._blocks is not None:
                self._blocks.rewind()
        for name in self.names:
            if self.names.count(name) > 1:
                raise ValueError(f"{self.path}: there are two columns {name!r}")

    def _compare(self, typed: Any, texts: Any, all: bool) -> None:
        if typed is None or texts is None:
            return
        for name, fields in zip(texts.schema.names, texts.columns):
            if all and changed(fields, typed[name]) is not None:
                self.changes.add(name)
            kind = typed[name].type
            is_number = pa.types.is_float64(kind) or pa.types.is_integer(kind)
            if is_number and (text := _coarse(fields)):
                self.coarse[name] = text

    def _together(self, wanted: Sequence[Mapping[str, pa.DataType]]) -> Iterator[list[Any]]:
        readers = [self._reader(kinds, False) if kinds else None for kinds in wanted]
        if self._blocks is not None:
            self._blocks.release()
        while True:
            yield [None if reader is None else next(reader, None) for reader in readers]

    def _from_texts(
        self, kinds: Mapping[str, pa.DataType], texts: Mapping[str, pa.DataType]
    ) -> Iterator[list[Any]]:
        """Yield batches of values and of bytes, where the values are made of the bytes.

        This reads the file once. From the first batch on whose tested columns are not
        plain, pyarrow's reader of types makes the values, and the file is read twice.
        """
        typed: Any = None
        number = 0
        for batch in self._reader({**texts, **dict.fromkeys(kinds, pa.binary())}, False):
            values = None if typed else _parsed(batch, kinds)
            if values is None:
                if typed is None:
                    typed = self._reader(kinds, False)
                    for _ in range(number):
                        next(typed, None)
                values = next(typed, None)
            yield [values, batch]
            number += 1
        yield [typed and next(typed, None), None]

    def batches(
        self, types: Mapping[str, pa.DataType], texts: Sequence[str]
    ) -> Iterator[tuple[int, Mapping[str, pa.Array], Mapping[str, pa.Array]]]:
        """Yield for each batch its number of rows, its columns with types, and its
        columns of bytes."""
        wanted = [
            {name: kind for name, kind in types.items() if name in self.names},
            {name: pa.binary() for name in texts if name in self.names},
        ]
        if not any(wanted):  # the rows have to be counted
            wanted[1] = {self.names[0]: pa.binary()}
        lazily = self._blocks is None and all(wanted) and all(map(_parses, wanted[0].values()))
        try:
            for read in self._from_texts(*wanted) if lazily else self._together(wanted):
                pieces = [batch for batch in read if batch is not None]
                if not pieces:
                    return
                rows = pieces[0].num_rows
                if len(pieces) != sum(map(bool, wanted)) or pieces[-1].num_rows != rows:
                    raise ValueError(f"{self.path}: its readers do not agree")
                typed, plain = (
                    {} if batch is None else dict(zip(batch.schema.names, batch.columns))
                    for batch in read
                )
                yield rows, typed, plain
        except pa.ArrowException as error:
            raise self.failed(error) from None
        finally:
            if self._blocks is not None:
                self._blocks.rewind()


# --------------------------------------------------------------- texts of values

# Removes zeros at the end of a fraction, and a decimal point at the end.
_PLAIN = ((r"(\.[0-9]*?)0+$", r"\1"), (r"\.$", ""))
# Makes 2024-01-31 12:00:00 of 2024-01-31T12:00Z, as a timestamp is written.
_PLAIN_MOMENTS = ((r"T", " "), (r"Z$", ""), (r"( \d\d:\d\d)$", r"\1:00"), *_PLAIN)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_binary(kind))


# The longest text of a number all of whose digits a double certainly keeps.
_FEW_BYTES = pa.scalar(15, pa.int32())
_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]*)?$"
# Match the first three bytes of texts that are no such number.
_NO_NUMBER = r"^-?(0[0-9]|\.)"
_NO_INTEGER = r"^(0[0-9]|-0)"
# A timestamp. A unit decides how many digits its fraction may have.
_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,%d})?Z?$"
_FRACTION = {"ms": 3, "us": 6, "ns": 9}


def _bytes(texts: pa.Array) -> bytes:
    """Return the bytes of all texts, side by side."""
    _, offsets, held = texts.buffers()
    at = memoryview(offsets)[4 * texts.offset :][: 4 * len(texts) + 4].cast("i")
    return b"" if held is None else bytes(memoryview(held)[at[0] : at[-1]])


def _are_numbers(texts: pa.Array, is_whole: bool, most: int) -> bool:
    """Return whether each text is empty or a plain number of at most `most` bytes.

    A plain number has a sign, digits and a decimal point at most, and no leading zeros.
    The check is faster than formatting the values. It may take a text for plain that is
    no number in any notation.
    """
    if len(texts) == 0:
        return True
    if pc.max(pc.binary_length(texts)).as_py() > most:
        return False
    if _bytes(texts).translate(None, b"0123456789-" if is_whole else b"0123456789-."):
        return False
    heads = pc.unique(pc.binary_slice(texts, 0, 3))
    wrong = pc.match_substring_regex(heads, _NO_INTEGER if is_whole else _NO_NUMBER)
    return not pc.any(wrong).as_py()


def _may_be_coarse(values: pa.Array) -> bool:
    """Return whether values are floats, or integers that float64 may not represent.

    The column of such integers may have floats in another file.
    """
    if not pa.types.is_integer(values.type):
        return bool(pa.types.is_float64(values.type))
    ends = pc.min_max(values).as_py()
    return any(abs(end) > 2**53 for end in ends.values() if end is not None)


def _coarse(texts: pa.Array) -> str | None:
    """Return an integer among the texts that float64 cannot represent, or None."""
    long = texts.filter(pc.match_substring_regex(texts, "^[+-]?[0-9]{16,}$"))
    for text in pc.unique(long).to_pylist():
        if decimal.Decimal(text.decode()) != decimal.Decimal(float(text)):
            return str(text.decode())
    return None


def _kept(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    """Flag the texts whose value the type keeps, even if it prints differently."""
    if pa.types.is_floating(kind):
        is_short = pc.less_equal(pc.binary_length(texts), _FEW_BYTES)
        return pc.and_(is_short, pc.match_substring_regex(texts, _NUMBER))
    return pc.match_substring_regex(texts, _MOMENT % _FRACTION[kind.unit])


def changed(texts: pa.Array, values: pa.Array) -> tuple[str, str] | None:
    """Return the first text whose value is written as another text, and that other
    text; or None."""
    kind = values.type
    is_whole = pa.types.is_integer(kind)
    if _is_text(kind):
        return None
    if texts.null_count != 0:  # those of files without the column
        texts, values = texts.drop_null(), values.filter(texts.is_valid())
    if is_whole or pa.types.is_float64(kind):
        if _are_numbers(texts, is_whole, 20 if is_whole else _FEW_BYTES.as_py()):
            return None
    back = pc.fill_null(pc.cast(values, pa.string()), _NO_TEXT).cast(pa.binary())
    differs = pc.not_equal(texts, back)
    if not pc.any(differs).as_py():
        return None
    if pa.types.is_float64(kind) or (pa.types.is_timestamp(kind) and kind.unit in _FRACTION):
        differs = pc.and_not(differs, _kept(texts, kind))
    texts, back = texts.filter(differs), back.filter(differs)
    rules: Sequence[tuple[str, str]] = ()
    if pa.types.is_floating(kind):
        rules = _PLAIN
    elif pa.types.is_timestamp(kind):
        rules = _PLAIN_MOMENTS
    if len(texts) == 0:
        return None
    plain = [texts, back]
    for pattern, by in rules:
        plain = [pc.replace_substring_regex(x, pattern, by) for x in plain]
    differs = pc.not_equal(*plain)
    if not pc.any(differs).as_py():
        return None
    first = pc.index(differs, True).as_py()
    return texts[first].as_py().decode(errors="replace"), back[first].as_py().decode()


def converted(texts: pa.Array, name: str, kind: pa.DataType) -> pa.Array:
    """Convert texts to values of a type. Empty texts become null, unless the type is
    text."""
    if kind == texts.type:
        return texts
    try:
        if not _is_text(kind):
            empty = pc.equal(pc.binary_length(texts), _NO_BYTES)
            if pc.any(empty).as_py():
                texts = pc.if_else(empty, pa.scalar(None, texts.type), texts)
        if pa.types.is_null(kind) and texts.null_count == len(texts):
            return pa.nulls(len(texts))
        return texts.cast(pa.string()).cast(kind)
    except pa.ArrowException as error:
        other = "binary" if _is_text(kind) else "string"
        raise ValueError(
            f"column {name!r}: {error}. The type was guessed from the first rows: "
            f"--types {name}={other} sets it"
        ) from None


def _parses(kind: pa.DataType) -> bool:
    """Return whether converted() gives plain texts the values of pyarrow's reader."""
    return bool(
        _is_text(kind) or pa.types.is_integer(kind) or pa.types.is_float32(kind)
        or pa.types.is_float64(kind)
    )


def _parsed(batch: pa.RecordBatch, kinds: Mapping[str, pa.DataType]) -> pa.RecordBatch | None:
    """Convert columns of bytes to values. Return None if pyarrow's reader has to."""
    columns = []
    for name, kind in kinds.items():
        texts = batch[name]
        if not _is_text(kind) and not _are_numbers(texts, pa.types.is_integer(kind), 64):
            return None
        try:
            columns.append(converted(texts, name, kind))
        except ValueError:
            return None
    return pa.record_batch(columns, names=list(kinds))


# ------------------------------------------------------------------------- sources


class Texts(Source):
    """Files of CSV or TSV.

    given : the types that --types names
    as_read : whether fields are written as they were read; else columns have types
    """

    def __init__(
        self,
        files: Sequence[tuple[str, Mapping[str, bytes | None]]],
        format: str,
        given: Mapping[str, pa.DataType],
        as_read: bool,
    ) -> None:
        delimiter = "\t" if format == "tsv" else ","
        self._files = [_File(path, keys, delimiter) for path, keys in files]
        self._given = given
        self._as_read = as_read
        self._texts: set[str] = set()  # columns that are written as text
        self._differ: dict[str, str] = {}  # columns without one type, and why
        for file in self._files:
            types = {name: kind for name, kind in given.items() if name not in file.keys}
            file.inspect(types, not as_read)
            self._texts |= file.changes
        names = dict.fromkeys(name for file in self._files for name in file.names)
        names.update(dict.fromkeys(key for file in self._files for key in file.keys))
        self.schema = pa.schema([(name, self._type(name)) for name in names])

    def _type(self, name: str) -> pa.DataType:
        if name in self._given:
            return self._given[name]
        files = [file for file in self._files if name in file.types]
        if not files:
            keys = pa.array([file.keys.get(name) for file in self._files], pa.binary())
            kind = type_of_keys(keys)
            if changed(keys, converted(keys, name, kind)) is not None:
                self._texts.add(name)
            return kind
        schemas = [pa.schema([(name, file.types[name])]) for file in files]
        try:
            return pa.unify_schemas(schemas, promote_options="permissive").types[0]
        except pa.ArrowException:
            other = next(f for f in files if f.types[name] != files[0].types[name])
            self._differ[name] = (
                f"column {name!r} is of {files[0].types[name]} in {files[0].path} and of "
                f"{other.types[name]} in {other.path}: --types {name}=string sets one type"
            )
            self._texts.add(name)
            return pa.string()

    def plan(self, text: str, wanted: Sequence[str]) -> Plan:
        tested = self.to_read(text, [])
        for name in tested:
            if name in self._differ:
                raise ValueError(self._differ[name])
            if name not in self._given and pa.types.is_float64(self.schema.field(name).type):
                self._refuse_coarse(name)
        outs = {name: self._written_type(name) for name in wanted}
        read = {
            name: self.schema.field(name).type
            for name in self.schema.names
            if name in tested or (name in wanted and name in self._given and not self._as_read)
        }
        # A column that --types names is not compared with its texts.
        texts = [name for name in wanted if self._as_read or name not in self._given]
        fields = list(read.items())
        unused = ""  # a name that no column has
        while unused in self.schema.names:
            unused += " "
        if texts:
            fields.append((unused, pa.struct([(name, pa.binary()) for name in texts])))
        if not fields:
            fields = [(unused, pa.null())]
        return Plan(
            pa.schema(fields),
            self._batches(read, texts, pa.schema(fields)),
            pa.schema(list(outs.items())),
            lambda batch: self._finished(batch, outs, texts),
            self._as_read,
        )

    def _refuse_coarse(self, name: str) -> None:
        for file in self._files:
            if name in file.coarse:
                raise ValueError(
                    f"{file.path}: column {name!r} has {file.coarse[name]}, which "
                    "float64, its guessed type, cannot represent: set the type by "
                    f"--types {name}=uint64, {name}=decimal(38, 0) or {name}=string"
                )

    def _written_type(self, name: str) -> pa.DataType:
        if self._as_read:
            return pa.binary()
        if name in self._texts and name not in self._given:
            return pa.string()
        return self.schema.field(name).type

    def _batches(
        self, kinds: Mapping[str, pa.DataType], texts: Sequence[str], schema: pa.Schema
    ) -> Iterator[pa.RecordBatch]:
        for file in self._files:
            keys = dict(file.keys)
            if self._as_read:  # CSV writes null as an empty field
                keys.update((name, b"") for name in texts if keys.get(name) is None)
            for rows, typed, plain in file.batches(kinds, texts):
                columns = [
                    typed[name] if name in typed else _repeated(file.keys.get(name), rows, kind)
                    for name, kind in kinds.items()
                ]
                fields = [
                    plain[name]
                    if name in plain
                    else _repeated(keys.get(name), rows, pa.binary())
                    for name in texts
                ]
                if fields:
                    columns.append(pa.StructArray.from_arrays(fields, list(texts)))
                yield pa.record_batch(columns or [pa.nulls(rows)], schema=schema)

    def _finished(
        self, batch: pa.RecordBatch, outs: Mapping[str, pa.DataType], texts: Sequence[str]
    ) -> pa.RecordBatch:
        last = batch.column(batch.num_columns - 1)
        plain = {name: last.field(i) for i, name in enumerate(texts)}
        read = set(zip(batch.schema.names, batch.schema.types))
        columns = []
        for name, kind in outs.items():
            if name not in plain:
                columns.append(batch[name])
                continue
            if not self._as_read and (name, kind) in read:
                values = batch[name]
            else:
                values = converted(plain[name], name, kind)
            found = changed(plain[name], values)
            if found is not None:
                raise ValueError(
                    f"column {name!r} has {found[0]!r}, which would be written as {found[1]!r}: "
                    f"--types {name}=string keeps it, --types {name}={kind} does not"
                )
            columns.append(values)
        return pa.record_batch(columns, names=list(outs))


def _repeated(text: bytes | None, rows: int, kind: pa.DataType) -> pa.Array:
    """Return a column that repeats the value of a folder's key, or null."""
    if text is None or (text in _NULLS and not _is_text(kind)):
        return pa.nulls(rows, kind)
    value = pa.scalar(text, pa.binary())
    if kind != pa.binary():
        value = value.cast(pa.string()).cast(kind)
    return pa.repeat(value, rows)


def type_of_keys(texts: pa.Array) -> pa.DataType:
    """Return int32 if all texts are such numbers, else string, like pyarrow."""
    try:
        texts.cast(pa.string()).cast(pa.int32())
        return pa.int32()
    except pa.ArrowException:
        return pa.string()


# -------------------------------------------------------------------------- output


def _quoted(column: pa.Array, delimiter: str) -> pa.Array:
    """Put fields in quotes if RFC 4180 requires them."""
    held = column.buffers()[2]
    inside = b"" if held is None else held.to_pybytes()
    if not any(sign in inside for sign in (b'"', b"\n", b"\r", delimiter.encode())):
        return column
    needs = pc.match_substring_regex(column, f'["\r\n{delimiter}]')
    doubled = pc.replace_substring(column, '"', '""')
    quoted = pc.binary_join_element_wise(_QUOTE, doubled, _QUOTE, _NOTHING)
    return pc.if_else(needs, quoted, column)


def _lines(columns: Sequence[pa.Array], delimiter: str) -> memoryview:
    fields = [_quoted(column, delimiter) for column in columns]
    if len(fields) == 1:  # many readers skip an empty line
        empty = pc.equal(pc.binary_length(fields[0]), _NO_BYTES)
        fields = [pc.if_else(empty, _QUOTES, fields[0])]
    end = pc.binary_join_element_wise(fields.pop(), _END, _NOTHING)
    between = pa.scalar(delimiter.encode(), pa.binary())
    lines = pc.binary_join_element_wise(*fields, end, between)
    _, offsets, held = lines.buffers()
    last = int.from_bytes(memoryview(offsets)[4 * len(lines) : 4 * len(lines) + 4], sys.byteorder)
    return memoryview(held)[:last]


class Writer:
    """A context manager whose write_table() writes tables of texts."""

    def __init__(self, file: Any, delimiter: str, names: Sequence[str]) -> None:
        self._file = file
        self._delimiter = delimiter
        header = [pa.array([name.encode()], pa.binary()) for name in names]
        self._file.write(_lines(header, delimiter))

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def write_table(self, rows: pa.Table) -> None:
        for batch in rows.to_batches():
            if batch.num_rows > 0:
                self._file.write(_lines(batch.columns, self._delimiter))
