# SPDX-License-Identifier: Apache-2.0
"""Tests of skipped row groups in Parquet files: a condition keeps the same rows of a
file as of the table that pyarrow reads from it, whichever program wrote the file.
"""

import decimal
import pathlib
import struct
import unittest

import winnow
from arrays import SEED, needs, np, pa, tables, trials
from test_files import Folder, read

if pa:
    import pyarrow.parquet
    from winnow import _files

TRIALS = trials(15)
# Types that pyarrow's Parquet writer refuses.
REFUSED = ["dictionary<values=string_view, indices=int64, ordered=0>", "decimal128(5, -2)"]


def zeros(random, column):
    """Put runs of zeros of either sign into a column of floats."""
    values = column.to_pylist()
    for i in range(len(values)):
        if i // 5 % 2 == 0:
            values[i] = tables.pick(random, [0.0, -0.0, -0.0, values[i]])
    kind = column.type.to_pandas_dtype()
    return pa.chunked_array([pa.array([v if v is None else kind(v) for v in values], column.type)])


def rows_of(random, types):
    """Draw a table and sort it by a column, so that its row groups differ."""
    rows = tables.table(random, int(random.integers(1, 60)), types)
    for i, kind in enumerate(types):
        if kind in tables.FLOATS and random.random() < 0.7:
            rows = rows.set_column(i, f"c{i}", zeros(random, rows.column(i)))
    if random.random() < 0.3:
        return rows
    try:
        return rows.sort_by(f"c{random.integers(len(types))}")
    except (pa.ArrowException, TypeError):  # pyarrow cannot sort views
        return rows


def options(random, rows):
    """Draw options for pyarrow's writer: statistics of all, some or no columns, a
    version of the format, whose types differ, and with or without Arrow's schema."""
    names = rows.column_names
    version = tables.pick(random, ["1.0", "2.4", "2.6"])
    some = [name for name in names if random.random() < 0.5]
    return {
        "row_group_size": int(random.integers(1, 6)),
        "write_statistics": tables.pick(random, [True, True, True, False, some]),
        "version": version,
        "data_page_version": tables.pick(random, ["1.0", "2.0"]),
        "store_schema": bool(random.integers(2)),
        "store_decimal_as_integer": bool(random.integers(2)),
        "use_dictionary": bool(random.integers(2)),
        "use_deprecated_int96_timestamps": random.random() < 0.2,
        "coerce_timestamps": tables.pick(random, ["ms", "us"] + [None] * (version == "2.6")),
        "allow_truncated_timestamps": True,
    }


def literals(random, name, kind):
    """Yield conditions that are pushed down, with values at the ends of row groups."""
    if kind in tables.FLOATS:
        zero = tables.pick(random, ["0", "-0.0", "-0", "0.0"])
        sign = tables.pick(random, list(tables.SIGNS))
        return tables.pick(
            random,
            [
                f"{name} in ({zero}, 1)",
                f"{name} in ({zero})",
                f"{name} not in ({zero}, 1)",
                f"{name} {sign} {zero}",
                f"not ({name} {sign} {zero})",
                f"{zero} <= {name} <= 1",
                f"{name} between -1 and {zero}",
                f"{name} not between {zero} and 1",
            ],
        )
    if tables.is_text(kind):
        long = "'" + "y" * int(tables.pick(random, [63, 64, 65, 70])) + "a'"
        sign = tables.pick(random, list(tables.SIGNS))
        return tables.pick(
            random,
            [
                f"{name} in ({long}, 'a')",
                f"{name} {sign} {long}",
                f"{name} like 'yyyy%a'",
                f"starts_with({name}, {long})",
            ],
        )
    return f"not ({name} is null)"


