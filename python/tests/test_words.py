# SPDX-License-Identifier: Apache-2.0
"""Tests of errors in the text of conditions, and of their messages."""

import tempfile
import unittest

import winnow
from arrays import needs, np, pa
from winnow import col

if pa is not None:
    from winnow import _command


class Ordered(unittest.TestCase):
    """Tests of ordered categories, whose order is not that of their bytes."""

    def check(self, frame, column):
        for text, wanted in (
            ("size = 'medium'", ["medium"]),
            ("size in ('large', 'small')", ["small", "large"]),
            ("size like 's%' or size <> 'large'", ["small", "medium"]),
        ):
            with self.subTest(text=text):
                kept = winnow.filter(frame, text)
                self.assertEqual([str(value) for value in column(kept)], wanted)
        for condition in (
            "size > 'medium'",
            "'medium' >= size",
            "size between 'medium' and 'small'",
            "size < 'm' or size = 'small'",
            col("size") <= "medium",
        ):
            with self.subTest(condition=str(condition)):
                with self.assertRaisesRegex(
                    winnow.UnsupportedError, "'size' has an ordered dictionary"
                ):
                    winnow.filter(frame, condition)

    @unittest.skipIf(pa is None, "pyarrow is not installed")
    def test_pyarrow(self):
        self.check(
            pa.table(
                {
                    "size": pa.DictionaryArray.from_arrays(
                        pa.array([0, 2, 1]),
                        pa.array(["small", "medium", "large"]),
                        ordered=True,
                    )
                }
            ),
            lambda kept: kept["size"],
        )

    @needs("polars")
    def test_polars(self):
        import polars as pl

        sizes = pl.Enum(["small", "medium", "large"])
        self.check(
            pl.DataFrame({"size": pl.Series(["small", "large", "medium"], dtype=sizes)}),
            lambda kept: kept["size"],
        )

    @unittest.skipIf(pa is None, "pyarrow is not installed")
    @needs("pandas")
    def test_pandas(self):
        import pandas as pd

        self.check(
            pd.DataFrame(
                {
                    "size": pd.Categorical(
                        ["small", "large", "medium"],
                        categories=["small", "medium", "large"],
                        ordered=True,
                    )
                }
            ),
            lambda kept: kept["size"],
        )


class Words(unittest.TestCase):
    """Tests of SQL's words, on arrays and in files. In files they decide what is
    read."""

    @needs("numpy")
    def test_arrays(self):
        y = np.array([1, 5, 7], "float64")
        for text, wanted in (
            ("+y > +1", [5, 7]),
            ("y notnull", [1, 5, 7]),
            ("y ISNULL", []),
            ("y in (2 + 3, -(1 - 2))", [1, 5]),
            ("cast(y as double precision) > 5", [7]),
            ("y::double precision > 5 and cast(y as tinyint) > 1", [7]),
        ):
            with self.subTest(text=text):
                self.assertEqual(winnow.copy_if(y, text).array().tolist(), wanted)

    @unittest.skipIf(pa is None, "pyarrow is not installed")
    def test_files(self):
        table = pa.table(
            {
                "x": pa.array([1, None, 5, 9]),
                "day": pa.array([0, 19723, None, 19724], pa.date32()),
                "b": pa.array([b"\0", b"a", b"\xff\0", None], pa.binary()),
                "isnull": pa.array([1, 2, 3, 4]),
            }
        )
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/a.parquet"
            pa.parquet.write_table(table, path, row_group_size=1)
            for text, wanted in (
                ("x in (+1, 4 + 5)", [1, 4]),
                ("+x < +5", [1]),
                ("x notnull and \"isnull\" > 1", [3, 4]),
                ("isnull = 2 or x > 5", [2, 4]),
                ("day >= '2024-01-01'::date", [2, 4]),
                ("cast('1970-01-01' as timestamp) = day", [1]),
                ("b = X'00' or b in (X'ff00')", [1, 3]),
                ("b like X'25' and b > X'00'", [2, 3]),
            ):
                with self.subTest(text=text):
                    kept = winnow.filter(table, text)
                    self.assertEqual(kept["isnull"].to_pylist(), wanted)
                    status = _command.filter([text, path, "-o", f"{folder}/out.parquet"])
                    self.assertEqual(status, 0)
                    kept = pa.parquet.read_table(f"{folder}/out.parquet")
                    self.assertEqual(kept["isnull"].to_pylist(), wanted)


