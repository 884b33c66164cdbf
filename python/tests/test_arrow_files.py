# SPDX-License-Identifier: Apache-2.0
"""Filter Arrow files that other programs wrote, by each of their columns.

The folder `arrow` beside this file has a few. WINNOW_ARROW_FILES names another folder,
such as data/arrow-ipc-stream/integration of apache/arrow-testing. winnow has to keep
the same rows as pyarrow.
"""

import os
import pathlib
import unittest

import winnow
from arrays import needs, np, pa, tables

if pa:
    import pyarrow.compute as pc
    import pyarrow.types as kinds

FOLDER = os.environ.get("WINNOW_ARROW_FILES")


def read(path):
    """Read a file as a table with columns c0, c1, ... and a column k of row numbers."""
    opened = pa.ipc.open_file if path.suffix == ".arrow_file" else pa.ipc.open_stream
    with pa.OSFile(str(path)) as source, opened(source) as reader:
        rows = reader.read_all()
    rows = rows.rename_columns([f"c{i}" for i in range(rows.num_columns)])
    numbers = pa.array(np.arange(rows.num_rows, dtype=np.int16))
    return rows.append_column("k", numbers)


def is_refused(kind):
    """Return whether a type is, or contains, a type that the library refuses."""
    if isinstance(kind, pa.BaseExtensionType):
        return is_refused(kind.storage_type)
    if kinds.is_dictionary(kind):
        return is_refused(kind.value_type)
    if kinds.is_run_end_encoded(kind):
        return True
    if kinds.is_list_view(kind) or kinds.is_large_list_view(kind):
        return True
    return any(is_refused(kind.field(i).type) for i in range(kind.num_fields))


def is_tested(kind):
    if "interval" in str(kind):
        return False
    if kinds.is_dictionary(kind):
        return is_text(kind.value_type)
    if kinds.is_decimal(kind):
        return kind.bit_width <= 128
    return is_text(kind) or kinds.is_primitive(kind)


def is_text(kind):
    return tables.is_text(kind) or kind in (pa.binary(), pa.large_binary(), pa.binary_view())


def time_of(number, unit):
    """Return a literal of a time of day, or None if the time is 24:00 or later."""
    digits = {"s": 0, "ms": 3, "us": 6, "ns": 9}[unit]
    seconds, part = divmod(number, 10**digits)
    if not 0 <= seconds < 24 * 3600:
        return None
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"time '{text}" + (f".{part:0{digits}}'" if digits else "'")


def literal(value):
    """Write a scalar of pyarrow as a literal, or return None if there is none."""
    kind = value.type
    if kinds.is_date(kind) or kinds.is_timestamp(kind) or kinds.is_time(kind):
        number = value.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).as_py()
        if kinds.is_time(kind):
            return time_of(number, kind.unit)
        unit = "D" if kinds.is_date32(kind) else "ms" if kinds.is_date64(kind) else kind.unit
        text = str(np.datetime64(number, unit)).replace("T", " ")
        if not "0001" <= text[:4] <= "9999" or text[4] != "-":
            return None
        zone = "+00:00" if kinds.is_timestamp(kind) and kind.tz else ""
        return f"timestamp '{text}{zone}'" if " " in text else f"date '{text}'"
    if kinds.is_integer(kind):
        return str(value.as_py())
    if kinds.is_floating(kind):
        return repr(float(value.as_py())) if np.isfinite(value.as_py()) else None
    if kinds.is_decimal(kind):
        return f"{value.as_py():f}"
    if is_text(kind):
        text = value.as_py()
        if isinstance(text, bytes):
            try:
                text = text.decode()
            except UnicodeDecodeError:
                return None
        return None if "\0" in text else "'" + text.replace("'", "''") + "'"
    return None


def decoded(column):
    """Decode a dictionary column. An index of a null entry gives null."""
    if not kinds.is_dictionary(column.type):
        return column
    chunks = [chunk.dictionary_decode() for chunk in column.chunks]
    return pa.chunked_array(chunks, column.type.value_type)


def conditions(rows, name):
    """Yield texts of tests of a column, with their outcomes."""
    column = decoded(rows[name])
    if not is_tested(rows[name].type):
        return
    yield f"{name} is null", pc.is_null(column)
    if kinds.is_boolean(column.type):
        yield name, column
        yield f"not {name}", pc.invert(column)
    for value in [v for v in column[:50] if v.is_valid][:4]:
        text = literal(value)
        if text is not None:
            yield f"{name} = {text}", pc.equal(column, value)
            yield f"{name} < {text}", pc.less(column, value)
            yield f"not ({name} <= {text})", pc.greater(column, value)


def without_views(rows):
    """Convert string views to strings: pyarrow cannot filter views."""
    for i, field in enumerate(rows.schema):
        if field.type in (pa.string_view(), pa.binary_view()):
            rows = rows.set_column(i, field.name, rows.column(i).cast(pa.large_binary()))
    return rows


def is_valid(rows):
    """Return whether all decimals fit their precision and all dates are whole days.

    Old files have others.
    """
    try:
        rows.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


@needs("pyarrow")
@needs("numpy")
class Files(unittest.TestCase):
    def kept(self, rows, text, mask):
        kept = winnow.filter(rows, text)
        kept.validate(full=is_valid(rows))
        self.assertEqual(kept.schema, rows.schema)
        wanted = without_views(rows).filter(mask)
        self.assertTrue(without_views(kept).equals(wanted), text)

    def check(self, rows, text, mask):
        """Check the whole table as a stream, and each of its batches."""
        self.kept(rows, text, mask)
        start = 0
        for batch in rows.to_batches():
            part = mask.slice(start, batch.num_rows)
            part = part.combine_chunks() if isinstance(part, pa.ChunkedArray) else part
            self.kept(batch, text, part)
            start += batch.num_rows

    def check_file(self, path):
        rows = read(path)
        number = 0
        for name in rows.column_names[:-1]:
            if is_refused(rows[name].type):
                with self.assertRaisesRegex(winnow.UnsupportedError, name):
                    winnow.filter(rows, "k > 0")
                rows = rows.drop([name])
        self.check(rows, "k > 2", pc.greater(rows["k"], 2))
        for name in rows.column_names:
            for text, mask in conditions(rows, name):
                with self.subTest(text=text):
                    self.check(rows, text, mask)
                    number += 1
        return number

    def check_folder(self, folder):
        number = 0
        paths = [p for p in folder.rglob("*") if p.suffix in (".stream", ".arrow_file")]
        self.assertTrue(paths, f"no files in {folder}")
        for path in sorted(paths):
            with self.subTest(path=str(path.relative_to(folder))):
                number += self.check_file(path)
        self.assertGreater(number, 0)
        return number

    @unittest.skipUnless(FOLDER, "WINNOW_ARROW_FILES names no folder")
    def test_others(self):
        self.check_folder(pathlib.Path(FOLDER))

    def test_own(self):
        self.check_folder(pathlib.Path(__file__).parent / "arrow")