@needs("pyarrow")
@needs("numpy")
class Pushdown(Folder):
    def same(self, path, text):
        """Check that file and table give the same rows. Return the number of groups
        skipped."""
        out = self.path("out.parquet")
        self.do(text, path, "-o", out)
        wanted = winnow.filter(read(path), text)
        self.assertEqual(repr(read(out).to_pydict()), repr(wanted.to_pydict()))
        read_groups, all_groups = _files.open_files([path], None, text).parts
        return all_groups - read_groups

    def compare(self, write, types, trials):
        left_out = 0
        for seed in range(SEED, SEED + trials):
            random = np.random.default_rng(seed)
            kinds = [tables.pick(random, types) for _ in range(4)]
            rows = rows_of(random, kinds)
            path = self.path("a.parquet")
            write(random, rows, path)
            stored = read(path)
            for i in range(6):
                of = int(random.integers(len(kinds)))
                text = literals(random, f"c{of}", kinds[of])
                if i % 2 == 0:
                    text, _ = tables.condition(random, rows, int(random.integers(3)))
                elif i == 1:
                    more, _ = tables.condition(random, rows, 1)
                    text = f"({text}) or not ({more})"
                try:
                    winnow.filter(stored, text)
                except winnow.Error:  # a type that the file does not have
                    continue
                with self.subTest(seed=seed, text=text):
                    left_out += self.same(path, text)
        self.assertGreater(left_out, 0)

    def by_pyarrow(self, random, rows, path):
        pa.parquet.write_table(rows, path, **options(random, rows))

    def test_of_pyarrow(self):
        types = [kind for kind in tables.TESTED if str(kind) not in REFUSED]
        self.compare(self.by_pyarrow, types, TRIALS)

    def test_floats(self):
        self.compare(self.by_pyarrow, tables.FLOATS[1:], 2 * TRIALS)

    def test_zeros(self):
        rows = pa.table({"x": pa.array([0.0, -0.0, 0.0, 1.0, 2.0, 0.0, 3.0])})
        path = self.path("a.parquet")
        pa.parquet.write_table(rows, path, row_group_size=2)
        for text, groups in (("x in (0, 1)", 1), ("x in (-0.0)", 1), ("x in (1, 3)", 1)):
            self.assertEqual(self.same(path, text), groups, text)

    def test_ends_of_decimals(self):
        """A bound may have more digits than the column's type."""
        for precision in (9, 18, 38):
            last = "9" * precision
            values = [decimal.Decimal(text) for text in (last, "-" + last, "0")]
            rows = pa.table({"x": pa.array([*values, None], pa.decimal128(precision, 0))})
            path = self.path("a.parquet")
            pa.parquet.write_table(rows, path, row_group_size=1)
            for text in (f"x > {last}", f"x < -{last}", f"not (x between -{last} and 0)"):
                with self.subTest(text=text):
                    self.same(path, text)

    def test_statistics_of_others(self):
        """Some writers put NaN, or a zero of one sign only, into statistics."""
        path = self.path("a.parquet")
        rows = pa.table({"x": pa.array([1.25, 0.0, -0.0, np.nan, None, 7.5])})
        pa.parquet.write_table(rows, path, compression="none", use_dictionary=False)
        written = pathlib.Path(path).read_bytes()
        at = len(written) - 8 - int.from_bytes(written[-8:-4], "little")
        # The minimum is stored as -0, the maximum as 7.5.
        for low, high in ((np.nan, 7.5), (-0.0, np.nan), (np.nan, np.nan), (0.0, 7.5)):
            footer = written[at:]
            for old, new in ((-0.0, low), (7.5, high)):
                footer = footer.replace(struct.pack("<d", old), struct.pack("<d", new))
            pathlib.Path(path).write_bytes(written[:at] + footer)
            for text in ("x = 0", "x in (0, 3)", "x < 1", "x >= 7.5", "0 <= x < 2", "x is null"):
                with self.subTest(low=low, high=high, text=text):
                    self.same(path, text)

    @needs("polars")
    def test_of_polars(self):
        """polars truncates its statistics of long texts."""
        import polars as pl

        types = [pa.string(), pa.int8(), pa.uint64(), pa.float32(), pa.float64()]
        types += [pa.date32(), pa.timestamp("us"), pa.decimal128(10, 2)]

        def write(random, rows, path):
            pl.DataFrame(rows).write_parquet(
                path, row_group_size=int(random.integers(1, 6)), statistics="full"
            )

        self.compare(write, types, TRIALS // 2)

    @needs("duckdb")
    def test_of_duckdb(self):
        import duckdb

        types = [pa.string(), pa.int8(), pa.uint64(), pa.float32(), pa.float64()]
        types += [pa.date32(), pa.timestamp("ns"), pa.decimal128(10, 2), pa.bool_()]

        def write(random, rows, path):
            duckdb.from_arrow(rows).write_parquet(path, row_group_size=2048)

        self.compare(write, types, TRIALS // 2)


if __name__ == "__main__":
    unittest.main()
