# SPDX-License-Identifier: Apache-2.0
"""What texts of conditions are refused for, and what is said then."""

import tempfile
import unittest

import winnow
from arrays import needs, np, pa
from winnow import col

if pa is not None:
    from winnow import _command


class Ordered(unittest.TestCase):
    """Categories with an order, which is not that of their bytes."""

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
    """Words of SQL, on arrays and in files, where words tell what is read."""

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


if __name__ == "__main__":
    unittest.main()
