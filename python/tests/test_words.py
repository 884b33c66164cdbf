# SPDX-License-Identifier: Apache-2.0
"""What texts of conditions are refused for, and what is said then."""

import unittest

import winnow
from arrays import needs, pa
from winnow import col


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


if __name__ == "__main__":
    unittest.main()