class Messages(unittest.TestCase):
    def refused(self, call, error, *parts):
        with self.assertRaises(error) as caught:
            call()
        for part in parts:
            self.assertIn(part, str(caught.exception))
        return str(caught.exception)

    @unittest.skipIf(pa is None, "pyarrow is not installed")
    @needs("numpy")
    def test_columns_of_arrow_in_a_mapping(self):
        self.refused(
            lambda: winnow.filter({"a": pa.array([1, 2])}, "a > 1"),
            TypeError,
            "column 'a' is a column of pyarrow: a mapping has arrays, of NumPy",
            "filter() takes whole tables of pyarrow, polars and pandas",
        )

    @unittest.skipIf(pa is None, "pyarrow is not installed")
    def test_tables_as_arrays(self):
        table = pa.table({"a": [1, 2]})
        for call in (
            lambda: winnow.copy_if(table, "a > 1"),
            lambda: winnow.select(table, "a > 1"),
        ):
            self.refused(
                call,
                TypeError,
                "x is a Table of pyarrow: winnow.filter() takes tables; other functions "
                "take arrays, such as to_numpy() of a column",
            )

    @needs("numpy")
    def test_types(self):
        keys = np.zeros(3, "int32")
        text = self.refused(
            lambda: winnow.accumulate_by_key(keys, np.ones(3, "uint8"), 3),
            winnow.ArgumentError,
            "type is uint8, which is not summed: wanted int32, int64, uint32, "
            "uint64, float32 or float64",
        )
        self.assertNotIn("WINNOW_", text)

    @unittest.skipIf(pa is None, "pyarrow is not installed")
    def test_own_names_of_types(self):
        import decimal

        table = pa.table(
            {
                "p": pa.array([decimal.Decimal("1.50")]),
                "at": pa.array([0], pa.timestamp("us")),
                "ok": pa.array([True]),
                "day": pa.array([0], pa.date32()),
            }
        )
        for text, part in (
            ("isfinite(at)", "'at' is of timestamps"),
            ("isnan(day)", "'day' is of dates"),
            ("p = 'x y'", "'p' is of decimals"),
            ("ok > 1", "'ok' is of booleans"),
            ("at + ok = 1", "found timestamps + booleans"),
            ("p < '1.5'", "write 1.5, without quotes"),
        ):
            with self.subTest(text=text):
                self.refused(lambda: winnow.filter(table, text), winnow.Error, part)

    @unittest.skipIf(pa is None, "pyarrow is not installed")
    def test_views_that_are_not_aligned(self):
        strings = pa.array(["a", "bb", "more than twelve bytes"], pa.string_view())
        _, views, data = strings.buffers()
        moved = pa.py_buffer(b"\0" + views.to_pybytes()).slice(1)
        strings = pa.Array.from_buffers(pa.string_view(), 3, [None, moved, data])
        table = pa.table({"k": [1, 2, 3], "text": strings})
        kept = winnow.filter(table, "k > 1")
        self.assertEqual(kept["text"].to_pylist(), ["bb", "more than twelve bytes"])
        text = self.refused(
            lambda: winnow.filter(table, "text = 'bb'"),
            ValueError,  # raised by pyarrow, which keeps only the text
            "column 'text': the views are not aligned to 8 bytes",
        )
        self.assertNotIn("0x", text)

    @unittest.skipIf(pa is None, "pyarrow is not installed")
    @needs("pandas")
    def test_index_of_pandas(self):
        import pandas as pd

        for index in ([5, 6], None):
            frame = pd.DataFrame({"a": [1, 2]}, index=index)
            text = self.refused(
                lambda: winnow.filter(frame, "index == 5"),
                winnow.ConditionError,
                "The columns are a.",
                "The index has no name",
                "rename_axis()",
            )
            self.assertNotIn("__index", text)
            kept = winnow.filter(frame.rename_axis("i"), "i in (1, 6)")
            self.assertEqual(kept["a"].tolist(), [2])


if __name__ == "__main__":
    unittest.main()
